// SPDX-License-Identifier: Apache-2.0
// Machines: the ways in which nodes know what to do (slot tables, rows of LogP machines, on-line control, queues). A
// machine is one row of functions; everything else meets it only there. A new one is one folder under machine/ and one
// row in machine/machines.c.
#ifndef CRL_API_MACHINE_H
#define CRL_API_MACHINE_H

#include "base/context.h"
#include "check/check.h"
#include "image/container.h"
#include "trace/trace.h"
#include <jansson.h>

struct crl_folder; // emit/emit.h
struct crl_machine;
struct crl_page;      // draw/page.h
struct crl_program;   // format/program.h
struct crl_row_store; // image/store.h

// What every machine's problem, schedule and image begins with.
struct carillon_problem {
    const struct crl_machine *machine;
    _Atomic uint32_t references; // handles that keep it, which several threads may end
    const struct crl_context *context;
    struct carillon_options options;
    char active[24], root[12]; // of a plan that was imported: what these options point to
    const char *traffic;       // and its demands, as CSV, while they are read
};
struct carillon_schedule {
    const struct crl_machine *machine;
    struct carillon_problem *problem; // a reference
    const char *scheme;               // "file" where it was read
    uint32_t part, of_parts;          // what is shown of a plan that was imported, where packets are split
    uint32_t part_slots;              // and the slots of all parts together
    const char *layout;               // of a plan that was imported: where its slots come from; else NULL
    struct crl_report report;         // of the last check
};
struct carillon_image {
    const struct crl_machine *machine;
    struct carillon_problem *problem; // a reference
};

// ---------------------------------------------------------------- engines

// What plays, as bits. Names in api/options.c.
enum crl_engine { CRL_ENGINE_RTL = 1, CRL_ENGINE_MODEL = 2, CRL_ENGINE_BOARD = 4 };

// A run in progress: what engines are made of.
struct crl_run {
    struct carillon_schedule *schedule;
    struct carillon_image *image; // NULL where routers play without tables
    uint64_t seed;                // of this round
    uint32_t engines;             // that play
    struct crl_diag *diag;
};
// An engine of a machine. Self is what `open` made; it is closed also after a failure, unless it is NULL.
struct crl_player_kind {
    enum crl_engine engine; // 0: what the others must do, according to the schedule
    const char *name;
    int (*open)(void **self, struct crl_run *run);
    struct crl_player (*player)(void *self);
    int (*finish)(void *self, struct crl_run *run); // after the last cycle, before what follows; NULL: nothing
    uint64_t (*faults)(void *self, char text[160]); // NULL: it reports none
    enum carillon_result (*judge)(void *self, struct crl_run *run, struct crl_diag *where); // NULL: it holds nothing
    void (*close)(void *self);
};
// Words a cycle: nodes × ports, and cycles, for the progress.
struct crl_extent {
    uint32_t nodes, ports;
    uint64_t cycles;
};

// ---------------------------------------------------------------- formats

// A format of schedules. Fits: refuses, before it is planned, what would be too long to write; NULL: nothing is.
struct crl_format {
    const char *name;
    int (*write)(const struct carillon_schedule *schedule, FILE *file, struct crl_diag *diag);
    int (*fits)(const struct carillon_problem *problem, struct crl_diag *diag);
};
// The tables of an image, and what they are for.
struct crl_tables {
    const char *collective, *scheme, *topology; // canonical spelling
    uint32_t count, nodes, rows, row_bits;
    const struct crl_row_store *store; // NULL: they have no rows of bits, but json tells one
    json_t *(*json)(const struct carillon_image *image, uint32_t table); // an array; NULL: made of the rows' bits
    const uint32_t *node_table; // [nodes] which table a node plays; NULL: that of its number
};
// A format of images. `table` is one of them, or CRL_NONE: all.
struct crl_dump {
    const char *name;
    int (*write)(const struct carillon_image *image, const struct carillon_schedule *schedule, uint32_t table,
                 FILE *file, struct crl_diag *diag);
};

// A kind of still picture, as SVG; the view has a slot only where `takes_slot`.
struct crl_view {
    const char *name;
    bool takes_slot;
    int (*draw)(const struct carillon_schedule *schedule, const struct carillon_view *view, FILE *file,
                struct crl_diag *diag);
};

