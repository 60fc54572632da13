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

// An algorithm a paragraph, in the order in which they first come; its rows may stand apart in the table.
static void list_text(const struct list *list)
{
    const char *field[COLUMNS], *other[COLUMNS];
    const char *gap = "";
    const bool *shown = list->shown;
    for (size_t i = 0; fields(list, i, field); i++) {
        bool before = !shown[i];
        for (size_t k = 0; k < i && !before && fields(list, k, other); k++)
            before = shown[k] && !strcmp(other[0], field[0]);
        if (before) continue;
        printf("%s%s\n", gap, field[0]);
        gap = "\n";
        for (size_t k = i; fields(list, k, other); k++)
            if (shown[k] && !strcmp(other[0], field[0])) print_row(other);
    }
}

// Whether a row is one of those asked for by a word: of that algorithm or scheme, or beginning with it.
static bool is_asked(const char *word, const char *const field[COLUMNS])
{
    return !strncmp(field[0], word, strlen(word)) || !strncmp(field[1], word, strlen(word));
}

static int refuse_word(const struct list *list, const char *word)
{
    const char *field[COLUMNS];
    struct carillon_nearest nearest = {.word = word};
    char hint[96];
    for (size_t i = 0; fields(list, i, field); i++) {
        carillon_nearest_try(&nearest, field[0]);
        carillon_nearest_try(&nearest, field[1]);
    }
    return complain_usage("no algorithm or scheme '%s'%s", word, carillon_did_you_mean(&nearest, hint));
}

// Why there is nothing for a word on a topology.
static int refuse_here(const char *word, const struct options *options)
{
    struct carillon_problem *problem;
    struct crl_diag diag = {0};
    if (!carillon_algorithm_known(word))
        return complain_usage("nothing called '%s' on %s; 'carillon list -t %s' shows what there is", word,
                              options->topology, options->topology);
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
        code = options->topology ? refuse_here(word, options) : refuse_word(&list, options->operand[0]);
    else if (!code && options->json) list_json(&list, options);
    else if (!code) list_text(&list);
    list_done(&list);
    return code;
}
