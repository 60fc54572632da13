// SPDX-License-Identifier: Apache-2.0
// Names of collectives as people type them: alltoall, all_to_all, AllReduce, MPI_Bcast.
#include "api/machine.h"
#include "problem/problem.h"
#include "topology/topology.h"
#include <ctype.h>
#include <string.h>

// What a spelling, squeezed, means on links and where there are none; NULL: nothing.
static const struct {
    const char *spelling, *links, *linkless;
} spellings[] = {
    {"alltoall", "total-exchange", "all-to-all-personalized"},
    {"a2a", "total-exchange", "all-to-all-personalized"},
    {"totalexchange", "total-exchange", "all-to-all-personalized"},
    {"alltoallpersonalized", "total-exchange", "all-to-all-personalized"},
    {"allgather", "multinode-broadcast", "all-to-all-broadcast"},
    {"alltoallbroadcast", "multinode-broadcast", "all-to-all-broadcast"},
    {"multinodebroadcast", "multinode-broadcast", "all-to-all-broadcast"},
    {"allreduce", "all-reduce", "combining-broadcast"},
    {"combiningbroadcast", "all-reduce", "combining-broadcast"},
    {"reduce", "reduce", "summation"},
    {"sum", "reduce", "summation"},
    {"summation", "reduce", "summation"},
    {"bcast", "broadcast", "broadcast"},
    {"kitembroadcast", NULL, "k-item-broadcast"},
    {"pmnb", "partial-multinode-broadcast", NULL},
    {"partialallgather", "partial-multinode-broadcast", NULL},
};

// Small letters and digits alone, without the name of a library in front.
static void squeeze(const char *name, char text[64])
{
    size_t length = 0;
    for (; *name && length < 63; name++)
        if (isalnum((unsigned char)*name)) text[length++] = (char)tolower((unsigned char)*name);
    text[length] = 0;
    if (!strncmp(text, "mpi", 3)) memmove(text, text + 3, length - 2);
    else if (!strncmp(text, "nccl", 4)) memmove(text, text + 4, length - 3);
}

static bool is_known(const char *name, bool linkless)
{
    for (const struct crl_machine *const *f = crl_machines; *f; f++)
        if ((*f)->knows && (*f)->linkless == linkless && (*f)->knows(name)) return true;
    return false;
}

const char *carillon_algorithm_spelled(const char *name, const char *topology)
{
    bool linkless = topology && crl_topology_is_linkless(topology);
    struct carillon_algorithm row;
    char text[64], other[64];
    for (size_t i = 0; carillon_algorithm_at(i, &row); i++)
        if (!strcmp(row.algorithm, name) && is_known(name, linkless)) return row.algorithm;
    squeeze(name, text);
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        const char *means = linkless ? spellings[i].linkless : spellings[i].links;
        if (means && !strcmp(spellings[i].spelling, text)) return means;
    }
    for (size_t i = 0; carillon_algorithm_at(i, &row); i++) {
        squeeze(row.algorithm, other);
        if (!strcmp(text, other) && is_known(row.algorithm, linkless)) return row.algorithm;
    }
    return name;
}

void carillon_nearest_try(struct carillon_nearest *nearest, const char *candidate)
{
    crl_nearest_try(nearest, candidate);
}
const char *carillon_did_you_mean(const struct carillon_nearest *nearest, char text[96])
{
    return crl_did_you_mean(nearest, text);
}
const char *carillon_topology_at(size_t index) { return crl_topology_form_at(index); }
const char *carillon_algorithm_title(const char *algorithm) { return crl_collective_title(algorithm); }

void carillon_algorithm_nearest(struct carillon_nearest *nearest)
{
    struct carillon_algorithm row;
    for (size_t i = 0; carillon_algorithm_at(i, &row); i++) carillon_nearest_try(nearest, row.algorithm);
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        carillon_nearest_try(nearest, spellings[i].spelling);
}

int carillon_algorithms_fit(const char *topology, bool *fits, struct crl_diag *diag)
{
    struct carillon_algorithm row;
    int error = 0;
    for (const struct crl_machine *const *f = crl_machines; *f && !error; f++) {
        size_t count = 0;
        for (; (*f)->algorithm && (*f)->algorithm(count, &row); count++) {
            size_t length = strcspn(topology, ":*");
            fits[count] = false;
            for (const char *at = row.topology; *at && !fits[count]; at++)
                fits[count] = !strncmp(at, topology, length) && !isalpha((unsigned char)at[length]);
        }
        if ((*f)->fit) error = (*f)->fit(topology, fits, diag);
        fits += count;
    }
    return error;
}

bool carillon_algorithm_known(const char *name)
{
    return is_known(name, false) || is_known(name, true) || is_known(carillon_algorithm_spelled(name, NULL), false) ||
           is_known(carillon_algorithm_spelled(name, "logp:"), true);
}
