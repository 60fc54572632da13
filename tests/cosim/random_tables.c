// SPDX-License-Identifier: Apache-2.0
// Random tables of slot routers, such as no algorithm would make but the format allows: RTL and model must send the
// same in every cycle on every link, see the same faults and hold the same words at the end.
//
// Allowed: what is shown or kept has come or lies there, a word is not read in the row after the one that wrote it, and
// behind a delayed or an own word lies zero. One arrival in two hundred is not announced, or announced and does not
// come, and in one run of eight a row has odd parity: the guards must agree.
//
// usage: random_tables RUNS [SEED]    RUNS of each router
#include "algorithm/algorithm.h"
#include "check/check.h"
#include "engine/engine.h"
#include "lower/lower.h"
#include "oracle/oracle.h"
#include "random_tables.h"
#include <stdlib.h>
#include <string.h>

// An image whose tables are replaced; it gives the router, the network, and the words there are at first.
struct subject {
    const char *algorithm, *topology, *scheme;
    uint32_t lanes, banks, words, streams;
    struct crl_topology *network;
    struct crl_problem problem;
    struct crl_image image;
};

// Every node has a table, but where all do the same.
static void own_tables(struct crl_image *image)
{
    image->tables = image->folded ? 1 : image->nodes;
    for (uint32_t v = 0; v < image->nodes; v++) image->node_table[v] = image->folded ? 0 : v;
    own_rows(&image->store, image->tables, image->geometry.rows);
}

// Of routers with streams word 0 of each bank is zero at power-up.
static void all_zero(struct crl_image *image)
{
    const uint32_t banks = image->geometry.banks;
    free(image->zero);
    image->zeros = image->place_sets * banks;
    image->zero = calloc(image->zeros, sizeof *image->zero);
    if (!image->zero) abort();
    for (uint32_t i = 0; i < image->zeros; i++) image->zero[i] = (struct crl_zero){.set = i / banks, .bank = i % banks};
}

static void prepare(struct subject *s)
{
    struct crl_diag diag = {0};
    const struct crl_algorithm *row;
    struct crl_report report;
    struct crl_schedule schedule;
    struct crl_lower_options options = {
        .lanes = s->lanes, .banks = s->banks, .words = s->words, .data_width = 32, .streams = s->streams};
    if (crl_topology_parse(&s->network, s->topology, &diag) ||
        crl_problem_init(&s->problem, s->algorithm, s->network, 0, CRL_PORTS_ALL, &diag) ||
        crl_algorithm_find(&row, &s->problem, s->scheme, &diag) || crl_plan(&schedule, row, &s->problem, &diag) ||
        crl_check(&report, &schedule, &s->problem, &diag) ||
        crl_lower(&s->image, &schedule, &s->problem, row->scheme, &options, &diag))
        die(s->algorithm, &diag);
    own_tables(&s->image);
    if (s->streams) all_zero(&s->image);
    crl_report_done(&report);
    crl_schedule_done(&schedule);
}

enum { ADDRESSES_MAX = 256 };

// What the rows before have left in the banks of a node.
struct past {
    struct {
        bool wrote, kept, known[ADDRESSES_MAX]; // known: there is a word that both sides know
        uint32_t waddr, zero;                   // zero: a word that holds zero, or none
    } bank[CRL_BANKS_MAX];
};

static void begin(const struct crl_image *image, uint32_t table, struct past *past)
{
    memset(past, 0, sizeof *past);
    for (uint32_t b = 0; b < image->geometry.banks; b++) past->bank[b].zero = CRL_NONE;
    for (uint32_t set = 0; set < image->place_sets; set++) {
        if (!image->folded && image->node_table[set] != table) continue;
        for (uint32_t b = 0; b < image->geometry.banks; b++) past->bank[b].zero = crl_image_zero(image, set, b);
        for (uint32_t k = 0; k < image->before[set].count; k++) {
            const struct crl_place *place = &image->before[set].place[k];
            past->bank[place->bank].known[place->addr] = true;
        }
    }
}

// Whether both sides know what lies there, and the row before did not write it.
static bool readable(const struct past *past, uint32_t bank, uint32_t addr)
{
    return past->bank[bank].known[addr] && !(past->bank[bank].wrote && past->bank[bank].waddr == addr);
}

// Some address that may be read, or none.
static uint32_t pick_word(const struct past *past, uint32_t bank, uint32_t addresses)
{
    const uint32_t first = below(addresses);
    for (uint32_t i = 0; i < addresses; i++) {
        const uint32_t addr = (first + i) % addresses;
        if (readable(past, bank, addr)) return addr;
    }
    return CRL_NONE;
}

