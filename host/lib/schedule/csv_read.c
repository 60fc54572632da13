// SPDX-License-Identifier: Apache-2.0
// Schedules from text: `slot,src,dst,packet`, one transmission a line.
//
// On a network with translations the file is first taken for the full list of a folded schedule, in canonical order as
// the writer writes it: of each slot the rows of node 0 are read, and the text of their translates, which must follow,
// is made and compared. The first difference turns what was read so far into a list, and the rest is read as one.
#include "base/parallel.h"
#include "schedule/csv.h"
#include "schedule/narrow.h"
#include "schedule/translates.h"
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 1 << 18,       // bytes read at once while the schedule is folded,
    LIST_BLOCK = 1 << 22,  // and while it is a list; no line is longer
    SHARE_LEAST = 1 << 17, // bytes worth a thread
    AHEAD = 16             // bytes that may be looked at behind those that are there
};

struct reading {
    struct crl_schedule *schedule;
    FILE *file;
    const char *name;
    char *bytes; // [capacity] of which begin…end−1 are still to be looked at
    size_t begin, end, capacity;
    bool ended; // there is nothing more in the file
    uint64_t rows;
    uint32_t threads;
    struct crl_narrow_piece *piece; // [threads] rows of a block that are kept narrow
    struct crl_diag *diag;
};

// Makes as many bytes available as there is room for.
static void refill(struct reading *r)
{
    memmove(r->bytes, r->bytes + r->begin, r->end - r->begin);
    r->end -= r->begin;
    r->begin = 0;
    while (r->end < r->capacity && !r->ended) {
        size_t got = fread(r->bytes + r->end, 1, r->capacity - r->end, r->file);
        r->end += got;
        r->ended = got == 0;
    }
}

static uint64_t next_line(const struct reading *r) { return r->rows + 2; }

static int cannot_read(const struct reading *r)
{
    return crl_fail_at(r->diag, CRL_ERR_IO, r->name, next_line(r), 1, "cannot read on");
}

// ---- rows

static inline const char *plain_number(const char *p, uint32_t *number)
{
    enum { SURE = 9 }; // digits that do not overflow
    const char *first = p;
    uint32_t value = 0, digit;
    for (; (digit = (uint32_t)(unsigned char)*p - '0') <= 9; p++) value = value * 10 + digit;
    *number = value;
    return p == first || p - first > SURE ? NULL : p;
}

// The parts of a row that is spelled as the writer spells it; each returns its end, NULL where it is otherwise. First
// slot and sender, then the rest. A line feed must follow.
static inline __attribute__((always_inline)) const char *plain_head(const char *p, struct crl_move *m)
{
    if (!(p = plain_number(p, &m->slot)) || *p++ != ',') return NULL;
    return (p = plain_number(p, &m->src)) && *p == ',' ? p + 1 : NULL;
}

static inline __attribute__((always_inline)) const char *plain_tail(const char *p, enum crl_naming naming,
                                                                    struct crl_move *m)
{
    const char separator = crl_naming_separator(naming);
    if (naming == CRL_NAMING_SPLIT_PAIR || naming == CRL_NAMING_DEMAND) return NULL;
    if (!(p = plain_number(p, &m->dst)) || *p++ != ',') return NULL;
    if (!(p = plain_number(p, &m->origin))) return NULL;
    m->dest = 0;
    if (separator && (*p++ != separator || !(p = plain_number(p, &m->dest)))) return NULL;
    return *p == '\n' ? p + 1 : NULL;
}

static inline __attribute__((always_inline)) const char *plain_row(const char *p, enum crl_naming naming,
                                                                   struct crl_move *m)
{
    return (p = plain_head(p, m)) ? plain_tail(p, naming, m) : NULL;
}

// Behind a destination.
static int read_part(struct crl_reader *reader, struct crl_move *move, struct crl_diag *diag)
{
    uint64_t col = reader->col;
    uint32_t part = 0;
    int error = crl_csv_expect(reader, '.', "packet's destination", diag);
    if (!error) error = crl_csv_number(reader, "packet's part", &part, diag);
    if (!error && (move->dest >= CRL_SPLIT_NODES_MAX || part >> CRL_PART_BITS))
        error = crl_fail_at(diag, CRL_ERR_PARSE, reader->name, reader->line, col,
                            "a packet of an exchange has a destination below %d and a part below %d",
                            CRL_SPLIT_NODES_MAX, 1 << CRL_PART_BITS);
    if (!error) move->dest = move->dest << CRL_PART_BITS | part;
    return error;
}

