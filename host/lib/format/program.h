// SPDX-License-Identifier: Apache-2.0
// Plans of other tools, as they are read: what each rank does, without slots, and how it is laid out in slots.
#ifndef CRL_PROGRAM_H
#define CRL_PROGRAM_H

#include "schedule/schedule.h"

// Where a value lies at a rank: in a place of its input, output or scratch; or, where a format names packets, in the
// place that the packet has by its number; or in the one place that each thread has, counted over all ranks, for what
// it makes and stores nowhere.
enum crl_buffer { CRL_INPUT, CRL_OUTPUT, CRL_SCRATCH, CRL_PACKETS, CRL_HELD };
struct crl_cell {
    enum crl_buffer buffer;
    uint32_t rank, at;
};

enum crl_step_kind {
    CRL_STEP_NOP,
    CRL_STEP_SEND, // to rank `peer`, from `src`; meets the CRL_STEP_RECV there that is as far in the same channel
    CRL_STEP_RECV, // from rank `peer`, to `dst`
    CRL_STEP_PUT,  // from `src` to `dst` at another rank, which need do nothing
    CRL_STEP_COPY, // from `src` to `dst` at one rank
    CRL_STEP_SIGNAL,
    CRL_STEP_WAIT // for a signal of `peer`, as CRL_STEP_RECV
};
// A step of a thread. A read of a cell waits until there is something in it.
struct crl_step {
    enum crl_step_kind kind;
    bool reduce; // what comes is added to what is in `dst`
    bool waits;  // its thread goes on only when it has arrived
    uint32_t rank, peer;
    uint64_t channel;
    struct crl_cell src, dst;
    uint32_t slot; // in which it is sent; 0: not said
    uint32_t time; // that a CRL_STEP_NOP takes, on a LogP machine
    uint64_t line, col;
    size_t dep, deps; // what must be over before: `deps` from program.dep[dep] on
};

struct crl_program {
    const char *file;    // its name, for messages
    char collective[64]; // as the file calls it, "" where it does not
    uint32_t ranks;
    uint32_t root;      // CRL_NONE where the file does not say it
    uint32_t chunks[3]; // of the input, output, scratch of a rank, the most of all ranks
    uint32_t parts;     // chunks that a rank has for each other, where the format says it; else 0
    uint32_t split;     // chunks that each packet of the problem is here, where they go ways of their own; at least 1
    bool in_place;      // input and output are the same memory
    bool by_packet;     // cells are CRL_PACKETS
    bool owns_out;      // what a rank has itself must be in its output, too
    bool explicit;      // a read does not wait for what it reads: steps must say what they depend on
    struct crl_step *op;
    size_t ops, op_room;
    size_t *thread; // [threads] the first of its steps; they end where the next thread begins
    size_t threads, thread_room;
    size_t *dep;
    size_t deps, dep_room;
};

void crl_program_done(struct crl_program *program);
// What follows is a thread of its own. These return 0, CRL_ERR_MEMORY or CRL_ERR_LIMIT, having said why.
int crl_program_thread(struct crl_program *program, struct crl_diag *diag);
int crl_program_add(struct crl_program *program, struct crl_step op, struct crl_diag *diag);
// A packet that one rank puts into another, both of which have it by its number; where the file says so.
int crl_program_put(struct crl_program *program, uint32_t src, uint32_t dst, uint32_t packet, uint64_t line,
                    uint64_t col, struct crl_diag *diag);
