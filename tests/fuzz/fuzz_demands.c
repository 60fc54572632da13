// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as demands, or as a matrix if the first byte is odd, on a network that the byte chooses. What
// is read must have a canonical form that is read as the same demands, whose packets are found by their names.
#include "demand/demand.h"
#include "memory_file.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static int read_text(struct crl_demands *demands, const struct crl_topology *topology, bool matrix, const void *bytes,
                     size_t size)
{
    struct crl_diag diag;
    struct memory_file file = memory_file(bytes, size);
    FILE *text = fopen(file.path, "rb");
    if (!text) abort();
    int error = (matrix ? crl_demands_read_matrix : crl_demands_read_csv)(demands, topology, text, "f", &diag);
    fclose(text);
    memory_file_close(&file);
    return error;
}

static void compare(const struct crl_demands *a, const struct crl_demands *b)
{
    char name[CRL_PACKET_NAME];
    if (a->count != b->count || a->modulo != b->modulo) abort();
    for (uint32_t i = 0; i < a->count; i++) {
        const struct crl_demand *x = &a->demand[i], *y = &b->demand[i];
        uint32_t last = x->packets - 1, demand, number;
        if (strcmp(x->id, y->id) || x->src != y->src || x->packets != y->packets || x->release != y->release ||
            x->deadline != y->deadline || x->after != y->after || x->dst_count != y->dst_count ||
            memcmp(x->dst, y->dst, sizeof *x->dst * x->dst_count))
            abort();
        crl_demands_packet_name(a, i, last, name);
        if (!crl_demands_packet_named(a, name, strlen(name), &demand, &number) || demand != i || number != last)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const networks[] = {"hypercube:2", "torus:3x3", "fat-tree:2", "path:3"};
    struct crl_topology *topology;
    struct crl_demands demands = {0}, again = {0};
    struct crl_diag diag;
    char *text = NULL;
    size_t length;
    if (!size || crl_topology_parse(&topology, networks[bytes[0] >> 1 & 3], &diag)) return 0;
    int error = read_text(&demands, topology, bytes[0] & 1, bytes + 1, size - 1);
    FILE *out = error ? NULL : open_memstream(&text, &length);
    if (out) {
        crl_demands_write(&demands, out, NULL);
        fclose(out);
        if (crl_demands_read_bytes(&again, topology, text, length, "again", &diag)) abort();
        compare(&demands, &again);
        crl_demands_feasible(&demands, topology, &diag);
    }
    free(text);
    crl_demands_done(&again);
    crl_demands_done(&demands);
    crl_topology_free(topology);
    return 0;
}
