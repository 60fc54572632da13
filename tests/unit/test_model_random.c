// SPDX-License-Identifier: Apache-2.0
// The cycle model against the second writing of row.md, with tables that no schedule would make: every kind of router
// but those with streams, any network, links of any latency, several words, places anywhere.
#include "unit_reference.h"
#include "model/state.h"
#include <unistd.h>

enum { NODES_MAX = 33, ROWS_MAX = 16, TABLES_MAX = 4, PLACES_MAX = 4, WORDS_MAX = 6, SEED = 5 };

enum kind { KEEPS, DIRECT, ADDS, KINDS };

struct network {
    const char *name, *latency;
    bool shifts; // all nodes may have one set of places
};
static const struct network networks[] = {
    {"hypercube:1", NULL, true}, {"hypercube:3", NULL, true}, {"torus:3x3", "2,1", true}, {"ring:5", "3", true},
    {"mesh:3x2", NULL, false},   {"path:4", "2", false},      {"complete:5", NULL, true}, {"graph", NULL, false},
    {"complete:33", NULL, true}, // nodes of as many ports as there can be
};
enum { NETWORKS = sizeof networks / sizeof *networks };

static void open_network(struct unit *u, const struct network *network)
{
    static const char graph[] = "0 1 1 3\n1 2\n0 2 1 2\n2 3\n3 4 1 4\n"; // links by one port take differently long
    char path[] = "/tmp/carillon-graph-XXXXXX", name[64];
    memset(u, 0, sizeof *u);
    snprintf(name, sizeof name, "%s", network->name);
    if (!strcmp(name, "graph")) {
        int fd = mkstemp(path);
        assert_int_equal(write(fd, graph, sizeof graph - 1), sizeof graph - 1);
        close(fd);
        snprintf(name, sizeof name, "graph:%s", path);
    }
    assert_int_equal(crl_topology_parse(&u->topology, name, &u->diag), 0);
    if (!strncmp(name, "graph", 5)) unlink(path);
    if (network->latency) assert_int_equal(crl_topology_set_latency(u->topology, network->latency, &u->diag), 0);
    assert_int_equal(crl_problem_init(&u->problem, "total-exchange", u->topology, 0, CRL_PORTS_ALL, &u->diag), 0);
    crl_schedule_init(&u->schedule, u->topology, CRL_NAMING_PAIR, false);
}

// ---------------------------------------------------------------- images

struct maker {
    uint64_t random;
    struct crl_row row[TABLES_MAX][ROWS_MAX];
    bool idle[TABLES_MAX][ROWS_MAX];
};

static uint32_t below(struct maker *m, uint32_t end) { return unit_below(&m->random, end); }

static void choose_geometry(struct maker *m, struct crl_geometry *g, enum kind kind, uint32_t ports)
{
    static const uint32_t widths[] = {8, 16, 32, 64};
    *g = (struct crl_geometry){.ports = ports, .lanes = 1 + below(m, ports), .data_width = widths[below(m, 4)]};
    g->write_xbar = kind != KEEPS || below(m, 2);
    g->delay = kind == ADDS || (kind == KEEPS && below(m, 2));
    g->waddr_field = kind == ADDS || below(m, 2);
    g->banks = g->write_xbar ? g->lanes + below(m, 3) : g->lanes;
    if (kind == DIRECT && g->lanes > 1) g->banks = 1 + below(m, g->lanes - 1);
    if (kind == ADDS) {
        uint32_t op = below(m, CRL_OPS);
        if (crl_op_floats((enum crl_op)op)) g->data_width = 32;
        g->combine = 1 + op;
        g->banks = 1 + below(m, g->lanes + 2);
    }
    if (ports == CRL_PORTS_MAX && !below(m, 4)) { // the largest there is
        g->lanes = ports;
        g->write_xbar = 1;
        g->banks = CRL_BANKS_MAX;
    }
    g->addr_width = 1 + below(m, 3);
    g->rows = 3 + below(m, ROWS_MAX - 2);
    g->words = 1 + below(m, WORDS_MAX);
}