static uint32_t members(const struct crl_geometry *g, uint32_t lane)
{
    return (g->ports - lane + g->lanes - 1) / g->lanes;
}

// What a bank of sums does; whether it has something to show.
static bool make_sum(const struct crl_geometry *g, uint32_t bank, const bool *live, struct past *past,
                     struct crl_row *row)
{
    const uint32_t addresses = UINT32_C(1) << g->addr_width, waddr = below(addresses),
                   raddr = pick_word(past, bank, addresses);
    const bool wrote = past->bank[bank].wrote;
    uint32_t words = 0, from = waddr;
    for (uint32_t j = 0; j < g->lanes; j++)
        if (live[j] && below(3)) words |= UINT32_C(1) << j;
    row->bank[bank].fwd = wrote && below(2);
    row->bank[bank].flip = !row->bank[bank].fwd && below(2);
    if (row->bank[bank].flip) from ^= 1;
    bool makes = row->bank[bank].fwd || readable(past, bank, from);
    if (words && !row->bank[bank].fwd && (!makes || !below(4))) {
        row->bank[bank].flip = 0;
        row->bank[bank].set = makes = true;
    }
    row->bank[bank].wsel = makes ? words : 0;
    row->bank[bank].waddr = waddr;
    row->bank[bank].wen = makes && below(2);
    row->bank[bank].byp = makes && below(2);
    row->bank[bank].dly = wrote && (raddr == CRL_NONE || below(2));
    row->bank[bank].raddr = raddr == CRL_NONE ? 0 : raddr;
    past->bank[bank].wrote = row->bank[bank].wen;
    past->bank[bank].waddr = waddr;
    if (row->bank[bank].wen) past->bank[bank].known[waddr] = true;
    return row->bank[bank].byp || row->bank[bank].dly || raddr != CRL_NONE;
}

// One row of a table. came: the ports at which words arrive in it, at every node that has the table.
static void make_row(const struct crl_image *image, uint32_t number, uint64_t came, struct past *past,
                     struct crl_row *row)
{
    const struct crl_geometry *g = &image->geometry;
    const bool direct = crl_geometry_is_direct(g);
    bool live[CRL_PORTS_MAX] = {0};
    memset(row, 0, sizeof *row);
    for (uint32_t j = 0; j < g->lanes; j++) {
        row->lane[j].iport = (uint8_t)below(members(g, j));
        live[j] = came >> (row->lane[j].iport * g->lanes + j) & 1;
        row->lane[j].exp = below(200) ? live[j] : !live[j];
        row->lane[j].ov = number + 1 < g->rows && below(3);
        row->lane[j].oport = (uint8_t)below(members(g, j));
    }
    bool holds[CRL_BANKS_MAX] = {0}; // there is something to show
    for (uint32_t b = 0; b < g->banks && !g->combine; b++) {
        const uint32_t zero = past->bank[b].zero, addresses = UINT32_C(1) << g->addr_width;
        const uint32_t input = g->write_xbar ? below(g->lanes) : b;
        const uint32_t waddr = g->waddr_field ? below(addresses) : number;
        const uint32_t raddr = past->bank[b].kept ? zero : pick_word(past, b, addresses);
        row->bank[b].wsel = g->write_xbar ? input : 0;
        row->bank[b].waddr = g->waddr_field ? waddr : 0;
        row->bank[b].wen = live[input] && waddr < addresses && waddr != zero && below(2);
        row->bank[b].byp = !direct && live[input] && below(2);
        row->bank[b].raddr = raddr == CRL_NONE ? 0 : raddr;
        row->bank[b].dly = g->delay && live[input] && zero != CRL_NONE && below(3) == 0;
        holds[b] = row->bank[b].byp || raddr != CRL_NONE;
        past->bank[b].wrote = row->bank[b].wen;
        past->bank[b].waddr = waddr;
        if (row->bank[b].wen) past->bank[b].known[waddr] = true;
        past->bank[b].kept = row->bank[b].dly;
    }
    for (uint32_t b = 0; b < g->banks && g->combine; b++) holds[b] = make_sum(g, b, live, past, row);
    for (uint32_t j = 0; j < g->lanes; j++) {
        uint32_t source = below(g->banks + (direct ? g->lanes : 0));
        if (direct && source < g->lanes && !live[source]) source = g->lanes + below(g->banks);
        if (!direct || source >= g->lanes) row->lane[j].ov &= holds[source - (direct ? g->lanes : 0)];
        row->lane[j].osel = (uint8_t)source;
    }
}

