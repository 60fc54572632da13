// SPDX-License-Identifier: Apache-2.0
// Demands from a file: docs/formats/demands.md.
#include "base/base.h"
#include "demand/demand.h"
#include <stdlib.h>
#include <string.h>

enum { ID, SRC, DST, PACKETS, RELEASE, DEADLINE, PERIOD, AFTER, STAGE, SUM, COLUMNS };
static const char *const titles[COLUMNS] = {"id",       "src",    "dst",   "packets", "release",
                                            "deadline", "period", "after", "stage",   "sum"};

struct field {
    const char *text;
    size_t length;
    uint32_t col;
};

struct reading {
    struct crl_reader r;
    struct crl_demands *demands;
    const struct crl_topology *topology;
    struct crl_diag *diag;
    char *line; // without its end
    size_t length, room;
    uint64_t number;     // of the line
    struct field *field; // of a line
    struct field none;   // what stands where it has ended
    uint32_t fields, columns;
    size_t field_room;
    uint32_t *dst; // [nodes] of one demand
    bool *wanted;  // [nodes]
    char *waits;   // ids that demands wait for, each with a zero behind it, in their order
    size_t waits_count, waits_room;
};

static int bad(struct reading *in, uint32_t col, const char *what, const struct field *f)
{
    return crl_fail_at(in->diag, CRL_ERR_PARSE, in->r.name, in->number, col, "%s%s%.*s%s", what, f ? " '" : "",
                       f ? (int)(f->length < 80 ? f->length : 80) : 0, f ? f->text : "", f ? "'" : "");
}

static int read_line(struct reading *in)
{
    in->length = 0;
    in->number = in->r.line;
    while (in->r.c != '\n' && in->r.c != EOF) {
        if (crl_grow((void **)&in->line, &in->room, in->length + 1, 1)) return crl_fail_memory(in->diag);
        in->line[in->length++] = (char)in->r.c;
        crl_reader_next(&in->r);
    }
    if (in->r.c == '\n') crl_reader_next(&in->r);
    if (in->length && in->line[in->length - 1] == '\r') in->length--;
    for (size_t i = 0; i < in->length; i++)
        if (!in->line[i]) return bad(in, (uint32_t)i + 1, "a byte of value 0", NULL);
    return 0;
}

// Cuts the line at its commas, and blanks off both ends of each field. No fields: nothing but a comment stands there.
static int cut(struct reading *in)
{
    in->fields = 0;
    in->none = (struct field){"", 0, (uint32_t)in->length + 1};
    if (!in->length) return 0;
    const char *at = in->line, *end = in->line + in->length;
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    if (at == end || *at == '#') return 0;
    for (at = in->line;; at++) {
        const char *from = at;
        while (at < end && *at != ',') at++;
        const char *to = at;
        while (from < to && (*from == ' ' || *from == '\t')) from++;
        while (from < to && (to[-1] == ' ' || to[-1] == '\t')) to--;
        if (CRL_PUSH(in->field, in->field_room, in->fields,
                     (struct field){from, (size_t)(to - from), (uint32_t)(from - in->line) + 1}))
            return crl_fail_memory(in->diag);
        if (at == end) return 0;
    }
}

static const struct field *field_of(const struct reading *in, uint32_t column)
{
    return column < in->fields ? &in->field[column] : &in->none;
}

static int number_of(struct reading *in, const struct field *f, const char *what, uint32_t least, uint32_t most,
                     uint32_t *value)
{
    uint64_t sum = 0;
    char text[120];
    bool good = f->length && f->length < 11;
    for (size_t i = 0; i < f->length && good; i++) {
        good = f->text[i] >= '0' && f->text[i] <= '9';
        sum = sum * 10 + (uint64_t)(f->text[i] - '0');
    }
    snprintf(text, sizeof text, "%s must be a number from %u to %u, not", what, least, most);
    if (!good || sum < least || sum > most) return bad(in, f->col, text, f);
    *value = (uint32_t)sum;
    return 0;
}

// ---------------------------------------------------------------- nodes

static bool is_host(const struct reading *in, uint32_t node)
{
    uint32_t count, rank = 0;
    const uint32_t *hosts = crl_topology_hosts(in->topology, &count);
    while (hosts && rank < count && hosts[rank] != node) rank++;
    return !hosts || rank < count;
}

