// SPDX-License-Identifier: Apache-2.0
// A line of words as demands: one collective inside each group of a set.
#include "base/base.h"
#include "problem/groups.h"
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 4096 };

// One collective in one group; nodes are named by their ranks in it.
struct adding {
    struct crl_demands *demands;
    const struct crl_step *step;
    const uint32_t *node; // of the group
    uint32_t count, group, root, packets;
    enum crl_demand_kind kind;
};

static int add(const struct adding *a, const char *name, uint32_t src, const uint32_t *dst, uint32_t dst_count)
{
    char id[CRL_DEMAND_ID_MAX];
    int length = snprintf(id, sizeof id, "%sg%u/%s", a->step->prefix, a->group, name);
    struct crl_demand demand = {.src = a->node[src],
                                .dst = dst,
                                .dst_count = dst_count,
                                .packets = a->packets,
                                .kind = a->kind,
                                .release = 1,
                                .deadline = CRL_NONE,
                                .after = CRL_NONE,
                                .stage = a->step->stage,
                                .line = a->step->place.line,
                                .dst_col = (uint32_t)a->step->place.col,
                                .deadline_col = 1,
                                .after_col = 1};
    return crl_demands_add(a->demands, id, (size_t)length, demand) ? crl_fail_memory(a->step->place.diag) : 0;
}

// From one to all others.
static int spread(const struct adding *a, uint32_t src)
{
    char name[16];
    uint32_t *others = malloc(sizeof *others * a->count), count = 0;
    int error = others ? 0 : crl_fail_memory(a->step->place.diag);
    for (uint32_t i = 0; i < a->count && !error; i++)
        if (i != src) others[count++] = a->node[i];
    snprintf(name, sizeof name, "%u", src);
    if (!error) error = add(a, name, src, others, count);
    free(others);
    return error;
}

static int pair(const struct adding *a, uint32_t src, uint32_t dst)
{
    char name[32];
    snprintf(name, sizeof name, "%u>%u", src, dst);
    return src == dst ? 0 : add(a, name, src, &a->node[dst], 1);
}

// Sums come together as what spreads would, the other way round.
static int broadcast(const struct adding *a, uint32_t rank) { return rank == a->root ? spread(a, rank) : 0; }
static int scatter(const struct adding *a, uint32_t rank) { return pair(a, a->root, rank); }
static int gather(const struct adding *a, uint32_t rank) { return pair(a, rank, a->root); }

static int exchange(const struct adding *a, uint32_t rank)
{
    int error = 0;
    for (uint32_t dst = 0; dst < a->count && !error; dst++) error = pair(a, rank, dst);
    return error;
}

static const struct kind {
    const char *name, *alias;
    int (*add)(const struct adding *a, uint32_t rank); // what is added for each rank
    bool rooted;
    enum crl_demand_kind kind;
} kinds[] = {{"broadcast", "broadcast", broadcast, true, CRL_DEMAND_MOVE},
             {"multinode-broadcast", "all-gather", spread, false, CRL_DEMAND_MOVE},
             {"scatter", "scatter", scatter, true, CRL_DEMAND_MOVE},
             {"gather", "gather", gather, true, CRL_DEMAND_MOVE},
             {"total-exchange", "all-to-all", exchange, false, CRL_DEMAND_MOVE},
             {"reduce", "reduce", broadcast, true, CRL_DEMAND_SUM},
             {"reduce-scatter", "reduce-scatter", spread, false, CRL_DEMAND_SUM},
             {"all-reduce", "all-reduce", spread, false, CRL_DEMAND_SUM_ALL}};

// ---------------------------------------------------------------- words

// A line as it is read.
struct line {
    const struct crl_step *step;
    const char *at;
    char word[WORD_MAX]; // the one read last, which began at `start`
    const char *start;
};

