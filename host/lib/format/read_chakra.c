// SPDX-License-Identifier: Apache-2.0
// Chakra execution traces in JSON, as its jsonizer shows them: of each rank the metadata, then its nodes. Only nodes
// that send and receive can be laid out, and they name packets by their tags; what computes is left out of account, but
// for what waits for it.
#include "base/base.h"
#include "format/program.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 4096 };

struct named { // a node of a rank
    uint32_t rank;
    uint64_t id;
    size_t op;
};
struct pending {
    struct named on;
    size_t op;
    uint64_t line, col;
};

struct reading {
    struct crl_program *program;
    uint32_t rank;
    bool head; // of a rank, has come
    struct named *named;
    size_t named_count, named_room;
    struct pending *pending;
    size_t pending_count, pending_room;
    struct crl_diag *diag;
};

// 64-bit integers are texts in the JSON of protocol buffers; others, and those of some tools, are numbers.
static int whole(const struct crl_json *at, uint64_t most, uint64_t *number, struct crl_diag *diag)
{
    const char *text = json_string_value(at->value);
    char *end = "";
    errno = 0;
    if (json_is_integer(at->value) && json_integer_value(at->value) >= 0)
        *number = (uint64_t)json_integer_value(at->value);
    else if (text && *text >= '0' && *text <= '9') *number = strtoull(text, &end, 10);
    else return crl_json_fail(at, diag, "this is not a whole number");
    return *end || errno || *number > most
               ? crl_json_fail(at, diag, "this is not a whole number from 0 to %llu", (unsigned long long)most)
               : 0;
}

// The value of an attribute: *found is false where there is none.
static int attribute(const struct crl_json *message, const char *name, struct crl_json *list, struct crl_json *attr,
                     struct crl_json *value, bool *found, struct crl_diag *diag)
{
    struct crl_json called;
    *found = false;
    int error = crl_json_member(list, message, "attr", JSON_ARRAY, true, diag);
    for (size_t i = 0; !error && list->value && i < json_array_size(list->value); i++) {
        error = crl_json_item(attr, list, i, JSON_OBJECT, diag);
        if (!error) error = crl_json_member(&called, attr, "name", JSON_STRING, false, diag);
        if (error || strcmp(json_string_value(called.value), name)) continue;
        const char *key;
        json_t *member;
        json_object_foreach((json_t *)attr->value, key, member)
        {
            size_t length = strlen(key);
            if (length < 4 || strcmp(key + length - 3, "Val")) continue;
            *value = (struct crl_json){.in = attr->in, .up = attr, .key = key, .value = member};
            *found = true;
            return 0;
        }
        return crl_json_fail(attr, diag, "attribute '%s' has no value", name);
    }
    return error;
}

static int number_of(const struct crl_json *message, const char *name, bool optional, uint64_t most, uint64_t *number,
                     struct crl_diag *diag)
{
    struct crl_json list, attr, value;
    bool found;
    int error = attribute(message, name, &list, &attr, &value, &found, diag);
    if (error || (!found && optional)) return error;
    if (!found) return crl_json_fail(message, diag, "this node has no attribute '%s'", name);
    return whole(&value, most, number, diag);
}

// ---- messages

static int read_head(struct reading *r, const struct crl_json *message)
{
    struct crl_json list, attr, value;
    uint64_t rank = r->head ? r->rank + UINT64_C(1) : 0, root = r->program->root;
    bool found;
    int error = number_of(message, "rank", true, RANKS_MAX - 1, &rank, r->diag);
    if (!error) error = number_of(message, "root", true, CRL_NONE, &root, r->diag);
    if (!error) error = attribute(message, "collective", &list, &attr, &value, &found, r->diag);
    if (error) return error;
    const char *name = found ? json_string_value(value.value) : NULL;
    if (found && (!name || strlen(name) >= sizeof r->program->collective))
        return crl_json_fail(&value, r->diag, "an unknown collective");
    if (name) memcpy(r->program->collective, name, strlen(name) + 1);
    r->rank = (uint32_t)rank;
    r->program->root = (uint32_t)root;
    r->head = true;
    if (r->rank >= r->program->ranks) r->program->ranks = r->rank + 1;
    return 0;
}

static int depend(struct reading *r, const struct crl_json *message, const char *key)
{
    struct crl_json list, item;
    int error = crl_json_member(&list, message, key, JSON_ARRAY, true, r->diag);
    for (size_t i = 0; !error && list.value && i < json_array_size(list.value); i++) {
        uint64_t on = 0;
        item = (struct crl_json){.in = list.in, .up = &list, .index = i, .value = json_array_get(list.value, i)};
        error = whole(&item, UINT64_MAX, &on, r->diag);
        if (!error && crl_grow((void **)&r->pending, &r->pending_room, r->pending_count, sizeof *r->pending))
            error = crl_fail_memory(r->diag);
        if (error) return error;
        struct pending *p = &r->pending[r->pending_count++];
        *p = (struct pending){{r->rank, on, 0}, r->program->ops - 1, 0, 0};
        crl_json_where(message, &p->line, &p->col);
    }
    return error;
}

