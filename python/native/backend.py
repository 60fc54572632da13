# SPDX-License-Identifier: Apache-2.0
"""Builds wheels and source distributions by scikit-build-core, of a package whose C library lies outside of its folder.

In a checkout the library is the folder above. A source distribution has it in its folder `source`, into which it is copied while one is
made.
"""
import contextlib
import os
import pathlib
import shutil
import tempfile
from typing import Any

from scikit_build_core import build as core

HERE = pathlib.Path(__file__).resolve().parents[1]
NEEDED = ["CMakeLists.txt", "LICENSE", "cmake", "host", "rtl", "sim"]


def _settings(settings: dict[str, Any] | None) -> dict[str, Any]:
    inside = (HERE / "source" / "CMakeLists.txt").exists()
    root = HERE / "source" if inside else HERE.parent
    return {**(settings or {}), "cmake.source-dir": os.path.relpath(root, HERE), "cmake.define.CARILLON_PYTHON": str(HERE),
            "cmake.define.BUILD_TESTING": "OFF",            "cmake.define.CARILLON_SOURCE_FOLDER": "/usr/share/carillon"}


@contextlib.contextmanager
def _with_source() -> Any:
    """The working directory is a copy of this folder that holds the library."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work) / "carillon"
        shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns("__pycache__", ".*_cache", "dist", "build", "*.so"))
        for name in [] if (folder / "source").exists() else NEEDED:
            to = folder / "source" / name
            to.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (HERE.parent / name).is_dir() else shutil.copy2)(HERE.parent / name, to)
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    return core.build_wheel(wheel_directory, _settings(config_settings), metadata_directory)


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Any = None) -> str:
    return core.prepare_metadata_for_build_wheel(metadata_directory, _settings(config_settings))


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    return core.build_editable(wheel_directory, _settings(config_settings), metadata_directory)


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    sdist_directory = os.path.abspath(sdist_directory)
    with _with_source():
        return core.build_sdist(sdist_directory, config_settings)


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return core.get_requires_for_build_wheel(_settings(config_settings))


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    return core.get_requires_for_build_editable(_settings(config_settings))


def get_requires_for_build_sdist(config_settings: Any = None) -> list[str]:
    return core.get_requires_for_build_sdist(config_settings)
