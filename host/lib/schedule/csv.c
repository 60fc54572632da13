// SPDX-License-Identifier: Apache-2.0
// Schedules as text: `slot,src,dst,packet`, one transmission a line.
#include "base/base.h"
#include "schedule/schedule.h"
#include <string.h>

static const char header[] = "slot,src,dst,packet";

int crl_csv_expect(struct crl_reader *reader, char c, const char *after, struct crl_diag *diag)
{
    char here[16];
    if (reader->c != c)
        return crl_fail_at(diag, CRL_ERR_PARSE, reader->name, reader->line, reader->col,
                           "expected '%c' after the %s, found %s", c, after, crl_reader_here(reader, here));
    crl_reader_next(reader);
    return 0;
}

int crl_csv_end_of_line(struct crl_reader *reader, const char *after, struct crl_diag *diag)
{
    char here[16];
    if (reader->c == '\r') crl_reader_next(reader);
    if (reader->c != '\n')
        return crl_fail_at(diag, CRL_ERR_PARSE, reader->name, reader->line, reader->col,
                           "expected the end of the line after the %s, found %s%s", after,
                           crl_reader_here(reader, here), reader->c == EOF ? "; the file is cut off" : "");
    crl_reader_next(reader);
    return 0;
}

static int read_header(struct crl_reader *reader, struct crl_diag *diag)
{
    for (const char *h = header; *h; h++, crl_reader_next(reader))
        if (reader->c != *h)
            return crl_fail_at(diag, CRL_ERR_PARSE, reader->name, reader->line, reader->col,
                               "not a schedule: the first line must be '%s'", header);
    return crl_csv_end_of_line(reader, "header", diag);
}

static int read_move(struct crl_reader *reader, enum crl_naming naming, struct crl_move *move, struct crl_diag *diag)
{
    int error;
    *move = (struct crl_move){.line = (uint32_t)reader->line};
    if ((error = crl_reader_number(reader, "slot", &move->slot, diag))) return error;
    if ((error = crl_csv_expect(reader, ',', "slot", diag))) return error;
    if ((error = crl_reader_number(reader, "source node", &move->src, diag))) return error;
    if ((error = crl_csv_expect(reader, ',', "source node", diag))) return error;
    if ((error = crl_reader_number(reader, "destination node", &move->dst, diag))) return error;
    if ((error = crl_csv_expect(reader, ',', "destination node", diag))) return error;
    const char *first = naming == CRL_NAMING_RANGE ? "sum's first node" : "packet's origin";
    if ((error = crl_reader_number(reader, first, &move->origin, diag))) return error;
    if (naming != CRL_NAMING_ORIGIN) {
        static const char *const second[] = {[CRL_NAMING_PAIR] = "packet's destination",
                                             [CRL_NAMING_PART] = "packet's part",
                                             [CRL_NAMING_RANGE] = "sum's last node"};
        if ((error = crl_csv_expect(reader, crl_naming_separator(naming), first, diag))) return error;
        if ((error = crl_reader_number(reader, second[naming], &move->dest, diag))) return error;
    }
    return crl_csv_end_of_line(reader, "packet", diag);
}

int crl_schedule_read_csv(struct crl_schedule *schedule, FILE *file, const char *name, struct crl_diag *diag)
{
    struct crl_reader reader;
    crl_reader_init(&reader, file, name);
    int error = read_header(&reader, diag);
    while (!error && reader.c != EOF) {
        struct crl_move move;
        error = read_move(&reader, schedule->naming, &move, diag);
        if (error) break;
        error = crl_schedule_add(schedule, move);
        if (error == CRL_ERR_LIMIT) return crl_fail_at(diag, error, name, reader.line, 0, "more than 2^32 rows");
        if (error) return crl_fail_memory(diag);
    }
    if (!error && ferror(file)) return crl_fail_at(diag, CRL_ERR_IO, name, reader.line, reader.col, "cannot read on");
    return error;
}

static void write_move(struct crl_writer *writer, enum crl_naming naming, const struct crl_move *move)
{
    crl_writer_number(writer, move->slot);
    crl_writer_char(writer, ',');
    crl_writer_number(writer, move->src);
    crl_writer_char(writer, ',');
    crl_writer_number(writer, move->dst);
    crl_writer_char(writer, ',');
    crl_writer_number(writer, move->origin);
    if (naming != CRL_NAMING_ORIGIN) {
        crl_writer_char(writer, crl_naming_separator(naming));
        crl_writer_number(writer, move->dest);
    }
    crl_writer_char(writer, '\n');
}

// Writes the translates of moves[0…count) — one slot of node 0 — to all nodes. Translates of one node are put in order
// by insertion: they are few.
static void write_slot(struct crl_writer *writer, const struct crl_schedule *schedule, const struct crl_move *moves,
                       size_t count)
{
    struct crl_move translates[CRL_PORTS_MAX];
    for (uint32_t v = 0; v < crl_topology_nodes(schedule->topology) && !writer->failed; v++) {
        for (size_t i = 0; i < count; i++) {
            struct crl_move move = crl_move_translate(schedule, moves[i], v);
            size_t at = i;
            for (; at > 0 && crl_move_compare(&translates[at - 1], &move) > 0; at--)
                translates[at] = translates[at - 1];
            translates[at] = move;
        }
        for (size_t i = 0; i < count; i++) write_move(writer, schedule->naming, &translates[i]);
    }
}

int crl_schedule_write_csv(const struct crl_schedule *schedule, FILE *file, bool relative, struct crl_diag *diag)
{
    struct crl_writer writer;
    if (relative && !schedule->folded)
        return crl_fail(diag, CRL_ERR_ARGUMENT,
                        "this schedule does not look the same from every node, so it has no relative form");
    uint64_t rows = crl_schedule_transmissions(schedule);
    if (!relative && rows > UINT64_C(1) << 33)
        return crl_fail(diag, CRL_ERR_LIMIT, "the full schedule has %llu rows; write it with --relative",
                        (unsigned long long)rows);
    crl_writer_init(&writer, file);
    for (const char *h = header; *h; h++) crl_writer_char(&writer, *h);
    crl_writer_char(&writer, '\n');
    bool expand = schedule->folded && !relative;
    for (size_t i = 0, end; i < schedule->count && !writer.failed; i = end) {
        for (end = i + 1; expand && end < schedule->count && schedule->moves[end].slot == schedule->moves[i].slot &&
                          end - i < CRL_PORTS_MAX;
             end++) {
        }
        if (expand) write_slot(&writer, schedule, &schedule->moves[i], end - i);
        else write_move(&writer, schedule->naming, &schedule->moves[i]);
    }
    if (crl_writer_flush(&writer)) return crl_fail(diag, CRL_ERR_IO, "cannot write the schedule");
    return 0;
}