// So many bits, 32 at most.
static uint32_t ones(struct maker *m, uint32_t bits)
{
    return bits < 32 ? below(m, UINT32_C(1) << bits) : below(m, UINT32_C(1) << 16) << 16 | below(m, UINT32_C(1) << 16);
}

static void choose_row(struct maker *m, const struct crl_geometry *g, struct crl_row *row, bool sends)
{
    uint32_t group = crl_bits_for(crl_ceil_div(g->ports, g->lanes)), member = ones(m, group);
    memset(row, 0, sizeof *row);
    for (uint32_t b = 0; b < g->banks; b++) {
        row->bank[b].raddr = ones(m, g->addr_width);
        row->bank[b].waddr = g->waddr_field ? ones(m, g->addr_width) : 0;
        row->bank[b].byp = !crl_geometry_is_direct(g) && !below(m, 3);
        row->bank[b].dly = g->delay && !below(m, 3);
        row->bank[b].wen = below(m, 2) != 0;
        row->bank[b].wsel = g->combine ? ones(m, g->lanes) : g->write_xbar ? ones(m, crl_bits_for(g->lanes)) : 0;
        if (!g->combine) continue;
        uint32_t from = below(m, 4);
        row->bank[b].set = from == 0;
        row->bank[b].fwd = from == 1;
        row->bank[b].flip = from == 2;
        if (from == 0 && !row->bank[b].wsel) row->bank[b].wsel = 1; // a sum of nothing is undefined
    }
    for (uint32_t j = 0; j < g->lanes; j++) {
        row->lane[j].ov = sends && below(m, 3);
        row->lane[j].osel = (uint8_t)ones(m, crl_bits_for(crl_geometry_bank_select(g, g->banks)));
        row->lane[j].oport = (uint8_t)(below(m, 8) ? member : ones(m, group));
        row->lane[j].iport = (uint8_t)(below(m, 8) ? member : ones(m, group));
    }
}

// The ports by which the table's row says to send.
static uint32_t sent_by(const struct maker *m, const struct crl_geometry *g, uint32_t table, uint32_t r)
{
    uint32_t ports = 0;
    for (uint32_t j = 0; j < g->lanes; j++) {
        uint32_t port = j + g->lanes * m->row[table][r].lane[j].oport;
        if (m->row[table][r].lane[j].ov && port < g->ports) ports |= UINT32_C(1) << port;
    }
    return ports;
}

// Rows expect what comes in the first round, at a node of the table; seldom something else.
static void expect(struct maker *m, const struct crl_image *image, const struct crl_topology *t, uint32_t node)
{
    const struct crl_geometry *g = &image->geometry;
    uint32_t table = image->node_table[node], slot = crl_slot_cycles(g, image->port_model);
    for (uint32_t r = 0; r < g->rows; r++)
        for (uint32_t p = 0; p < g->ports; p++) {
            uint32_t from = crl_topology_behind(t, node, p);
            uint32_t ago = from == CRL_NONE ? 0 : 1 + (crl_topology_latency(t, from, p) - 1) * slot;
            bool comes = from != CRL_NONE && r >= ago && sent_by(m, g, image->node_table[from], r - ago) >> p & 1;
            if (!below(m, 300)) comes = !comes;
            if (!comes) continue;
            uint32_t seen = p && !below(m, 80) ? p - 1 : p; // as many as come, but by another port
            m->idle[table][r] = false;
            m->row[table][r].lane[seen % g->lanes].exp = 1;
            m->row[table][r].lane[seen % g->lanes].iport = (uint8_t)(seen / g->lanes);
        }
    uint32_t group = crl_bits_for(crl_ceil_div(g->ports, g->lanes));
    for (uint32_t tries = below(m, 3) / 2; tries; tries--) { // and what there is no port for
        uint32_t r = below(m, g->rows), j = below(m, g->lanes);
        m->idle[table][r] = false;
        m->row[table][r].lane[j].exp = 1;
        m->row[table][r].lane[j].iport = (uint8_t)((UINT32_C(1) << group) - 1);
    }
}

