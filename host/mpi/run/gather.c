// SPDX-License-Identifier: Apache-2.0
// The parts of a trace become one at rank 0, which asks for a block of lines whenever it has written the one before.
#include "ranks.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ASKS = 1, LINES = 2, BLOCK = 1 << 18, LINE_MAX_ = 128 };

struct source {
    char *block;
    size_t size, at; // of the block: what is in it, and what of that is written
    uint64_t cycle;  // of the line at `at`; UINT64_MAX: there are no more
};

// Whole lines, as many as fit; 0 at the end.
static size_t read_block(FILE *part, char *block)
{
    size_t size = 0;
    while (size + LINE_MAX_ < BLOCK && fgets(block + size, LINE_MAX_, part)) size += strlen(block + size);
    return size;
}

static int send_part(FILE *part, char *block)
{
    int error = 0;
    for (size_t size = 1; size && !error;) {
        error = MPI_Recv(NULL, 0, MPI_BYTE, 0, ASKS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        size = read_block(part, block);
        if (!error) error = MPI_Send(block, (int)size, MPI_BYTE, 0, LINES, MPI_COMM_WORLD);
    }
    return error;
}

static int next_line(struct source *s, int rank, FILE *own)
{
    int error = 0, size = 0;
    if (s->at == s->size) {
        MPI_Status status;
        s->at = 0;
        if (!rank) s->size = read_block(own, s->block);
        else {
            error = MPI_Send(NULL, 0, MPI_BYTE, rank, ASKS, MPI_COMM_WORLD);
            if (!error) error = MPI_Recv(s->block, BLOCK, MPI_BYTE, rank, LINES, MPI_COMM_WORLD, &status);
            if (!error) error = MPI_Get_count(&status, MPI_BYTE, &size);
            s->size = (size_t)size;
        }
    }
    s->cycle = s->size ? strtoull(s->block + s->at, NULL, 10) : UINT64_MAX;
    return error;
}

static int merge(struct source *source, int ranks, FILE *own, FILE *whole)
{
    int error = 0;
    for (int r = 0; r < ranks && !error; r++) error = next_line(&source[r], r, own);
    while (!error) {
        uint64_t cycle = UINT64_MAX;
        for (int r = 0; r < ranks; r++)
            if (source[r].cycle < cycle) cycle = source[r].cycle;
        if (cycle == UINT64_MAX) break;
        for (int r = 0; r < ranks; r++)
            for (struct source *s = &source[r]; s->cycle == cycle && !error;) {
                const char *line = s->block + s->at, *end = memchr(line, '\n', s->size - s->at);
                size_t length = (size_t)(end - line) + 1;
                fwrite(line, 1, length, whole); // the file remembers what went wrong
                s->at += length;
                error = next_line(s, r, own);
            }
    }
    return error;
}

int ranks_gather(void *user, FILE *part, FILE *whole)
{
    const struct ranks *r = user;
    const int sources = r->rank ? 1 : r->size;
    struct source *source = calloc((size_t)sources, sizeof *source);
    bool room = source;
    for (int i = 0; room && i < sources; i++) room = (source[i].block = malloc(BLOCK));
    if (!room) MPI_Abort(MPI_COMM_WORLD, EXIT_DEVICE); // others wait
    rewind(part);
    int error = r->rank ? send_part(part, source->block) : merge(source, r->size, part, whole);
    for (int i = 0; i < sources; i++) free(source[i].block);
    free(source);
    return error || ferror(part) || (whole && ferror(whole)) ? CRL_ERR_IO : 0;
}