// A packet that a demand names.
static int read_name(struct crl_reader *reader, const struct crl_demands *demands, struct crl_move *move,
                     struct crl_diag *diag)
{
    char name[CRL_PACKET_NAME];
    size_t length = 0;
    uint64_t col = reader->col;
    while (reader->c != '\n' && reader->c != '\r' && reader->c != EOF && length + 1 < sizeof name) {
        name[length++] = (char)reader->c;
        crl_reader_next(reader);
    }
    name[length] = 0;
    if (crl_demands_packet_named(demands, name, length, &move->origin, &move->dest)) return 0;
    return crl_fail_at(diag, CRL_ERR_PARSE, reader->name, reader->line, col, "no packet of a demand is named '%s'",
                       name);
}

// After the first number of the first packet: what follows is of the names of another collective's packets, not only
// misspelled.
static int refuse_other_names(struct crl_reader *reader, enum crl_naming naming, struct crl_diag *diag)
{
    static const char *const names[] = {[CRL_NAMING_ORIGIN] = "origin",
                                        [CRL_NAMING_PAIR] = "origin>destination",
                                        [CRL_NAMING_SPLIT_PAIR] = "origin>destination.part",
                                        [CRL_NAMING_PART] = "origin.part",
                                        [CRL_NAMING_RANGE] = "first-last"};
    const char wants = crl_naming_separator(naming);
    const bool other = reader->c == '>' || reader->c == '.' || reader->c == '-',
               none = reader->c == '\n' || reader->c == EOF;
    if (reader->line > 2 || reader->c == wants || !(other || (none && wants))) return 0;
    return crl_fail_at(diag, CRL_ERR_PARSE, reader->name, reader->line, reader->col,
                       "packets here are named '%s': is this the schedule of another collective?", names[naming]);
}

// Reads any row; says what is wrong and where.
static int read_move(struct crl_reader *reader, const struct crl_schedule *schedule, struct crl_move *move,
                     struct crl_diag *diag)
{
    enum crl_naming naming = schedule->naming;
    int error;
    *move = (struct crl_move){0};
    if ((error = crl_csv_number(reader, "slot", &move->slot, diag))) return error;
    if ((error = crl_csv_expect(reader, ',', "slot", diag))) return error;
    if ((error = crl_csv_number(reader, "source node", &move->src, diag))) return error;
    if ((error = crl_csv_expect(reader, ',', "source node", diag))) return error;
    if ((error = crl_csv_number(reader, "destination node", &move->dst, diag))) return error;
    if ((error = crl_csv_expect(reader, ',', "destination node", diag))) return error;
    if (schedule->demands) {
        error = read_name(reader, schedule->demands, move, diag);
        return error ? error : crl_csv_end_of_line(reader, "packet", diag);
    }
    const char *first = naming == CRL_NAMING_RANGE ? "sum's first node" : "packet's origin";
    if ((error = crl_csv_number(reader, first, &move->origin, diag))) return error;
    if ((error = refuse_other_names(reader, naming, diag))) return error;
    if (naming != CRL_NAMING_ORIGIN) {
        static const char *const second[] = {[CRL_NAMING_PAIR] = "packet's destination",
                                             [CRL_NAMING_SPLIT_PAIR] = "packet's destination",
                                             [CRL_NAMING_PART] = "packet's part",
                                             [CRL_NAMING_RANGE] = "sum's last node"};
        if ((error = crl_csv_expect(reader, crl_naming_separator(naming), first, diag))) return error;
        if ((error = crl_csv_number(reader, second[naming], &move->dest, diag))) return error;
    }
    if (naming == CRL_NAMING_SPLIT_PAIR && (error = read_part(reader, move, diag))) return error;
    return crl_csv_end_of_line(reader, "packet", diag);
}

// The row that begins at `bytes`, of which `count` are there; `whole` if its end is among them.
static int any_row(const struct reading *r, const char *bytes, size_t count, bool whole, uint64_t line,
                   struct crl_move *move, struct crl_diag *diag)
{
    struct crl_reader reader;
    if (!whole && !r->ended)
        return crl_fail_at(diag, CRL_ERR_PARSE, r->name, line, 1, "the line is longer than %d bytes", (int)count);
    crl_reader_init_bytes(&reader, bytes, count, r->name, line);
    return read_move(&reader, r->schedule, move, diag);
}

