// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // dladdr1
#include "base/context.h"
#include "base/parallel.h"
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int join(char *path, size_t size, const char *a, const char *b)
{
    int n = snprintf(path, size, "%s%s", a, b);
    return n >= 0 && (size_t)n < size ? 0 : CRL_ERR_LIMIT;
}

int crl_context_cache(const struct crl_context *context, char *path, size_t size)
{
    if (context && context->cache) return join(path, size, context->cache, "");
    const char *own = getenv("CARILLON_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own && *own) return join(path, size, own, "");
    // The XDG base directory specification has relative paths ignored.
    if (xdg && *xdg == '/') return join(path, size, xdg, "/carillon");
    if (home && *home) return join(path, size, home, "/.cache/carillon");
    return CRL_ERR_UNSUPPORTED;
}

// The file that this code was loaded from: the shared library, or the program that it is part of.
static bool own_file(char path[PATH_MAX])
{
    static const char here = 0;
    struct link_map *map = NULL;
    Dl_info info;
    if (dladdr1(&here, &info, (void **)&map, RTLD_DL_LINKMAP) && map && map->l_name[0] == '/')
        return snprintf(path, PATH_MAX, "%s", map->l_name) < PATH_MAX;
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
    if (length <= 0 || length == PATH_MAX) return false;
    path[length] = 0;
    return true;
}

static bool has_sources(const char *folder)
{
    char probe[PATH_MAX];
    return !join(probe, sizeof probe, folder, "/sim/shim.cpp") && !access(probe, R_OK);
}

// PREFIX/share/carillon, from PREFIX/bin/carillon, PREFIX/lib/libcarillon.so or PREFIX/lib/MACHINE/libcarillon.so.
static bool beside(char *path, size_t size)
{
    char from[PATH_MAX];
    if (!own_file(from)) return false;
    for (int up = 0; up < 3; up++) {
        char *slash = strrchr(from, '/');
        if (!slash) return false;
        *slash = 0;
        if (up && !join(path, size, from, "/share/carillon") && has_sources(path)) return true;
    }
    return false;
}

int crl_context_data(const struct crl_context *context, char *path, size_t size)
{
    const char *own = context && context->data ? context->data : getenv("CARILLON_DATA");
    if (own && *own) return join(path, size, own, ""); // an error names it if nothing is there
    if (beside(path, size)) return 0;
    int error = join(path, size, CRL_SOURCE_FOLDER, "");
    if (error || has_sources(path)) return error;
    return join(path, size, CRL_INSTALL_FOLDER, ""); // a program that is linked statically may lie anywhere
}

static void tell(const struct crl_context *context, void (*whom)(void *user, const char *text), const char *format,
                 va_list args)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    whom(context->user, text);
}

void crl_context_say(const struct crl_context *context, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (context && context->message) tell(context, context->message, format, args);
    va_end(args);
}

void crl_say(const struct crl_context *context, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (context && context->warning) tell(context, context->warning, format, args);
    va_end(args);
}

bool crl_context_cancelled(const struct crl_context *context)
{
    return context && context->cancelled && context->cancelled(context->user);
}

void crl_context_hold(const struct crl_context *context, bool held)
{
    if (context && context->holding) context->holding(context->user, held);
}