static int host_of(struct reading *in, const struct field *f, uint32_t *node)
{
    char text[200];
    *node = crl_topology_node_named(in->topology, f->text, f->length);
    snprintf(text, sizeof text, "%s has no node", crl_topology_name(in->topology));
    if (*node == CRL_NONE) return bad(in, f->col, text, f);
    return is_host(in, *node) ? 0
                              : bad(in, f->col, "only hosts have and want packets, and this node only forwards:", f);
}

// Where the '-' of a range stands: names may have some, too.
static const char *find_dash(const struct reading *in, const struct field *word)
{
    const char *end = word->text + word->length, *first = memchr(word->text, '-', word->length);
    if (!first || crl_topology_node_named(in->topology, word->text, word->length) != CRL_NONE) return NULL;
    for (const char *at = first; at < end; at++)
        if (*at == '-' && crl_topology_node_named(in->topology, word->text, (size_t)(at - word->text)) != CRL_NONE)
            return at;
    return first;
}

static int want(struct reading *in, const struct field *word, uint32_t node)
{
    if (!is_host(in, node)) return bad(in, word->col, "a node of this range only forwards:", word);
    if (in->wanted[node]) return bad(in, word->col, "a destination is listed twice:", word);
    in->wanted[node] = true;
    return 0;
}

// A word of a list: a node, or two with '-' between them.
static int list_word(struct reading *in, const struct field *word)
{
    uint32_t from, to;
    const char *dash = find_dash(in, word);
    size_t half = dash ? (size_t)(dash - word->text) : word->length;
    struct field first = {word->text, half, word->col};
    int error = host_of(in, &first, &from);
    to = from;
    if (!error && dash)
        error = host_of(in, &(struct field){dash + 1, word->length - half - 1, word->col + (uint32_t)half + 1}, &to);
    if (error) return error;
    if (to < from) return bad(in, word->col, "a range that ends before it begins:", word);
    for (uint32_t v = from; v <= to && !error; v++) error = want(in, word, v);
    return error;
}

static int list_of(struct reading *in, const struct field *f, struct crl_demand *demand)
{
    const char *at = f->text, *end = f->text + f->length;
    int error = 0;
    memset(in->wanted, 0, crl_topology_nodes(in->topology));
    while (at < end && !error) {
        const char *from = at;
        while (at < end && *at != ' ' && *at != '\t') at++;
        struct field word = {from, (size_t)(at - from), f->col + (uint32_t)(from - f->text)};
        error = list_word(in, &word);
        while (at < end && (*at == ' ' || *at == '\t')) at++;
    }
    demand->dst = in->dst;
    demand->dst_col = f->col;
    in->demands->dropped += in->wanted[demand->src];
    for (uint32_t v = 0; v < crl_topology_nodes(in->topology) && !error; v++)
        if (in->wanted[v] && v != demand->src) in->dst[demand->dst_count++] = v;
    if (error || demand->dst_count) return error;
    return bad(in, f->col, f->length ? "a demand from a node to itself:" : "no destination", f->length ? f : NULL);
}

// ---------------------------------------------------------------- rows

static bool is_id(const struct field *f)
{
    for (size_t i = 0; i < f->length; i++) {
        char c = f->text[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || strchr("_->/", c)))
            return false;
    }
    return f->length > 0;
}

static int id_of(struct reading *in, const struct field *f)
{
    if (!is_id(f)) return bad(in, f->col, "an id is made of letters, digits, '_', '-', '>' and '/', not", f);
    return f->length > CRL_DEMAND_ID_MAX ? bad(in, f->col, "an id has at most 100 letters, not as", f) : 0;
}

static int set_numbers(struct reading *in, struct crl_demand *demand)
{
    uint32_t sum = 0;
    const struct {
        uint32_t column, least, most, *value;
    } rows[] = {{PACKETS, 1, CRL_DEMAND_PACKETS_MAX, &demand->packets},
                {RELEASE, 1, CRL_DEMAND_SLOT_MAX, &demand->release},
                {DEADLINE, 1, CRL_DEMAND_SLOT_MAX, &demand->deadline},
                {PERIOD, 1, CRL_DEMAND_HYPERPERIOD_MAX, &demand->period},
                {STAGE, 0, CRL_DEMAND_STAGES_MAX, &demand->stage},
                {SUM, 0, CRL_DEMAND_SUM_ALL, &sum}};
    int error = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !error; i++) {
        const struct field *f = field_of(in, rows[i].column);
        if (f->length) error = number_of(in, f, titles[rows[i].column], rows[i].least, rows[i].most, rows[i].value);
    }
    demand->kind = (enum crl_demand_kind)sum;
    if (!error && sum && demand->packets > 1)
        error = bad(in, field_of(in, PACKETS)->col, "a sum is one packet, not", field_of(in, PACKETS));
    return error;
}

