// SPDX-License-Identifier: Apache-2.0
#include "online/online.h"
#include "topology/topology.h"

bool crl_mesh_of(struct crl_mesh *mesh, const struct crl_topology *t)
{
    uint32_t port = 0;
    *mesh = (struct crl_mesh){.topology = t, .nodes = crl_topology_nodes(t), .all_rings = true};
    if (!t->factor_count || t->factor_count > CRL_DIMS_MAX) return false;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[i];
        if ((f->shape == CRL_COMPLETE && f->size > 3) || (f->shape == CRL_GRAPH && f->size > 2)) return false;
        uint32_t k = mesh->dims;
        if (f->size == 1) continue;
        mesh->size[k] = f->size;
        mesh->stride[k] = f->stride;
        mesh->port[k] = port;
        mesh->ring[k] = f->shape != CRL_PATH && f->size > 2;
        mesh->all_rings &= mesh->ring[k];
        if (f->size > mesh->longest) mesh->longest = f->size;
        port += f->size == 2 ? 1 : 2;
        mesh->dims++;
    }
    return mesh->dims > 0;
}

uint32_t crl_mesh_digit(const struct crl_mesh *mesh, uint32_t node, uint32_t dim)
{
    return node / mesh->stride[dim] % mesh->size[dim];
}

uint32_t crl_mesh_step(const struct crl_mesh *mesh, uint32_t node, uint32_t dim, uint32_t direction)
{
    uint32_t size = mesh->size[dim], x = crl_mesh_digit(mesh, node, dim), base = node - x * mesh->stride[dim];
    bool edge = direction == CRL_UP ? x + 1 == size : x == 0;
    if (edge && !mesh->ring[dim]) return CRL_NONE;
    uint32_t to = direction == CRL_UP ? (x + 1) % size : (x + size - 1) % size;
    return base + to * mesh->stride[dim];
}
