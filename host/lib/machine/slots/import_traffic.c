// SPDX-License-Identifier: Apache-2.0
// The traffic that a plan of tagged messages is, where nobody says what it achieves: a message that requires one with
// the same tag to have come passes that packet on, every other one begins a packet. It is for the ranks at which its
// way ends. What else a message requires to have come, its demand waits for.
#include "base/base.h"
#include "machine/slots/import.h"
#include <stdlib.h>
#include <string.h>

struct packet {
    size_t first;    // the step that sends it first
    uint32_t demand; // and its number in it
    uint32_t number;
};
struct demand {
    uint32_t src, after, packets; // after: a packet, CRL_NONE: none
    uint32_t *dst;
    size_t count, room;
    bool plain; // for one rank, waits for nothing, and nothing waits for it
};
struct traffic {
    struct crl_program *program;
    size_t *partner;  // [ops]
    uint32_t *packet; // [ops] that a send or a reception is of; CRL_NONE: not known yet
    bool *passed;     // [ops] of receptions: the packet is sent on from there
    uint8_t *state;   // [ops] of the search
    size_t *seen;     // [ops] the last search that looked at it
    size_t searches;
    struct packet *list;
    size_t count, room;
    struct demand *demand; // [count], of which those with `packets` are there
    struct crl_diag *diag;
};
enum { NEW, OPEN, DONE };

// ---------------------------------------------------------------- packets

static int fail(const struct traffic *t, size_t op, const char *text)
{
    return crl_program_fail(t->program, &t->program->op[op], t->diag, "%s", text);
}

static int follow(struct traffic *t, size_t op);

// Looks through what a send requires, and what that does: *from becomes the reception with its tag, *other another one.
static int look_back(struct traffic *t, size_t send, size_t op, size_t *from, size_t *other)
{
    const struct crl_program *p = t->program;
    int error = 0;
    for (size_t i = 0; i < p->op[op].deps && !error; i++) {
        size_t dep = p->dep[p->op[op].dep + i];
        const struct crl_step *step = &p->op[dep];
        if (step->kind == CRL_STEP_SEND || t->seen[dep] == t->searches)
            continue; // what it sent before is no packet of it
        t->seen[dep] = t->searches;
        if (step->kind != CRL_STEP_RECV) error = look_back(t, send, dep, from, other);
        else if (step->channel == p->op[send].channel && *from == SIZE_MAX) *from = dep;
        else if (step->channel != p->op[send].channel && *other != SIZE_MAX && *other != dep)
            error = fail(t, send, "this waits for several packets of others, and a demand for one: no traffic");
        else if (step->channel != p->op[send].channel) *other = dep;
    }
    return error;
}

static int add_packet(struct traffic *t, size_t send, size_t other)
{
    if (crl_grow((void **)&t->list, &t->room, t->count, sizeof *t->list)) return crl_fail_memory(t->diag);
    t->list[t->count] = (struct packet){.first = send, .demand = CRL_NONE};
    t->packet[send] = (uint32_t)t->count++;
    return other == SIZE_MAX ? 0 : follow(t, t->partner[other]);
}

// Which packet a send carries.
static int follow(struct traffic *t, size_t send)
{
    size_t from = SIZE_MAX, other = SIZE_MAX;
    if (t->state[send] == DONE) return 0;
    if (t->state[send] == OPEN) return fail(t, send, "this waits for itself");
    t->state[send] = OPEN;
    t->searches++;
    int error = look_back(t, send, send, &from, &other);
    if (!error && from != SIZE_MAX) error = follow(t, t->partner[from]);
    else if (!error) error = add_packet(t, send, other);
    if (!error && from != SIZE_MAX) {
        t->packet[send] = t->packet[t->partner[from]];
        t->passed[from] = true;
    }
    t->state[send] = DONE;
    return error;
}

