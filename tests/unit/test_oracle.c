// SPDX-License-Identifier: Apache-2.0
// The result oracle against memories made up here.
#include "unit.h"

// Memories that hold exactly what the image says, but for one word.
struct memories {
    const struct unit *u;
    const struct crl_image *image;
    uint32_t node, bank, page, addr; // the wrong one
    uint64_t flip;
};

enum { SEED = 4 };

static uint64_t word_of(const struct memories *m, uint32_t node, uint32_t bank, uint32_t page, uint32_t addr)
{
    uint32_t by = m->image->folded ? node : 0;
    const struct crl_places *places = &m->image->after[m->image->folded ? 0 : node];
    bool pair = crl_problem_naming(&m->u->problem) == CRL_NAMING_PAIR,
         hit = node == m->node && bank == m->bank && page == m->page && addr == m->addr;
    for (uint32_t i = 0; i < places->count; i++) {
        const struct crl_place *p = &places->place[i];
        if (p->bank != bank || p->addr != addr) continue;
        return crl_payload(&m->u->problem, p->origin ^ by, pair ? p->dest ^ by : 0, page, &m->image->geometry, SEED) ^
               (hit ? m->flip : 0);
    }
    return 0;
}

static void read_words(void *user, uint32_t node, uint32_t count, uint32_t bank, uint32_t page, uint32_t addr,
                       uint64_t *words)
{
    for (uint32_t i = 0; i < count; i++) words[i] = word_of(user, node + i, bank, page, addr);
}

static void open_both(struct unit *u, struct crl_image *image, int scheme, uint32_t words)
{
    struct crl_lower_options options = {3, 0, words, 32, 0, 0};
    unit_plan(u, unit_schemes[scheme], 3, 5);
    assert_int_equal(crl_lower(image, &u->schedule, &u->problem, "test", &options, NULL), 0);
}

static void close_both(struct unit *u, struct crl_image *image)
{
    crl_image_done(image);
    unit_close(u);
}

static const char *judge(const struct unit *u, const struct crl_image *image, struct crl_diag *where)
{
    struct memories m = {u, image, CRL_NONE, 0, 0, 0, 0};
    return crl_oracle(image, &u->problem, SEED, read_words, &m, where);
}

static void right_memories_are_ok(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++)
        for (uint32_t words = 1; words <= 3; words++) {
            struct unit u;
            struct crl_image image;
            open_both(&u, &image, k, words);
            assert_string_equal(judge(&u, &image, NULL), "ok");
            close_both(&u, &image);
        }
}

static void a_good_run_of_the_model_is_ok(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++) {
        struct unit u;
        struct crl_image image;
        struct crl_model *model;
        const uint32_t *valid;
        const uint64_t *data;
        open_both(&u, &image, k, 2);
        assert_int_equal(crl_model_new(&model, &image, &u.problem, SEED, NULL), 0);
        struct crl_player player = crl_model_player(model);
        assert_string_not_equal(crl_oracle(&image, &u.problem, SEED, crl_model_memory, model, NULL), "ok"); // not yet
        while (!player.step(player.self, &valid, &data)) {
        }
        assert_string_equal(crl_oracle(&image, &u.problem, SEED, crl_model_memory, model, NULL), "ok");
        assert_string_equal(crl_oracle(&image, &u.problem, SEED + 1, crl_model_memory, model, NULL),
                            "wrong"); // other data
        crl_model_free(model);
        close_both(&u, &image);
    }
}

static void every_wrong_word_is_found(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++) {
        struct unit u;
        struct crl_image image;
        open_both(&u, &image, k, 3);
        for (uint32_t v = 0; v < 8; v++) {
            const struct crl_places *places = &image.after[image.folded ? 0 : v];
            for (uint32_t i = 0; i < places->count; i++)
                for (uint32_t page = 0; page < 3; page++) {
                    struct memories m = {
                        &u, &image, v, places->place[i].bank, page, places->place[i].addr, UINT64_C(1) << (i + v)};
                    struct crl_diag where;
                    char node[32];
                    assert_string_equal(crl_oracle(&image, &u.problem, SEED, read_words, &m, &where), "wrong");
                    snprintf(node, sizeof node, "node %u,", v);
                    assert_non_null(strstr(where.text, node));
                    assert_string_equal(crl_oracle(&image, &u.problem, SEED, read_words, &m, NULL), "wrong");
                }
        }
        close_both(&u, &image);
    }
}

