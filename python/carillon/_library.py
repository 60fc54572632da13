# SPDX-License-Identifier: Apache-2.0
"""Calls of the C library: errors become exceptions, progress and Ctrl-C come through, files may be in memory."""
from __future__ import annotations

import contextlib
import functools
import logging
import os
import pathlib
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from carillon._native import ffi, lib
from carillon.errors import ArgumentError, CancelledError, CarillonError, FileError, OutOfMemoryError

Progress = Callable[[str, int, int], object] | bool | None
Path = str | os.PathLike[str]

_log = logging.getLogger("carillon")
_SHARE = pathlib.Path(__file__).parent / "share"  # of a wheel: what simulators are compiled from


def text(of: Any) -> str:
    """A text that belongs to the library; "" for NULL."""
    return "" if of == ffi.NULL else ffi.string(of).decode("utf-8", "replace")


def owned(of: Any) -> str:
    """A text that was handed out, and is freed."""
    try:
        return text(of)
    finally:
        lib.free(of)


def encoded(of: Any, what: str) -> bytes:
    """A text or a path as the library takes it. Raises ArgumentError where it is none; `what` says what it should be."""
    if not isinstance(of, str | os.PathLike):
        raise ArgumentError(f"{what} is a text, not {type(of).__name__}")
    try:
        made = os.fsencode(of)
    except (UnicodeEncodeError, TypeError):
        made = b"\0"
    if b"\0" in made:
        raise ArgumentError(f"{what} cannot be {of!r}")
    return made


def encoded_or_null(of: Any, what: str) -> Any:
    """The same; NULL for None."""
    return ffi.NULL if of is None else encoded(of, what)


# ---------------------------------------------------------------- files that only the library reads