static int find_packets(struct traffic *t)
{
    const struct crl_program *p = t->program;
    int error = 0;
    for (size_t i = 0; i < p->ops && !error; i++)
        if (p->op[i].kind == CRL_STEP_SEND) error = follow(t, i);
    for (size_t i = 0; i < p->ops && !error; i++)
        if (p->op[i].kind == CRL_STEP_RECV) t->packet[i] = t->packet[t->partner[i]];
    return error;
}

// ---------------------------------------------------------------- demands

// Each packet as a demand: who has it, for whom it is, what it waits for.
static int describe(struct traffic *t)
{
    const struct crl_program *p = t->program;
    t->demand = calloc(t->count + 1, sizeof *t->demand);
    if (!t->demand) return crl_fail_memory(t->diag);
    for (size_t i = 0; i < t->count; i++) {
        size_t from = SIZE_MAX, other = SIZE_MAX;
        t->searches++;
        look_back(t, t->list[i].first, t->list[i].first, &from, &other);
        t->demand[i].src = p->op[t->list[i].first].rank;
        t->demand[i].after = other == SIZE_MAX ? CRL_NONE : t->packet[other];
        if (other != SIZE_MAX) t->passed[other] = false; // it is for this rank, too
    }
    for (size_t i = 0; i < p->ops; i++) {
        if (p->op[i].kind != CRL_STEP_RECV || t->passed[i]) continue;
        struct demand *d = &t->demand[t->packet[i]];
        if (p->op[i].rank == d->src) continue;
        if (CRL_PUSH(d->dst, d->room, d->count, p->op[i].rank)) return crl_fail_memory(t->diag);
    }
    for (size_t i = 0; i < t->count; i++) {
        struct demand *d = &t->demand[i];
        size_t kept = 0;
        if (d->count) qsort(d->dst, d->count, sizeof *d->dst, crl_compare_numbers);
        for (size_t k = 0; k < d->count; k++)
            if (!kept || d->dst[kept - 1] != d->dst[k]) d->dst[kept++] = d->dst[k];
        d->count = kept;
        if (!d->count) return fail(t, t->list[i].first, "this packet comes back to where it is from, and ends nowhere");
    }
    return 0;
}

static uint64_t key_of(const struct demand *d) { return (uint64_t)d->src << 32 | d->dst[0]; }

static uint64_t ends_key(const void *demand, uint32_t i) { return key_of(&((const struct demand *)demand)[i]); }

// Packets from one rank to one other that wait for nothing, and for which nothing waits, are one demand.
static int group(struct traffic *t)
{
    CRL_OWNED uint32_t *order = malloc(sizeof *order * (t->count + 1));
    CRL_OWNED bool *waited = calloc(t->count + 1, sizeof *waited);
    int error = order && waited ? 0 : crl_fail_memory(t->diag);
    for (uint32_t i = 0; i < t->count && !error; i++) {
        order[i] = i;
        if (t->demand[i].after != CRL_NONE) waited[t->demand[i].after] = true;
    }
    if (!error && crl_sort_order(order, (uint32_t)t->count, ends_key, t->demand, UINT64_MAX))
        error = crl_fail_memory(t->diag);
    uint32_t last = CRL_NONE; // plain
    for (uint32_t k = 0; k < t->count && !error; k++) {
        uint32_t i = order[k];
        struct demand *d = &t->demand[i];
        bool plain = d->plain = d->count == 1 && d->after == CRL_NONE && !waited[i];
        bool joins = plain && last != CRL_NONE && key_of(&t->demand[last]) == key_of(d);
        t->list[i].demand = joins ? last : i;
        t->list[i].number = t->demand[joins ? last : i].packets++;
        if (plain && !joins) last = i;
    }
    return error;
}

static const char *id_of(const struct traffic *t, uint32_t demand, char text[48])
{
    const struct demand *d = &t->demand[demand];
    if (d->plain) snprintf(text, 48, "%u>%u", d->src, d->dst[0]);
    else snprintf(text, 48, "%u>%u/%u", d->src, d->dst[0], demand);
    return text;
}

