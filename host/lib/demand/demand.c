// SPDX-License-Identifier: Apache-2.0
#include "demand/demand.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

void crl_demands_done(struct crl_demands *d)
{
    CRL_FREE(d->demand, d->first, d->nodes, d->text);
    *d = (struct crl_demands){0};
}

static int fail_at(const struct crl_demands *d, const struct crl_demand *demand, uint32_t col, int code,
                   struct crl_diag *diag, const char *what, const char *more)
{
    return crl_fail_at(diag, code, d->name, demand->line, col, "demand '%s' %s%s", demand->id, what, more);
}

int crl_demands_add(struct crl_demands *d, const char *id, size_t length, struct crl_demand demand)
{
    size_t room = d->room;
    demand.id_at = d->text_count;
    demand.dst_at = d->node_count;
    int error = CRL_APPEND(d->text, d->text_room, d->text_count, id, id ? length : 0);
    if (!error) error = CRL_APPEND(d->text, d->text_room, d->text_count, "", 1);
    if (!error) error = CRL_APPEND(d->nodes, d->node_room, d->node_count, demand.dst, demand.dst_count);
    if (!error) error = CRL_PUSH(d->demand, room, d->count, demand);
    d->room = (uint32_t)room;
    return error;
}

// ---------------------------------------------------------------- order

static void resolve(struct crl_demands *d)
{
    for (uint32_t i = 0; i < d->count; i++) {
        d->demand[i].id = d->text + d->demand[i].id_at;
        d->demand[i].dst = d->nodes + d->demand[i].dst_at;
    }
}

// Ids that are equal, as those of demands without a name are, stay in their order.
static int compare(const void *a, const void *b)
{
    const struct crl_demand *x = *(const struct crl_demand *const *)a, *y = *(const struct crl_demand *const *)b;
    int order = strcmp(x->id, y->id);
    return order ? order : x < y ? -1 : 1;
}

static int sort(struct crl_demands *d)
{
    CRL_OWNED const struct crl_demand **order = malloc(sizeof *order * (d->count + UINT64_C(1)));
    struct crl_demand *sorted = malloc(sizeof *sorted * (d->count + UINT64_C(1)));
    CRL_OWNED uint32_t *now = malloc(sizeof *now * (d->count + UINT64_C(1)));
    bool good = order && sorted && now;
    for (uint32_t i = 0; i < d->count && good; i++) order[i] = &d->demand[i];
    if (good) qsort(order, d->count, sizeof *order, compare);
    for (uint32_t i = 0; i < d->count && good; i++) {
        sorted[i] = *order[i];
        now[order[i] - d->demand] = i;
    }
    for (uint32_t i = 0; i < d->count && good; i++)
        if (sorted[i].after != CRL_NONE) sorted[i].after = now[sorted[i].after];
    if (good) {
        free(d->demand);
        d->demand = sorted;
        d->room = d->count + 1;
    } else {
        free(sorted);
    }
    return good ? 0 : CRL_ERR_MEMORY;
}

static int refuse_twins(const struct crl_demands *d, struct crl_diag *diag)
{
    for (uint32_t i = 1; i < d->count; i++)
        if (*d->demand[i].id && !strcmp(d->demand[i - 1].id, d->demand[i].id))
            return fail_at(d, &d->demand[i], 1, CRL_ERR_PARSE, diag, "is listed twice", "");
    return 0;
}

// Walks from each demand to what it waits for; who comes back to this walk has found a circle.
static int refuse_circles(const struct crl_demands *d, struct crl_diag *diag)
{
    CRL_OWNED uint32_t *walk = calloc(d->count + UINT64_C(1), sizeof *walk);
    int error = walk ? 0 : crl_fail_memory(diag);
    for (uint32_t i = 0; i < d->count && !error; i++) {
        uint32_t at = i;
        while (at != CRL_NONE && !walk[at]) {
            walk[at] = i + 1;
            at = d->demand[at].after;
        }
        if (at != CRL_NONE && walk[at] == i + 1)
            error = fail_at(d, &d->demand[at], d->demand[at].after_col, CRL_ERR_PARSE, diag,
                            "waits for itself: a circle of 'after'", "");
    }
    return error;
}