// Looks at the next row without moving past its `length` bytes. Returns 1, 0 at the end of the file, or an error.
static int peek(struct reading *r, struct crl_move *move, size_t *length)
{
    const char *first = r->bytes + r->begin, *end = memchr(first, '\n', r->end - r->begin);
    if (!end) {
        refill(r);
        if (ferror(r->file)) return cannot_read(r);
        first = r->bytes;
        end = memchr(first, '\n', r->end);
        if (r->end == 0) return 0;
    }
    *length = end ? (size_t)(end + 1 - first) : r->end - r->begin;
    if (end && plain_row(first, r->schedule->naming, move)) return 1;
    int error = any_row(r, first, *length, end, next_line(r), move, r->diag);
    return error ? error : 1;
}

// ---- the header

static int read_header(struct reading *r)
{
    struct crl_reader reader;
    refill(r);
    if (ferror(r->file)) return crl_fail_at(r->diag, CRL_ERR_IO, r->name, 1, 1, "cannot read on");
    const char *end = memchr(r->bytes, '\n', r->end);
    r->begin = end ? (size_t)(end + 1 - r->bytes) : r->end;
    crl_reader_init_bytes(&reader, r->bytes, r->begin, r->name, 1);
    int error = crl_csv_header(&reader, CRL_CSV_HEADER, "a schedule", "'" CRL_CSV_HEADER "'", r->diag);
    return error ? error : crl_csv_end_of_line(&reader, "header", r->diag);
}

// ---- a list

static int make_room(struct reading *r, size_t more)
{
    struct crl_schedule *s = r->schedule;
    size_t wanted = s->count + more, roomy = s->capacity + s->capacity / 2;
    if (wanted >= UINT32_MAX - 1)
        return crl_fail_at(r->diag, CRL_ERR_LIMIT, r->name, UINT32_MAX, 0, "more than 2^32 rows");
    if (wanted <= s->capacity) return 0;
    if (wanted < roomy) wanted = roomy;
    if (CRL_RESIZE(wanted, {&s->moves, sizeof *s->moves})) return crl_fail_memory(r->diag);
    s->capacity = wanted;
    return 0;
}

// Whole lines of a block, one part of them a thread.
enum { THREADS_MAX = 64 };
struct part {
    const char *first, *end;
    size_t rows;
    struct crl_move *moves;
    uint64_t line;
    int error;
    struct crl_diag diag;
};
struct block {
    const struct reading *reading;
    struct part *part;
};

static int count_lines(void *user, uint32_t share)
{
    struct part *part = &((struct block *)user)->part[share];
    const uint64_t ones = UINT64_C(0x0101010101010101), low = ones * 0x7f;
    enum { TOP = 56 };
    const char *p = part->first;
    part->rows = 0;
    for (uint64_t word; part->end - p >= (ptrdiff_t)sizeof word; p += sizeof word) {
        memcpy(&word, p, sizeof word);
        word ^= ones * '\n'; // a byte that is 0 now is a line feed, and alone leaves its top bit clear below
        word = ~(((word & low) + low) | word | low) >> 7;
        part->rows += (size_t)(word * ones >> TOP);
    }
    for (; p < part->end; p++) part->rows += *p == '\n';
    return 0;
}

static int read_lines(void *user, uint32_t share)
{
    const struct reading *r = ((struct block *)user)->reading;
    struct part *part = &((struct block *)user)->part[share];
    enum crl_naming naming = r->schedule->naming;
    struct crl_move *m = part->moves;
    for (const char *p = part->first, *next; p < part->end; p = next, m++) {
        next = plain_row(p, naming, m);
        if (next) continue;
        next = (const char *)memchr(p, '\n', (size_t)(part->end - p)) + 1;
        part->error = any_row(r, p, (size_t)(next - p), true, part->line + (uint64_t)(m - part->moves), m, &part->diag);
        if (part->error) return part->error;
    }
    return 0;
}

// Shares the next `count` bytes, which are whole lines, among threads; returns how many.
static uint32_t split(const struct reading *r, size_t count, struct part part[THREADS_MAX])
{
    const char *first = r->bytes + r->begin, *end = first + count, *p = first;
    uint32_t shares = count / SHARE_LEAST < r->threads ? (uint32_t)(count / SHARE_LEAST) : r->threads;
    if (shares == 0) shares = 1;
    for (uint32_t i = 0; i < shares; i++) {
        const char *to = first + crl_share_first(count, i + 1, shares);
        part[i].first = p;
        if (to < p) to = p;
        if (to > first && to < end) to = (const char *)memchr(to - 1, '\n', (size_t)(end - to + 1)) + 1;
        part[i].end = p = to;
    }
    return shares;
}