// The id that it waits for is looked up when all are known.
static int set_after(struct reading *in, struct crl_demand *demand)
{
    const struct field *f = field_of(in, AFTER);
    int error = f->length ? id_of(in, f) : 0;
    demand->after_col = f->col;
    demand->after = f->length ? 0 : CRL_NONE;
    if (error || !f->length) return error;
    error = CRL_APPEND(in->waits, in->waits_room, in->waits_count, f->text, f->length);
    if (!error) error = CRL_APPEND(in->waits, in->waits_room, in->waits_count, "", 1);
    return error ? crl_fail_memory(in->diag) : 0;
}

static int read_row(struct reading *in)
{
    struct crl_demand demand = {.packets = 1, .release = 1, .deadline = CRL_NONE, .line = in->number};
    if (in->fields > in->columns)
        return bad(in, in->field[in->columns].col, "more fields than the header has:", &in->field[in->columns]);
    int error = id_of(in, field_of(in, ID));
    if (!error) error = host_of(in, field_of(in, SRC), &demand.src);
    if (!error) error = list_of(in, field_of(in, DST), &demand);
    if (!error) error = set_numbers(in, &demand);
    if (!error) error = set_after(in, &demand);
    demand.deadline_col = field_of(in, DEADLINE)->col;
    if (!error && crl_demands_add(in->demands, field_of(in, ID)->text, field_of(in, ID)->length, demand))
        error = crl_fail_memory(in->diag);
    return error;
}

static int read_header(struct reading *in)
{
    for (in->columns = 0; in->columns < in->fields; in->columns++) {
        const struct field *f = &in->field[in->columns];
        if (in->columns == COLUMNS || strlen(titles[in->columns]) != f->length ||
            memcmp(titles[in->columns], f->text, f->length))
            return bad(in, f->col, "expected the header id,src,dst,packets,release,deadline,period,after, found", f);
    }
    return in->columns > DST ? 0 : bad(in, 1, "the header needs at least id,src,dst", NULL);
}

// ---------------------------------------------------------------- what they wait for

struct name {
    const char *id;
    uint32_t number;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct name *)a)->id, ((const struct name *)b)->id);
}

static int find_waits(struct reading *in)
{
    struct crl_demands *d = in->demands;
    CRL_OWNED struct name *names = malloc(sizeof *names * (d->count + UINT64_C(1)));
    const char *wait = in->waits;
    int error = names ? 0 : crl_fail_memory(in->diag);
    for (uint32_t i = 0; i < d->count && !error; i++) names[i] = (struct name){d->text + d->demand[i].id_at, i};
    if (!error && in->waits_count) qsort(names, d->count, sizeof *names, compare_names);
    for (uint32_t i = 0; i < d->count && in->waits_count && !error; i++) {
        if (d->demand[i].after == CRL_NONE) continue;
        const struct name *found = bsearch(&(struct name){wait, 0}, names, d->count, sizeof *names, compare_names);
        if (found) d->demand[i].after = found->number;
        else
            error = crl_fail_at(in->diag, CRL_ERR_PARSE, in->r.name, d->demand[i].line, d->demand[i].after_col,
                                "demand '%s' waits for '%s', which there is not", d->text + d->demand[i].id_at, wait);
        wait += strlen(wait) + 1;
    }
    return error;
}

static int begin(struct reading *in, struct crl_demands *demands, const struct crl_topology *topology,
                 struct crl_diag *diag, const char *name)
{
    uint32_t nodes = crl_topology_nodes(topology);
    *demands = (struct crl_demands){0};
    snprintf(demands->name, sizeof demands->name, "%s", name);
    in->demands = demands;
    in->topology = topology;
    in->diag = diag;
    in->number = 1; // where there is no line
    in->dst = malloc(sizeof *in->dst * nodes);
    in->wanted = malloc(sizeof *in->wanted * nodes);
    return in->dst && in->wanted ? 0 : crl_fail_memory(diag);
}

static void end(struct reading *in) { CRL_FREE(in->line, in->field, in->dst, in->wanted, in->waits); }