// Rows in their order, all tables side by side: what arrives follows from what was sent. Where nodes share a table,
// they do the same.
static void make_tables(struct subject *s)
{
    struct crl_image *image = &s->image;
    const struct crl_geometry *g = &image->geometry;
    uint64_t *out = calloc(image->nodes, sizeof *out), *in = calloc(image->nodes, sizeof *in);
    struct past *past = calloc(image->tables, sizeof *past);
    if (!out || !in || !past || g->addr_width > 8) abort();
    for (uint32_t t = 0; t < image->tables; t++) begin(image, t, &past[t]);
    for (uint32_t r = 0; r < g->rows; r++) {
        for (uint32_t v = 0; v < image->nodes; v++) {
            in[v] = 0;
            for (uint32_t p = 0; p < g->ports; p++) {
                const uint32_t from = crl_topology_behind(s->network, v, p);
                if (from != CRL_NONE && out[from] >> p & 1) in[v] |= UINT64_C(1) << p;
            }
        }
        for (uint32_t t = 0; t < image->tables; t++) {
            struct crl_row row;
            uint32_t v = 0;
            while (image->node_table[v] != t) v++;
            make_row(image, r, in[v], &past[t], &row);
            crl_row_pack(g, &row, image->store.bits + ((size_t)t * g->rows + r) * image->store.row_words);
            uint64_t ports = 0;
            for (uint32_t j = 0; j < g->lanes; j++)
                if (row.lane[j].ov) ports |= UINT64_C(1) << (row.lane[j].oport * g->lanes + j);
            for (v = 0; v < image->nodes; v++)
                if (image->node_table[v] == t) out[v] = ports, sent += (uint64_t)__builtin_popcountll(ports);
        }
    }
    free(out);
    free(in);
    free(past);
}

// ---- tables with streams, of routers that serve all ports at once: each lane takes and shows as many words as are due

enum { ROWS_MAX = 64, NODES_MAX = 64 };

static struct {
    uint64_t out[NODES_MAX][ROWS_MAX], own[NODES_MAX][ROWS_MAX], shown[NODES_MAX][ROWS_MAX]; // by tables; bits of lanes
} drawn;

static uint32_t due(const struct crl_image *image, bool own, uint32_t node, uint32_t lane)
{
    uint32_t count = 0;
    while (crl_stream_lane_word(image, own, node, lane, count)) count++;
    return count;
}

// The ports at which words come in a row. Row 0 has those that leave in the last one.
static uint64_t arrivals(const struct subject *s, uint32_t node, uint32_t row)
{
    const struct crl_image *image = &s->image;
    const uint32_t rows = image->geometry.rows;
    uint64_t came = 0;
    for (uint32_t p = 0; p < image->geometry.ports; p++) {
        const uint32_t from = crl_topology_behind(s->network, node, p);
        if (from != CRL_NONE) came |= drawn.out[image->node_table[from]][(row + rows - 1) % rows] & UINT64_C(1) << p;
    }
    return came;
}

// Drops a departure, if at all nodes enough words for their streams come without it.
static void drop(const struct subject *s, uint32_t table, uint32_t row, uint32_t port)
{
    const struct crl_image *image = &s->image;
    drawn.out[table][row] &= ~(UINT64_C(1) << port);
    for (uint32_t v = 0; v < image->nodes; v++) {
        uint32_t came = 0;
        for (uint32_t r = 0; r < image->geometry.rows; r++) came += arrivals(s, v, r) >> port & 1;
        if (came >= due(image, false, v, port)) continue;
        drawn.out[table][row] |= UINT64_C(1) << port;
        return;
    }
}

// Which of the rows a lane takes, or shows, its words in: any of those that are possible.
static void draw_words(const struct subject *s, bool own, uint32_t node, uint32_t lane)
{
    const uint32_t rows = s->image.geometry.rows, table = s->image.node_table[node];
    uint32_t wanted = due(&s->image, own, node, lane), left = 0;
    for (uint32_t r = 0; r < rows; r++) left += own || arrivals(s, node, r) >> lane & 1;
    for (uint32_t r = 0; r < rows; r++) {
        if (!own && !(arrivals(s, node, r) >> lane & 1)) continue;
        const bool now = below(left--) < wanted;
        (own ? drawn.own : drawn.shown)[table][r] |= (uint64_t)now << lane;
        wanted -= now;
    }
}

