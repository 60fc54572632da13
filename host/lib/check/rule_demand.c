// SPDX-License-Identifier: Apache-2.0
// Demands: when packets may leave their sources, by when they must have arrived, and that no two packets use one link
// in the same slot of the period.
#include "base/base.h"
#include "check/check.h"
#include <stdlib.h>

// The first slot in which a demand may leave, and for those that wait: the slots in which what they wait for came.
struct waiting {
    struct crl_check *check;
    const struct crl_demands *demands;
    uint64_t *first;  // [count] where the arrivals of what demand i waits for begin
    uint32_t *came;   // first arrival of each packet at who waits for it; CRL_NONE: never
    uint32_t *next;   // [count] demands that wait for the same one, as lists
    uint32_t *waiter; // [count] the first demand that waits for it, or CRL_NONE
    uint32_t *leaves; // [count] first slot in which it may leave
    uint32_t *last;   // [stages][nodes] what came of a stage and those before; NULL: there is one stage
};

static int begin(struct waiting *w)
{
    const struct crl_demands *d = w->demands;
    uint64_t packets = 0;
    w->first = malloc(sizeof *w->first * (d->count + UINT64_C(1)));
    w->next = malloc(sizeof *w->next * (d->count + UINT64_C(1)));
    w->waiter = malloc(sizeof *w->waiter * (d->count + UINT64_C(1)));
    w->leaves = malloc(sizeof *w->leaves * (d->count + UINT64_C(1)));
    if (!w->first || !w->next || !w->waiter || !w->leaves) return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < d->count; i++) w->waiter[i] = CRL_NONE;
    for (uint32_t i = 0; i < d->count; i++) {
        uint32_t after = d->demand[i].after;
        w->first[i] = packets;
        w->leaves[i] = d->demand[i].release;
        if (after == CRL_NONE) continue;
        packets += d->demand[after].packets;
        w->next[i] = w->waiter[after];
        w->waiter[after] = i;
    }
    w->came = malloc(sizeof *w->came * (packets + 1));
    for (uint64_t i = 0; i < packets && w->came; i++) w->came[i] = CRL_NONE;
    return w->came ? 0 : CRL_ERR_MEMORY;
}

static uint32_t arrival_of(const struct waiting *w, const struct crl_move *m)
{
    return crl_arrival_slot(w->check->schedule->topology, m->slot, m->src, m->dst);
}

static void note_arrival(struct waiting *w, const struct crl_move *m)
{
    uint32_t slot = arrival_of(w, m);
    for (uint32_t i = w->waiter[m->origin]; i != CRL_NONE; i = w->next[i]) {
        uint32_t *came = &w->came[w->first[i] + m->dest];
        bool sum = w->demands->demand[m->origin].kind != CRL_DEMAND_MOVE; // is there when its last part has come
        if (w->demands->demand[i].src == m->dst && (*came == CRL_NONE || (sum ? slot > *came : slot < *came)))
            *came = slot;
    }
}

static void find_first_slots(struct waiting *w)
{
    const struct crl_demands *d = w->demands;
    for (uint32_t i = 0; i < d->count; i++) {
        uint32_t after = d->demand[i].after;
        for (uint32_t k = 0; after != CRL_NONE && k < d->demand[after].packets; k++) {
            uint32_t came = w->came[w->first[i] + k];
            if (came != CRL_NONE && came + 1 > w->leaves[i]) w->leaves[i] = came + 1; // what never comes is missing
        }
    }
}

// The first slot in which a node may send what it has of a demand from the beginning.
static uint32_t leaves_from(const struct waiting *w, uint32_t i, uint32_t node)
{
    const struct crl_demand *demand = &w->demands->demand[i];
    uint32_t stage = w->last ? demand->stage : 0;
    uint32_t slot = stage ? w->last[(size_t)(stage - 1) * w->check->nodes + node] + 1 : 1;
    return slot > w->leaves[i] ? slot : w->leaves[i];
}

static void judge(struct waiting *w, size_t i)
{
    struct crl_part *part = &w->check->part[0];
    const struct crl_move *m = &w->check->schedule->moves[i];
    const struct crl_demand *demand = &w->demands->demand[m->origin];
    char text[CRL_MOVE_TEXT];
    uint32_t leaves = crl_demand_has(demand, m->src) ? leaves_from(w, m->origin, m->src) : 1;
    if (m->slot < leaves)
        crl_find(part, CRL_FINDING_BEFORE_RELEASE, i, "%s, but it may leave from slot %u on",
                 crl_move_text(w->check->schedule, m, text), leaves);
    if (demand->deadline != CRL_NONE && arrival_of(w, m) > demand->deadline && crl_demand_wants(demand, m->dst))
        crl_find(part, CRL_FINDING_AFTER_DEADLINE, i, "%s, where it arrives in slot %u, but its deadline is %u",
                 crl_move_text(w->check->schedule, m, text), arrival_of(w, m), demand->deadline);
}