// ---------------------------------------------------------------- what some machines have

// Schedules that are rows of links, or of messages.
struct crl_machine_rows {
    // Hands over the rows of all nodes; NULL: there are no links.
    int (*each)(const struct carillon_schedule *schedule, bool between_hosts,
                void (*take)(void *user, const struct carillon_row *row), void *user, struct crl_diag *diag);
    // Names of packets, and rows as columns, out and in: functions of these names in carillon.h. NULL where `each` is.
    uint32_t (*packet_numbers)(const struct carillon_problem *problem);
    int (*packet_text)(const struct carillon_problem *problem, const uint32_t numbers[CARILLON_PACKET_NUMBERS],
                       char text[CARILLON_PACKET_TEXT], struct crl_diag *diag);
    uint64_t (*count)(const struct carillon_schedule *schedule);
    int (*columns)(const struct carillon_schedule *schedule, const struct carillon_columns *columns, uint64_t room,
                   struct crl_diag *diag);
    int (*take_columns)(struct carillon_schedule *schedule, const struct carillon_columns *columns, uint64_t count,
                        const char *name, struct crl_diag *diag);
    // Makes what was read, which may be held as its checker alone needs it, what all others need. NULL: it is.
    int (*open)(struct carillon_schedule *schedule, struct crl_diag *diag);
};

// Certificates, and what is told of sums.
struct crl_evidence {
    // The certificate of the bound, and whether a file is one of the problem: functions of these names in carillon.h.
    int (*certificate)(const struct carillon_problem *problem, FILE *file, struct crl_diag *diag);
    int (*certify)(const struct carillon_problem *problem, FILE *file, const char *name, json_t **proved,
                   struct crl_diag *diag);
    // In which order the values of a chunk are added, of a schedule that breaks no rule.
    int (*sums)(json_t **sums, const struct carillon_schedule *schedule, uint32_t chunk, struct crl_diag *diag);
};

// Plans of other tools.
struct crl_importing {
    const char *tagged; // the collective of messages that name packets, where the file names none; NULL: none
    // Makes the problem that a program solves by an algorithm; NULL: as any other.
    int (*parse)(struct carillon_problem *problem, const char *algorithm, const char *topology,
                 struct crl_program *program, struct crl_diag *diag);
    int (*lay_out)(struct carillon_schedule *schedule, const struct crl_program *program, struct crl_diag *diag);
    // Writes the demands of a schedule, as CSV; CRL_ERR_UNSUPPORTED, or NULL: there are none.
    int (*demands)(const struct carillon_schedule *schedule, FILE *file, struct crl_diag *diag);
};

struct crl_pictures {
    const struct crl_view *views; // still pictures, the default first; ends with a NULL name
    // The replay page. Finds the moves of marks that name a row.
    int (*page)(const struct carillon_schedule *schedule, struct crl_page *page, FILE *file, struct crl_diag *diag);
};

// Images as directories that stand alone.
struct crl_emitting {
    int (*write)(const struct carillon_emitted *what, uint32_t count, const struct carillon_emission *how,
                 struct crl_folder *folder, struct crl_diag *diag);
    // Adds how long a round takes in it.
    int (*summary)(const struct carillon_emitted *what, const struct carillon_emission *how, json_t *summary,
                   struct crl_diag *diag);
};

struct crl_playing {
    // Whether it plays a schedule of another machine, with the options of its problem; NULL: it plays its own alone.
    bool (*takes_over)(const struct carillon_schedule *schedule);
    bool needs_image;                      // it plays tables
    bool rounds;                           // and may play them several times without a gap
    bool shares;                           // and processes may share a run
    const struct crl_player_kind *players; // ends with a NULL name
    int (*ready)(struct crl_run *run);     // whether it can be played with these options; NULL: always
    struct crl_extent (*extent)(const struct crl_run *run);
    // Whether another part follows, which the run is then made of; NULL: none does.
    bool (*again)(struct crl_run *run);
    int (*after)(struct crl_run *run, int error); // when all rounds are over; returns the first error. NULL: nothing
    // Adds what is told of a run alone; NULL: nothing.
    void (*summary)(const struct carillon_schedule *schedule, const struct carillon_image *image, uint32_t engines,
                    json_t *summary);
    // Adds to the marks what differs between a trace and the schedule, and then fails with CRL_ERR_MISMATCH. `stopped`:
    // the trace ends at the first difference.
    int (*trace)(const struct carillon_schedule *schedule, const struct carillon_image *image, FILE *trace,
                 const char *name, bool stopped, struct crl_page *page, struct crl_diag *diag);
};

