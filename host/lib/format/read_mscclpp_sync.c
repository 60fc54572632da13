// SPDX-License-Identifier: Apache-2.0
// How thread blocks of a GPU wait for each other in MSCCL++'s plans, and which ranks a switch joins.
#include "base/base.h"
#include "format/read_mscclpp.h"
#include <string.h>

enum { ITEMS_MAX = 1 << 16 };

static int keep(struct crl_mscclpp *r, struct crl_mscclpp_sync sync)
{
    sync.block = r->program->thread[r->program->threads - 1];
    return CRL_PUSH(r->sync, r->sync_room, r->syncs, sync) ? crl_fail_memory(r->diag) : 0;
}

static int add_nop(struct crl_mscclpp *r, const struct crl_json *op)
{
    return crl_mscclpp_add(r, op, (struct crl_step){.kind = CRL_STEP_NOP});
}

// ---- barriers and semaphores

bool crl_mscclpp_waits(const char *name)
{
    return !strcmp(name, "barrier") || !strcmp(name, "sem_acquire") || !strcmp(name, "sem_release");
}

// A thread block comes to a barrier in one step, and goes on in another.
static int add_barrier(struct crl_mscclpp *r, const struct crl_json *op)
{
    struct crl_mscclpp_sync barrier = {.kind = CRL_SYNC_BARRIER, .first = r->program->ops, .steps = 2};
    int error = crl_json_whole(op, "barrier_id", ITEMS_MAX, &barrier.id, r->diag);
    if (!error && json_object_get(op->value, "num_threadblocks"))
        error = crl_json_whole(op, "num_threadblocks", ITEMS_MAX, &barrier.all, r->diag);
    if (!error) error = keep(r, barrier);
    if (!error) error = add_nop(r, op);
    return error ? error : add_nop(r, op);
}

int crl_mscclpp_wait(struct crl_mscclpp *r, const struct crl_json *op, const char *name)
{
    if (!strcmp(name, "barrier")) return add_barrier(r, op);
    struct crl_json ids, id;
    int error = crl_json_member(&ids, op, "semaphore_ids", JSON_ARRAY, false, r->diag);
    for (size_t i = 0; !error && i < json_array_size(ids.value); i++) {
        error = crl_json_item(&id, &ids, i, JSON_INTEGER, r->diag);
        json_int_t number = error ? 0 : json_integer_value(id.value);
        if (!error && (number < 0 || number > ITEMS_MAX))
            error = crl_json_fail(&id, r->diag, "there is no semaphore '%lld'", (long long)number);
        bool acquires = !strcmp(name, "sem_acquire");
        if (!error)
            error = keep(r, (struct crl_mscclpp_sync){.kind = acquires ? CRL_SYNC_ACQUIRE : CRL_SYNC_RELEASE,
                                                      .id = (uint32_t)number,
                                                      .first = r->program->ops,
                                                      .steps = 1});
        if (!error) error = add_nop(r, op);
    }
    return error;
}

// How many of the same kind, and number, come before; of barriers those of its thread block.
static size_t times_before(const struct crl_mscclpp *r, size_t i)
{
    const struct crl_mscclpp_sync *s = r->sync;
    size_t times = 0;
    for (size_t k = 0; k < i; k++)
        times +=
            s[k].kind == s[i].kind && s[k].id == s[i].id && (s[i].kind != CRL_SYNC_BARRIER || s[k].block == s[i].block);
    return times;
}

// All that come to a barrier for the nth time wait for each other.
static int join_barrier(struct crl_mscclpp *r, size_t i)
{
    const struct crl_mscclpp_sync *own = &r->sync[i];
    const size_t times = times_before(r, i);
    uint32_t come = 1;
    int error = 0;
    for (size_t k = 0; k < r->syncs && !error; k++)
        if (k != i && r->sync[k].kind == CRL_SYNC_BARRIER && r->sync[k].id == own->id && times_before(r, k) == times) {
            error = crl_program_depend(r->program, own->first + 1, r->sync[k].first, r->diag);
            come++;
        }
    if (!error && own->all && come != own->all)
        return crl_program_fail(r->program, &r->program->op[own->first], r->diag,
                                "not as many thread blocks come to this barrier as it waits for");
    return error;
}

