// SPDX-License-Identifier: Apache-2.0
// carillon list: the table of algorithms.
#include "cli.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 7, WIDTH = 80 };
static const char *const names[COLUMNS] = {"algorithm", "scheme", "topology", "ports", "bound", "paper", "summary"};

// The table, and which of its rows are shown.
struct list {
    size_t count;
    struct carillon_algorithm *row;
    bool *shown;
};

static bool fields(const struct list *list, size_t i, const char *field[COLUMNS])
{
    if (i >= list->count) return false;
    const struct carillon_algorithm *a = &list->row[i];
    const char *row[COLUMNS] = {a->algorithm, a->scheme, a->topology, a->ports, a->bound, a->paper, a->summary};
    memcpy(field, row, sizeof row);
    return true;
}

static bool list_init(struct list *list)
{
    struct carillon_algorithm row;
    *list = (struct list){0};
    while (carillon_algorithm_at(list->count, &row)) list->count++;
    list->row = calloc(list->count, sizeof *list->row);
    list->shown = malloc(list->count * sizeof *list->shown);
    if (!list->row || !list->shown) return false;
    for (size_t i = 0; i < list->count; i++) {
        carillon_algorithm_at(i, &list->row[i]);
        list->shown[i] = true;
    }
    return true;
}

static void list_done(struct list *list)
{
    free(list->row);
    free(list->shown);
}

static void list_json(const struct list *all, const struct options *options)
{
    json_t *rows = json_array(), *list = json_object();
    const char *field[COLUMNS];
    for (size_t i = 0; fields(all, i, field); i++) {
        if (!all->shown[i]) continue;
        json_t *row = json_object();
        for (int c = 0; c < COLUMNS; c++) json_object_set_new(row, names[c], json_string(field[c]));
        json_array_append_new(rows, row);
    }
    json_object_set_new(list, "algorithms", rows);
    print_summary(json_dumps(list, 0), options);
    json_decref(list);
}

// Columns that a text takes: bytes that begin a character of UTF-8.
static int columns(const char *text, size_t length)
{
    int count = 0;
    for (size_t i = 0; i < length; i++) count += (text[i] & 0xc0) != 0x80;
    return count;
}

// Prints words one after the other; a line that is full goes on below, as far in.
static void print_wrapped(const char *text, int indent, int *at)
{
    while (*text) {
        size_t length = strcspn(text, " ");
        int wide = columns(text, length);
        if (*at + 1 + wide > WIDTH) *at = printf("\n%*s", indent, "") - 1;
        else if (*at > indent) *at += printf(" ");
        printf("%.*s", (int)length, text);
        *at += wide;
        text += length + strspn(text + length, " ");
    }
}

static void print_row(const char *const field[COLUMNS])
{
    char text[600];
    printf("  %-18s %s", field[1], field[2]);
    if (!strcmp(field[3], "single")) printf(", single port");
    else if (!strcmp(field[3], "all,single")) printf(" (or single port)");
    snprintf(text, sizeof text, "bound %s; %s%s%s", field[4], strcmp(field[5], "none") ? field[5] : "",
             strcmp(field[5], "none") ? ": " : "", field[6]);
    printf("\n%*s", 21, "");
    int at = 21;
    print_wrapped(text, 21, &at);
    putchar('\n');
}

// Whether an algorithm was in a row before.
static bool is_repeated(const struct list *list, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (list->shown[i] && !strcmp(list->row[i].algorithm, list->row[row].algorithm)) return true;
    return false;
}

// What is guaranteed of a collective on a class of networks: by the first scheme that claims something. NULL: there is
// no scheme of its own.
enum network_class { CUBES, PRODUCTS, ANY };
static const char *guarantee_of(const struct list *list, const char *algorithm, enum network_class class)
{
    const char *found = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct carillon_algorithm *a = &list->row[i];
        const bool any = !strncmp(a->topology, "any", 3) || !strncmp(a->topology, "graph", 5),
                   cube = !strcmp(a->topology, "hypercube"),
                   special =
                       !strcmp(a->topology, "logp") || !strncmp(a->topology, "large", 5) || strncmp(a->ports, "all", 3);
        if (strcmp(a->algorithm, algorithm) != 0 || special || class != (any ? ANY : cube ? CUBES : PRODUCTS)) continue;
        if (!found || !strcmp(found, "none claimed")) found = a->bound;
    }
    return found;
}

// What a cell has room for, then spaces to the next.
static void print_cell(const char *text, int width)
{
    const size_t length = strlen(text);
    size_t bytes = 0;
    const bool cut = columns(text, length) > width;
    while (bytes < length && columns(text, bytes + 1) <= width - cut) bytes++;
    while (bytes < length && (text[bytes] & 0xc0) == 0x80) bytes++;
    printf("%.*s%s%*s", (int)bytes, text, cut ? "…" : "", width + 1 - columns(text, bytes) - cut, "");
}

