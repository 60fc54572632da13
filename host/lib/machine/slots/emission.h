// SPDX-License-Identifier: Apache-2.0
// Fabrics of stream nodes as directories: what the files that write one share.
#ifndef CRL_SLOTS_EMISSION_H
#define CRL_SLOTS_EMISSION_H

#include "emit/emit.h"
#include "machine/slots/slots.h"

// A schedule that the fabric can play, number `op` of them.
struct part {
    const struct carillon_schedule *schedule;
    const struct crl_image *image;
    const struct crl_problem *problem;
    const char *scheme;       // who planned it
    const char *without;      // what has failed where it is a spare; NULL: it is none
    uint32_t rows_at, map_at; // where its rows begin in the tables, and its entries in the maps
    uint32_t stages;          // registers between the sequencers and each node
    uint32_t late;            // cycles by which routers send and show words later
    uint32_t start;           // with stages: cycles from a round's first step until it begins
    uint32_t pausing;         // so that it does, streams of this node make steps without a word behind their last ones,
    uint32_t pause[CRL_PORTS_MAX]; // so many
    struct times {                 // of a round, if who gives and takes words does not stall
        int64_t first, last; // link cycles of the schedule in which the first word is taken, and the last one given
        uint32_t period;     // cycles after which the next one may begin
        uint32_t pages;      // rounds that must be under way for that, a power of two
        bool early;          // it begins before all its words are there
    } times;
};

struct emission {
    struct crl_folder *folder;
    const struct part *part; // [parts]
    uint32_t parts;
    struct crl_geometry geometry; // of routers that can play all parts; `rows`: of the longest
    uint32_t nodes, table_rows;   // rows of all parts
    uint32_t stored;      // rows of a table's memory where equal ones are stored once; 0: all stand there in order
    const uint32_t *node; // [nodes] those of a board, in the order in which they are counted there; NULL: all
    const char *source;   // where the RTL is
    uint32_t map_depth;   // entries of a map's memory
    uint32_t *lanes[2];   // [out, in][nodes][streams] those that each stream has words of, or for; owned
    bool *keeps;          // [nodes][streams] packets have more than one entry; owned
    const char *top;
    bool axis, verilog, loaded;    // loaded: tables have a port
    bool named;                    // each stream has ports of its own
    bool inlined;                  // tables are constants of the top, and not read from files
    bool absent;                   // words may be missing
    bool asic, reset_banks;        // memories are macros; reset writes the zero in banks
    uint32_t loads, id;            // lines of load.hex, and what the port says of the fabric
    char *load;                    // these lines
    uint32_t width;                // bits of a word; 0: those of the images
    const char *spare;             // kind of the failures that the other parts are spares for; NULL: they are not
    uint64_t memory, memory_alone; // with spares: bits of all tables and maps, of those of the first part alone,
    uint64_t memory_whole;         // and of all if equal rows are not stored once
    uint32_t terms;                // of a chunk, for the test bench; 0: sums are of integers
    struct crl_diag *diag;
};

// A stream of a node: its packets of a round, in order.
struct lane {
    uint32_t count;
    const struct crl_place *place;
};
struct lane lane_of(const struct part *part, bool in, uint32_t node, uint32_t stream);
// The packet at a place as the problem names it, at node `node`.
void name_of(const struct part *part, uint32_t node, const struct crl_place *place, uint32_t *origin, uint32_t *dest);
// The node that a word of a stream is for, or comes from. A packet of a broadcast is for many: it has no number but its
// origin's; one of a demand has that demand's, both ways. And the bits that such numbers have in all parts.
uint32_t peer_bits(const struct emission *e);
uint32_t peer_of(const struct part *part, bool in, uint32_t node, const struct crl_place *place);
// The longest stream of a direction, at least 1.
uint32_t most_of(const struct emission *e, bool in);

// Bits of a map's entry, rtl/common/crl_stream_entry.svh.
struct entry_layout {
    uint32_t row_bits, peer_bits, lane_bits, word_bits, in_bits, out_bits, bits; // bits: of the wider one
};
struct entry_layout entry_layout(const struct emission *e);