static int value_at_first(struct crl_mscclpp *r, const struct crl_step *op, uint32_t id, uint32_t *value)
{
    struct crl_json list, one;
    int error = crl_json_member(&list, &r->gpu, "semaphores", JSON_ARRAY, false, r->diag);
    if (!error && id >= json_array_size(list.value))
        error = crl_program_fail(r->program, op, r->diag, "there is no semaphore '%u'", id);
    if (!error) error = crl_json_item(&one, &list, id, JSON_OBJECT, r->diag);
    return error ? error : crl_json_whole(&one, "init_value", ITEMS_MAX, value, r->diag);
}

// Who acquires a semaphore for the nth time waits for the nth release, those before the beginning counted. Which
// release that is where several thread blocks release is open in the plan; here it is the file's nth.
static int join_semaphore(struct crl_mscclpp *r, size_t i)
{
    const struct crl_step *op = &r->program->op[r->sync[i].first];
    const size_t times = times_before(r, i);
    uint32_t value = 0;
    int error = value_at_first(r, op, r->sync[i].id, &value);
    if (error || times < value) return error;
    for (size_t k = 0; k < r->syncs; k++)
        if (r->sync[k].kind == CRL_SYNC_RELEASE && r->sync[k].id == r->sync[i].id &&
            times_before(r, k) == times - value)
            return crl_program_depend(r->program, r->sync[i].first, r->sync[k].first, r->diag);
    return crl_program_fail(r->program, op, r->diag, "nobody releases semaphore '%u' so often", r->sync[i].id);
}

// ---- operations of several thread blocks

static int read_part(struct crl_mscclpp *r, const struct crl_json *op, uint32_t *which, uint32_t *all)
{
    struct crl_json info;
    int error = crl_json_member(&info, op, "tbg_info", JSON_OBJECT, false, r->diag);
    if (!error) error = crl_json_whole(&info, "tb_id", ITEMS_MAX, which, r->diag);
    if (!error) error = crl_json_whole(&info, "tbg_size", ITEMS_MAX, all, r->diag);
    return !error && *which >= *all ? crl_json_fail(&info, r->diag, "thread block '%u' of '%u'", *which, *all) : error;
}

int crl_mscclpp_share(struct crl_mscclpp *r, const struct crl_json *op, bool *done)
{
    uint32_t which = 0, all = 0;
    int error = read_part(r, op, &which, &all);
    *done = which > 0;
    if (error || !which) return error;
    error = keep(r, (struct crl_mscclpp_sync){
                        .kind = CRL_SYNC_PART, .id = which, .first = r->program->ops, .steps = 1, .op = op->value});
    return error ? error : add_nop(r, op);
}

int crl_mscclpp_shared(struct crl_mscclpp *r, const struct crl_json *op, size_t first)
{
    struct crl_mscclpp_sync part = {
        .kind = CRL_SYNC_PART, .first = first, .steps = r->program->ops - first, .op = op->value};
    if (!json_object_get(op->value, "tbg_info")) return 0;
    int error = read_part(r, op, &part.id, &part.all);
    return error ? error : keep(r, part);
}

// Parts of one operation are alike but for whose they are. Their channels need not be: each thread block numbers its
// own, in the order of their first use, and what is moved and where to is said by the cells.
static bool is_same(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"name", "src_buff", "dst_buff", "channel_type"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *x = json_object_get(a, keys[i]), *y = json_object_get(b, keys[i]);
        if (x != y && !(x && y && json_equal(x, y))) return false;
    }
    return true;
}

// Of what the first thread block of a group does, each of the others has a part.
static int check_parts(struct crl_mscclpp *r, size_t i)
{
    const struct crl_mscclpp_sync *s = r->sync;
    size_t others = 0, wanted = 0;
    for (size_t k = 0; k < r->syncs; k++) {
        if (s[k].kind != CRL_SYNC_PART || !is_same(s[k].op, s[i].op)) continue;
        if (s[k].id) others++;
        else wanted += s[k].all - 1;
    }
    if (others >= wanted || !s[i].steps) return 0;
    return crl_program_fail(r->program, &r->program->op[s[i].first], r->diag,
                            "not all of the '%u' thread blocks of the group do this", s[i].all);
}