// Reads the lines in the next `count` bytes.
static int read_block(struct reading *r, size_t count)
{
    struct part part[THREADS_MAX] = {{0}};
    struct block block = {r, part};
    const uint32_t shares = split(r, count, part);
    crl_parallel(shares, count_lines, &block);
    size_t rows = 0;
    for (uint32_t i = 0; i < shares; i++) rows += part[i].rows;
    int error = make_room(r, rows);
    if (error) return error;
    for (uint32_t i = 0; i < shares; i++) {
        part[i].moves = r->schedule->moves + r->schedule->count;
        part[i].line = next_line(r);
        r->schedule->count += part[i].rows;
        r->rows += part[i].rows;
    }
    error = crl_parallel(shares, read_lines, &block);
    for (uint32_t i = 0; i < shares && error; i++)
        if (part[i].error) {
            if (r->diag) *r->diag = part[i].diag;
            return error;
        }
    r->begin += count;
    return error;
}

// ---- a list whose rows are kept narrow

// "slot,src," of a row, by which the next one of the same sender in the same slot is known.
struct head {
    uint64_t bytes[AHEAD / 8], mask[AHEAD / 8];
};

static inline void keep_head(struct head *h, const char *p, size_t length)
{
    static const uint64_t ones_then_zeros[AHEAD / 4] = {UINT64_MAX, UINT64_MAX};
    memcpy(h->bytes, p, sizeof h->bytes);
    memcpy(h->mask, (const char *)ones_then_zeros + AHEAD - length, sizeof h->mask);
}

static inline bool same_head(const struct head *h, const char *p)
{
    uint64_t word[2];
    memcpy(word, p, sizeof word);
    return !(((word[0] ^ h->bytes[0]) & h->mask[0]) | ((word[1] ^ h->bytes[1]) & h->mask[1]));
}

// The part's rows; its `error` is 1 where all are, else 0 or an error.
static int read_narrow_lines(void *user, uint32_t share)
{
    enum { SHORTEST = 8 }; // bytes of a row
    const struct reading *r = ((struct block *)user)->reading;
    struct part *part = &((struct block *)user)->part[share];
    struct crl_narrow_piece *piece = &r->piece[share];
    const struct crl_narrow *narrow = r->schedule->narrow;
    const enum crl_naming naming = r->schedule->naming;
    const size_t room = (size_t)(part->end - part->first) / SHORTEST + 1;
    struct crl_move m;
    crl_narrow_clear(piece);
    if (piece->capacity < room) {
        free(piece->row);
        piece->row = malloc(sizeof *piece->row * room);
        piece->capacity = piece->row ? room : 0;
        if (!piece->row) return part->error = CRL_ERR_MEMORY;
    }
    part->error = 1;
    struct head head;
    for (const char *p = part->first, *tail; p < part->end && part->error == 1;) {
        tail = plain_head(p, &m);
        const size_t length = tail ? (size_t)(tail - p) : 0;
        if (tail) keep_head(&head, p, length < AHEAD ? length : AHEAD);
        p = tail ? plain_tail(tail, naming, &m) : NULL;
        part->error = p ? crl_narrow_add(narrow, piece, &m) : 0;
        while (part->error == 1 && length <= AHEAD && p < part->end && same_head(&head, p)) {
            const char *next = plain_tail(p + length, naming, &m);
            if (!next) break;
            part->error = crl_narrow_add_more(narrow, piece, &m);
            p = next;
        }
    }
    return 0;
}

// Reads the lines in the next `count` bytes. Returns 1, 0 where a row must be kept as a move and none was read, or an
// error.
static int read_narrow_block(struct reading *r, size_t count)
{
    struct part part[THREADS_MAX] = {{0}};
    struct block block = {r, part};
    const uint32_t shares = split(r, count, part);
    struct crl_schedule *s = r->schedule;
    const size_t rows = s->count, slots = s->slots;
    int got = 1;
    crl_parallel(shares, read_narrow_lines, &block);
    for (uint32_t i = 0; i < shares && got == 1; i++) got = part[i].error;
    for (uint32_t i = 0; i < shares && got == 1; i++) got = crl_narrow_append(s, &r->piece[i]);
    if (got == 1) {
        r->rows += s->count - rows;
        r->begin += count;
    } else if (s->slot_start) {
        s->count = rows;
        s->slots = slots;
        s->slot_start[slots] = (uint32_t)rows;
    }
    return got;
}

