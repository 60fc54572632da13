// SPDX-License-Identifier: Apache-2.0
// What readers and writers of schedules as CSV share.
#ifndef CRL_SCHEDULE_CSV_H
#define CRL_SCHEDULE_CSV_H

#include "base/base.h"
#include "schedule/schedule.h"

#define CRL_CSV_HEADER "slot,src,dst,packet"

// Reading, with messages that say where and what is wrong. `after` and `what` name columns.
// Here must stand `header`; `kind` says whose ("a schedule"), and `must` how the first line may read as a whole.
int crl_csv_header(struct crl_reader *reader, const char *header, const char *kind, const char *must,
                   struct crl_diag *diag);
int crl_csv_number(struct crl_reader *reader, const char *what, uint32_t *number, struct crl_diag *diag);
// The character `c`, or the end of the line, must follow the `after`.
int crl_csv_expect(struct crl_reader *reader, char c, const char *after, struct crl_diag *diag);
int crl_csv_end_of_line(struct crl_reader *reader, const char *after, struct crl_diag *diag);

// Moves as text, from a table of what four digits look like.
struct crl_csv_digits {
    char padded[4], unused[3];
    uint8_t length; // without leading zeros
};
struct crl_csv_text {
    struct crl_csv_digits *digits; // [10000]
    enum crl_naming naming;
    const struct crl_demands *demands; // by which packets are named; or NULL
};
enum { CRL_CSV_ROW = 64 + CRL_PACKET_NAME }; // more than a row takes, and what may be written behind the last one
int crl_csv_text_init(struct crl_csv_text *text, const struct crl_schedule *schedule);
void crl_csv_text_done(struct crl_csv_text *text);
// Writes `count` rows to `out`, which has room for count + 1 times CRL_CSV_ROW; returns their end.
char *crl_csv_rows(const struct crl_csv_text *text, char *out, const struct crl_move *moves, size_t count);

#endif
