# SPDX-License-Identifier: Apache-2.0
"""Writes the C source of the module carillon._native: the whole of carillon.h, as it stands there.

usage: generate.py CARILLON_H GLUE_H OUTPUT
"""
import re
import sys

import cffi


def declarations(header: str) -> str:
    """What cffi is told: the header without preprocessor, marks of visibility and C++."""
    text = re.sub(r'^extern "C" \{$', "", header, flags=re.M)
    text = re.sub(r"#ifdef __cplusplus\n\}\n#endif", "", text)
    text = re.sub(r"^static inline (.*)\n\{\n(?:    .*\n)*\}$", r"\1;", text, flags=re.M)
    constants = re.findall(r"^#define (\w+) UINT32_MAX", text, flags=re.M)
    text = re.sub(r"^#.*$", "", text, flags=re.M).replace("CARILLON_PUBLIC", "")
    return text + "".join(f"\n#define {name} ..." for name in constants)


# From the C library, and what glue.h adds; between the marks, functions that are written in Python.
MORE = """
FILE *fopen(const char *path, const char *mode);
FILE *fmemopen(void *bytes, size_t size, const char *mode);
FILE *open_memstream(char **text, size_t *size);
FILE *tmpfile(void);
void rewind(FILE *file);
int fclose(FILE *file);
void free(void *memory);

struct carillon_watch { void *handle; bool stop, listens; ...; };
void carillon_watch_start(struct carillon_watch *watch, bool main, bool listens);
void carillon_watch_context(struct carillon_watch *watch, struct crl_context *context);

extern "Python" void carillon_python_poll(void *handle);
extern "Python" void carillon_python_progress(void *handle, const char *doing, uint64_t done, uint64_t total);
extern "Python" void carillon_python_say(void *handle, bool warning, const char *text);
"""


def main() -> None:
    header, glue, output = sys.argv[1:]
    ffi = cffi.FFI()
    with open(header, encoding="utf-8") as file:
        ffi.cdef(declarations(file.read()) + MORE)
    with open(glue, encoding="utf-8") as file:
        ffi.set_source("carillon._native", file.read(), py_limited_api=True)
    ffi.emit_c_code(output)


if __name__ == "__main__":
    main()