// Keeps narrow what was read as moves, if all of it can be. Returns as the above.
static int make_narrow(struct reading *r)
{
    struct crl_schedule *s = r->schedule;
    CRL_ENDED(crl_narrow_piece_done)
    struct crl_narrow_piece piece = {.row = malloc(sizeof *piece.row * (s->count + 1)), .capacity = s->count + 1};
    int got = piece.row ? 1 : CRL_ERR_MEMORY;
    crl_narrow_clear(&piece);
    r->piece = calloc(r->threads, sizeof *r->piece);
    if (!r->piece || crl_narrow_begin(s, s->judged)) got = CRL_ERR_MEMORY;
    for (size_t i = 0; i < s->count && got == 1; i++) got = crl_narrow_add(s->narrow, &piece, &s->moves[i]);
    if (got == 1) {
        free(s->moves);
        s->moves = NULL;
        s->count = s->capacity = 0;
        got = crl_narrow_append(s, &piece);
    } else {
        crl_narrow_free(s->narrow);
        s->narrow = NULL;
    }
    return got;
}

// Reads blocks as long as their rows can be kept narrow; what is left then is kept as moves, as all are from then on.
static int read_narrow_list(struct reading *r)
{
    int got = make_narrow(r);
    while (got == 1) {
        refill(r);
        size_t count = r->end;
        while (count > 0 && r->bytes[count - 1] != '\n') count--;
        if (ferror(r->file) || !count) break;
        got = read_narrow_block(r, count);
    }
    for (uint32_t i = 0; i < r->threads && r->piece; i++) crl_narrow_piece_done(&r->piece[i]);
    free(r->piece);
    if (got < 0) return crl_fail_memory(r->diag);
    return got && !r->end && !ferror(r->file) && r->schedule->count ? 0 : crl_narrow_widen(r->schedule, r->diag);
}

static int read_list(struct reading *r)
{
    refill(r);
    if (!r->ended) {
        char *bytes = realloc(r->bytes, LIST_BLOCK + AHEAD);
        if (!bytes) return crl_fail_memory(r->diag);
        r->bytes = bytes;
        r->capacity = LIST_BLOCK;
    }
    int error = r->schedule->judged ? read_narrow_list(r) : 0;
    if (error) return error;
    while (true) {
        refill(r);
        if (ferror(r->file)) return cannot_read(r);
        if (r->end == 0) return 0;
        size_t count = r->end;
        while (count > 0 && r->bytes[count - 1] != '\n') count--;
        struct crl_move move;
        error = count ? read_block(r, count) : any_row(r, r->bytes, r->end, false, next_line(r), &move, r->diag);
        if (error) return error;
    }
}

// ---- a folded schedule

// Whether a move can be the next of node 0, when those of the slot in hand begin with move `first`.
static bool is_own(const struct crl_schedule *s, size_t first, const struct crl_move *m)
{
    uint32_t nodes = crl_topology_nodes(s->topology);
    const struct crl_move *last = s->count ? &s->moves[s->count - 1] : NULL;
    if (m->src != 0 || m->dst >= nodes || m->origin >= nodes || m->dest >= nodes) return false;
    if (s->count > first && m->slot == last->slot) return m->dst > last->dst && s->count - first < CRL_PORTS_MAX;
    return s->count == first && (!last || m->slot > last->slot);
}

// The text of the translates, a piece at a time.
struct expected {
    struct crl_translates translates;
    struct crl_csv_text text;
    char *bytes;
};
enum { EXPECTED = 1 << 15 };