// Text that grows by items of a list, in lines of some 116 characters, and by lines; it has no end of line at its end.
// What fails shows at the end.
struct list {
    FILE *file;
    char *text;
    size_t size;
    uint32_t indent, column; // of items; 0: the next one begins a line
    bool open, failed;       // a line has begun; something was short of memory
};
void list_begin(struct list *list, uint32_t indent);
// Items in braces, which stand further in than these; `close` ends the list.
void list_open(struct list *list);
char *list_close(struct list *list);
// With a comma behind it, unless it is the last one.
__attribute__((format(printf, 3, 4))) void list_item(struct list *list, bool last, const char *format, ...);
// A comment behind the items of a line, which ends it.
__attribute__((format(printf, 2, 3))) void list_note(struct list *list, const char *format, ...);
// A line of its own.
__attribute__((format(printf, 2, 3))) void list_text(struct list *list, const char *format, ...);
// More of a line.
__attribute__((format(printf, 2, 3))) void list_put(struct list *list, const char *format, ...);
// The text, which the caller ends with free(), or NULL where memory was short.
char *list_end(struct list *list);

// What the network calls a node.
uint32_t node_at(const struct emission *e, uint32_t node);
// Whom a node hears on a port, or CRL_NONE, and the cycles that a word takes from there. Cables between boards are
// none.
uint32_t heard(const struct emission *e, uint32_t node, uint32_t port);
uint32_t cycles_from(const struct emission *e, uint32_t node, uint32_t port);
// Constants of the top: these two of all links, as crl_links and crl_link_pipes take them; the peers of a direction's
// words, of each stream and part as many as the longest has; how many words each stream has, of each part. Texts as of
// list_end.
char *neighbour_list(const struct emission *e);
char *latency_list(const struct emission *e);
char *peer_list(const struct emission *e, bool in, uint32_t most);
char *count_list(const struct emission *e, bool in);
char *adder_list(const struct emission *e); // of sums: which nodes have values
// Ports of a top whose streams have names of their own, the wires to those of all, and what the bench puts there.
char *named_ports(const struct emission *e);
char *named_wires(const struct emission *e);
char *named_bench(const struct emission *e);

// A word of a stream, and where it is in the round: of input streams the lanes in which it leaves in that row.
struct use {
    uint32_t stream, index, row, lanes;
    const struct crl_place *place;
};
struct uses {
    struct use *list; // owned
    size_t count, capacity;
};
// The uses of a part at a node in the order in which its streams take or give words, read off the rows that play.
int uses_in_order(const struct part *part, bool in, uint32_t node, struct uses *uses, struct crl_diag *diag);
// A part's steps of one stream, of the uses of its node. Returns how many there are.
uint32_t steps_of(const struct uses *uses, uint32_t stream, const struct use **first);

// When the input streams of a node have their words, if they do not stall: a round may begin when each of them has made
// its step `go`, with that word of its packet; row 0 comes `lead` cycles after the first step (and the adapter's own).
struct feed {
    uint32_t lead;
    struct go {
        uint32_t step, word;
    } go[CRL_PORTS_MAX];
    uint32_t last[CRL_PORTS_MAX]; // when each makes its last step, if it makes one
};
int feed_of(struct feed *feed, const struct part *part, const struct uses *uses, struct crl_diag *diag);

// The times of a part's rounds in a fabric with AXI4-Stream adapters, or without, and from the first word to the last
// one, both counted.
int find_times(struct part *part, bool axis, struct crl_diag *diag);
// Packets of a round that a stream of some node has at least, however they are dealt.
uint32_t most_packets(const struct part *part);
uint64_t end_to_end(const struct part *part, bool axis);
struct crl_stream_path path_of(const struct part *part, bool axis);

// One for all nodes where these play the same, else one each.
uint32_t sequencers(const struct emission *e);

