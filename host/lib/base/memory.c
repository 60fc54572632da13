// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

// The number after `word` at the beginning of a line of the file (the first line if `word` is empty), or UINT64_MAX.
static uint64_t number_in(const char *path, const char *word)
{
    char line[256];
    uint64_t number = UINT64_MAX;
    FILE *file = fopen(path, "r");
    while (file && number == UINT64_MAX && fgets(line, sizeof line, file)) {
        char *end, *at = line + strlen(word);
        if (strncmp(line, word, strlen(word))) continue;
        unsigned long long value = strtoull(at, &end, 10);
        if (end == at) break; // "max"
        number = value;
    }
    if (file) fclose(file);
    return number;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t less(uint64_t limit, uint64_t used)
{
    return limit == UINT64_MAX ? limit : used == UINT64_MAX ? limit : limit > used ? limit - used : 0;
}

// What a control group and those around it leave. Of what they use, pages of files can be given up, so only the others
// count.
static uint64_t left_in_groups(const char *root, char *path, const char *limit, const char *used)
{
    uint64_t left = UINT64_MAX;
    for (;;) {
        char name[1200];
        snprintf(name, sizeof name, "%s%s/%s", root, path, limit);
        uint64_t most = number_in(name, "");
        snprintf(name, sizeof name, "%s%s/memory.stat", root, path);
        left = least(left, less(most, number_in(name, used)));
        char *slash = strrchr(path, '/');
        if (!slash) return left;
        *slash = 0;
    }
}

static uint64_t left_by_groups(void)
{
    char line[1024];
    uint64_t left = UINT64_MAX;
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file && fgets(line, sizeof line, file)) { // "0::/path", or "4:memory:/path" before version 2
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path) continue;
        *path++ = 0;
        if (!controllers[1]) left = least(left, left_in_groups("/sys/fs/cgroup", path, "memory.max", "anon "));
        else if (!strcmp(controllers + 1, "memory"))
            left = least(left, left_in_groups("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes", "total_rss "));
    }
    if (file) fclose(file);
    return left;
}

static uint64_t left_by_limits(void)
{
    struct rlimit limit;
    uint64_t pages = number_in("/proc/self/statm", ""), page = (uint64_t)sysconf(_SC_PAGESIZE), left = UINT64_MAX;
    uint64_t used = pages == UINT64_MAX ? pages : pages * page;
    if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY) left = less(limit.rlim_cur, used);
    if (!getrlimit(RLIMIT_DATA, &limit) && limit.rlim_cur != RLIM_INFINITY) left = least(left, limit.rlim_cur);
    return left;
}

uint64_t crl_memory_available(void)
{
    uint64_t machine = number_in("/proc/meminfo", "MemAvailable:");
    if (machine != UINT64_MAX) machine *= 1024;
    return least(least(machine, left_by_groups()), left_by_limits());
}

const char *crl_memory_text(double bytes, char text[CRL_MEMORY_TEXT])
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t unit = 0;
    for (bytes /= 1024; bytes >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++) bytes /= 1024;
    snprintf(text, CRL_MEMORY_TEXT, bytes < 10 ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
    return text;
}

int crl_memory_expect(uint64_t bytes, const char *what, struct crl_diag *diag)
{
    const uint64_t available = crl_memory_available();
    char needs[CRL_MEMORY_TEXT], has[CRL_MEMORY_TEXT];
    if (bytes <= available) return 0;
    return crl_fail(diag, CRL_ERR_LIMIT, "%s needs %s of memory, and %s are free", what,
                    crl_memory_text((double)bytes, needs), crl_memory_text((double)available, has));
}