// What a demand waits for must come to its source.
static int refuse_absent(const struct crl_demands *d, struct crl_diag *diag)
{
    for (uint32_t i = 0; i < d->count; i++) {
        const struct crl_demand *demand = &d->demand[i], *before = &d->demand[demand->after];
        char more[200];
        if (demand->after == CRL_NONE) continue;
        if (!crl_demand_wants(before, demand->src)) {
            snprintf(more, sizeof more, "'%s', which does not come to its source %u", before->id, demand->src);
            return fail_at(d, demand, demand->after_col, CRL_ERR_PARSE, diag, "waits for ", more);
        }
        if (before->period != demand->period)
            return fail_at(d, demand, demand->after_col, CRL_ERR_PARSE, diag,
                           "waits for one of another period: ", before->id);
    }
    return 0;
}

// ---------------------------------------------------------------- periods

static uint64_t common_multiple(uint64_t a, uint64_t b)
{
    uint64_t x = a, y = b;
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

static int find_hyperperiod(struct crl_demands *d, struct crl_diag *diag)
{
    uint64_t all = 1;
    bool any = false;
    for (uint32_t i = 0; i < d->count; i++) {
        if (!d->demand[i].period) continue;
        any = true;
        all = common_multiple(all, d->demand[i].period);
        if (all > CRL_DEMAND_HYPERPERIOD_MAX)
            return fail_at(d, &d->demand[i], 1, CRL_ERR_PARSE, diag,
                           "makes the hyperperiod, which all periods divide, longer than 2^20 slots", "");
    }
    if (any) d->modulo = (uint32_t)all;
    return 0;
}

static struct crl_demand again(const struct crl_demand *demand, uint32_t number, uint32_t after)
{
    struct crl_demand next = *demand;
    next.release += number * demand->period;
    if (next.deadline != CRL_NONE) next.deadline += number * demand->period;
    next.offset = number * demand->packets;
    next.after = after == CRL_NONE ? after : after + number;
    return next;
}

// Writes each periodic demand as often as it comes in a hyperperiod.
static int repeat(struct crl_demands *d, struct crl_diag *diag)
{
    uint64_t count = 0;
    uint32_t *at = malloc(sizeof *at * (d->count + UINT64_C(1)));
    for (uint32_t i = 0; i < d->count && at; i++) {
        at[i] = (uint32_t)count;
        count += d->demand[i].period ? d->modulo / d->demand[i].period : 1;
        if (count > CRL_DEMANDS_PACKETS_MAX) {
            free(at);
            return fail_at(d, &d->demand[i], 1, CRL_ERR_LIMIT, diag, "makes more than 2^26 demands of a hyperperiod",
                           "");
        }
    }
    struct crl_demand *all = malloc(sizeof *all * (count + 1)), *next = all;
    for (uint32_t i = 0; i < d->count && at && all; i++) {
        const struct crl_demand *demand = &d->demand[i];
        uint32_t times = demand->period ? d->modulo / demand->period : 1;
        uint32_t after = demand->after == CRL_NONE ? CRL_NONE : at[demand->after];
        for (uint32_t k = 0; k < times; k++) *next++ = again(demand, k, after);
    }
    free(at);
    if (!all) return crl_fail_memory(diag);
    free(d->demand);
    d->demand = all;
    d->count = (uint32_t)count;
    d->room = d->count + 1;
    return 0;
}

static int number_packets(struct crl_demands *d, struct crl_diag *diag)
{
    uint64_t packets = 0;
    free(d->first);
    d->first = malloc(sizeof *d->first * (d->count + UINT64_C(1)));
    if (!d->first) return crl_fail_memory(diag);
    for (uint32_t i = 0; i < d->count; i++) {
        const struct crl_demand *demand = &d->demand[i];
        d->first[i] = packets;
        packets += demand->packets;
        d->sums |= demand->kind != CRL_DEMAND_MOVE;
        d->timed |=
            demand->release > 1 || demand->deadline != CRL_NONE || demand->after != CRL_NONE || demand->stage > 0;
        if (packets > CRL_DEMANDS_PACKETS_MAX)
            return fail_at(d, demand, 1, CRL_ERR_LIMIT, diag, "makes more than 2^26 packets", "");
    }
    d->first[d->count] = packets;
    return 0;
}

int crl_demands_finish(struct crl_demands *d, struct crl_diag *diag)
{
    resolve(d);
    int error = sort(d);
    if (error) return crl_fail_memory(diag);
    if (!error) error = refuse_twins(d, diag);
    if (!error) error = refuse_circles(d, diag);
    if (!error) error = refuse_absent(d, diag);
    if (!error) error = find_hyperperiod(d, diag);
    if (!error && d->modulo) error = repeat(d, diag);
    return error ? error : number_packets(d, diag);
}

int crl_demands_set_period(struct crl_demands *d, uint32_t period, struct crl_diag *diag)
{
    for (uint32_t i = 0; i < d->count; i++)
        if (d->demand[i].period)
            return fail_at(d, &d->demand[i], 1, CRL_ERR_ARGUMENT, diag,
                           "has a period of its own, so --period cannot be said for all", "");
    d->modulo = period;
    return 0;
}

// ---------------------------------------------------------------- packets

uint64_t crl_demands_packets(const struct crl_demands *d) { return d->first[d->count]; }

uint32_t crl_demands_find(const struct crl_demands *d, uint64_t index)
{
    uint32_t least = 0, most = d->count - 1; // the last demand that begins at or before it
    while (least < most) {
        uint32_t middle = least + (most - least + 1) / 2;
        if (d->first[middle] <= index) least = middle;
        else most = middle - 1;
    }
    return least;
}

static bool is_listed(const struct crl_demand *demand, uint32_t node)
{
    uint32_t least = 0, most = demand->dst_count;
    while (least < most) {
        uint32_t middle = least + (most - least) / 2;
        if (demand->dst[middle] < node) least = middle + 1;
        else most = middle;
    }
    return least < demand->dst_count && demand->dst[least] == node;
}

bool crl_demand_wants(const struct crl_demand *demand, uint32_t node)
{
    if (demand->kind != CRL_DEMAND_MOVE && node == demand->src) return true;
    return demand->kind != CRL_DEMAND_SUM && is_listed(demand, node);
}

bool crl_demand_has(const struct crl_demand *demand, uint32_t node)
{
    return node == demand->src || (demand->kind != CRL_DEMAND_MOVE && is_listed(demand, node));
}

const char *crl_demands_packet_name(const struct crl_demands *d, uint32_t demand, uint32_t number,
                                    char text[CRL_PACKET_NAME])
{
    if (demand >= d->count) snprintf(text, CRL_PACKET_NAME, "?%u.%u", demand, number);
    else if (d->unnumbered && d->demand[demand].packets == 1)
        snprintf(text, CRL_PACKET_NAME, "%s", d->demand[demand].id);
    else snprintf(text, CRL_PACKET_NAME, "%s.%u", d->demand[demand].id, d->demand[demand].offset + number);
    return text;
}

// The first demand whose id is not before the one named.
static uint32_t find_id(const struct crl_demands *d, const char *id, size_t length, bool *is_one)
{
    uint32_t least = 0, most = d->count;
    while (least < most) {
        uint32_t middle = least + (most - least) / 2;
        int order = strncmp(d->demand[middle].id, id, length); // a longer id comes after
        if (order < 0) least = middle + 1;
        else most = middle;
    }
    *is_one = least < d->count && strlen(d->demand[least].id) == length && !memcmp(d->demand[least].id, id, length);
    return least;
}

bool crl_demands_packet_named(const struct crl_demands *d, const char *name, size_t length, uint32_t *demand,
                              uint32_t *number)
{
    bool is_one;
    size_t id = 0;
    uint64_t value = 0;
    while (id < length && name[id] != '.') id++;
    if (id < length ? id + 1 == length || length - id > 10 : !d->unnumbered) return false;
    for (size_t i = id + 1; i < length; i++) {
        if (name[i] < '0' || name[i] > '9' || (name[i] == '0' && i == id + 1 && length > i + 1)) return false;
        value = value * 10 + (uint64_t)(name[i] - '0');
    }
    uint32_t first = find_id(d, name, id, &is_one), times = 0;
    if (!is_one) return false;
    uint32_t packets = d->demand[first].packets;
    if (d->unnumbered && (packets == 1) != (id == length)) return false;
    while (first + times + 1 < d->count && d->demand[first + times + 1].id == d->demand[first].id &&
           d->demand[first + times + 1].offset <= value)
        times++;
    *demand = first + times;
    *number = (uint32_t)(value - (uint64_t)times * packets);
    return *number < packets;
}