// What a fabric holds: `what`, and the spares for single failures if its options say so. The caller frees the parts.
int emission_parts(struct emission *e, struct part **parts, const struct carillon_emitted *what, uint32_t count,
                   uint32_t row_stages);
// Finds `memory`, `memory_alone` and `memory_whole`. The geometry is shared before, or again.
int find_memory(struct emission *e, struct part *parts);
// What a summary says of spares for so many failures: each of them, and the memory that they take.
int add_spares(json_t *summary, struct emission *e, struct part *parts, size_t failures);

// The geometry of routers that can play all parts, and where each one's rows are. Refuses parts that cannot share one
// fabric.
int share_geometry(struct emission *e, struct part *part);
// Where each part's entries are in the maps, how deep these are, and which lanes each stream needs: all where other
// tables can come.
int share_maps(struct emission *e, struct part *part);

// How an entry of a table or a map is written: as a number in hexadecimal digits; as a line that $readmemh takes, with
// the mark of crl_round_sequencer and crl_stream_map above it; as words of 32 bits, lowest first, as the port wants
// them. Each is a line or more.
enum entry_form { AS_NUMBER, AS_MARKED, AS_WORDS };
// Writes one of `width` bits.
void write_entry(const uint32_t *bits, uint32_t width, enum entry_form form, FILE *file);
// Bits of what names a stored row.
uint32_t place_bits(const struct emission *e);
// The bits of all tables of sequencers as they are stored, lists and all, or if all rows stand in order.
uint64_t table_bits(const struct emission *e, bool whole);
// The table of sequencer s, or where equal rows are stored once these; the list then says which one each row is. And a
// map.
int write_table(struct emission *e, uint32_t s, enum entry_form form, FILE *file);
int write_list(struct emission *e, uint32_t s, enum entry_form form, FILE *file);
int write_map(struct emission *e, bool in, uint32_t node, uint32_t stream, enum entry_form form, FILE *file);
// All of them as constants of the top. As of list_end, or NULL after saying why.
char *constant_list(struct emission *e);
// load.hex: all that the port is to write, registers and values, as lines of $readmemh; `load` of it stays.
int write_load(struct emission *e);
// The same as elements of an array in C; NULL without memory.
char *load_words(const struct emission *e);

// The lanes that each stream's words go to, or come from, as crl_axis_fabric takes them. As of list_end.
char *use_list(const struct emission *e, bool in);
// Which streams keep packets of several words, a bit a stream.
char *keep_list(const struct emission *e);

// tables/: of the sequencers, and of the adapters.
int write_tables(struct emission *e);
int write_maps(struct emission *e);

// What stands for the keys of a template, from {0} on. set: text that stays; own: text that ends with the blanks, NULL
// where memory was short; say: text as printf has it; flags: "1" or "". Lists end with a NULL key.
enum { BLANKS = 270 };
struct blanks {
    struct crl_blank blank[BLANKS + 1];
    char *owned[BLANKS];
    size_t count;
    bool failed; // memory was short
};
struct blank_number {
    const char *key;
    uint64_t value;
};
void set(struct blanks *b, const char *key, const char *value);
void own(struct blanks *b, const char *key, char *text);
__attribute__((format(printf, 3, 4))) void say(struct blanks *b, const char *key, const char *format, ...);
void set_texts(struct blanks *b, const struct crl_blank *texts);
void say_numbers(struct blanks *b, const struct blank_number *numbers);
void set_flags(struct blanks *b, const struct blank_number *flags);
#define SET_TEXTS(b, ...)   set_texts(b, (const struct crl_blank[]){__VA_ARGS__, {NULL, NULL}})
#define SAY_NUMBERS(b, ...) say_numbers(b, (const struct blank_number[]){__VA_ARGS__, {NULL, 0}})
#define SET_FLAGS(b, ...)   set_flags(b, (const struct blank_number[]){__VA_ARGS__, {NULL, 0}})
void blanks_done(struct blanks *b);
// What every top has: its name first, and the numbers of its routers and streams.
void say_fabric(struct blanks *b, struct emission *e);
// And numbers of what it plays, where streams have `feed` and `show` packets at most; the times of its rounds; flags.
void say_numbers_of(struct blanks *b, const struct emission *e, uint32_t feed, uint32_t show);
void say_times(struct blanks *b, const struct emission *e);
void set_choices(struct blanks *b, const struct emission *e);
// Of the words of streams: their width, what they carry, and of sums how they are made.
void say_words(struct blanks *b, const struct emission *e);
bool adds_floats(const struct emission *e);
bool adds_halves(const struct emission *e); // and streams have 16 bits of them
// Files from their templates, {name, template} each; `%s` in a name stands for the top. And the top itself before them,
// which may show how it is instantiated, and behind them what is made of it and the modules `names`.
int write_files(const struct emission *e, size_t count, const char *const files[][2], const struct blanks *b);
int write_top(const struct emission *e, const char *from, size_t count, const char *const files[][2], const char *names,
              struct blanks *b);
