// SPDX-License-Identifier: Apache-2.0
// Carillon as ranks: `run`, whose nodes they share (all of them plan, check and lower the same, and each plays its own
// nodes); `dynamic`, whose sweeps they share; and `farm`, which runs a command line each. Rank 0 speaks for all.
#include "farm.h"
#include "ranks.h"
#include <stdlib.h>
#include <string.h>

enum { ALONE_SECONDS = 60 }; // that one process may take to be compared with

// What it took: of processors by all ranks together, of memory by the largest.
static void say_cost(const struct ranks *r)
{
    long memory, most = 0;
    double seconds = own_seconds(&memory) - r->before, all = 0;
    char ratio[64] = "";
    MPI_Reduce(&seconds, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&memory, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (r->ratio > 0) snprintf(ratio, sizeof ratio, ", %.2f times those of one process", r->ratio);
    if (!r->rank)
        fprintf(stderr, "carillon-mpi: %d rank%s, %.2f s of processors%s, %.1f MiB of the largest rank\n", r->size,
                r->size == 1 ? "" : "s", all, ratio, (double)most / 1024);
}

// Takes `--alone N` out of the words; *limit stays where it is not there. Returns false where N is no number.
static bool take_alone(int *argc, char **argv, int *limit)
{
    int kept = 0;
    bool good = true;
    for (int i = 0; i < *argc; i++) {
        if (strcmp(argv[i], "--alone")) {
            argv[kept++] = argv[i];
            continue;
        }
        char *end = NULL;
        long seconds = ++i < *argc ? strtol(argv[i], &end, 10) : -1;
        good = end && end != argv[i] && !*end && seconds >= 0 && seconds <= 1000000;
        *limit = (int)seconds;
    }
    argv[ *argc = kept] = NULL;
    return good;
}

// Takes `--wave FILE` out of the words. A wave is of one simulation, and each rank has its own: returns the word that
// makes FILE.fst of rank R FILE.R.fst, which the caller frees, or NULL where no wave is wanted.
static char *take_wave(int *argc, char **argv, int rank)
{
    static const char option[] = "--wave";
    const char *file = NULL;
    int kept = 0;
    for (int i = 0; i < *argc; i++) {
        bool is = !strncmp(argv[i], option, strlen(option)), apart = is && !argv[i][strlen(option)];
        if (apart && i + 1 < *argc) file = argv[++i];
        else if (is && argv[i][strlen(option)] == '=') file = argv[i] + strlen(option) + 1;
        else argv[kept++] = argv[i];
    }
    argv[ *argc = kept] = NULL;
    char *word = file ? malloc(strlen(option) + strlen(file) + 16) : NULL;
    const char *dot = file ? strrchr(file, '.') : NULL;
    if (dot) sprintf(word, "%s=%.*s.%d%s", option, (int)(dot - file), file, rank, dot);
    else if (word) sprintf(word, "%s=%s", option, file); // is refused
    return word;
}

static int run(int argc, char **argv, struct ranks *ranks)
{
    static struct carillon_share share;
    int limit = ALONE_SECONDS;
    if (!take_alone(&argc, argv, &limit))
        return complain_usage("--alone needs the seconds that one process may take to be compared with, or 0");
    share = ranks_share(ranks);
    char *wave = ranks->size > 1 ? take_wave(&argc, argv, ranks->rank) : NULL;
    if (!ranks->rank && ranks->size > 1 && limit) ranks->alone = alone_new(argc, argv, limit);
    if (wave) {
        argv[argc++] = wave; // in the place of what was taken out
        argv[argc] = NULL;
    }
    context_share(&share);
    int code = carillon_main(argc, argv);
    free(wave);
    alone_free(ranks->alone);
    ranks->alone = NULL;
    return code;
}

static int command(int argc, char **argv, struct ranks *ranks)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (!strcmp(name, "farm")) return farm(argc - 2, argv + 2);
    if (!strcmp(name, "run")) return run(argc, argv, ranks);
    if (!strcmp(name, "dynamic")) {
        const struct sweep_ranks sweep = ranks_sweep(ranks);
        sweep_share(&sweep);
    } else if (*name && *name != '-')
        return complain_usage(
            "'%s' is not shared by ranks; 'run' and sweeps of 'dynamic' are, and 'farm TASKS' runs many at once", name);
    return carillon_main(argc, argv);
}

int main(int argc, char **argv)
{
    static struct ranks ranks;
    long memory;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks.size);
    ranks.before = own_seconds(&memory);
    // All come to the same, so one tells it.
    if (ranks.rank && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))) return EXIT_USAGE;
    int code = command(argc, argv, &ranks);
    if (ranks.playing) MPI_Abort(MPI_COMM_WORLD, code); // others wait
    say_cost(&ranks);
    MPI_Finalize();
    return ranks.rank ? EXIT_FINE : code;
}
