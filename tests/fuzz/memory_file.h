// SPDX-License-Identifier: Apache-2.0
// Bytes as a file that has a path, for readers that open their files themselves.
#ifndef FUZZ_MEMORY_FILE_H
#define FUZZ_MEMORY_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct memory_file {
    int descriptor;
    char path[40];
};

static inline struct memory_file memory_file(const void *bytes, size_t count)
{
    struct memory_file file = {.descriptor = memfd_create("fuzz", 0)};
    if (file.descriptor < 0 || write(file.descriptor, bytes, count) != (ssize_t)count) abort();
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.descriptor);
    return file;
}

static inline void memory_file_close(const struct memory_file *file) { close(file->descriptor); }

#endif