static void build_store(struct maker *m, struct crl_image *image)
{
    const struct crl_geometry *g = &image->geometry;
    struct crl_row_builder *builder;
    struct crl_row_layout layout = crl_row_layout(g);
    uint32_t number[ROWS_MAX], bits[ROWS_MAX * CRL_ROW_WORDS_MAX], tables;
    assert_int_equal(crl_row_builder_new(&builder, layout.words), 0);
    for (uint32_t t = 0; t < image->tables; t++) {
        uint32_t count = 0;
        for (uint32_t r = 0; r < g->rows; r++) {
            if (m->idle[t][r]) continue;
            crl_row_pack(g, &m->row[t][r], bits + count * layout.words);
            bits[count * layout.words] ^= !below(m, 150); // parity
            number[count++] = r;
        }
        assert_int_equal(crl_row_builder_add(builder, number, bits, count, false), t);
    }
    assert_int_equal(crl_row_builder_end(builder, &image->store, &tables), 0);
}

static bool is_place(const struct crl_places *places, uint32_t bank, uint32_t addr)
{
    for (uint32_t i = 0; i < places->count; i++)
        if (places->place[i].bank == bank && places->place[i].addr == addr) return true;
    return false;
}

static struct crl_places choose_places(struct maker *m, const struct crl_image *image, uint32_t node)
{
    struct crl_places places = {0, calloc(PLACES_MAX, sizeof(struct crl_place))};
    assert_non_null(places.place);
    for (uint32_t tries = below(m, PLACES_MAX + 1); tries; tries--) {
        uint32_t dest = (node + 1 + below(m, image->nodes - 1)) % image->nodes;
        uint32_t bank = below(m, image->geometry.banks), addr = ones(m, image->geometry.addr_width);
        if (!is_place(&places, bank, addr)) places.place[places.count++] = (struct crl_place){node, dest, bank, addr};
    }
    return places;
}

static void choose_zeros(struct maker *m, struct crl_image *image)
{
    image->zero = calloc((size_t)image->place_sets * image->geometry.banks, sizeof *image->zero);
    assert_non_null(image->zero);
    for (uint32_t v = 0; v < image->place_sets; v++)
        for (uint32_t b = 0; b < image->geometry.banks; b++) {
            uint32_t addr = ones(m, image->geometry.addr_width);
            if (is_place(&image->before[v], b, addr) || below(m, 3)) continue;
            image->zero[image->zeros++] = (struct crl_zero){v, b, addr};
        }
}

static void make_image(struct maker *m, struct crl_image *image, const struct unit *u, enum kind kind, bool shifts)
{
    memset(image, 0, sizeof *image);
    choose_geometry(m, &image->geometry, kind, crl_topology_ports(u->topology));
    struct crl_geometry *g = &image->geometry;
    image->nodes = crl_topology_nodes(u->topology);
    image->port_model = below(m, 3) ? CRL_PORTS_ALL : CRL_PORTS_SINGLE;
    image->tables = 1 + below(m, TABLES_MAX < image->nodes ? TABLES_MAX : image->nodes);
    if (shifts && below(m, 2)) image->tables = 1;
    image->folded = shifts && image->tables == 1 && below(m, 2);
    image->place_sets = image->folded ? 1 : image->nodes;
    image->node_table = calloc(image->nodes, sizeof *image->node_table);
    image->before = calloc(image->place_sets, sizeof *image->before);
    image->after = calloc(image->place_sets, sizeof *image->after);
    assert_true(image->node_table && image->before && image->after);
    for (uint32_t v = 0; v < image->nodes; v++) image->node_table[v] = v < image->tables ? v : below(m, image->tables);
    for (uint32_t v = 0; v < image->place_sets; v++) {
        image->before[v] = choose_places(m, image, v);
        image->after[v] = choose_places(m, image, v);
    }
    choose_zeros(m, image);
    bool quiet = below(m, 2); // nothing is under way from one round to the next
    for (uint32_t r = 0; r < g->rows; r++)
        for (uint32_t t = 0; t < image->tables; t++) {
            m->idle[t][r] = !below(m, 4);
            choose_row(m, g, &m->row[t][r], !m->idle[t][r] && (!quiet || r + 4 < g->rows));
            if (m->idle[t][r]) memset(&m->row[t][r], 0, sizeof m->row[t][r]);
            if (t && !below(m, 4)) m->row[t][r] = m->row[0][r], m->idle[t][r] = m->idle[0][r];
        }
    for (uint32_t t = 0; t < image->tables; t++) expect(m, image, u->topology, t); // which node t plays
    build_store(m, image);
}