static int bad(const struct line *l, const char *from, const char *what, const char *more)
{
    const struct crl_text_place *p = &l->step->place;
    return crl_fail_at(p->diag, CRL_ERR_ARGUMENT, p->name, p->line, p->col + (uint64_t)(from - l->step->text),
                       "%s'%.80s'", what, more);
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Reads the next word; an empty one at the end.
static int next_word(struct line *l)
{
    size_t length = 0;
    while (is_blank(*l->at)) l->at++;
    l->start = l->at;
    while (*l->at && !is_blank(*l->at) && length + 1 < sizeof l->word) l->word[length++] = *l->at++;
    l->word[length] = '\0';
    return *l->at && !is_blank(*l->at) ? bad(l, l->start, "a word of more than 4095 letters: ", l->word) : 0;
}

static int number_of(struct line *l, uint64_t least, uint64_t most, uint64_t *value)
{
    char what[80], name[16];
    snprintf(name, sizeof name, "%.15s", l->word);
    snprintf(what, sizeof what, "%s must be a number from %llu to %llu, not ", name, (unsigned long long)least,
             (unsigned long long)most);
    int error = next_word(l);
    bool good = *l->word && strlen(l->word) < 11;
    uint64_t sum = 0;
    for (const char *c = l->word; *c && good; c++) {
        good = *c >= '0' && *c <= '9';
        sum = sum * 10 + (uint64_t)(*c - '0');
    }
    if (!error && (!good || sum < least || sum > most)) return bad(l, l->start, what, l->word);
    *value = sum;
    return error;
}

struct options {
    uint64_t root, packets, seed;
    const char *root_at; // NULL: none was said
};

static int read_options(struct line *l, struct options *o)
{
    int error = 0;
    while (!error && !(error = next_word(l)) && *l->word) {
        const char *start = l->start;
        if (!strcmp(l->word, "--packets")) error = number_of(l, 1, CRL_DEMAND_PACKETS_MAX, &o->packets);
        else if (!strcmp(l->word, "--seed")) error = number_of(l, 0, UINT32_MAX, &o->seed);
        else if (!strcmp(l->word, "--root")) {
            error = number_of(l, 0, UINT32_MAX - 1, &o->root);
            o->root_at = start;
        } else {
            error = bad(l, start, "a step takes --root, --packets and --seed, not ", l->word);
        }
    }
    return error;
}

static int find_kind(const struct line *l, const char *name, const struct kind **found)
{
    struct carillon_nearest nearest = {.word = name};
    char hint[96], text[200];
    for (*found = kinds; *found < kinds + sizeof kinds / sizeof *kinds; ++*found) {
        if (!strcmp(name, (*found)->name) || !strcmp(name, (*found)->alias)) return 0;
        crl_nearest_try(&nearest, (*found)->name);
        crl_nearest_try(&nearest, (*found)->alias);
    }
    snprintf(
        text, sizeof text,
        "groups have broadcast, all-gather, scatter, gather, all-to-all, reduce, reduce-scatter and all-reduce%s: ",
        crl_did_you_mean(&nearest, hint));
    return bad(l, l->start, text, name);
}

static int add_groups(struct crl_demands *demands, struct crl_step *step, const struct kind *kind,
                      const struct crl_groups *groups, const struct line *l, const struct options *o)
{
    int error = 0;
    for (uint32_t i = 0; i < groups->count && !error; i++) {
        uint32_t first = groups->first[i], count = groups->first[i + 1] - first;
        if (o->root >= count)
            return bad(l, o->root_at,
                       "the root must be a rank in each group, and one has fewer nodes: ", l->step->text);
        struct adding a = {.demands = demands,
                           .step = step,
                           .node = groups->node + first,
                           .count = count,
                           .group = step->groups + i,
                           .root = (uint32_t)o->root,
                           .packets = (uint32_t)o->packets,
                           .kind = kind->kind};
        for (uint32_t rank = 0; rank < count && !error; rank++) error = kind->add(&a, rank);
    }
    step->groups += groups->count;
    return error;
}

int crl_step_add(struct crl_demands *demands, const struct crl_topology *topology, struct crl_step *step)
{
    struct line l = {.step = step, .at = step->text};
    struct options o = {.packets = 1, .seed = step->seed};
    CRL_ENDED(crl_groups_done) struct crl_groups groups = {0};
    const struct kind *kind;
    int error = next_word(&l);
    char first[WORD_MAX], *set = strchr(memcpy(first, l.word, sizeof first), '@');
    if (set) *set++ = '\0';
    struct crl_text_place place = step->place;
    place.col += (uint64_t)(l.start - step->text) + (set ? (uint64_t)(set - first) : 0);
    if (!error) error = find_kind(&l, first, &kind);
    if (!error) error = read_options(&l, &o);
    if (!error && o.root_at && !kind->rooted) error = bad(&l, o.root_at, "there is no root in a ", kind->name);
    if (!error && o.packets > 1 && kind->kind != CRL_DEMAND_MOVE)
        error = bad(&l, step->text, "a sum is one packet: leave out --packets in ", kind->name);
    if (!error && set && !*set) error = bad(&l, step->text, "groups were expected behind '@': ", step->text);
    if (!error) error = crl_groups_of(&groups, topology, set ? set : "", o.seed, place);
    if (!error) error = add_groups(demands, step, kind, &groups, &l, &o);
    return error;
}