// Collectives against classes of networks on a screen, with the default's slots on each.
static void list_overview(const struct list *list)
{
    static const char *const logp[][2] = {{"all-to-all-broadcast", "all-gather"},
                                          {"all-to-all-personalized", "all-to-all"},
                                          {"combining-broadcast", "all-reduce"},
                                          {"summation", "reduce"}};
    enum { NAME_WIDTH = 20, CELL_WIDTH = 24 };
    printf("Slots with all ports, of N nodes and d dimensions (p along one); the schemes for a single port are in each "
           "list.\n\n");
    print_cell("collective", NAME_WIDTH);
    print_cell("hypercubes", CELL_WIDTH);
    print_cell("tori, meshes, products", CELL_WIDTH);
    puts("any network");
    for (size_t i = 0; i < list->count; i++) {
        const char *name = list->row[i].algorithm, *any = guarantee_of(list, name, ANY);
        const char *cubes = guarantee_of(list, name, CUBES), *products = guarantee_of(list, name, PRODUCTS);
        if (is_repeated(list, i) || !(any || products) || !strcmp(name, "random-broadcasts")) continue;
        print_cell(carillon_algorithm_title(name), NAME_WIDTH);
        print_cell(cubes ? cubes : products ? products : "as any network", CELL_WIDTH);
        print_cell(products ? products : any ? "as any network" : "", CELL_WIDTH);
        puts(any ? any : "-");
    }
    puts("\nOn LogP machines (-t logp:P=8,L=6,o=2,g=4):");
    for (size_t i = 0; i < list->count; i++) {
        const char *name = list->row[i].algorithm, *also = NULL;
        if (strcmp(list->row[i].topology, "logp") || (i && !strcmp(list->row[i - 1].algorithm, name))) continue;
        for (size_t k = 0; k < sizeof logp / sizeof *logp; k++)
            if (!strcmp(logp[k][0], name)) also = logp[k][1];
        printf("  %s%s%s%s\n", name, also ? " (" : "", also ? also : "", also ? ")" : "");
    }
    puts("\nBroadcasts that arrive at random on hypercubes, tori and meshes: 'carillon dynamic --help'.\n"
         "'carillon list all-to-all' explains its schemes, 'carillon list -t torus:4x4' says what that network gets.");
}

// An algorithm a paragraph, in the order in which they first come; its rows may stand apart in the table.
static void list_text(const struct list *list)
{
    const char *field[COLUMNS], *other[COLUMNS];
    const char *gap = "";
    const bool *shown = list->shown;
    for (size_t i = 0; fields(list, i, field); i++) {
        if (!shown[i] || is_repeated(list, i)) continue;
        printf("%s%s\n", gap, carillon_algorithm_title(field[0]));
        gap = "\n";
        for (size_t k = i; fields(list, k, other); k++)
            if (shown[k] && !strcmp(other[0], field[0])) print_row(other);
    }
}

// Whether a row is one of those asked for by a word: of that algorithm or scheme, or beginning with it.
static bool is_asked(const char *word, const char *const field[COLUMNS])
{
    const char *title = carillon_algorithm_title(field[0]);
    return !strncmp(field[0], word, strlen(word)) || !strncmp(title, word, strlen(word)) ||
           !strncmp(field[1], word, strlen(word));
}

// Writes to `hint` the algorithm or scheme that a word may have meant.
static const char *meant(const struct list *list, const char *word, char hint[96])
{
    const char *field[COLUMNS];
    struct carillon_nearest nearest = {.word = word};
    for (size_t i = 0; fields(list, i, field); i++) {
        carillon_nearest_try(&nearest, carillon_algorithm_title(field[0]));
        carillon_nearest_try(&nearest, field[1]);
    }
    carillon_algorithm_nearest(&nearest);
    if (!nearest.cost) nearest.best = NULL; // it is the word itself
    return carillon_did_you_mean(&nearest, hint);
}

static int refuse_word(const struct list *list, const char *word)
{
    char hint[96];
    return complain_usage("no algorithm or scheme '%s'; 'carillon list' shows the algorithms%s", word,
                          meant(list, word, hint));
}

// Why there is nothing for a word on a topology.
static int refuse_here(const struct list *list, const char *word, const struct options *options)
{
    struct carillon_problem *problem;
    struct crl_diag diag = {0};
    char hint[96];
    if (!carillon_algorithm_known(word))
        return complain_usage("nothing called '%s' on %s; 'carillon list -t %s' shows what there is%s", word,
                              options->topology, options->topology, meant(list, word, hint));
    int error = carillon_problem_new(&problem, context(), word, options->topology, &options->flow, &diag);
    if (error) return complain(error, &diag);
    carillon_problem_free(problem);
    return complain_usage("nothing here solves %s on %s", word, options->topology);
}

int command_list(struct options *options)
{
    struct crl_diag diag = {0};
    const char *field[COLUMNS], *word = NULL;
    if (options->operands) word = carillon_algorithm_spelled(options->operand[0], options->topology);
    struct list list;
    size_t left = 0;
    int error = list_init(&list) ? 0 : fail(&diag, CRL_ERR_MEMORY, "out of memory");
    if (!error && options->topology) error = carillon_algorithms_fit(options->topology, list.shown, &diag);
    for (size_t i = 0; !error && fields(&list, i, field); i++) left += list.shown[i] &= !word || is_asked(word, field);
    int code = complain(error, &diag);
    if (!code && word && !left)
        code = options->topology ? refuse_here(&list, word, options) : refuse_word(&list, options->operand[0]);
    else if (!code && options->json) list_json(&list, options);
    else if (!code && !word && !options->topology) list_overview(&list);
    else if (!code) list_text(&list);
    list_done(&list);
    return code;
}