// ---------------------------------------------------------------- memory

// What happens to an address of a bank, of all nodes of a table.
struct life {
    bool named, loaded, kept, garbage; // garbage: is read, but not written before at all nodes
    uint32_t loads, written, end;      // 1 + the first row that writes it, and the last that does anything; 0: none
};

static void lives_of_places(struct life *life, const struct crl_image *image, uint32_t node, uint32_t bank)
{
    const struct crl_places *before = &image->before[image->folded ? 0 : node],
                            *after = &image->after[image->folded ? 0 : node];
    uint32_t zero = crl_image_zero(image, image->folded ? 0 : node, bank);
    if (zero != CRL_NONE) life[zero].named = life[zero].loaded = true, life[zero].loads++;
    for (uint32_t i = 0; i < before->count; i++)
        if (before->place[i].bank == bank) {
            struct life *l = &life[before->place[i].addr];
            l->named = l->loaded = true;
            l->loads++;
        }
    for (uint32_t i = 0; i < after->count; i++)
        if (after->place[i].bank == bank) life[after->place[i].addr].named = life[after->place[i].addr].kept = true;
}

static void lives_of_row(struct life *life, const struct crl_geometry *g, const struct crl_row *row, uint32_t r,
                         uint32_t bank, uint32_t nodes)
{
    bool shown = !row->bank[bank].byp && !(g->combine && row->bank[bank].dly), read = false;
    for (uint32_t j = 0; j < g->lanes; j++)
        read |= shown && row->lane[j].ov && row->lane[j].osel == crl_geometry_bank_select(g, bank);
    if (read) {
        struct life *l = &life[row->bank[bank].raddr];
        l->named = true;
        l->end = r + 1;
        l->garbage |= (!l->written || l->written + 1 > r) && l->loads < nodes;
    }
    if (!row->bank[bank].wen && !(g->combine && row->bank[bank].byp)) return;
    uint32_t addr = g->waddr_field ? row->bank[bank].waddr : r % (1u << g->addr_width);
    life[addr].named = true;
    life[addr].end = r + 1;
    if (!life[addr].written) life[addr].written = r + 1;
    if (row->bank[bank].flip) life[addr ^ 1].named = true;
}

// Whether an address has a word when one is written for the first time in the row before `written`.
static bool lives(const struct life *l, uint32_t written)
{
    bool begun = l->loaded || l->garbage || !l->written || l->written <= written;
    return l->named && begun && (l->kept || l->garbage || l->end == 0 || l->end > written);
}

// Words of a bank: addresses from the first to the last that is named, and the least words that do.
static void count_words(const struct life *life, const struct crl_geometry *g, uint32_t *addresses, uint32_t *words)
{
    uint32_t depth = 1u << g->addr_width, first = depth, end = 0, most = 0;
    for (uint32_t written = 0; written <= g->rows; written++) { // 0: before the first row
        uint32_t now = 0;
        bool any = !written;
        for (uint32_t a = 0; a < depth; a++) {
            bool anew = written && life[a].written == written && !life[a].loaded && !life[a].garbage;
            now += anew || lives(&life[a], written);
            any |= anew;
        }
        if (any && now > most) most = now;
    }
    for (uint32_t a = 0; a < depth; a++) {
        if (!life[a].named) continue;
        if (first == depth) first = a;
        end = a + 1;
    }
    *addresses = end ? end - first : 0;
    *words = g->combine ? *addresses : most;
}

