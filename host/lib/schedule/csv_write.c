// SPDX-License-Identifier: Apache-2.0
// Schedules to text: `slot,src,dst,packet`, one transmission a line.
#include "schedule/csv.h"
#include "schedule/translates.h"
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 1 << 17, AT_ONCE = BUFFER / CRL_CSV_ROW - 1 };

struct output {
    FILE *file;
    struct crl_csv_text text;
    char *buffer, *end;
    bool failed;
};

static void flush(struct output *o)
{
    size_t used = (size_t)(o->end - o->buffer);
    if (used && fwrite(o->buffer, 1, used, o->file) != used) o->failed = true;
    o->end = o->buffer;
}

static void write_rows(struct output *o, const struct crl_move *moves, size_t count)
{
    for (size_t n; count > 0 && !o->failed; moves += n, count -= n) {
        n = count < AT_ONCE ? count : AT_ONCE;
        if ((size_t)(o->buffer + BUFFER - o->end) < (n + 1) * CRL_CSV_ROW) flush(o);
        o->end = crl_csv_rows(&o->text, o->end, moves, n);
    }
}

static int write_translates(struct output *o, const struct crl_schedule *schedule)
{
    CRL_ENDED(crl_translates_done) struct crl_translates translates = {0};
    int error = 0;
    uint32_t nodes = crl_topology_nodes(schedule->topology);
    crl_translates_init(&translates, schedule);
    for (size_t first = 0, end; first < schedule->count && !error && !o->failed; first = end) {
        end = first + 1;
        while (end < schedule->count && schedule->moves[end].slot == schedule->moves[first].slot) end++;
        error = crl_translates_slot(&translates, &schedule->moves[first], end - first);
        for (uint32_t v = 0; v < nodes && !error && !o->failed; v++)
            write_rows(o, crl_translates_at(&translates, v), end - first);
    }
    return error;
}

int crl_schedule_write_csv(const struct crl_schedule *schedule, FILE *file, bool relative, struct crl_diag *diag)
{
    static const char header[] = CRL_CSV_HEADER "\n";
    if (relative && !schedule->folded)
        return crl_fail(diag, CRL_ERR_ARGUMENT,
                        "this schedule does not look the same from every node, so it has no relative form");
    uint64_t rows = crl_schedule_transmissions(schedule);
    if (!relative && rows > CRL_CSV_ROWS_MAX)
        return crl_fail(diag, CRL_ERR_LIMIT, "the full schedule has %llu rows; write it with --relative",
                        (unsigned long long)rows);
    struct output o = {.file = file, .buffer = malloc(BUFFER)};
    int error = crl_csv_text_init(&o.text, schedule);
    if (!o.buffer) error = CRL_ERR_MEMORY;
    if (!error) {
        memcpy(o.buffer, header, sizeof header - 1);
        o.end = o.buffer + sizeof header - 1;
        if (schedule->folded && !relative) error = write_translates(&o, schedule);
        else write_rows(&o, schedule->moves, schedule->count);
        flush(&o);
    }
    crl_csv_text_done(&o.text);
    free(o.buffer);
    if (error) return crl_fail_memory(diag);
    if (fflush(file) || o.failed) return crl_fail(diag, CRL_ERR_IO, "cannot write the schedule");
    return 0;
}