static int read_transfer(struct reading *r, const struct crl_json *message, bool sends, struct crl_step *op)
{
    uint64_t src = r->rank, dst = r->rank, tag = 0, slot = 0;
    int error = number_of(message, "comm_src", !sends ? false : true, RANKS_MAX - 1, &src, r->diag);
    if (!error) error = number_of(message, "comm_dst", sends ? false : true, RANKS_MAX - 1, &dst, r->diag);
    if (!error) error = number_of(message, "comm_tag", true, UINT32_MAX - 1, &tag, r->diag);
    if (!error) error = number_of(message, "slot", true, UINT32_MAX / 2, &slot, r->diag);
    if (!error && (sends ? src : dst) != r->rank)
        error = crl_json_fail(message, r->diag, "a node of rank %llu among those of rank %u",
                              (unsigned long long)(sends ? src : dst), r->rank);
    if (!error && src == dst) error = crl_json_fail(message, r->diag, "rank %u is its own peer", r->rank);
    op->kind = sends ? CRL_STEP_SEND : CRL_STEP_RECV;
    op->peer = (uint32_t)(sends ? dst : src);
    op->channel = tag;
    op->src = op->dst = (struct crl_cell){CRL_PACKETS, r->rank, (uint32_t)tag};
    op->slot = sends ? (uint32_t)slot : 0;
    if (op->peer >= r->program->ranks) r->program->ranks = op->peer + 1;
    return error;
}

static int read_node(struct reading *r, const struct crl_json *message)
{
    struct crl_json member;
    uint64_t id = 0;
    if (!r->head) return crl_json_fail(message, r->diag, "a node before any metadata");
    member = (struct crl_json){
        .in = message->in, .up = message, .key = "id", .value = json_object_get(message->value, "id")};
    // Protocol buffers leave out what is 0.
    int error = member.value ? whole(&member, UINT64_MAX, &id, r->diag) : 0;
    if (!error) error = crl_json_member(&member, message, "type", JSON_STRING, false, r->diag);
    if (error) return error;
    const char *type = json_string_value(member.value);
    struct crl_step op = {.kind = CRL_STEP_NOP, .rank = r->rank};
    if (!strcmp(type, "COMM_COLL_NODE"))
        return crl_json_fail(message, r->diag, "a collective as a whole, of which nothing is said of how it is done");
    if (!strcmp(type, "COMM_SEND_NODE")) error = read_transfer(r, message, true, &op);
    if (!strcmp(type, "COMM_RECV_NODE")) error = read_transfer(r, message, false, &op);
    crl_json_where(message, &op.line, &op.col);
    if (!error) error = crl_program_thread(r->program, r->diag);
    if (!error) error = crl_program_add(r->program, op, r->diag);
    if (!error) error = depend(r, message, "ctrlDeps");
    if (!error) error = depend(r, message, "dataDeps");
    if (!error && CRL_PUSH(r->named, r->named_room, r->named_count, (struct named){r->rank, id, r->program->ops - 1}))
        error = crl_fail_memory(r->diag);
    return error;
}

// ---- the whole

static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    return CRL_COMPARE({x->rank, y->rank}, {x->id, y->id});
}

static int settle(struct reading *r)
{
    if (r->named_count) qsort(r->named, r->named_count, sizeof *r->named, by_name);
    for (size_t i = 0; i + 1 < r->named_count; i++)
        if (!by_name(&r->named[i], &r->named[i + 1]))
            return crl_program_fail(r->program, &r->program->op[r->named[i + 1].op], r->diag,
                                    "node '%llu' of rank %u is there twice", (unsigned long long)r->named[i].id,
                                    r->named[i].rank);
    for (size_t i = 0; i < r->pending_count; i++) {
        const struct pending *p = &r->pending[i];
        const struct named *on =
            r->named_count ? bsearch(&p->on, r->named, r->named_count, sizeof *r->named, by_name) : NULL;
        if (!on)
            return crl_fail_at(r->diag, CRL_ERR_PARSE, r->program->file, p->line, p->col,
                               "this depends on node '%llu', which rank %u does not have", (unsigned long long)p->on.id,
                               p->on.rank);
        int error = crl_program_depend(r->program, p->op, on->op, r->diag);
        if (error) return error;
    }
    return 0;
}

int crl_read_chakra(struct crl_program *program, const char *text, size_t length, struct crl_diag *diag)
{
    struct reading r = {.program = program, .diag = diag};
    struct crl_json_text in = {.file = program->file, .text = text, .length = length};
    int error = 0;
    program->by_packet = true;
    program->root = CRL_NONE;
    for (size_t at = 0; at < length && !error;) {
        struct crl_json message;
        error = crl_json_read(&message, &in, &at, diag);
        if (error) break;
        if (!json_is_object(message.value)) error = crl_json_fail(&message, diag, "this is not an object");
        else error = json_object_get(message.value, "type") ? read_node(&r, &message) : read_head(&r, &message);
        json_decref((json_t *)message.value);
    }
    if (!error) error = settle(&r);
    CRL_FREE(r.named, r.pending);
    return error;
}