static void a_packet_without_a_place_is_missing(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++) {
        struct unit u;
        struct crl_image image;
        struct crl_diag where;
        open_both(&u, &image, k, 1);
        for (uint32_t v = 0; v < image.place_sets; v++) {
            if (!image.after[v].count) continue;
            image.after[v].count--;
            assert_string_equal(judge(&u, &image, &where), "missing");
            assert_true(*where.text);
            image.after[v].count++;
        }
        close_both(&u, &image);
    }
}

// Adds a place, of packet (origin, dest) at an address of its own, to node v's.
static void add_place(struct crl_places *places, uint32_t origin, uint32_t dest)
{
    places->place = realloc(places->place, sizeof *places->place * (places->count + 1));
    places->place[places->count++] = (struct crl_place){origin, dest, 0, 200};
}

static void a_place_too_many_is_extra(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++) {
        struct unit u;
        struct crl_image image;
        open_both(&u, &image, k, 1);
        for (uint32_t v = 0; v < image.place_sets; v++) {
            struct crl_places *places = &image.after[v];
            if (places->count) { // one that it has already
                add_place(places, places->place[0].origin, places->place[0].dest);
                assert_string_equal(judge(&u, &image, NULL), "extra");
                places->count--;
            }
            add_place(places, 6, 7); // one that is for others, or that there is not
            bool for_it = k == 4 && v == 7;
            if (!for_it) assert_string_equal(judge(&u, &image, NULL), "extra");
            places->count--;
        }
        close_both(&u, &image);
    }
}

static void a_packet_in_place_of_another_is_extra(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++) {
        struct unit u;
        struct crl_image image;
        open_both(&u, &image, k, 1);
        for (uint32_t v = 0; v < image.place_sets; v++) {
            struct crl_places *places = &image.after[v];
            if (!places->count) continue;
            struct crl_place right = places->place[0], *p = &places->place[0];
            if (k == 1) p->origin = places->place[1].origin; // all are wanted, so only twice is wrong
            else if (k == 0) p->origin ^= 1;                 // there is no such packet
            else if (k == 2) p->dest ^= 1;                   // somebody else's
            else if (k == 3) p->origin = 5;                  // from the root to the root
            else p->dest ^= 1;
            assert_string_equal(judge(&u, &image, NULL), "extra");
            *p = right;
        }
        close_both(&u, &image);
    }
}

static void two_packets_in_one_place_overlap(void **state)
{
    (void)state;
    for (int k = 1; k < UNIT_SCHEMES; k++) {
        struct unit u;
        struct crl_image image;
        struct crl_diag where;
        open_both(&u, &image, k, 1);
        for (uint32_t v = 0; v < image.place_sets; v++) {
            struct crl_places *places = &image.after[v];
            if (places->count < 2) continue;
            struct crl_place *p = &places->place[places->count - 1], right = *p;
            p->bank = places->place[0].bank;
            p->addr = places->place[0].addr;
            assert_string_equal(judge(&u, &image, &where), "overlap");
            assert_non_null(strstr(where.text, "two packets"));
            *p = right;
        }
        close_both(&u, &image);
    }
}

// Verdict and words of what is found.
static void assert_says(const struct unit *u, const struct crl_image *image, const char *verdict, const char *text)
{
    struct crl_diag where = {.text = ""};
    assert_string_equal(judge(u, image, &where), verdict);
    assert_string_equal(where.text, text);
}

static void swap_places(struct crl_place *a, struct crl_place *b)
{
    struct crl_place kept = *a;
    *a = *b;
    *b = kept;
}