// What a row of streams adds to one without: own words are shown beside a word that holds zero. The first row plays
// without its arrivals once, and the last one has a round's words behind it.
static void make_stream_row(const struct crl_image *image, uint32_t table, uint32_t number, uint64_t came,
                            struct past *past, struct crl_row *row)
{
    const struct crl_geometry *g = &image->geometry;
    const uint32_t addresses = UINT32_C(1) << g->addr_width;
    memset(row, 0, sizeof *row);
    for (uint32_t b = 0; b < g->banks; b++) {
        const bool own = drawn.own[table][number] >> b & 1, ends = number + 1 == g->rows;
        const bool next_own = !ends && drawn.own[table][number + 1] >> b & 1;
        const uint32_t input = g->write_xbar ? below(g->lanes) : b, raddr = pick_word(past, b, addresses);
        const uint32_t waddr = g->waddr_field ? below(addresses) : number & (addresses - 1);
        const bool live = came >> input & 1;
        row->bank[b].own = own;
        row->bank[b].wsel = g->write_xbar ? input : 0;
        row->bank[b].waddr = g->waddr_field ? waddr : 0;
        row->bank[b].wen = live && waddr && !ends && below(2);
        row->bank[b].raddr = own || past->bank[b].kept || raddr == CRL_NONE ? 0 : raddr;
        row->bank[b].byp = number && live && below(2);
        row->bank[b].dly = g->delay && live && !ends && !next_own && below(3) == 0;
        past->bank[b].wrote = row->bank[b].wen;
        past->bank[b].waddr = waddr;
        if (row->bank[b].wen && number) past->bank[b].known[waddr] = true;
        past->bank[b].kept = row->bank[b].dly;
    }
    for (uint32_t j = 0; j < g->lanes; j++) {
        row->lane[j].osel = (uint8_t)below(g->banks);
        row->lane[j].ov = drawn.out[table][number] >> j & 1;
        row->lane[j].exp = below(200) ? came >> j & 1 : !(came >> j & 1);
        row->lane[j].show = drawn.shown[table][number] >> j & 1;
    }
}

static void make_stream_tables(struct subject *s)
{
    struct crl_image *image = &s->image;
    const struct crl_geometry *g = &image->geometry;
    if (g->rows > ROWS_MAX || image->nodes > NODES_MAX || g->lanes != g->ports || g->addr_width > 8) abort();
    memset(&drawn, 0, sizeof drawn);
    for (uint32_t t = 0; t < image->tables; t++)
        for (uint32_t r = 0; r < g->rows; r++) drawn.out[t][r] = (UINT64_C(1) << g->ports) - 1;
    for (uint32_t t = 0; t < image->tables; t++)
        for (uint32_t r = 0; r < g->rows; r++)
            for (uint32_t p = 0; p < g->ports; p++)
                if (!below(3)) drop(s, t, r, p);
    for (uint32_t t = 0; t < image->tables; t++) {
        struct past past = {0};
        uint32_t v = 0;
        while (image->node_table[v] != t) v++;
        for (uint32_t j = 0; j < g->lanes; j++) {
            draw_words(s, true, v, j);
            draw_words(s, false, v, j);
        }
        for (uint32_t b = 0; b < g->banks; b++) past.bank[b].known[0] = true;
        for (uint32_t r = 0; r < g->rows; r++) {
            struct crl_row row;
            make_stream_row(image, t, r, arrivals(s, v, r), &past, &row);
            crl_row_pack(g, &row, image->store.bits + ((size_t)t * g->rows + r) * image->store.row_words);
            sent += (uint64_t)__builtin_popcountll(drawn.out[t][r]);
        }
    }
}

enum { ROUNDS = 3 }; // of streams

static bool same_memories(const struct subject *s, struct crl_model *model, struct crl_rtl *engine)
{
    const struct crl_image *image = &s->image;
    const uint32_t page = (s->streams ? ROUNDS : 1) * s->words - 1;
    for (uint32_t i = 0; i < image->place_sets; i++)
        for (uint32_t k = 0; k < image->after[i].count; k++)
            for (uint32_t v = 0; v < image->nodes; v++) {
                const struct crl_place *place = &image->after[i].place[k];
                uint64_t a, b;
                if (!image->folded && i != v) continue;
                crl_model_memory(model, v, 1, place->bank, page, place->addr, &a);
                (s->streams ? crl_rtl_streams_memory : crl_rtl_memory)(engine, v, 1, place->bank, page, place->addr,
                                                                       &b);
                if (a != b) return false;
            }
    return true;
}