// Random broadcasts: a scheme on a network under a load.
struct crl_traffic_point {
    const struct crl_context *context;
    const char *scheme, *topology; // canonical spelling
    double rho;
    const struct carillon_options *options;
    uint32_t engines, depth; // as the options say, or the machine's default
    uint64_t warmup;
    FILE *trace; // NULL: none
    FILE *page;  // that replays it; NULL: none
};
struct crl_traffic_kind {
    bool (*knows)(const char *scheme);
    // The depth of queues where the options do not say one.
    uint32_t (*depth)(const struct carillon_options *options, uint32_t engines);
    int (*play)(struct carillon_traffic *traffic, const struct crl_traffic_point *point, struct crl_diag *diag);
};

// Boards that hold its tables; functions of these names in carillon.h, with options in full.
struct crl_boards_kind {
    bool (*action_at)(size_t index, struct carillon_board_action *action);
    int (*act)(const char *name, const struct crl_context *context, struct carillon_options *options, FILE *file,
               const char *file_name, FILE *memories, json_t *summary, struct crl_diag *diag);
    int (*image)(struct carillon_image **out, const struct crl_context *context, const struct carillon_options *options,
                 FILE *file, const char *name, struct crl_diag *diag);
};

// ---------------------------------------------------------------- a machine

struct crl_machine {
    const char *name;
    bool linkless; // no links join its nodes: collectives have names of their own there
    // Whether an algorithm on a topology is this machine's; and whether it knows the algorithm at all. NULL: none.
    bool (*claims)(const char *algorithm, const char *topology);
    bool (*knows)(const char *algorithm);
    // The table of algorithms, row by row.
    bool (*algorithm)(size_t index, struct carillon_algorithm *row);
    // Sets those of `fits` whose rows are for a topology. NULL: the rows name the topologies as they are spelled.
    int (*fit)(const char *topology, bool *fits, struct crl_diag *diag);

    // Problem: `size` bytes of its own, zeroed but for what they begin with; parse fills them. `takes` names the
    // options that mean something for it.
    size_t problem_size;
    int (*parse)(struct carillon_problem *problem, const char *algorithm, const char *topology, struct crl_diag *diag);
    void (*problem_done)(struct carillon_problem *problem); // NULL: nothing is left to free
    const char *(*takes)(const struct carillon_problem *problem);
    const char *(*named)(const struct carillon_problem *problem); // the collective's name, as files have it
    const char *(*scheme)(const struct carillon_problem *problem, size_t index); // carillon_problem_scheme; NULL: none
    json_t *(*bound)(const struct carillon_problem *problem);                    // and why; NULL: none

    // Schedule. Read: CSV; NULL: it is not read from files.
    size_t schedule_size;
    int (*plan)(struct carillon_schedule *schedule, struct crl_diag *diag);
    int (*read)(struct carillon_schedule *schedule, FILE *file, const char *name, struct crl_diag *diag);
    const struct crl_format *formats; // ends with a NULL name; NULL: there are none
    int (*check)(struct carillon_schedule *schedule, struct crl_diag *diag);
    json_t *(*summary)(const struct carillon_schedule *schedule);
    void (*schedule_done)(struct carillon_schedule *schedule);

    // Image. `container`: the form of its files. Parse fills the problem of the image, too, which is a new one.
    enum crl_image_form container;
    size_t image_size;
    int (*lower)(struct carillon_image *image, struct carillon_schedule *schedule, struct crl_diag *diag);
    int (*raise)(struct carillon_schedule *schedule, const struct carillon_image *image, struct crl_diag *diag);
    // Whether a schedule that was raised is the one that was lowered; NULL: it is its copy.
    bool (*same)(const struct carillon_schedule *a, const struct carillon_schedule *b);
    int (*image_write)(const struct carillon_image *image, FILE *file, struct crl_diag *diag);
    int (*image_parse)(struct carillon_image *image, const struct crl_container *container, struct crl_diag *diag);
    int (*spelling)(const char *topology, char name[128], struct crl_diag *diag);
    const struct crl_dump *dumps; // ends with a NULL name; NULL: there are none
    struct crl_tables (*tables)(const struct carillon_image *image);
    json_t *(*image_summary)(const struct carillon_image *image); // what the hardware must have; NULL: nothing more
    const char *fabric; // where there is no `emitting`: the fabric in the RTL that plays it
    void (*image_done)(struct carillon_image *image);