// Step `op` also waits for step `on`. All that one step waits for is said before the next one's.
int crl_program_depend(struct crl_program *program, size_t op, size_t on, struct crl_diag *diag);
int crl_program_fail(const struct crl_program *program, const struct crl_step *op, struct crl_diag *diag,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

// The step behind the last one of a thread.
size_t crl_program_thread_end(const struct crl_program *program, size_t thread);

// How many chunks a rank has for each other rank, or of a sum how many there are; fails where they come out uneven.
int crl_program_parts(const struct crl_program *program, const char *collective, uint32_t *parts,
                      struct crl_diag *diag);
// How a program was laid out, and whether ranks end with what they must have by the program's own cells: an error and
// why, or 0. A schedule whose sums are whole may stand for a program whose sums are not.
struct crl_laid_out {
    bool slots_said; // every step that sends has its slot in the file
    int ends;
    struct crl_diag why;
};
// Lays the program out in slots, each step in the earliest that its reads, its links and what it depends on allow, or
// in the one that the file says. `ahead`: sums may arrive before their receiver takes them, which is earlier and may
// break rules. `part`: of each packet that is split, the chunk whose ways are wanted; all are laid out. `schedule` is
// ready for the problem, and comes out sorted.
int crl_program_lay_out(struct crl_schedule *schedule, const struct crl_program *program,
                        const struct crl_problem *problem, uint32_t part, bool ahead, struct crl_laid_out *how,
                        struct crl_diag *diag);

// Sets partner[i] of each send to its reception, of each signal to its wait, and the other way round; fails where a
// step has none.
int crl_program_partners(const struct crl_program *program, size_t *partner, struct crl_diag *diag);

// ---- formats

// A format that is read. Knows: whether a file that begins so is one.
struct crl_reading {
    const char *name;
    bool (*knows)(const char *text, size_t length);
    int (*read)(struct crl_program *program, const char *text, size_t length, struct crl_diag *diag);
};
extern const struct crl_reading crl_readings[]; // ends with a NULL name

int crl_read_msccl_xml(struct crl_program *program, const char *text, size_t length, struct crl_diag *diag);
int crl_read_mscclpp_json(struct crl_program *program, const char *text, size_t length, struct crl_diag *diag);
int crl_read_goal(struct crl_program *program, const char *text, size_t length, struct crl_diag *diag);
int crl_read_chakra(struct crl_program *program, const char *text, size_t length, struct crl_diag *diag);
int crl_read_tacos(struct crl_program *program, const char *text, size_t length, struct crl_diag *diag);
int crl_read_forestcoll(struct crl_program *program, const char *text, size_t length, struct crl_diag *diag);

// ---- XML

struct crl_xml {
    void *user;
    // At each start tag, with names and values of attributes in turn, NULL at the end; and at each end tag. `depth` is
    // that of the element, from 1. They return 0 or an error after saying why.
    int (*open)(struct crl_xml *xml, const char *tag, const char **attributes, uint32_t depth);
    int (*close)(struct crl_xml *xml, const char *tag, uint32_t depth);
    const char *file;
    uint64_t line, col; // of the tag
    uint32_t depth;
    void *parser;
    int error;
    struct crl_diag *diag;
};
int crl_xml_read(struct crl_xml *xml, const char *text, size_t length);
int crl_xml_fail(struct crl_xml *xml, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The value of an attribute, or NULL; and one that must be a whole number from `least` to `most`, or may be missing if
// `value` is to stay as it is then.
const char *crl_xml_text(const char **attributes, const char *name);
int crl_xml_number(struct crl_xml *xml, const char *tag, const char **attributes, const char *name, bool optional,
                   int64_t least, int64_t most, int64_t *value);

// ---- JSON

#include <jansson.h>
// A file, and how far its lines are counted.
struct crl_json_text {
    const char *file, *text; // the text ends with a NUL
    size_t length, counted;
    uint64_t line, col;
};
// A value and how it was reached, for messages that say where it is in the file.
struct crl_json {
    struct crl_json_text *in;
    const struct crl_json *up; // NULL: the whole
    const json_t *value;
    const char *key; // in an object; NULL: in an array, at `index`
    size_t index;
    const char *place; // in the text, where that is known
};
// Reads one value from text[*at] on, and moves *at behind it and blanks; the caller releases whole->value.
int crl_json_read(struct crl_json *whole, struct crl_json_text *in, size_t *at, struct crl_diag *diag);
int crl_json_fail(const struct crl_json *at, struct crl_diag *diag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void crl_json_where(const struct crl_json *at, uint64_t *line, uint64_t *col);
// A member of an object, or of an array; of a wanted kind, or the call fails. `optional`: value NULL where it is
// missing.
int crl_json_member(struct crl_json *member, const struct crl_json *of, const char *key, json_type type, bool optional,
                    struct crl_diag *diag);
int crl_json_item(struct crl_json *item, const struct crl_json *of, size_t index, json_type type,
                  struct crl_diag *diag);
// The same for items one after another, of which each finds its place from the one before, in the same `item`.
int crl_json_each(struct crl_json *item, const struct crl_json *of, size_t index, json_type type,
                  struct crl_diag *diag);
// A member that is a whole number from 0 to `most`.
int crl_json_whole(const struct crl_json *of, const char *key, uint32_t most, uint32_t *number, struct crl_diag *diag);

#endif