static void assert_no_more_memory_than_needed(const struct crl_image *image, const struct crl_model *model)
{
    const struct crl_geometry *g = &image->geometry;
    size_t all_addresses = 0, all_words = 0;
    for (uint32_t t = 0; t < image->tables; t++)
        for (uint32_t b = 0; b < g->banks; b++) {
            struct life life[1 << 3] = {{0}};
            struct crl_row row;
            uint32_t nodes = 0, addresses, words;
            for (uint32_t v = 0; v < image->nodes; v++) {
                if (image->node_table[v] != t) continue;
                lives_of_places(life, image, v, b);
                nodes++;
            }
            for (uint32_t r = 0; r < g->rows; r++) {
                crl_row_unpack(g, crl_image_row(image, t, r), &row);
                lives_of_row(life, g, &row, r, b, nodes);
            }
            count_words(life, g, &addresses, &words);
            all_addresses += addresses;
            all_words += (size_t)words * nodes;
        }
    assert_int_equal(model->addresses, all_addresses);
    assert_int_equal(model->words, all_words);
}

// ---------------------------------------------------------------- plays

struct watcher {
    uint32_t calls;
    uint64_t word[WORDS_MAX][NODES_MAX][PLACES_MAX];
};

static const struct crl_places *after_of(const struct crl_image *image, uint32_t node)
{
    return &image->after[image->folded ? 0 : node];
}

static void read_all(struct crl_model *model, const struct crl_image *image, uint32_t page,
                     uint64_t word[NODES_MAX][PLACES_MAX])
{
    uint64_t all[NODES_MAX];
    for (uint32_t v = 0; v < image->nodes; v++)
        for (uint32_t k = 0; k < after_of(image, v)->count; k++) {
            const struct crl_place *p = &after_of(image, v)->place[k];
            crl_model_memory(model, v, 1, p->bank, page, p->addr, &word[v][k]);
            crl_model_memory(model, 0, v + 1, p->bank, page, p->addr, all); // of all nodes up to this one
            assert_true(all[v] == word[v][k]);
        }
}

static const struct crl_image *watched;

static void watch(void *user, struct crl_model *model, uint32_t first, uint32_t count)
{
    struct watcher *w = user;
    assert_int_equal(first, w->calls);
    assert_int_equal(count, 1);
    read_all(model, watched, first, w->word[w->calls++]);
}

static void assert_nothing_lies_elsewhere(struct crl_model *model, const struct crl_image *image)
{
    const struct crl_geometry *g = &image->geometry;
    for (uint32_t v = 0; v + 1 < image->nodes; v++) {
        uint64_t words[3] = {7, 7, 7};
        crl_model_memory(model, v, 2, g->banks, g->words - 1, 0, words);
        assert_true(!words[0] && !words[1] && words[2] == 7);
    }
}

struct tally {
    unsigned clean, faulty;
};

static void assert_plays_alike(const struct unit *u, const struct crl_image *image, bool watching, struct tally *tally)
{
    struct reference reference = reference_new(image, &u->problem, SEED);
    struct watcher w = {0};
    struct crl_model *model;
    assert_int_equal(crl_model_new(&model, image, &u->problem, SEED, NULL), 0);
    if (image->geometry.addr_width <= 3) assert_no_more_memory_than_needed(image, model);
    watched = image;
    if (watching) crl_model_hand_over(model, watch, &w);
    struct crl_player player = crl_model_player(model);
    const uint32_t *valid;
    const uint64_t *data;
    for (int last = 0; !last;) {
        last = player.step(player.self, &valid, &data);
        assert_int_equal(reference_step(&reference), last);
        for (uint32_t v = 0; v < image->nodes; v++)
            for (uint32_t p = 0; p < image->geometry.ports; p++) {
                size_t at = (size_t)v * image->geometry.ports + p;
                assert_int_equal(valid[v] >> p & 1, reference.valid[v] >> p & 1);
                if (valid[v] >> p & 1) assert_true(data[at] == reference.data[at]);
            }
        struct crl_faults a = crl_model_faults(model), b = reference.faults;
        assert_memory_equal(&a, &b, sizeof a);
    }
    assert_int_equal(player.step(player.self, &valid, &data), 1); // and no further
    uint32_t words = image->geometry.words;
    assert_int_equal(w.calls, watching ? words : 0);
    for (uint32_t page = words < CRL_MODEL_PAGES || watching ? 0 : words - CRL_MODEL_PAGES; page < words; page++) {
        if (!watching) read_all(model, image, page, w.word[page]);
        for (uint32_t v = 0; v < image->nodes; v++)
            for (uint32_t k = 0; k < after_of(image, v)->count; k++) {
                const struct crl_place *p = &after_of(image, v)->place[k];
                assert_true(w.word[page][v][k] == *reference_word(&reference, v, p->bank, page, p->addr));
            }
    }
    assert_nothing_lies_elsewhere(model, image);
    bool faulty = reference.faults.missing || reference.faults.unexpected || reference.faults.parity;
    *(faulty ? &tally->faulty : &tally->clean) += 1;
    crl_model_free(model);
    reference_done(&reference);
}