static void places_may_be_listed_in_any_order_but_each_packet_once(void **state)
{
    (void)state;
    struct unit u;
    struct crl_image image;
    char text[96];
    unit_plan(&u, unit_schemes[4], 3, 0);
    unit_expand(&u);
    struct crl_lower_options options = {3, 0, 1, 32, 0, 0};
    assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "test", &options, NULL), 0);
    for (uint32_t v = 0; v < 8; v++) {
        struct crl_place *p = image.after[v].place, right;
        uint32_t count = image.after[v].count;
        assert_int_equal(count, 7);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t k = 0; k < count; k++) {
                swap_places(&p[i], &p[k]);
                assert_says(&u, &image, "ok", "");
                if (i == k) continue;
                right = p[i];
                p[i].origin = p[k].origin;
                snprintf(text, sizeof text, "node %u: packet %u,%u is listed twice", v, p[k].origin, p[k].dest);
                assert_says(&u, &image, "extra", text);
                p[i].dest = (v + 1) % 8 == p[i].origin ? (v + 2) % 8 : (v + 1) % 8; // another's, of that origin
                snprintf(text, sizeof text, "node %u holds packet %u,%u, which is not for it", v, p[i].origin,
                         p[i].dest);
                assert_says(&u, &image, "extra", text);
                p[i] = right;
                p[i].bank = p[k].bank;
                p[i].addr = p[k].addr;
                snprintf(text, sizeof text, "node %u: two packets at bank %u address %u", v, p[k].bank, p[k].addr);
                assert_says(&u, &image, "overlap", text);
                p[i] = right;
            }
        image.after[v].count--;
        snprintf(text, sizeof text, "node %u holds 6 packets, but must hold 7", v);
        assert_says(&u, &image, "missing", text);
        image.after[v].count++;
    }
    close_both(&u, &image);
}

// A folded image of more nodes than are judged at once; the wrong word is named.
static void each_of_many_nodes_is_looked_at(void **state)
{
    (void)state;
    struct unit u;
    struct crl_image image;
    struct crl_lower_options options = {7, 0, 2, 32, 0, 0};
    unit_plan(&u, unit_schemes[1], 7, 0);
    assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "test", &options, NULL), 0);
    assert_true(image.folded);
    for (uint32_t v = 0; v < 128; v += v % 64 == 63 ? 1 : 9) {
        const struct crl_place *p = &image.after[0].place[v % image.after[0].count];
        struct memories m = {&u, &image, v, p->bank, v % 2, p->addr, 1};
        struct crl_diag where = {.text = ""};
        char text[160];
        uint64_t right = crl_payload(&u.problem, p->origin ^ v, 0, v % 2, &image.geometry, SEED);
        snprintf(text, sizeof text, "node %u, packet %u,%u, word %u (bank %u, address %u) is %llx, but must be %llx", v,
                 p->origin ^ v, p->dest, v % 2, p->bank, p->addr, (unsigned long long)right ^ 1,
                 (unsigned long long)right);
        assert_string_equal(crl_oracle(&image, &u.problem, SEED, read_words, &m, &where), "wrong");
        assert_string_equal(where.text, text);
    }
    close_both(&u, &image);
}

// Of several packets that are there twice, or words that two have, the lowest is named, wherever they are listed.
static void the_lowest_of_two_faults_is_named(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        struct unit u;
        struct crl_image image;
        struct crl_lower_options options = {3, 4, 1, 32, 0, 0};
        struct crl_place p[7];
        unit_plan(&u, unit_schemes[4], 3, 0);
        unit_expand(&u);
        assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "test", &options, NULL), 0);
        assert_int_equal(image.after[3].count, 7);
        for (uint32_t i = 0; i < 7; i++) // origins 0, 0, 1, 1, …, each for node 3
            p[i] = (struct crl_place){(i / 2 + (i > 5)) % 8, 3, i % 4, 6 - i};
        for (uint32_t i = 0; i < 7; i++) image.after[3].place[turned ? 6 - i : i] = p[i];
        assert_says(&u, &image, "extra", "node 3: packet 0,3 is listed twice");
        for (uint32_t i = 0; i < 7; i++) p[i] = (struct crl_place){i < 3 ? i : i + 1, 3, i / 4, 9 - i / 2};
        p[2].dest = p[6].dest = 4; // of one origin, for two nodes: no packet twice
        for (uint32_t i = 0; i < 7; i++) image.after[3].place[turned ? 6 - i : i] = p[i];
        assert_says(&u, &image, "overlap", "node 3: two packets at bank 0 address 8");
        for (uint32_t i = 0; i < 7; i++) p[i] = (struct crl_place){2, i == 3 || i == 5 ? 5 : i, i % 4, i};
        p[4].dest = 2;
        for (uint32_t i = 0; i < 7; i++) image.after[3].place[turned ? 6 - i : i] = p[i];
        assert_says(&u, &image, "extra", "node 3: packet 2,2 is listed twice");
        close_both(&u, &image);
    }
}