static int next_line(struct reading *in)
{
    int error;
    do {
        error = read_line(in);
        if (!error) error = cut(in);
    } while (!error && !in->fields && in->r.c != EOF);
    return error;
}

static int read_csv(struct reading *in)
{
    int error = next_line(in);
    if (!error && !in->fields) return bad(in, 1, "the file is empty", NULL);
    if (!error) error = read_header(in);
    while (!error && in->r.c != EOF) {
        error = next_line(in);
        if (!error && in->fields) error = read_row(in);
    }
    if (!error && !in->demands->count) error = bad(in, 1, "no demand", NULL);
    if (!error) error = find_waits(in);
    return error ? error : crl_demands_finish(in->demands, in->diag);
}

static int read_file(struct crl_demands *demands, const struct crl_topology *topology, FILE *file, const char *name,
                     int (*read)(struct reading *in), struct crl_diag *diag)
{
    struct reading in = {0};
    int error = begin(&in, demands, topology, diag, name);
    crl_reader_init(&in.r, file, demands->name);
    if (!error) error = crl_refuse_mark(in.r.bytes, in.r.filled, demands->name, diag);
    if (!error) error = read(&in);
    end(&in);
    return error;
}

int crl_demands_read_csv(struct crl_demands *demands, const struct crl_topology *topology, FILE *file, const char *name,
                         struct crl_diag *diag)
{
    return read_file(demands, topology, file, name, read_csv, diag);
}

int crl_demands_read_bytes(struct crl_demands *demands, const struct crl_topology *topology, const char *bytes,
                           size_t count, const char *name, struct crl_diag *diag)
{
    struct reading in = {0};
    int error = begin(&in, demands, topology, diag, name);
    crl_reader_init_bytes(&in.r, bytes, count, demands->name, 1);
    if (!error) error = read_csv(&in);
    end(&in);
    return error;
}

// ---------------------------------------------------------------- matrices

static uint32_t host_at(const struct crl_topology *topology, uint32_t rank)
{
    uint32_t count;
    const uint32_t *hosts = crl_topology_hosts(topology, &count);
    return hosts ? hosts[rank] : rank;
}

static int matrix_row(struct reading *in, uint32_t row, uint32_t hosts)
{
    uint32_t src = host_at(in->topology, row);
    char text[120];
    snprintf(text, sizeof text, "%u numbers in a row of a matrix of %u hosts", in->fields, hosts);
    if (in->fields != hosts) return bad(in, 1, text, NULL);
    for (uint32_t i = 0; i < hosts; i++) {
        uint32_t packets, dst = host_at(in->topology, i);
        int error = number_of(in, &in->field[i], "an entry", 0, CRL_DEMAND_PACKETS_MAX, &packets);
        if (error) return error;
        if (packets && dst == src)
            return bad(in, in->field[i].col, "a node's packets to itself must be 0, not", &in->field[i]);
        if (!packets) continue;
        int length = snprintf(text, sizeof text, "%u>%u", src, dst);
        struct crl_demand demand = {.src = src,
                                    .dst = &dst,
                                    .dst_count = 1,
                                    .packets = packets,
                                    .release = 1,
                                    .deadline = CRL_NONE,
                                    .after = CRL_NONE,
                                    .line = in->number,
                                    .dst_col = in->field[i].col,
                                    .deadline_col = 1,
                                    .after_col = 1};
        if (crl_demands_add(in->demands, text, (size_t)length, demand)) return crl_fail_memory(in->diag);
    }
    return 0;
}

static int read_matrix(struct reading *in)
{
    uint32_t hosts, rows = 0;
    int error = 0;
    crl_topology_hosts(in->topology, &hosts);
    while (!error && in->r.c != EOF) {
        error = next_line(in);
        if (error || !in->fields) continue;
        if (rows == hosts) return bad(in, 1, "more rows than hosts", NULL);
        error = matrix_row(in, rows++, hosts);
    }
    char text[80];
    snprintf(text, sizeof text, "the matrix ends after %u of %u rows", rows, hosts);
    if (!error && rows < hosts) error = bad(in, 1, text, NULL);
    if (!error && !in->demands->count) error = bad(in, 1, "no demand: all entries are 0", NULL);
    return error ? error : crl_demands_finish(in->demands, in->diag);
}

int crl_demands_read_matrix(struct crl_demands *demands, const struct crl_topology *topology, FILE *file,
                            const char *name, struct crl_diag *diag)
{
    return read_file(demands, topology, file, name, read_matrix, diag);
}