// Some row of some table has odd parity.
static void spoil(struct crl_image *image)
{
    const size_t row = (size_t)below(image->tables) * image->geometry.rows + below(image->geometry.rows);
    image->store.bits[row * image->store.row_words] ^= 1;
}

static bool play(const struct subject *s, uint64_t seed)
{
    struct crl_diag diag = {0};
    struct crl_model *model = NULL;
    struct crl_rtl *engine = NULL;
    struct crl_rtl_options options = {.seed = seed, .threads = 1, .rounds = s->streams ? ROUNDS : 0};
    struct crl_compared compared;
    const char *names[] = {"model", "rtl"};
    if (crl_model_new(&model, &s->image, &s->problem, seed, &diag) ||
        (s->streams ? crl_rtl_streams_new : crl_rtl_slots_new)(&engine, &s->image, &s->problem, &options, &diag))
        die("engine", &diag);
    if (s->streams) crl_model_repeat(model, ROUNDS);
    struct crl_player players[] = {crl_model_player(model), crl_rtl_player(engine)};
    if (crl_compare(&compared, players, names, 2, s->image.nodes, s->image.geometry.ports, NULL, NULL, NULL, &diag))
        die("compare", &diag);
    char text[160];
    if (!compared.mismatches && crl_rtl_finish(engine, &diag)) die("finish", &diag);
    const struct crl_faults faults = crl_model_faults(model);
    const bool model_faults = faults.missing + faults.unexpected + faults.parity + faults.starved + faults.astray > 0,
               rtl_faults = crl_rtl_faults(engine, text) > 0;
    const bool same = !compared.mismatches && model_faults == rtl_faults && same_memories(s, model, engine);
    faulty += rtl_faults;
    if (!same)
        printf("%s on %s, %u lanes, %u banks, seed %llu: %s\n", s->algorithm, s->topology, s->lanes,
               s->image.geometry.banks, (unsigned long long)seed,
               compared.mismatches          ? "links differ"
               : model_faults != rtl_faults ? "faults differ"
                                            : "memories differ");
    crl_model_free(model);
    crl_rtl_free(engine);
    return same;
}

int main(int argc, char **argv)
{
    static struct subject subjects[] = {
        {.algorithm = "total-exchange", .topology = "hypercube:4", .lanes = 4, .words = 1},
        {.algorithm = "scatter", .topology = "mesh:3x4", .lanes = 4, .words = 1},
        {.algorithm = "total-exchange", .topology = "torus:3x4", .lanes = 2, .words = 2},
        {.algorithm = "gather", .topology = "hypercube:3", .lanes = 1, .words = 1},
        {.algorithm = "multinode-broadcast", .topology = "hypercube:4", .scheme = "rotation", .lanes = 4, .words = 1},
        {.algorithm = "total-exchange",
         .topology = "torus:3x3",
         .scheme = "one-bank",
         .lanes = 4,
         .banks = 1,
         .words = 1},
        {.algorithm = "all-reduce", .topology = "hypercube:3", .lanes = 3, .words = 1},
        {.algorithm = "all-reduce", .topology = "hypercube:3", .lanes = 1, .words = 2},
        {.algorithm = "scan", .topology = "ring:5", .lanes = 2, .words = 1},
        {.algorithm = "total-exchange", .topology = "hypercube:3", .lanes = 3, .words = 1, .streams = 3},
        {.algorithm = "multinode-broadcast", .topology = "mesh:3x3", .lanes = 4, .words = 2, .streams = 4},
    };
    const uint64_t runs = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    unsigned wrong = 0;
    if (!runs) return 2;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        prepare(&subjects[i]);
        for (uint64_t k = 0; k < runs; k++) {
            const uint64_t seed = (argc > 2 ? strtoull(argv[2], NULL, 10) : 1) + k;
            state = seed * 77 + i;
            (subjects[i].streams ? make_stream_tables : make_tables)(&subjects[i]);
            if (!below(8)) spoil(&subjects[i].image);
            wrong += !play(&subjects[i], seed);
        }
        crl_image_done(&subjects[i].image);
        crl_topology_free(subjects[i].network);
    }
    printf("%llu tables of each of %zu routers, %llu departures, %llu runs with faults, %u wrong\n",
           (unsigned long long)runs, sizeof subjects / sizeof *subjects, (unsigned long long)sent,
           (unsigned long long)faulty, wrong);
    return wrong || !faulty || faulty == runs * (sizeof subjects / sizeof *subjects);
}
