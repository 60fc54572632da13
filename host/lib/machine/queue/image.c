// SPDX-License-Identifier: Apache-2.0
// The image of forwarding tables as a file: form 1 of docs/formats/image.md.
#include "machine/queue/queue.h"
#include "base/base.h"
#include "image/container.h"
#include <string.h>

enum {
    SECTION_GEOMETRY = 1,
    SECTION_NAMES,
    SECTION_FORWARD,
    SECTION_GATES,
    SECTION_LOOP_GATE,
    SECTION_ROOTS,
    SECTION_NODES,
    SECTIONS = 7
};
enum { TREES_MAX = CRL_GATE_NO_TREE, PERIOD_MAX = 1 << 16 };

static size_t forward_rows(const struct crl_queue_tables *t) { return (size_t)t->tables * t->trees * (t->ports + 2); }
static size_t gate_rows(const struct crl_queue_tables *t) { return (size_t)t->tables * t->period * t->ports; }
static uint32_t cycles_of(const struct crl_queue_tables *t)
{
    return (t->loops ? t->trees : 0) + t->ports + CRL_QUEUE_OWN_MAX;
}

// ---- rows as words

static uint32_t forward_word(const struct crl_forward *f)
{
    return f->ports | (uint32_t)f->class << 16 | (uint32_t)f->loop << 20 | (uint32_t)f->deliver << 21 |
           (uint32_t)f->take << 22;
}

static struct crl_forward forward_of(uint32_t word)
{
    return (struct crl_forward){(uint16_t)word, word >> 16 & 15, word >> 20 & 1, word >> 21 & 1, word >> 22 & 1};
}

static uint32_t gate_word(const struct crl_gate *g, uint8_t accept)
{
    return g->mode | (uint32_t)g->a << 4 | (uint32_t)g->b << 8 | (uint32_t)accept << 12 | (uint32_t)g->position << 16;
}

static struct crl_gate gate_of(uint32_t word)
{
    return (struct crl_gate){word & 15, word >> 4 & 15, word >> 8 & 15, (uint16_t)(word >> 16)};
}

// ---- writing

int crl_queue_image_write(const struct crl_queue_tables *t, FILE *file, struct crl_diag *diag)
{
    struct crl_bytes all = {0}, body = {0};
    const uint32_t numbers[] = {t->ports, t->nodes,    t->trees,  t->classes, t->period,
                                t->loops, t->blocking, t->cycles, t->tables};
    crl_put_header(&all, CRL_FORM_QUEUES, SECTIONS);
    crl_put_words(&body, numbers, sizeof numbers / sizeof *numbers);
    crl_put_section(&all, SECTION_GEOMETRY, &body);
    crl_put_text(&body, t->topology, sizeof t->topology);
    crl_put_text(&body, t->scheme, sizeof t->scheme);
    crl_put_section(&all, SECTION_NAMES, &body);
    for (size_t i = 0; i < forward_rows(t); i++) crl_put(&body, forward_word(&t->forward[i]));
    crl_put_section(&all, SECTION_FORWARD, &body);
    for (size_t i = 0; i < gate_rows(t); i++) crl_put(&body, gate_word(&t->gate[i], t->accept[i]));
    crl_put_section(&all, SECTION_GATES, &body);
    for (uint32_t row = 0; row < t->period; row++) crl_put(&body, t->loop_gate[row]);
    crl_put_section(&all, SECTION_LOOP_GATE, &body);
    crl_put_words(&body, t->root, t->trees);
    crl_put_section(&all, SECTION_ROOTS, &body);
    crl_put_words(&body, t->node_table, t->nodes);
    crl_put_section(&all, SECTION_NODES, &body);
    return crl_container_write(&all, &body, file, diag);
}

// ---- reading

static void get_geometry(struct crl_cursor *c, struct crl_queue_tables *t)
{
    struct crl_cursor body = crl_get_section(c, SECTION_GEOMETRY);
    uint32_t *numbers[] = {&t->ports, &t->nodes,    &t->trees,  &t->classes, &t->period,
                           &t->loops, &t->blocking, &t->cycles, &t->tables};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *numbers[i] = crl_get(&body);
    if (!body.error && (t->loops > 1 || t->blocking > 1)) crl_bad(&body, "a flag is neither 0 nor 1");
    // Before anything is computed from it.
    if (!body.error && (t->ports < 1 || t->ports > CRL_QUEUE_PORTS_MAX || t->nodes != 1u << t->ports || t->trees < 1 ||
                        t->trees > TREES_MAX || t->classes < 1 || t->classes > CRL_QUEUE_CLASSES_MAX || t->period < 1 ||
                        t->period > PERIOD_MAX || t->cycles != cycles_of(t) || t->tables < 1 || t->tables > t->nodes))
        crl_bad(&body, "impossible geometry");
    crl_end_section(c, &body);
}

static void get_names(struct crl_cursor *c, struct crl_queue_tables *t)
{
    struct crl_cursor body = crl_get_section(c, SECTION_NAMES);
    char expected[32];
    crl_get_text(&body, t->topology, sizeof t->topology);
    crl_get_text(&body, t->scheme, sizeof t->scheme);
    snprintf(expected, sizeof expected, "hypercube:%u", t->ports);
    if (!body.error && strcmp(t->topology, expected)) crl_bad(&body, "the image contradicts itself");
    crl_end_section(c, &body);
}

static bool is_forward(const struct crl_queue_tables *t, const struct crl_forward *f)
{
    if (!f->take) return forward_word(f) == 0;
    return f->ports >> t->ports == 0 && f->class < t->classes && f->loop <= t->loops && (f->ports || !f->class);
}