static void play_random(enum kind kind)
{
    struct maker *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->random = 40 + kind;
    struct tally tally = {0};
    for (uint32_t round = 0; round < 40 * NETWORKS; round++) {
        struct unit u;
        struct crl_image image;
        open_network(&u, &networks[round % NETWORKS]);
        make_image(m, &image, &u, kind, networks[round % NETWORKS].shifts);
        assert_plays_alike(&u, &image, below(m, 3) == 0, &tally);
        crl_image_done(&image);
        unit_close(&u);
    }
    assert_true(tally.clean > 20 && tally.faulty > 20);
    free(m);
}

static void banks_keep_what_comes(void **state)
{
    (void)state;
    play_random(KEEPS);
}

static void fewer_banks_than_lanes(void **state)
{
    (void)state;
    play_random(DIRECT);
}

static void banks_add_up_what_comes(void **state)
{
    (void)state;
    play_random(ADDS);
}

// All send by port 1 and listen to port 0, in two tables: as many words come as are expected, but nowhere where they
// are.
static void as_many_words_elsewhere_are_not_right(void **state)
{
    (void)state;
    struct maker *m = calloc(1, sizeof *m);
    struct unit u;
    struct crl_image image = {
        .geometry = {.ports = 2, .lanes = 2, .banks = 2, .data_width = 32, .addr_width = 1, .rows = 2, .words = 1},
        .nodes = 4,
        .port_model = CRL_PORTS_ALL,
        .tables = 2,
        .place_sets = 4};
    struct tally tally = {0};
    struct network square = {"hypercube:2", NULL, true};
    assert_non_null(m);
    open_network(&u, &square);
    image.node_table = calloc(4, sizeof *image.node_table);
    image.before = calloc(4, sizeof *image.before);
    image.after = calloc(4, sizeof *image.after);
    assert_true(image.node_table && image.before && image.after);
    image.node_table[1] = image.node_table[2] = 1;
    for (uint32_t t = 0; t < 2; t++) {
        m->row[t][0].lane[1].ov = 1;
        m->row[t][1].lane[0].exp = 1;
    }
    m->random = 3; // of no bad parity
    build_store(m, &image);
    assert_plays_alike(&u, &image, false, &tally);
    assert_int_equal(tally.faulty, 1);
    crl_image_done(&image);
    unit_close(&u);
    free(m);
}

// ---------------------------------------------------------------- limits

