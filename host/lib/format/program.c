// SPDX-License-Identifier: Apache-2.0
#include "format/program.h"
#include "base/base.h"
#include <stdarg.h>
#include <string.h>

enum { OPS_MAX = 1 << 22 };

// ---- formats, by how their files begin

static bool begins(const char *text, size_t length, const char *word)
{
    size_t skip = strspn(text, " \t\r\n");
    return length - skip >= strlen(word) && !strncmp(text + skip, word, strlen(word));
}

static bool holds(const char *text, const char *word)
{
    enum { FAR = 4096 };
    const char *found = strstr(text, word);
    return found && found - text < FAR;
}

static bool is_msccl_xml(const char *text, size_t length) { return begins(text, length, "<") && holds(text, "<algo"); }

static bool is_forestcoll(const char *text, size_t length)
{
    return begins(text, length, "<") && (holds(text, "<Algo") || holds(text, "<tree"));
}

static bool is_chakra(const char *text, size_t length)
{
    return begins(text, length, "{") && (holds(text, "\"version\"") || holds(text, "\"COMM_"));
}

static bool is_mscclpp(const char *text, size_t length) { return begins(text, length, "{"); }
static bool is_tacos(const char *text, size_t length) { return begins(text, length, "NPUs Count"); }
static bool is_goal(const char *text, size_t length)
{
    return begins(text, length, "num_ranks") || begins(text, length, "/");
}

const struct crl_reading crl_readings[] = {{"msccl-xml", is_msccl_xml, crl_read_msccl_xml},
                                           {"forestcoll", is_forestcoll, crl_read_forestcoll},
                                           {"chakra", is_chakra, crl_read_chakra},
                                           {"mscclpp-json", is_mscclpp, crl_read_mscclpp_json},
                                           {"tacos", is_tacos, crl_read_tacos},
                                           {"goal", is_goal, crl_read_goal},
                                           {NULL, NULL, NULL}};

// ---- programs

void crl_program_done(struct crl_program *p) { CRL_FREE(p->op, p->thread, p->dep); }

int crl_program_thread(struct crl_program *p, struct crl_diag *diag)
{
    return CRL_PUSH(p->thread, p->thread_room, p->threads, p->ops) ? crl_fail_memory(diag) : 0;
}

int crl_program_add(struct crl_program *p, struct crl_step op, struct crl_diag *diag)
{
    if (p->ops >= OPS_MAX)
        return crl_fail_at(diag, CRL_ERR_LIMIT, p->file, op.line, op.col, "more than %d steps", OPS_MAX);
    op.dep = op.deps = 0;
    return CRL_PUSH(p->op, p->op_room, p->ops, op) ? crl_fail_memory(diag) : 0;
}

int crl_program_put(struct crl_program *program, uint32_t src, uint32_t dst, uint32_t packet, uint64_t line,
                    uint64_t col, struct crl_diag *diag)
{
    return crl_program_add(program,
                           (struct crl_step){.kind = CRL_STEP_PUT,
                                             .rank = src,
                                             .peer = dst,
                                             .src = {CRL_PACKETS, src, packet},
                                             .dst = {CRL_PACKETS, dst, packet},
                                             .line = line,
                                             .col = col},
                           diag);
}

size_t crl_program_thread_end(const struct crl_program *p, size_t thread)
{
    return thread + 1 < p->threads ? p->thread[thread + 1] : p->ops;
}

int crl_program_depend(struct crl_program *p, size_t op, size_t on, struct crl_diag *diag)
{
    if (crl_grow((void **)&p->dep, &p->dep_room, p->deps, sizeof *p->dep)) return crl_fail_memory(diag);
    if (!p->op[op].deps) p->op[op].dep = p->deps;
    p->dep[p->deps++] = on;
    p->op[op].deps++;
    return 0;
}

int crl_program_fail(const struct crl_program *p, const struct crl_step *op, struct crl_diag *diag, const char *format,
                     ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return crl_fail_at(diag, CRL_ERR_PARSE, p->file, op->line, op->col, "%s", text);
}

int crl_program_parts(const struct crl_program *p, const char *collective, uint32_t *parts, struct crl_diag *diag)
{
    uint32_t in = p->chunks[CRL_INPUT], out = p->chunks[CRL_OUTPUT], all = in > out ? in : out;
    bool gathers = !strcmp(collective, "multinode-broadcast") || !strcmp(collective, "gather");
    bool spreads = !strcmp(collective, "total-exchange") || !strcmp(collective, "reduce-scatter") ||
                   !strcmp(collective, "scatter");
    *parts = 1;
    if (p->by_packet) {
        if (p->parts) *parts = p->parts;
        return 0;
    }
    if (gathers || spreads) {
        // The larger buffer has chunks of all ranks, or of all others where what stays is left out.
        *parts = all / p->ranks;
        if (gathers && !p->in_place && all % p->ranks && out == in * (p->ranks - UINT64_C(1))) {
            *parts = in;
            return 0;
        }
        if (!*parts || all % p->ranks)
            return crl_fail_at(diag, CRL_ERR_PARSE, p->file, 1, 1, "'%u' chunks for '%u' ranks come out uneven", all,
                               p->ranks);
    } else if (all) *parts = all;
    return 0;
}
