// SPDX-License-Identifier: Apache-2.0
/*
 * Verilator's writers of waves, with errors of writing noticed: the one of FST ignores them all, and keeps temporary
 * files that it maps into memory, where a full disk is a fatal signal.
 */
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <sstream>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// The first error of writing since somebody looked; waves are written by the thread that steps the simulation.
extern thread_local int crl_wave_errno;
thread_local int crl_wave_errno = 0;

#if CRL_WAVE == 1

static bool crl_wave_note(bool failed)
{
    if (failed && !crl_wave_errno) crl_wave_errno = errno ? errno : EIO;
    return failed;
}

// Temporary files live in memory.
static FILE *crl_wave_tmpfile()
{
    const int fd = memfd_create("wave", MFD_CLOEXEC);
    FILE *const file = fd < 0 ? nullptr : fdopen(fd, "w+b");
    if (crl_wave_note(!file) && fd >= 0) close(fd);
    return file;
}

static FILE *crl_wave_fopen(const char *path, const char *mode)
{
    const size_t n = std::strlen(path);
    if (n > 5 && !std::strcmp(path + n - 5, ".hier")) return crl_wave_tmpfile();
    FILE *const file = std::fopen(path, mode);
    crl_wave_note(!file);
    return file;
}

static size_t crl_wave_fwrite(const void *bytes, size_t size, size_t count, FILE *file)
{
    const size_t done = std::fwrite(bytes, size, count, file);
    crl_wave_note(done != count);
    return done;
}

static int crl_wave_fputc(int c, FILE *file)
{
    const int done = std::fputc(c, file);
    crl_wave_note(done == EOF);
    return done;
}

static int crl_wave_fflush(FILE *file)
{
    const int result = std::fflush(file);
    crl_wave_note(result != 0);
    return result;
}

static int crl_wave_fclose(FILE *file)
{
    const int result = std::fclose(file);
    crl_wave_note(result != 0);
    return result;
}

// What is not in the file cannot be mapped: there is memory instead, and the waves are no good.
static void *crl_wave_mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    struct stat status;
    if (!fstat(fd, &status) && status.st_size >= offset + off_t(length))
        return mmap(address, length, protection, flags, fd, offset);
    crl_wave_note(true);
    return mmap(address, length, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

#define tmpfile crl_wave_tmpfile
#define fopen   crl_wave_fopen
#define fwrite  crl_wave_fwrite
#define fputc   crl_wave_fputc
#define fflush  crl_wave_fflush
#define fclose  crl_wave_fclose
#define mmap    crl_wave_mmap
#include "verilated_fst_c.cpp"

#else
#include "verilated_vcd_c.cpp"
#endif
