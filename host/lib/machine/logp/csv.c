// SPDX-License-Identifier: Apache-2.0
// Schedules of a LogP machine as text: `time,src,dst,item`, one message a line; buffered ones have a column rtime.
#include "schedule/csv.h"
#include "machine/logp/schedule.h"

#define HEADER "time,src,dst,item"
#define MORE   ",rtime"

static int read_header(struct crl_reader *reader, bool *buffered, struct crl_diag *diag)
{
    static const char kind[] = "a schedule of a LogP machine", must[] = "'" HEADER "', or that and '" MORE "'";
    int error = crl_csv_header(reader, HEADER, kind, must, diag);
    *buffered = !error && reader->c == ',';
    if (*buffered) error = crl_csv_header(reader, MORE, kind, must, diag);
    return error ? error : crl_csv_end_of_line(reader, "header", diag);
}

static int read_send(struct crl_reader *reader, bool buffered, struct crl_logp_send *send, struct crl_diag *diag)
{
    static const char *const names[] = {"time", "source processor", "destination processor", "item",
                                        "time of reception"};
    uint32_t *const fields[] = {&send->time, &send->src, &send->dst, &send->item, &send->rtime};
    int count = buffered ? 5 : 4;
    *send = (struct crl_logp_send){.line = (uint32_t)reader->line};
    for (int i = 0; i < count; i++) {
        int error = i ? crl_csv_expect(reader, ',', names[i - 1], diag) : 0;
        if (!error) error = crl_csv_number(reader, names[i], fields[i], diag);
        if (error) return error;
    }
    return crl_csv_end_of_line(reader, names[count - 1], diag);
}

int crl_logp_read_csv(struct crl_logp_schedule *schedule, const struct crl_logp *machine, FILE *file, const char *name,
                      struct crl_diag *diag)
{
    struct crl_reader reader;
    crl_reader_init(&reader, file, name);
    int error = read_header(&reader, &schedule->buffered, diag);
    while (!error && reader.c != EOF) {
        struct crl_logp_send send;
        error = read_send(&reader, schedule->buffered, &send, diag);
        if (error) break;
        uint64_t arrival = (uint64_t)send.time + machine->o + machine->L;
        if (arrival + machine->o >= UINT32_MAX)
            return crl_fail_at(diag, CRL_ERR_LIMIT, name, send.line, 0, "the message arrives after time 2^32");
        if (!schedule->buffered) send.rtime = (uint32_t)arrival;
        error = crl_logp_schedule_add(schedule, send);
        if (error == CRL_ERR_LIMIT) return crl_fail_at(diag, error, name, reader.line, 0, "more than 2^32 rows");
        if (error) return crl_fail_memory(diag);
    }
    if (!error && ferror(file)) return crl_fail_at(diag, CRL_ERR_IO, name, reader.line, reader.col, "cannot read on");
    return error;
}

int crl_logp_write_csv(const struct crl_logp_schedule *schedule, FILE *file, struct crl_diag *diag)
{
    struct crl_writer writer;
    crl_writer_init(&writer, file);
    for (const char *h = HEADER; *h; h++) crl_writer_char(&writer, *h);
    for (const char *h = MORE; schedule->buffered && *h; h++) crl_writer_char(&writer, *h);
    crl_writer_char(&writer, '\n');
    for (size_t i = 0; i < schedule->count && !writer.failed; i++) {
        const struct crl_logp_send *s = &schedule->sends[i];
        const uint32_t fields[] = {s->time, s->src, s->dst, s->item, s->rtime};
        for (int f = 0; f < (schedule->buffered ? 5 : 4); f++) {
            if (f) crl_writer_char(&writer, ',');
            crl_writer_number(&writer, fields[f]);
        }
        crl_writer_char(&writer, '\n');
    }
    if (crl_writer_flush(&writer)) return crl_fail(diag, CRL_ERR_IO, "cannot write the schedule");
    return 0;
}
