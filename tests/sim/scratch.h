// SPDX-License-Identifier: Apache-2.0
/* A cache and sources of its own for each test, so that what goes wrong around a simulator can be provoked. */
#ifndef CRL_TEST_SCRATCH_H
#define CRL_TEST_SCRATCH_H

#include "harness.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

/* A scratch directory per test: cache/, rtl/ (a copy of the RTL that the test may spoil) and sim/ (a link). */
struct scratch {
    char dir[64];
    char cache[PATH_MAX], rtl[PATH_MAX];
    struct crl_context context;
    struct crl_diag diag;
    int builds; /* messages that say so */
    char last_message[1024];
};

static const uint32_t pair_source[] = {1, 0};
static struct trace trace;

static void message(void *user, const char *text)
{
    struct scratch *scratch = user;

    scratch->builds += strstr(text, "building the simulator") != NULL;
    snprintf(scratch->last_message, sizeof scratch->last_message, "%s", text);
}

static struct crl_sim_config pair_config(void)
{
    return (struct crl_sim_config){
        .params = {.kind = CRL_SIM_NETWORK,
                   .network = {.ports = 1,
                               .lanes = 1,
                               .banks = 1,
                               .data_width = 32,
                               .addr_width = 4,
                               .table_depth = 32,
                               .pages = 1}},
        .nodes = 2,
        .tables = 1,
        .source = pair_source,
    };
}

static int open_sim(struct crl_sim **sim, struct scratch *scratch, const struct crl_sim_config *config)
{
    memset(&scratch->diag, 0, sizeof scratch->diag);
    return crl_sim_open(sim, config, &scratch->context, &scratch->diag);
}

/* Copies a folder of the RTL; `insert` goes before the end of module `name`. */
static void copy_folder(const char *from, const char *to, const char *name, const char *insert)
{
    DIR *dir = opendir(from);
    struct dirent *entry;

    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        char path[PATH_MAX * 4];
        static char text[1 << 20];
        FILE *file;
        size_t n;
        char *end;

        if (!strstr(entry->d_name, ".sv")) continue;
        snprintf(path, sizeof path, "%s/%s", from, entry->d_name);
        assert_non_null(file = fopen(path, "r"));
        n = fread(text, 1, sizeof text - 1, file);
        text[n] = 0;
        fclose(file);
        snprintf(path, sizeof path, "%s/%s", to, entry->d_name);
        assert_non_null(file = fopen(path, "w"));
        end = name && !strcmp(entry->d_name, name) ? strstr(text, "endmodule") : NULL;
        if (end) fprintf(file, "%.*s%s\n", (int)(end - text), text, insert);
        fputs(end ? end : text, file);
        fclose(file);
    }
    closedir(dir);
}

static void copy_rtl(const char *to, const char *name, const char *insert)
{
    DIR *dir = opendir(CRL_TEST_DATA "/rtl");
    struct dirent *entry;

    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        char old[PATH_MAX * 2], new[PATH_MAX * 2];

        if (entry->d_name[0] == '.') continue;
        snprintf(old, sizeof old, "%s/%s", CRL_TEST_DATA "/rtl", entry->d_name);
        snprintf(new, sizeof new, "%s/%s", to, entry->d_name);
        mkdir(new, 0777); /* a second copy writes over the first */
        copy_folder(old, new, name, insert);
    }
    closedir(dir);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

/* Links entries, by how their names begin, from one cache to another. */
static void share(const char *from, const char *to, const char *start)
{
    DIR *dir = opendir(from);
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        char old[PATH_MAX * 2], new[PATH_MAX * 2];

        if (strncmp(entry->d_name, start, strlen(start)) || strchr(entry->d_name, '.')) continue;
        snprintf(old, sizeof old, "%s/%s", from, entry->d_name);
        snprintf(new, sizeof new, "%s/%s", to, entry->d_name);
        (void)!link(old, new);
    }
    if (dir) closedir(dir);
}

/* What tests that are not about it find built: Verilator's runtime, a copy of that made with the product where there is
 * one, and simulators. */
static char shared[64] = "/tmp/crl-sim-test-XXXXXX";

static int group_setup(void **state)
{
    char command[PATH_MAX];

    (void)state;
    if (!mkdtemp(shared)) return -1;
    snprintf(command, sizeof command, "cp '%s'/build/runtime/runtime-* %s 2>/dev/null", CRL_TEST_DATA, shared);
    (void)!system(command);
    return 0;
}

static int group_teardown(void **state)
{
    (void)state;
    return nftw(shared, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* What the compiler read once for all, beside the RTL of a test. */
static void share_headers(const char *dir)
{
    char command[PATH_MAX];

    snprintf(command, sizeof command, "mkdir %s/runtime && ln -s '%s'/build/runtime/headers-* %s/runtime", dir,
             CRL_TEST_DATA, dir);
    (void)!system(command);
}

static int setup(void **state)
{
    char path[PATH_MAX];

    struct scratch *scratch = calloc(1, sizeof *scratch);

    snprintf(scratch->dir, sizeof scratch->dir, "/tmp/crl-sim-test-XXXXXX");
    if (!mkdtemp(scratch->dir)) return -1;
    snprintf(scratch->cache, sizeof scratch->cache, "%s/a/cache dir", scratch->dir); /* a space is fine */
    snprintf(scratch->rtl, sizeof scratch->rtl, "%s/rtl", scratch->dir);
    mkdir(scratch->rtl, 0777);
    copy_rtl(scratch->rtl, NULL, NULL);
    snprintf(path, sizeof path, "%s/sim", scratch->dir);
    if (symlink(CRL_TEST_DATA "/sim", path)) return -1;
    share_headers(scratch->dir);
    scratch->context =
        (struct crl_context){.cache = scratch->cache, .data = scratch->dir, .message = message, .user = scratch};
    snprintf(path, sizeof path, "%s/a", scratch->dir);
    if (access(shared, F_OK) || mkdir(path, 0777) || mkdir(scratch->cache, 0755)) return -1;
    share(shared, scratch->cache, "runtime");
    *state = scratch;
    return 0;
}

static int teardown(void **state)
{
    struct scratch *scratch = *state;

    share(scratch->cache, shared, "runtime");
    nftw(scratch->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(scratch);
    return 0;
}

static void play_exchange(struct net *net, struct trace *got)
{
    static struct row rows[2];

    rows[0].out[0].ov = 1;
    rows[0].bank[0].raddr = 2;
    rows[1].in[0].exp = 1;
    rows[1].bank[0].wen = 1;
    net_load(net, rows, 2, -1, 0);
    net_play(net, 2, 0, 8, NULL, NULL, got);
}

#endif