// Two nodes, or a path, that have one table of `rows` different rows, each beginning with a read of its own address.
static void open_long(struct unit *u, struct crl_image *image, const char *topology, uint32_t rows, uint32_t addr_width)
{
    uint64_t random = 50;
    struct crl_row_builder *builder;
    struct network network = {topology, NULL, false};
    open_network(u, &network);
    *image = (struct crl_image){.geometry = {.ports = crl_topology_ports(u->topology),
                                             .lanes = 1,
                                             .banks = 1,
                                             .delay = 1,
                                             .waddr_field = 1,
                                             .data_width = 64,
                                             .addr_width = addr_width,
                                             .rows = rows,
                                             .words = 1},
                                .nodes = crl_topology_nodes(u->topology),
                                .port_model = CRL_PORTS_ALL};
    struct crl_geometry *g = &image->geometry;
    uint32_t words = crl_row_words(g), *bits = calloc((size_t)rows * words, sizeof *bits);
    uint32_t *numbers = malloc(sizeof *numbers * rows);
    image->place_sets = image->nodes;
    image->node_table = calloc(image->nodes, sizeof *image->node_table);
    image->before = calloc(image->nodes, sizeof *image->before);
    image->after = calloc(image->nodes, sizeof *image->after);
    assert_true(bits && numbers && image->node_table && image->before && image->after);
    for (uint32_t r = 0; r < rows; r++) {
        struct crl_row row = {.bank[0] = {.raddr = r,
                                          .waddr = unit_below(&random, 2) ? r + 1 : unit_below(&random, rows),
                                          .dly = !unit_below(&random, 8),
                                          .wen = unit_below(&random, 2) != 0},
                              .lane[0] = {.ov = 1, .exp = r > 0}};
        crl_row_pack(g, &row, bits + (size_t)r * words);
        numbers[r] = r;
    }
    assert_int_equal(crl_row_builder_new(&builder, words), 0);
    crl_row_builder_add(builder, numbers, bits, rows, false);
    assert_int_equal(crl_row_builder_end(builder, &image->store, &image->tables), 0);
    assert_int_equal(image->store.distinct, rows);
    free(numbers);
    free(bits);
}

static void rows_too_many_to_be_kept_unpacked(void **state)
{
    (void)state;
    enum { KEPT = 1 << 17 };
    for (uint32_t more = 0; more < 2; more++) {
        struct unit u;
        struct crl_image image;
        struct crl_model *model;
        struct tally tally = {0};
        open_long(&u, &image, "hypercube:1", KEPT + more, 18);
        assert_int_equal(crl_model_new(&model, &image, &u.problem, SEED, NULL), 0);
        assert_int_equal(model->reader.kept != NULL, !more);
        crl_model_free(model);
        if (more) assert_plays_alike(&u, &image, false, &tally);
        assert_int_equal(tally.faulty, 0);
        crl_image_done(&image);
        unit_close(&u);
    }
}

static void assert_too_large(const struct unit *u, const struct crl_image *image)
{
    struct crl_model *model;
    struct crl_diag diag;
    assert_int_equal(crl_model_new(&model, image, &u->problem, SEED, &diag), CRL_ERR_LIMIT);
    assert_null(model);
    assert_string_equal(diag.text, "the memories of this image are too large to model");
}

static void what_cannot_be_numbered_is_refused(void **state)
{
    (void)state;
    struct unit u;
    struct crl_image image;
    open_long(&u, &image, "hypercube:1", 2, 1);
    size_t end = image.store.first[1];
    for (uint64_t uses = UINT32_MAX; uses < UINT32_MAX + UINT64_C(2); uses++) {
        image.store.first[1] = uses; // which nobody looks at
        assert_too_large(&u, &image);
    }
    image.store.first[1] = end;
    crl_image_done(&image);
    unit_close(&u);

    // 2^30 addresses at 15 nodes, and once more to find them.
    open_long(&u, &image, "path:15", 2, 30);
    struct crl_row row;
    crl_row_unpack(&image.geometry, image.store.bits, &row);
    row.bank[0].raddr = (UINT32_C(1) << 30) - 1;
    row.bank[0].wen = 1;
    row.bank[0].waddr = 0;
    crl_row_pack(&image.geometry, &row, image.store.bits);
    assert_too_large(&u, &image);
    crl_image_done(&image);
    unit_close(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(banks_keep_what_comes),
        cmocka_unit_test(fewer_banks_than_lanes),
        cmocka_unit_test(banks_add_up_what_comes),
        cmocka_unit_test(as_many_words_elsewhere_are_not_right),
        cmocka_unit_test(rows_too_many_to_be_kept_unpacked),
        cmocka_unit_test(what_cannot_be_numbered_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