// Places of a folded image are those of node 0, for which they are judged.
static void folded_places_are_judged_once(void **state)
{
    (void)state;
    struct unit u;
    struct crl_image image;
    open_both(&u, &image, 1, 1);
    assert_true(image.folded && image.after[0].count > 1);
    struct crl_place *p = image.after[0].place, right = p[1];
    char text[96];
    p[1].origin = p[0].origin;
    snprintf(text, sizeof text, "node 0: packet %u,0 is listed twice", p[0].origin);
    assert_says(&u, &image, "extra", text);
    p[1] = right;
    p[1].bank = p[0].bank;
    p[1].addr = p[0].addr;
    snprintf(text, sizeof text, "node 0: two packets at bank %u address %u", p[0].bank, p[0].addr);
    assert_says(&u, &image, "overlap", text);
    p[1] = right;
    close_both(&u, &image);
}

// What a node has of its own comes and stays on no stream.
static void own_packets_do_not_leave_on_streams(void **state)
{
    (void)state;
    struct unit u;
    struct crl_image image;
    struct crl_lower_options options = {3, 0, 1, 32, 3, 0};
    char text[96];
    unit_plan(&u, unit_schemes[1], 3, 0);
    unit_expand(&u);
    assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "test", &options, NULL), 0);
    for (uint32_t v = 0; v < 8; v++)
        for (uint32_t i = 0; i < image.after[v].count; i++) {
            struct crl_place *p = &image.after[v].place[i], right = *p;
            p->origin = v;
            snprintf(text, sizeof text, "node %u holds packet %u,0, which is not for it", v, v);
            assert_says(&u, &image, "extra", text);
            *p = right;
        }
    close_both(&u, &image);
}

// Memories of a folded image of as many nodes as there are: nobody else's are read, and each once.
struct tally {
    const struct memories *memories;
    uint32_t reads[100];
};

static void read_tally(void *user, uint32_t node, uint32_t count, uint32_t bank, uint32_t page, uint32_t addr,
                       uint64_t *words)
{
    struct tally *t = user;
    const struct crl_image *image = t->memories->image;
    const struct crl_problem *problem = &t->memories->u->problem;
    assert_true(count && node + count <= image->nodes);
    for (uint32_t i = 0; i < count; i++) {
        t->reads[node + i]++;
        for (uint32_t k = 0; k < image->after[0].count; k++) {
            struct crl_place p = image->after[0].place[k];
            if (p.bank != bank || p.addr != addr) continue;
            crl_packet_shift(problem, node + i, &p.origin, &p.dest);
            words[i] = crl_payload(problem, p.origin, p.dest, page, &image->geometry, SEED);
        }
    }
}

