// SPDX-License-Identifier: Apache-2.0
#include "online/links.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

static size_t words_of(const struct crl_mesh *mesh) { return (size_t)mesh->nodes * mesh->dims * 2; }

int crl_links_init(struct crl_links *links, struct crl_online_run *run)
{
    *links = (struct crl_links){.run = run};
    links->in = calloc(words_of(&run->mesh), sizeof *links->in);
    links->out = calloc(words_of(&run->mesh), sizeof *links->out);
    return links->in && links->out ? 0 : CRL_ERR_MEMORY;
}

void crl_links_done(struct crl_links *links) { CRL_FREE(links->in, links->out); }

static size_t place(const struct crl_links *links, uint32_t node, uint32_t dim, uint32_t direction)
{
    return ((size_t)node * links->run->mesh.dims + dim) * 2 + direction;
}

struct crl_link_word *crl_links_in(const struct crl_links *links, uint32_t node, uint32_t dim, uint32_t direction)
{
    return &links->in[place(links, node, dim, direction)];
}

struct crl_link_word *crl_links_out(const struct crl_links *links, uint32_t node, uint32_t dim, uint32_t direction)
{
    return &links->out[place(links, node, dim, direction)];
}

int crl_links_exchange(struct crl_links *links)
{
    struct crl_online_run *run = links->run;
    const struct crl_mesh *m = &run->mesh;
    run->slots++;
    memset(links->in, 0, words_of(m) * sizeof *links->in);
    for (uint32_t v = 0; v < m->nodes; v++)
        for (uint32_t k = 0; k < m->dims; k++)
            for (uint32_t direction = 0; direction < 2; direction++) {
                struct crl_link_word *out = crl_links_out(links, v, k, direction);
                uint32_t next = crl_mesh_step(m, v, k, direction);
                if (!out->valid) continue;
                if (next == CRL_NONE) {
                    run->faults++;
                    continue;
                }
                struct crl_link_log *log = &run->log;
                if (crl_grow((void **)&log->entry, &log->capacity, log->count, sizeof *log->entry))
                    return CRL_ERR_MEMORY;
                uint32_t port = m->port[k] + (m->size[k] > 2 ? direction : 0);
                log->entry[log->count++] = (struct crl_link_entry){run->slots, v, port, next, *out};
                *crl_links_in(links, next, k, direction) = *out;
            }
    memset(links->out, 0, words_of(m) * sizeof *links->out);
    return 0;
}

void crl_online_run_done(struct crl_online_run *run)
{
    CRL_FREE(run->log.entry, run->kept, run->kept_first);
    *run = (struct crl_online_run){0};
}

int crl_online_schedule(struct crl_schedule *schedule, const struct crl_online_run *run)
{
    int error = 0;
    for (size_t i = 0; i < run->log.count && !error; i++) {
        const struct crl_link_entry *e = &run->log.entry[i];
        if (e->word.is_count != (schedule->naming == CRL_NAMING_RANGE)) continue;
        error = crl_schedule_add(schedule, (struct crl_move){e->slot, e->node, e->next, e->word.origin, e->word.dest});
    }
    return error;
}