static void judge_times(struct crl_check *check, const struct crl_demands *demands)
{
    const struct crl_schedule *s = check->schedule;
    struct waiting w = {.check = check, .demands = demands};
    if (begin(&w)) check->part[0].sink.out_of_memory = true;
    else {
        for (size_t i = 0; i < s->count; i++)
            if (!(check->marks[i] & CRL_MOVE_BAD)) note_arrival(&w, &s->moves[i]);
        find_first_slots(&w);
        if (crl_stages_wait(check, &w.last)) check->part[0].sink.out_of_memory = true;
        for (size_t i = 0; i < s->count; i++)
            if (!(check->marks[i] & CRL_MOVE_BAD)) judge(&w, i);
    }
    CRL_FREE(w.first, w.came, w.next, w.waiter, w.leaves, w.last);
}

// ---------------------------------------------------------------- periods

// What a move takes of a slot: its link or, single-port, its sender or its receiver.
enum taken { LINK, SENDER, RECEIVER };
struct taking {
    const struct crl_schedule *schedule;
    uint32_t period;
    enum taken what;
};

static uint64_t key_slot(const void *user, uint32_t i)
{
    const struct taking *t = user;
    const struct crl_move *m = &t->schedule->moves[i];
    uint32_t slot = t->what == RECEIVER ? crl_arrival_slot(t->schedule->topology, m->slot, m->src, m->dst) : m->slot;
    return (slot - 1) % t->period;
}

static uint64_t key_place(const void *user, uint32_t i)
{
    const struct taking *t = user;
    const struct crl_move *m = &t->schedule->moves[i];
    if (t->what == LINK) return (uint64_t)m->src << 32 | m->dst;
    return t->what == SENDER ? m->src : m->dst;
}

static bool meet(const struct taking *t, uint32_t a, uint32_t b)
{
    return key_slot(t, a) == key_slot(t, b) && key_place(t, a) == key_place(t, b);
}

static void judge_taking(struct crl_check *check, const struct taking *t, uint32_t *order, uint32_t count)
{
    const struct crl_schedule *s = check->schedule;
    char text[CRL_MOVE_TEXT];
    for (uint32_t k = 0, users = 1; k < count; k++) {
        const struct crl_move *m = &s->moves[order[k]];
        users = k && meet(t, order[k - 1], order[k]) ? users + 1 : 1;
        uint32_t room = t->what == LINK ? crl_topology_width(s->topology, m->src, m->dst) : 1;
        bool again = users > room && s->moves[order[k - 1]].slot != m->slot; // else another rule says it
        if (again)
            crl_find(&check->part[0], CRL_FINDING_PERIOD_CONFLICT, order[k],
                     "%s, which is taken in slot %u of that period of %u already", crl_move_text(s, m, text),
                     s->moves[order[k - 1]].slot, t->period);
    }
}

static void judge_period(struct crl_check *check, uint32_t period, enum taken what)
{
    const struct crl_schedule *s = check->schedule;
    struct taking t = {s, period, what};
    uint32_t count = 0, *order = malloc(sizeof *order * (s->count + 1));
    for (size_t i = 0; i < s->count && order; i++)
        if (!(check->marks[i] & CRL_MOVE_BAD)) order[count++] = (uint32_t)i;
    if (!order || crl_sort_order(order, count, key_place, &t, UINT64_MAX) ||
        crl_sort_order(order, count, key_slot, &t, period))
        check->part[0].sink.out_of_memory = true;
    else judge_taking(check, &t, order, count);
    free(order);
}

void crl_rule_demand(struct crl_check *check)
{
    const struct crl_demands *demands = check->problem->demands;
    if (!demands) return;
    if (demands->timed) judge_times(check, demands);
    if (!demands->modulo) return;
    if (check->problem->ports == CRL_PORTS_ALL) {
        judge_period(check, demands->modulo, LINK);
    } else {
        judge_period(check, demands->modulo, SENDER);
        judge_period(check, demands->modulo, RECEIVER);
    }
}