static bool is_class_or_none(const struct crl_queue_tables *t, uint32_t class)
{
    return class < t->classes || class == CRL_GATE_NO_CLASS;
}

// Fields that a mode does not use are 0.
static bool is_gate(const struct crl_queue_tables *t, const struct crl_gate *g)
{
    switch ((enum crl_gate_mode)g->mode) {
    case CRL_GATE_CLOSED: return !g->a && !g->b && !g->position;
    case CRL_GATE_ORDER: return g->a < t->classes && is_class_or_none(t, g->b) && !g->position;
    case CRL_GATE_COIN_FIRST:
    case CRL_GATE_COIN_SECOND: return g->a < t->classes && g->b < t->classes && !g->position;
    case CRL_GATE_POSITION: return g->a < t->classes && g->b == CRL_GATE_NO_CLASS && g->position < t->nodes;
    }
    return false;
}

static void get_forward(struct crl_cursor *c, struct crl_queue_tables *t)
{
    struct crl_cursor body = crl_get_section(c, SECTION_FORWARD);
    t->forward = crl_get_array(&body, forward_rows(t), sizeof *t->forward, 4);
    for (size_t i = 0; t->forward && i < forward_rows(t) && !body.error; i++) {
        uint32_t word = crl_get(&body);
        t->forward[i] = forward_of(word);
        if (word != forward_word(&t->forward[i])) crl_bad(&body, "a field that must be zero is not");
        else if (!is_forward(t, &t->forward[i])) crl_bad(&body, "a forwarding row is out of range");
    }
    crl_end_section(c, &body);
}

// A gate of the second slot of a coin has the classes of that of the first, the last one before it.
static bool is_second_of_first(const struct crl_queue_tables *t, size_t at)
{
    size_t port = at % t->ports, table = at / t->ports / t->period * t->period, row = at / t->ports - table;
    const struct crl_gate *g = &t->gate[at];
    if (g->mode != CRL_GATE_COIN_SECOND) return true;
    for (uint32_t back = 1; back < t->period; back++) {
        const struct crl_gate *first = &t->gate[(table + (row + t->period - back) % t->period) * t->ports + port];
        if (first->mode == CRL_GATE_COIN_FIRST) return first->a == g->a && first->b == g->b;
    }
    return false;
}

static void get_gates(struct crl_cursor *c, struct crl_queue_tables *t)
{
    struct crl_cursor body = crl_get_section(c, SECTION_GATES);
    t->gate = crl_get_array(&body, gate_rows(t), sizeof *t->gate, 4);
    t->accept = crl_get_array(&body, gate_rows(t), sizeof *t->accept, 4);
    for (size_t i = 0; t->gate && t->accept && i < gate_rows(t) && !body.error; i++) {
        uint32_t word = crl_get(&body), accept = word >> 12 & 15;
        t->gate[i] = gate_of(word);
        t->accept[i] = (uint8_t)accept;
        if (!is_gate(t, &t->gate[i]) || (t->blocking && t->gate[i].mode > CRL_GATE_ORDER) ||
            (accept != CRL_GATE_NO_TREE && (!t->blocking || accept >= t->trees)))
            crl_bad(&body, "a gate is out of range");
    }
    for (size_t i = 0; t->gate && t->accept && i < gate_rows(t) && !body.error; i++)
        if (!is_second_of_first(t, i)) crl_bad(&body, "a gate for the second slot of a coin has no first");
    crl_end_section(c, &body);
}

// `count` words below `most`, or CRL_NONE where `none`.
static void get_numbers(struct crl_cursor *c, uint32_t section, uint32_t **out, uint32_t count, uint32_t most,
                        bool none)
{
    struct crl_cursor body = crl_get_section(c, section);
    *out = crl_get_array(&body, count, sizeof **out, 4);
    for (uint32_t i = 0; *out && i < count && !body.error; i++) {
        (*out)[i] = crl_get(&body);
        if ((*out)[i] >= most && !(none && (*out)[i] == CRL_NONE)) crl_bad(&body, "a number is out of range");
    }
    crl_end_section(c, &body);
}

static void get_loop_gate(struct crl_cursor *c, struct crl_queue_tables *t)
{
    struct crl_cursor body = crl_get_section(c, SECTION_LOOP_GATE);
    t->loop_gate = crl_get_array(&body, t->period, sizeof *t->loop_gate, 4);
    for (uint32_t row = 0; t->loop_gate && row < t->period && !body.error; row++) {
        uint32_t flag = crl_get(&body);
        if (flag > t->loops) crl_bad(&body, "a flag is neither 0 nor 1");
        t->loop_gate[row] = (uint8_t)flag;
    }
    crl_end_section(c, &body);
}

int crl_queue_image_parse(struct crl_queue_tables *t, const struct crl_container *container, struct crl_diag *diag)
{
    memset(t, 0, sizeof *t);
    struct crl_cursor cursor = crl_container_open(container, diag), *c = &cursor;
    if (container->form != CRL_FORM_QUEUES) return crl_bad(c, "an image, but not one of forwarding tables");
    if (container->sections != SECTIONS) return crl_bad(c, "an unknown number of sections");
    get_geometry(c, t);
    if (!c->error) get_names(c, t);
    if (!c->error) get_forward(c, t);
    if (!c->error) get_gates(c, t);
    if (!c->error) get_loop_gate(c, t);
    if (!c->error) get_numbers(c, SECTION_ROOTS, &t->root, t->trees, t->nodes, true);
    if (!c->error) get_numbers(c, SECTION_NODES, &t->node_table, t->nodes, t->tables, false);
    int error = crl_container_end(c);
    if (error) crl_queue_tables_done(t);
    return error;
}