// What the fabric plays, in words: "A (scheme a), B (scheme b) on T". The caller ends these with free().
char *what_list(const struct emission *e);
// A line of a README's table a schedule.
char *op_lines(const struct emission *e);
// The files of rtl/, blanks between them, and the include of tables that are constants. Frees `names`.
char *with_tables(const struct emission *e, char *names);
// Files, a line each, as files.f and a FuseSoC core want them.
char *file_lines(const struct emission *e, const char *names, const char *before);
// Modules that stand in the sources, in branches that neither these parameters take nor the defaults, which yosys reads
// first.
const char *unused_modules(const struct emission *e);

// A network on several boards: a directory for each, one for the bench, cables.csv. The part's geometry is shared
// (share_geometry), and with adapters so are the maps (share_maps). check_boards refuses what is not emitted so.
int check_boards(const struct emission *e);
int write_boards(const struct emission *e, bool wires);
// The files of it by which others are found; of one board none.
void slots_add_files(json_t *summary, const struct crl_boards *boards, const char *top);

// Numbers of 32 bits, or another multiple of 4 up to 64, that a test bench has in its array of a name: it carries them
// with it, as it may be played from any folder. The text is a task, fill_NAME.
enum { NUMBERS_A_BLOCK = 16 };
struct numbers {
    const char *name;
    uint32_t bits, count;
    uint64_t block[NUMBERS_A_BLOCK];
    FILE *memory;
    char *text;
    size_t size;
};
void numbers_begin(struct numbers *numbers, const char *name, uint32_t bits);
void number_add(struct numbers *numbers, uint64_t number);
void numbers_end(struct numbers *numbers, struct list *list);
// What the bench knows of a direction: packets as numbers, stream by stream of each part, `most` a stream, and how
// many.
void put_bench(const struct emission *e, bool in, uint32_t most, struct list *list);
// How sums of floating-point numbers come about; of others nothing.
int put_terms(struct emission *e, struct list *list);
// Whether routers add floating-point numbers.
bool geometry_adds_floats(const struct crl_geometry *geometry);
// Whether no row adds two words of links to a sum.
bool adds_one(const struct emission *e);
// Whether in all rows each stream's own word is added in the bank of its number, and what a stream shows is in that.
bool is_aligned(const struct emission *e);
// As crl_sum_late, but of floating-point numbers only if rows are as far apart as that needs.
uint32_t late_of(const struct crl_problem *problem, const struct crl_image *image, uint32_t words);
// Refuses rows of sums that routers cannot play in stages.
int check_stages(const struct emission *e, const struct part *part);
// What stands in load.hex.
void put_load(struct emission *e, struct list *list);
int write_csv(struct emission *e);
// demands.csv: those of the first part.
int write_demands(struct emission *e);
// As struct crl_emitting has it.
int slots_emit_summary(const struct carillon_emitted *what, const struct carillon_emission *how, json_t *summary,
                       struct crl_diag *diag);

#endif
