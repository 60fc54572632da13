// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_SCHEDULE_H
#define CRL_SCHEDULE_H

#include <carillon/carillon.h>

struct crl_reader;

// The translate of a relative move at node `by`.
struct crl_move crl_move_translate(const struct crl_schedule *schedule, struct crl_move move, uint32_t by);
// Order by slot, src, dst, origin, dest: negative, 0 or positive.
int crl_move_compare(const struct crl_move *a, const struct crl_move *b);

// Reading CSV: the character `c`, or the end of the line, must follow the `after`.
int crl_csv_expect(struct crl_reader *reader, char c, const char *after, struct crl_diag *diag);
int crl_csv_end_of_line(struct crl_reader *reader, const char *after, struct crl_diag *diag);

#endif
