// SPDX-License-Identifier: Apache-2.0
// MSCCL++'s execution plans while they are read.
#ifndef CRL_READ_MSCCLPP_H
#define CRL_READ_MSCCLPP_H

#include "format/program.h"

// A step at which a thread block of a GPU waits for others of it, or others for it.
struct crl_mscclpp_sync {
    enum crl_mscclpp_sync_kind { CRL_SYNC_BARRIER, CRL_SYNC_ACQUIRE, CRL_SYNC_RELEASE, CRL_SYNC_PART } kind;
    uint32_t id;         // of the barrier or semaphore; of a part of an operation, which thread block's it is
    uint32_t all;        // how many thread blocks a barrier waits for, 0 where that is not said; or share an operation
    size_t block;        // the first step of the thread block
    size_t first, steps; // what it is here; a barrier: it has come, it goes on
    const json_t *op;    // of a part
};

struct crl_mscclpp {
    struct crl_program *program;
    struct crl_json gpu, block; // that are read now
    const struct crl_json *op;  // likewise, where it moves something
    uint32_t rank;
    struct crl_mscclpp_sync *sync; // of the GPU
    size_t syncs, sync_room;
    struct crl_diag *diag;
};

int crl_mscclpp_add(struct crl_mscclpp *reading, const struct crl_json *at, struct crl_step op);
int crl_mscclpp_kind(struct crl_mscclpp *reading, const struct crl_json *list, struct crl_json *kind);
// The buffer that a letter names.
int crl_mscclpp_buffer(struct crl_mscclpp *reading, const struct crl_json *at, char name, enum crl_buffer *buffer);

// ---- thread blocks of a GPU that wait for each other

// Whether an operation does nothing else; and what it does.
bool crl_mscclpp_waits(const char *name);
int crl_mscclpp_wait(struct crl_mscclpp *reading, const struct crl_json *op, const char *name);
// An operation with "tbg_info" is done by several thread blocks, each a part of every chunk. Here the first of them
// does it all, and the others wait until it is over: *done, if `op` is another's. What became of it is told afterwards,
// with its first step; operations that are nobody's part are left out of account.
int crl_mscclpp_share(struct crl_mscclpp *reading, const struct crl_json *op, bool *done);
int crl_mscclpp_shared(struct crl_mscclpp *reading, const struct crl_json *op, size_t first);
// At the end of a GPU: who waits for whom.
int crl_mscclpp_join(struct crl_mscclpp *reading);

// The ranks of the switch that a cell names, and the buffer that they have there.
int crl_mscclpp_group(struct crl_mscclpp *reading, const struct crl_json *cell, const json_t **ranks,
                      enum crl_buffer *buffer);

#endif
