// SPDX-License-Identifier: Apache-2.0
// What the machine of slot tables is made of. On-line routers solve the same problems by the same schedules.
#ifndef CRL_SLOTS_SLOTS_H
#define CRL_SLOTS_SLOTS_H

#include "algorithm/algorithm.h"
#include "engine/engine.h"
#include "machine/board_session.h"
#include "api/machine.h"
#include "lower/lower.h"
#include "oracle/oracle.h"
#include "problem/bound_prices.h"

struct slots_problem {
    struct carillon_problem common;
    struct crl_topology *topology;
    struct crl_problem problem;
    struct crl_priced priced;
    uint32_t *active, *dests, *starts; // that `problem` points to,
    struct crl_demands demands;        // these, too
    struct crl_schedule kept;          // and this
    bool least_period;                 // the demands come anew as often as they can,
    uint64_t period_bound;             // and not more often than in so many slots
};
struct slots_schedule {
    struct carillon_schedule common;
    struct crl_schedule schedule;
    const struct crl_algorithm *algorithm; // NULL where it came from a file or an image
    const struct crl_algorithm *tried;     // a search that was asked because the default misses the bound, or NULL
};
struct slots_image {
    struct carillon_image common;
    struct crl_image image;
    struct crl_board_session *session; // on the board that has it; NULL: none
    char board[32], serial[64];        // the board that played it
    struct crl_stream_times times;     // of the streams of the RTL
    struct crl_board_times boards;     // of boards with clocks of their own
    struct slots_change *change;       // what dies, and what is played then; NULL: nothing does
    struct slots_spares *spares;       // those that a fabric holds beside it; NULL: none, or not yet planned
};

static inline struct slots_problem *slots_problem_of(struct carillon_problem *p) { return (struct slots_problem *)p; }
static inline struct slots_schedule *slots_schedule_of(struct carillon_schedule *s)
{
    return (struct slots_schedule *)s;
}
static inline const struct slots_schedule *slots_schedule_in(const struct carillon_schedule *s)
{
    return (const struct slots_schedule *)s;
}
static inline struct slots_image *slots_image_of(struct carillon_image *image) { return (struct slots_image *)image; }
static inline const struct slots_image *slots_image_in(const struct carillon_image *image)
{
    return (const struct slots_image *)image;
}
// The problem of a schedule or an image.
static inline const struct crl_problem *slots_said(const struct carillon_problem *p)
{
    return &((const struct slots_problem *)p)->problem;
}

// Options that mean something for every problem.
#define SLOTS_ALWAYS "effort word link alpha ports "
// The problem that the options say, and its end.
int slots_parse(struct carillon_problem *problem, const char *algorithm, const char *topology, struct crl_diag *diag);
void slots_problem_done(struct carillon_problem *problem);
// Traffic, groups and programs: what the options say, and which these are; in summaries and in images.
int slots_parse_demands(struct slots_problem *p, struct crl_diag *diag);
bool slots_is_of_demands(const char *collective);
const char *slots_demands_take(const struct crl_problem *p);
void slots_add_demands(json_t *summary, const struct slots_problem *of);
// The cycles of a fabric from the first word taken to the last one given, both counted, and what they are made of: link
// cycles `first` to `last` of the schedule (from 1) and the registers on the way, with AXI4-Stream adapters or without.
void slots_add_path(json_t *summary, int64_t first, int64_t last, const struct crl_stream_path *path);
// Packets of several words, and the cycles that as many packets of a stream take at least.
void slots_add_packets(json_t *summary, uint32_t words, uint64_t packets);
// From end to end, beside the bounds; false: there are no streams, or no bound is known.
struct slots_ends {
    struct crl_stream_ends measured;
    uint64_t bound, bound_as_dense;
    uint32_t streams, slots;
    uint32_t late; // of routers that add, as of a part
};
bool slots_ends(struct slots_ends *ends, const struct slots_schedule *s);
// Whether no schedule takes fewer slots from end to end, and for what that is said: "1 stream".
enum { SLOTS_ENDS_TEXT = 80 };
bool slots_ends_optimal(const struct slots_ends *ends, char *text, size_t size);
void slots_add_ends(json_t *summary, const struct slots_schedule *s);
void slots_add_kept(json_t *summary, const struct slots_schedule *s);
int slots_put_demands(struct crl_image *image, const struct crl_demands *demands, struct crl_diag *diag);
int slots_get_demands(struct slots_problem *p, const struct crl_image *image, const char *name, struct crl_diag *diag);
// Plans by the scheme that was asked for, else by the best one for the routers at hand.
int slots_plan(struct carillon_schedule *schedule, struct crl_diag *diag);
// The same, and finds the least period where that was asked for.
int slots_plan_anew(struct carillon_schedule *schedule, struct crl_diag *diag);
// What would help a plan that takes more slots than the bound, as a text; "": it came from elsewhere, or takes no more.
const char *slots_advice(const struct slots_schedule *schedule, char text[200]);
// Whether a router was asked for with fewer banks than lanes.
bool slots_few_banks(const struct slots_problem *p, uint32_t banks);
// The lower bound, and why.
json_t *slots_bound(const struct carillon_problem *problem);
// How the sums of a chunk come about, as a new object. And what is known of all chunks' order.
int slots_sums(json_t **sums, const struct carillon_schedule *schedule, uint32_t chunk, struct crl_diag *diag);
// The orders in which all sums of a schedule that breaks no rule are made. To be ended also after an error.
int slots_orders(struct crl_orders *orders, const struct crl_schedule *schedule, const struct crl_problem *problem,
                 struct crl_diag *diag);
void slots_orders_done(struct crl_orders *orders);
void slots_sum_order(json_t *summary, const struct carillon_schedule *schedule);
// Where it is said what a slot takes (--word, --link, --alpha): adds time and bandwidth of so many slots (UINT64_MAX:
// of none) and of the bound. And fails unless all three or none are said.
void slots_add_time(json_t *object, const struct carillon_problem *problem, uint64_t slots, uint64_t bound);
int slots_refuse_time(const struct carillon_options *options, struct crl_diag *diag);
// Marks what differs between a trace and the schedule; CRL_ERR_MISMATCH if anything does.
int slots_trace(const struct carillon_schedule *schedule, const struct carillon_image *image, FILE *trace,
                const char *name, bool stopped, struct crl_page *page, struct crl_diag *diag);
// What other plans a network that loses something needs: as struct crl_machine has it.
int slots_plan_spares(char **json, struct carillon_schedule *schedule, struct carillon_image *image, const char *kinds,
                      const char *directory, struct crl_diag *diag);
// Slot tables as text and numbers.
extern const struct crl_dump slots_dumps[];
extern const struct crl_format slots_formats[];
// Boards have clocks of their own where nodes have streams; how, by the options of a
// run, with their cables, which the caller frees; and what they did.
bool slots_own_clocks(const struct crl_run *run);
int slots_boards_read(struct crl_rtl_options *how, struct crl_cable **cables, const struct crl_run *run);
void slots_boards_summary(json_t *summary, const struct carillon_image *image);
// The row, and what it points to.
extern const struct crl_machine crl_machine_slots;
extern const struct crl_machine_rows slots_rows;
extern const struct crl_evidence slots_evidence;
extern const struct crl_importing slots_importing;
extern const struct crl_pictures slots_pictures;
extern const struct crl_emitting slots_emitting;
extern const struct crl_playing slots_playing;
extern const struct crl_boards_kind slots_attached;

#endif