// Whether the translates of the moves of node 0 from `first` on follow. Sets `nodes` to the number of nodes, node 0
// included, whose moves have been read.
static bool translates_follow(struct reading *r, struct expected *e, size_t first, uint32_t *nodes)
{
    const struct crl_schedule *s = r->schedule;
    uint32_t all = crl_topology_nodes(s->topology);
    size_t count = s->count - first;
    *nodes = 1;
    if (!e->text.digits && crl_csv_text_init(&e->text, s)) return false;
    if (crl_translates_slot(&e->translates, &s->moves[first], count)) return false;
    for (uint32_t v = 1; v < all;) {
        char *end = e->bytes;
        for (; v < all && end - e->bytes < EXPECTED; v++)
            end = crl_csv_rows(&e->text, end, crl_translates_at(&e->translates, v), count);
        size_t length = (size_t)(end - e->bytes);
        if (r->end - r->begin < length) refill(r);
        if (r->end - r->begin < length || memcmp(r->bytes + r->begin, e->bytes, length)) return false;
        r->begin += length;
        r->rows += (v - *nodes) * count;
        *nodes = v;
    }
    return true;
}

// Reads on while the file is the full list of a folded schedule. Returns 1 when all of it is; 0 when the moves of the
// first `nodes` nodes in the slot that begins with move `first` are the last that fit.
static int read_while_folded(struct reading *r, struct expected *e, size_t *first, uint32_t *nodes)
{
    struct crl_schedule *s = r->schedule;
    struct crl_move move;
    size_t length = 0;
    while (true) {
        *nodes = 1;
        int got = peek(r, &move, &length);
        if (got < 0) return got;
        if (got && is_own(s, *first, &move)) {
            if (crl_schedule_add(s, move)) return crl_fail_memory(r->diag);
            r->begin += length;
            r->rows++;
        } else if (s->count == *first) {
            return !got;
        } else {
            if (!got || move.src != 1 || move.slot != s->moves[*first].slot) return 0;
            if (!translates_follow(r, e, *first, nodes)) return 0;
            *first = s->count;
        }
    }
}

// Turns what was read so far into a list.
static int make_list(struct reading *r, struct crl_translates *translates, size_t first, uint32_t nodes)
{
    struct crl_schedule *s = r->schedule, whole = *s, full;
    whole.folded = whole.listed = true;
    whole.count = first; // the slots that were there in full
    int error = crl_schedule_expand(&full, &whole, r->diag);
    if (!error && s->count > first && crl_translates_slot(translates, &s->moves[first], s->count - first))
        error = crl_fail_memory(r->diag);
    for (uint32_t v = 0; v < nodes && s->count > first && !error; v++) {
        const struct crl_move *moves = crl_translates_at(translates, v);
        for (size_t i = 0; i < s->count - first && !error; i++)
            if (crl_schedule_add(&full, moves[i])) error = crl_fail_memory(r->diag);
    }
    full.judged = s->judged;
    crl_schedule_done(s);
    *s = full;
    return error;
}

static int read_full(struct reading *r)
{
    struct expected e = {.bytes = malloc(EXPECTED + (CRL_PORTS_MAX + 2) * CRL_CSV_ROW)};
    size_t first = 0;
    uint32_t nodes = 1;
    crl_translates_init(&e.translates, r->schedule);
    int result = e.bytes ? read_while_folded(r, &e, &first, &nodes) : crl_fail_memory(r->diag);
    if (result == 1) {
        r->schedule->folded = r->schedule->listed = r->schedule->count > 0;
        result = 0;
    } else if (result == 0) {
        result = make_list(r, &e.translates, first, nodes);
        if (!result) result = read_list(r);
    }
    crl_translates_done(&e.translates);
    crl_csv_text_done(&e.text);
    free(e.bytes);
    return result;
}

int crl_schedule_read_csv_on(struct crl_schedule *schedule, FILE *file, const char *name, uint32_t threads,
                             struct crl_diag *diag)
{
    struct reading r = {.schedule = schedule,
                        .file = file,
                        .name = name,
                        .bytes = malloc(BLOCK + AHEAD),
                        .capacity = BLOCK,
                        .threads = threads,
                        .diag = diag};
    if (!r.bytes) return crl_fail_memory(diag);
    bool relative = schedule->folded;
    int error = read_header(&r);
    schedule->first_line = 2;
    if (!error) error = !relative && crl_schedule_may_fold(schedule) ? read_full(&r) : read_list(&r);
    free(r.bytes);
    if (!error && crl_schedule_sort(schedule)) error = crl_fail_memory(diag);
    if (!error && !relative && !schedule->narrow) crl_schedule_fold(schedule);
    return error;
}

int crl_schedule_read_csv(struct crl_schedule *schedule, FILE *file, const char *name, struct crl_diag *diag)
{
    return crl_schedule_read_csv_on(schedule, file, name, crl_threads(), diag);
}