    // What not every machine has; NULL: it has none.
    const struct crl_machine_rows *rows;
    const struct crl_evidence *evidence;
    const struct crl_importing *importing;
    const struct crl_pictures *pictures;
    const struct crl_emitting *emitting;
    const struct crl_playing *playing;
    const struct crl_traffic_kind *traffic;
    const struct crl_boards_kind *boards;
    // carillon_spares() of a schedule and its image, against failures of these kinds.
    int (*spares)(char **json, struct carillon_schedule *schedule, struct carillon_image *image, const char *kinds,
                  const char *directory, struct crl_diag *diag);
};

// All machines, in the order in which lists show them, NULL at the end (machine/machines.c); the first that claims
// something has it, and the first of all says what is wrong with what nobody claims.
extern const struct crl_machine *const crl_machines[];
// The machine that plays a schedule with the options of its problem: its own, or one that takes it over. NULL: none
// does.
const struct crl_machine *crl_player_of(const struct carillon_schedule *schedule);

// ---------------------------------------------------------------- what machines share

// Bits of enum crl_engine for an engine's name (NULL: `none`), or 0 after saying what names there are.
uint32_t crl_engines_named(const char *name, uint32_t none, struct crl_diag *diag);
const char *crl_engines_name(uint32_t engines);
// Fails with CRL_ERR_ARGUMENT where waves are asked for of no RTL, or of a kind that there is not.
int crl_refuse_wave(const struct carillon_options *options, uint32_t engines, struct crl_diag *diag);
// The first of the options that are named, separated by spaces, that was given; NULL: none.
// What a program chose, in full: what it does not know, or did not give (NULL), is as nobody chose it. Fails with
// CRL_ERR_ARGUMENT on options that are not of this version or an earlier one.
int crl_options_take(struct carillon_options *own, const struct carillon_options *given, struct crl_diag *diag);
const char *crl_option_given(const struct carillon_options *options, const char *names);
// Sets an option to what it is where nobody chose it.
void crl_option_unset(const struct carillon_option *option, struct carillon_options *options);
// Fails where an option of a problem was given that its machine does not take.
int crl_options_refuse(const struct carillon_problem *problem, struct crl_diag *diag);

int crl_problem_make(struct carillon_problem **out, const struct crl_machine *machine,
                     const struct crl_context *context, const struct carillon_options *options, struct crl_diag *diag);
int crl_schedule_make(struct carillon_schedule **out, struct carillon_problem *problem, struct crl_diag *diag);
// Before anybody but the checker and the summary looks at rows. Returns 0 or CRL_ERR_MEMORY. The schedule says the same
// before and after.
int crl_schedule_open(const struct carillon_schedule *schedule, struct crl_diag *diag);
// The summary of a schedule and what its image adds, as a new object. Image may be NULL.
json_t *crl_summary(const struct carillon_schedule *schedule, const struct carillon_image *image);

// What tells a point of traffic from others: the first columns of its line.
void crl_traffic_key_of(const struct crl_traffic_point *point, char *key, size_t size);
// The verdict of an oracle as an enum.
enum carillon_result crl_result_named(const char *word);
// Turns a JSON object, which it releases, into text.
int crl_json_text(json_t *object, char **text, struct crl_diag *diag);
// Adds members to a JSON object, which then has their values; the last key is NULL.
struct crl_json_member {
    const char *key;
    json_t *value;
};
void crl_json_tell(json_t *object, const struct crl_json_member *members);
#define CRL_TELL(object, ...) crl_json_tell(object, (const struct crl_json_member[]){__VA_ARGS__, {NULL, NULL}})
// An integer, a number or null where it is none.
json_t *crl_json_number(uint64_t value);
json_t *crl_json_real(double value);

// The same as people say it.
static inline const char *crl_title_of(const struct carillon_problem *problem)
{
    return carillon_algorithm_title(problem->machine->named(problem));
}

#endif