class Scratch:
    """A file of a text in memory, which is there as long as this object is. What is said of it calls it `title`."""

    _titles: ClassVar[weakref.WeakValueDictionary[str, Scratch]] = weakref.WeakValueDictionary()

    def __init__(self, content: str, name: str, title: str) -> None:
        folder = tempfile.mkdtemp(prefix="carillon-")
        self._end = weakref.finalize(self, self._remove, folder, os.getpid())
        self.path, self.title = os.path.join(folder, name), title
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(content)
        self._titles[self.path] = self

    @staticmethod
    def _remove(folder: str, process: int) -> None:
        if os.getpid() == process:  # and not in a child, which has the parent's objects
            shutil.rmtree(folder, ignore_errors=True)

    def read(self) -> str:
        """What is in it."""
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is another file."""
        return Scratch, (self.read(), os.path.basename(self.path), self.title)

    @classmethod
    def untold(cls, of: str) -> str:
        """The text without names of such files."""
        for path, scratch in list(cls._titles.items()):
            of = of.replace(path, scratch.title)
        return of

    @classmethod
    def untold_bytes(cls, of: bytes) -> bytes:
        """The same of bytes."""
        for path, scratch in list(cls._titles.items()):
            of = of.replace(path.encode(), scratch.title.encode())
        return of


def failure(code: int, diag: Any) -> CarillonError:
    """What a call that failed is raised as."""
    kind = CarillonError.by_code.get(code, CarillonError)
    return kind(Scratch.untold(text(diag.text)), Scratch.untold(text(diag.file)), diag.line, diag.col)


# ---------------------------------------------------------------- watching a call


class _State:
    """What the functions that the library calls back work on."""

    def __init__(self, watch: Any) -> None:
        self.watch, self.listener, self.error = watch, None, None  # type: Any, Any, BaseException | None


def _raised(kind: type[BaseException], value: BaseException, trace: Any) -> None:
    """An exception within a call back ends the call, which then raises it."""
    state = _current.state  # the call's, as Python is only asked on the thread that made it
    if state is not None:
        state.error, state.watch.stop = value, True


class _Current(threading.local):
    state: Any = None


_current = _Current()


@ffi.def_extern(onerror=_raised)  # type: ignore[untyped-decorator]
def carillon_python_poll(handle: Any) -> None:
    """Signals that came since are handled while this is run."""


@ffi.def_extern(onerror=_raised)  # type: ignore[untyped-decorator]
def carillon_python_progress(handle: Any, doing: Any, done: int, total: int) -> None:
    """Tells the listener."""
    ffi.from_handle(handle).listener(text(doing), done, total)


@ffi.def_extern(onerror=_raised)  # type: ignore[untyped-decorator]
def carillon_python_say(handle: Any, warning: bool, said: Any) -> None:
    """Messages and warnings are log records of "carillon"."""
    _log.log(logging.WARNING if warning else logging.INFO, "%s", text(said))


class _Bar:
    """Progress as tqdm shows it."""

    def __init__(self, make: Any) -> None:
        self.make, self.bar, self.doing = make, None, ""  # type: Any, Any, str

    def __call__(self, doing: str, done: int, total: int) -> None:
        if doing != self.doing:
            self.close()
            self.bar, self.doing = self.make(desc=doing, total=total or None), doing
        self.bar.update(done - self.bar.n)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


def _listener(progress: Progress) -> Any:
    if progress not in (None, False, True) and not callable(progress):
        raise ArgumentError(f"progress is a function or True, not {progress!r}")
    if progress is True:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return None
        return _Bar(tqdm)
    return progress or None


def _end(free: Any, _context: Any, _watch: Any, handle: Any) -> None:
    """Frees a handle, which the surroundings that it was made in outlive so."""
    free(handle)


class Watch:
    """The surroundings of handles, and of the one call at a time that works on them."""

    def __init__(self) -> None:
        self.context = ffi.new("struct crl_context *")
        self._watch = ffi.new("struct carillon_watch *")
        self._state = _State(self._watch)
        self._handle = ffi.new_handle(self._state)
        self._watch.handle = self._handle
        self.lock = threading.RLock()
        lib.carillon_watch_context(self._watch, self.context)
        if _SHARE.is_dir() and not os.environ.get("CARILLON_DATA"):
            self._data = ffi.new("char []", os.fsencode(_SHARE))
            self.context.data = self._data

    def stop(self) -> None:
        """Ends the call that is going on, on another thread."""
        self._watch.stop = True

    def call(self, function: Any, *arguments: Any, progress: Progress = None, passes: tuple[int, ...] = ()) -> int:
        """Calls a function of the library without the interpreter's lock, with a place for the failure as last argument.

        Raises what it failed with, except for numbers in `passes`, which are returned.
        """
        diag = ffi.new("struct crl_diag *")
        state = self._state
        with self.lock:
            state.listener, state.error = _listener(progress), None
            before, _current.state = _current.state, state
            main = threading.current_thread() is threading.main_thread()
            try:
                lib.carillon_watch_start(self._watch, main, state.listener is not None)
                error: int = function(*arguments, diag)
            finally:
                _current.state = before
                if isinstance(state.listener, _Bar):
                    state.listener.close()
                state.listener = None
            if state.error is not None:
                failed, state.error = state.error, None
                raise failed
        if self._watch.stop and not error:
            raise CancelledError("interrupted")  # what was made may not be what it is when nobody stops it
        if error and error not in passes:
            raise failure(error, diag)
        return error

    def make(self, noun: str, function: Any, *arguments: Any, progress: Progress = None) -> Any:
        """The handle that a function hands out as its first argument, freed with the object that is returned."""
        out = ffi.new(f"struct carillon_{noun} **")
        handle = None
        try:
            self.call(function, out, *arguments, progress=progress)
        finally:
            if out[0] != ffi.NULL:
                handle = ffi.gc(out[0], functools.partial(_end, getattr(lib, f"carillon_{noun}_free"), self.context, self._handle))
        return handle

    def told(self, function: Any, *arguments: Any, progress: Progress = None) -> str:
        """The text that a function hands out as its last argument."""
        out = ffi.new("char **")
        try:
            self.call(function, *arguments, out, progress=progress)
            return Scratch.untold(text(out[0]))
        finally:
            lib.free(out[0])


# ---------------------------------------------------------------- files


@contextlib.contextmanager
def reading(source: Path | bytes) -> Iterator[tuple[Any, bytes]]:
    """A FILE of a path or of bytes, with the name that it has in errors."""
    if isinstance(source, bytes | bytearray | memoryview):
        held = ffi.from_buffer(source)
        file, name = lib.fmemopen(held, len(source), b"r"), b"<text>"
        if file == ffi.NULL:
            raise OutOfMemoryError("out of memory")
    else:
        name = encoded(source, "a file")
        try:
            open(name, "rb").close()
        except OSError as error:
            raise FileError(f"cannot read '{os.fspath(source)}': {error.strerror}") from None
        file = lib.fopen(name, b"rb")
        if file == ffi.NULL:
            raise FileError(f"cannot read '{os.fspath(source)}'")
    try:
        yield file, name
    finally:
        lib.fclose(file)


def written(write: Callable[[Any], object]) -> bytes:
    """What a function writes to the FILE that it is given."""
    out, size = ffi.new("char **"), ffi.new("size_t *")
    file = lib.open_memstream(out, size)
    if file == ffi.NULL:
        raise OutOfMemoryError("out of memory")
    try:
        try:
            write(file)
        finally:
            lib.fclose(file)
        return Scratch.untold_bytes(bytes(ffi.buffer(out[0], size[0])))
    finally:
        lib.free(out[0])


def write_file(path: Path, write: Callable[[Any], object]) -> None:
    """A file that appears only when it is complete, written by a function that is given the FILE."""
    name = encoded(path, "a file")
    part = name + f".{os.getpid()}.{threading.get_ident()}.part".encode()
    try:
        open(part, "wb").close()
        file = lib.fopen(part, b"wb")
        if file == ffi.NULL:
            raise OSError(0, "too many files are open")
    except OSError as error:
        raise FileError(f"cannot write '{os.fspath(path)}': {error.strerror}") from None
    try:
        try:
            write(file)
        finally:
            failed = lib.fclose(file)
        if failed:
            raise FileError(f"cannot write '{os.fspath(path)}'")
        try:
            os.replace(part, name)
        except OSError as error:
            raise FileError(f"cannot write '{os.fspath(path)}': {error.strerror}") from None
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise


def write_text(path: Path, content: bytes) -> None:
    """The same of bytes that are there."""
    try:
        pathlib.Path(os.fsdecode(encoded(path, "a file"))).write_bytes(content)
    except OSError as error:
        raise FileError(f"cannot write '{os.fspath(path)}': {error.strerror}") from None
