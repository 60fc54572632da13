// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as an image. CRCs are made right first, else nothing would get past them; what is read must be
// safe to play.
#include "machine/queue/queue.h"
#include "machine/logp/image.h"
#include "lower/lower.h"
#include "machine/logp/play.h"
#include "model/model.h"
#include "oracle/oracle.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static uint32_t get(const uint8_t *b)
{
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void put_crc(uint8_t *at, const uint8_t *from, size_t count)
{
    uint32_t crc = (uint32_t)crc32_z(0, from, count);
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(crc >> 8 * i);
}

static void mend(uint8_t *b, size_t size)
{
    if (size < 36) return;
    for (size_t at = 32; at + 12 <= size - 4;) { // id, length, body, CRC
        uint32_t length = get(b + at + 4);
        if (length > size - 4 - at - 12) break;
        put_crc(b + at + 8 + length, b + at + 8, length);
        at += 12 + (size_t)length;
    }
    put_crc(b + size - 4, b, size - 4);
}

static void play(const struct crl_image *image)
{
    struct crl_topology *topology = NULL;
    struct crl_problem problem;
    struct crl_schedule schedule = {0};
    struct crl_model *model;
    struct crl_diag diag;
    const uint32_t *valid;
    const uint64_t *data;
    if (crl_topology_parse(&topology, image->topology, &diag)) return;
    if (image->nodes == crl_topology_nodes(topology) && image->nodes <= 64 &&
        image->geometry.ports == crl_topology_ports(topology) && image->geometry.addr_width <= 10 &&
        image->geometry.words <= 4 && image->geometry.rows <= 4096 &&
        !crl_problem_init(&problem, image->collective, topology, image->root, (enum crl_ports)image->port_model,
                          &diag) &&
        (!image->folded || crl_problem_is_symmetric(&problem))) {
        crl_raise(&schedule, image, &problem, &diag);
        if (!crl_model_new(&model, image, &problem, 1, &diag)) {
            struct crl_player player = crl_model_player(model);
            while (!player.step(player.self, &valid, &data)) {
            }
            crl_oracle(image, &problem, 1, crl_model_memory, model, &diag);
            crl_model_free(model);
        }
    }
    crl_schedule_done(&schedule);
    crl_topology_free(topology);
}

// Forwarding tables are played if every packet gets where it should.
static void play_queues(const struct crl_queue_tables *tables)
{
    struct crl_queue_model *model = NULL;
    struct crl_dynamic_result result;
    struct crl_dynamic_options options = {.rho = 0.3, .slots = 20, .seed = 1};
    struct crl_diag diag;
    if (tables->ports > 4 || tables->period > 16 || crl_queue_check(tables, NULL, &diag)) return;
    if (!crl_queue_model_new(&model, tables, 4, &diag)) {
        struct crl_queue_engine engine = crl_queue_model_engine(model);
        crl_dynamic_run(&result, tables, &options, &engine, 1, &diag);
    }
    crl_queue_model_free(model);
}

static void play_logp(const struct crl_logp_image *image)
{
    struct crl_logp_schedule schedule = {0};
    struct crl_logp_model *model = NULL;
    struct crl_diag diag;
    const uint32_t *valid;
    const uint64_t *data;
    if (image->problem.machine.P > 64 || image->geometry.addr_width > 10 || image->geometry.words > 4) return;
    crl_logp_raise(&schedule, image, &diag);
    crl_logp_schedule_done(&schedule);
    if (crl_logp_model_new(&model, image, CRL_OP_ADD, 1, &diag)) return;
    struct crl_player player = crl_logp_model_player(model);
    while (!player.step(player.self, &valid, &data)) {
    }
    crl_logp_oracle(image, CRL_OP_ADD, 1, crl_logp_model_memory, model, &diag);
    crl_logp_model_free(model);
}

static void parse(uint8_t *bytes, size_t size)
{
    struct crl_container container;
    struct crl_image slots;
    struct crl_queue_tables tables;
    struct crl_logp_image logp;
    struct crl_diag diag;
    FILE *file = fmemopen(bytes, size, "rb");
    if (!file) abort();
    int error = crl_container_read(&container, file, "fuzz", &diag);
    fclose(file);
    if (error) return;
    if (!crl_image_parse(&slots, &container, &diag)) {
        play(&slots);
        crl_image_done(&slots);
    } else if (!crl_queue_image_parse(&tables, &container, &diag)) {
        play_queues(&tables);
        crl_queue_tables_done(&tables);
    } else if (!crl_logp_image_parse(&logp, &container, &diag)) {
        play_logp(&logp);
        crl_logp_image_done(&logp);
    }
    crl_container_done(&container);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (!size) return 0;
    uint8_t *copy = malloc(size);
    if (!copy) abort();
    memcpy(copy, bytes, size);
    mend(copy, size);
    parse(copy, size);
    free(copy);
    return 0;
}