// The nth of such parts of a thread block waits for the nth of the group's first one.
static int join_part(struct crl_mscclpp *r, size_t i)
{
    const struct crl_mscclpp_sync *s = r->sync;
    size_t times = 0, found = 0;
    int error = 0;
    if (!s[i].id) return check_parts(r, i);
    for (size_t k = 0; k < i; k++)
        times += s[k].kind == CRL_SYNC_PART && s[k].id == s[i].id && is_same(s[k].op, s[i].op);
    for (size_t k = 0; k < r->syncs; k++) {
        if (s[k].kind != CRL_SYNC_PART || s[k].id || !is_same(s[k].op, s[i].op) || found++ != times) continue;
        for (size_t step = 0; step < s[k].steps && !error; step++)
            error = crl_program_depend(r->program, s[i].first, s[k].first + step, r->diag);
        return error;
    }
    return crl_program_fail(r->program, &r->program->op[s[i].first], r->diag,
                            "the first thread block of its group does not do this");
}

int crl_mscclpp_join(struct crl_mscclpp *r)
{
    int error = 0;
    for (size_t i = 0; i < r->syncs && !error; i++) {
        if (r->sync[i].kind == CRL_SYNC_BARRIER) error = join_barrier(r, i);
        if (r->sync[i].kind == CRL_SYNC_ACQUIRE) error = join_semaphore(r, i);
        if (r->sync[i].kind == CRL_SYNC_PART) error = join_part(r, i);
    }
    r->syncs = 0;
    return error;
}

// ---- switches

// The groups of all of a list's channels, one behind the other: the `left`-th.
static int find_group(struct crl_mscclpp *r, const struct crl_json *at, uint32_t left, const json_t **ranks,
                      enum crl_buffer *buffer)
{
    struct crl_json lists, list, kind, groups, group, all, type;
    int error = crl_json_member(&lists, &r->gpu, "channels", JSON_ARRAY, false, r->diag);
    for (size_t i = 0; !error && i < json_array_size(lists.value); i++) {
        error = crl_json_item(&list, &lists, i, JSON_OBJECT, r->diag);
        if (!error) error = crl_mscclpp_kind(r, &list, &kind);
        if (error || strcmp(json_string_value(kind.value), "switch")) continue;
        error = crl_json_member(&groups, &list, "rank_groups", JSON_ARRAY, false, r->diag);
        if (error) break;
        if (left >= json_array_size(groups.value)) {
            left -= (uint32_t)json_array_size(groups.value);
            continue;
        }
        error = crl_json_item(&group, &groups, left, JSON_OBJECT, r->diag);
        if (!error) error = crl_json_member(&all, &group, "ranks", JSON_ARRAY, false, r->diag);
        if (!error) error = crl_json_member(&type, &list, "buffer_type", JSON_STRING, false, r->diag);
        if (!error) *ranks = all.value;
        return error ? error : crl_mscclpp_buffer(r, &type, *json_string_value(type.value), buffer);
    }
    return error ? error : crl_json_fail(at, r->diag, "there is no such switch");
}

// A thread block names those of its list, which names the GPU's.
int crl_mscclpp_group(struct crl_mscclpp *r, const struct crl_json *cell, const json_t **ranks, enum crl_buffer *buffer)
{
    struct crl_json lists, list, kind, ids, id;
    uint32_t which = 0;
    int error = crl_json_whole(cell, "switch_channel_id", ITEMS_MAX, &which, r->diag);
    if (!error) error = crl_json_member(&lists, &r->block, "channels", JSON_ARRAY, false, r->diag);
    for (size_t i = 0; !error && i < json_array_size(lists.value); i++) {
        error = crl_json_item(&list, &lists, i, JSON_OBJECT, r->diag);
        if (!error) error = crl_json_member(&kind, &list, "channel_type", JSON_STRING, false, r->diag);
        if (error || strcmp(json_string_value(kind.value), "switch")) continue;
        error = crl_json_member(&ids, &list, "channel_ids", JSON_ARRAY, false, r->diag);
        if (error || which >= json_array_size(ids.value)) continue;
        error = crl_json_item(&id, &ids, which, JSON_INTEGER, r->diag);
        json_int_t number = error ? 0 : json_integer_value(id.value);
        if (!error && (number < 0 || number > ITEMS_MAX))
            error = crl_json_fail(&id, r->diag, "there is no switch '%lld'", (long long)number);
        return error ? error : find_group(r, &id, (uint32_t)number, ranks, buffer);
    }
    return error ? error : crl_json_fail(cell, r->diag, "there is no such switch");
}