static int write_demands(const struct traffic *t, FILE *file)
{
    char id[48];
    fputs("id,src,dst,packets,release,deadline,period,after\n", file);
    for (uint32_t i = 0; i < t->count; i++) {
        const struct demand *d = &t->demand[i];
        if (!d->packets) continue;
        fprintf(file, "%s,%u,", id_of(t, i, id), d->src);
        for (size_t k = 0; k < d->count; k++) fprintf(file, "%s%u", k ? " " : "", d->dst[k]);
        fprintf(file, ",%u,,,,%s\n", d->packets, d->after == CRL_NONE ? "" : id_of(t, t->list[d->after].demand, id));
    }
    return ferror(file) ? crl_fail_memory(t->diag) : 0;
}

// ---------------------------------------------------------------- all of it

static int prepare(struct traffic *t)
{
    size_t ops = t->program->ops + 1;
    t->partner = malloc(sizeof *t->partner * ops);
    t->packet = malloc(sizeof *t->packet * ops);
    t->passed = calloc(ops, sizeof *t->passed);
    t->state = calloc(ops, sizeof *t->state);
    t->seen = calloc(ops, sizeof *t->seen);
    if (!t->seen || !t->partner || !t->packet || !t->passed || !t->state) return crl_fail_memory(t->diag);
    for (size_t i = 0; i < ops; i++) t->packet[i] = CRL_NONE;
    return crl_program_partners(t->program, t->partner, t->diag);
}

static void done(struct traffic *t)
{
    for (size_t i = 0; t->demand && i < t->count; i++) free(t->demand[i].dst);
    CRL_FREE(t->demand, t->partner, t->passed, t->state, t->seen, t->list);
}

// The names of the packets that steps move, which the demands that are written give them.
static int name_steps(struct traffic *t, struct crl_tags *tags)
{
    char id[48];
    tags->name = calloc(t->count + 1, sizeof *tags->name);
    if (!tags->name) return crl_fail_memory(t->diag);
    for (uint32_t i = 0; i < t->count; i++)
        snprintf(tags->name[i], sizeof tags->name[i], "%s.%u", id_of(t, t->list[i].demand, id), t->list[i].number);
    tags->packet = t->packet;
    return 0;
}

int crl_import_traffic(struct crl_tags *tags, char **text, struct crl_program *program, struct crl_diag *diag)
{
    CRL_ENDED(done) struct traffic t = {.program = program, .diag = diag};
    size_t length = 0;
    *text = NULL;
    *tags = (struct crl_tags){0};
    int error = prepare(&t);
    if (!error) error = find_packets(&t);
    if (!error) error = describe(&t);
    if (!error) error = group(&t);
    FILE *file = error ? NULL : open_memstream(text, &length);
    if (!error && !file) error = crl_fail_memory(diag);
    if (!error) error = write_demands(&t, file);
    if (file && fclose(file) && !error) error = crl_fail_memory(diag);
    if (!error) error = name_steps(&t, tags);
    if (!tags->packet) free(t.packet);
    return error;
}

int crl_import_set_tags(struct crl_program *program, const struct crl_tags *tags, const struct crl_problem *problem,
                        struct crl_diag *diag)
{
    for (size_t i = 0; i < program->ops; i++) {
        uint32_t demand, number;
        struct crl_step *op = &program->op[i];
        if (tags->packet[i] == CRL_NONE) continue;
        const char *name = tags->name[tags->packet[i]];
        if (!crl_demands_packet_named(problem->demands, name, strlen(name), &demand, &number))
            return crl_program_fail(program, op, diag, "packet '%s' is not one of the demands", name);
        op->src.at = op->dst.at = (uint32_t)crl_problem_index(problem, demand, number);
    }
    return 0;
}

void crl_import_tags_done(struct crl_tags *tags) { CRL_FREE(tags->packet, tags->name); }