static void each_node_is_read_as_often_as_it_has_words(void **state)
{
    (void)state;
    static const char *const topologies[] = {"ring:63", "ring:64", "ring:65", "torus:9x9"};
    for (int k = 0; k < 4; k++) {
        struct unit u = {.topology = NULL};
        struct crl_image image;
        const struct crl_algorithm *algorithm;
        struct crl_lower_options options = {0, 0, 1, 32, 0, 0};
        assert_int_equal(crl_topology_parse(&u.topology, topologies[k], &u.diag), 0);
        assert_int_equal(crl_problem_init(&u.problem, "multinode-broadcast", u.topology, 0, CRL_PORTS_ALL, &u.diag), 0);
        assert_int_equal(crl_algorithm_find(&algorithm, &u.problem, NULL, &u.diag), 0);
        assert_int_equal(crl_plan(&u.schedule, algorithm, &u.problem, &u.diag), 0);
        assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "test", &options, &u.diag), 0);
        assert_true(image.folded);
        struct memories m = {.u = &u, .image = &image};
        struct tally tally = {.memories = &m};
        assert_string_equal(crl_oracle(&image, &u.problem, SEED, read_tally, &tally, NULL), "ok");
        for (uint32_t v = 0; v < image.nodes; v++) assert_int_equal(tally.reads[v], image.after[0].count);
        close_both(&u, &image);
    }
}

enum { ROUND_WORDS = 2 };

// Memories of many rounds, each with data of its own.
static void read_rounds(void *user, uint32_t node, uint32_t count, uint32_t bank, uint32_t word, uint32_t addr,
                        uint64_t *words)
{
    const struct memories *m = user;
    for (uint32_t i = 0; i < count; i++) {
        const struct crl_places *places = &m->image->after[node + i];
        for (uint32_t k = 0; k < places->count; k++) {
            const struct crl_place *p = &places->place[k];
            if (p->bank == bank && p->addr == addr)
                words[i] = crl_payload(&m->u->problem, p->origin, p->dest, word % ROUND_WORDS, &m->image->geometry,
                                       SEED + word / ROUND_WORDS);
        }
        words[i] ^= word == m->page;
    }
}

static void rounds_have_data_of_their_own_and_are_counted(void **state)
{
    (void)state;
    struct unit u;
    struct crl_image image;
    struct crl_oracle *oracle;
    open_both(&u, &image, 2, ROUND_WORDS);
    for (uint32_t wrong = 0; wrong <= 6; wrong++) { // 6: none
        struct memories m = {&u, &image, 0, 0, wrong, 0, 0};
        struct crl_diag where = {.text = ""};
        assert_int_equal(crl_oracle_new(&oracle, &image, &u.problem, SEED, NULL), 0);
        crl_oracle_words(oracle, read_rounds, &m, 0, 3);
        crl_oracle_words(oracle, read_rounds, &m, 3, 3);
        assert_string_equal(crl_oracle_verdict(oracle, 3, &where), wrong < 6 ? "wrong" : "ok");
        assert_string_equal(crl_oracle_verdict(oracle, 2, &where), wrong < 6 ? "wrong" : "missing");
        if (wrong == 6) assert_string_equal(where.text, "'6' words of each packet were seen, but '4' are due");
        crl_oracle_free(oracle);
    }
    struct memories m = {&u, &image, 0, 0, 6, 0, 0};
    assert_int_equal(crl_oracle_new(&oracle, &image, &u.problem, SEED, NULL), 0);
    for (uint32_t word = 6; word-- > 0;) crl_oracle_words(oracle, read_rounds, &m, word, 1); // backwards
    assert_string_equal(crl_oracle_verdict(oracle, 1, NULL), "missing");                     // the first alone counts
    crl_oracle_free(oracle);
    close_both(&u, &image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_memories_are_ok),
        cmocka_unit_test(a_good_run_of_the_model_is_ok),
        cmocka_unit_test(every_wrong_word_is_found),
        cmocka_unit_test(a_packet_without_a_place_is_missing),
        cmocka_unit_test(a_place_too_many_is_extra),
        cmocka_unit_test(a_packet_in_place_of_another_is_extra),
        cmocka_unit_test(two_packets_in_one_place_overlap),
        cmocka_unit_test(places_may_be_listed_in_any_order_but_each_packet_once),
        cmocka_unit_test(each_of_many_nodes_is_looked_at),
        cmocka_unit_test(the_lowest_of_two_faults_is_named),
        cmocka_unit_test(folded_places_are_judged_once),
        cmocka_unit_test(own_packets_do_not_leave_on_streams),
        cmocka_unit_test(each_node_is_read_as_often_as_it_has_words),
        cmocka_unit_test(rounds_have_data_of_their_own_and_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
