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

static bool write_rows(void *output, const struct crl_move *moves, size_t count)
{
    struct output *o = output;
    for (size_t n; count > 0 && !o->failed; moves += n, count -= n) {
        n = count < AT_ONCE ? count : AT_ONCE;
        if ((size_t)(o->buffer + BUFFER - o->end) < (n + 1) * CRL_CSV_ROW) flush(o);
        o->end = crl_csv_rows(&o->text, o->end, moves, n);
    }
    return !o->failed;
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
        if (schedule->folded && !relative) error = crl_translates_each(schedule, write_rows, &o);
        else write_rows(&o, schedule->moves, schedule->count);
        flush(&o);
    }
    crl_csv_text_done(&o.text);
    free(o.buffer);
    if (error) return crl_fail_memory(diag);
    if (fflush(file) || o.failed) return crl_fail(diag, CRL_ERR_IO, "cannot write the schedule");
    return 0;
}
