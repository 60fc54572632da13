// SPDX-License-Identifier: Apache-2.0
// What a viewer of waves (GTKWave) needs beside them: the signals that matter, in a group a node, faults in red, and
// the names of packets and slots for their numbers.
#include "engine/kind.h"
#include "base/base.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPEN_GROUPS_MAX = 16 };                     // of more nodes groups are closed at first
static const char MARK[] = "[*] Made by carillon"; // a viewer that saves does not keep it

// The name of the waves with another ending.
static char *beside(const char *wave, const char *ending)
{
    const char *dot = strrchr(wave, '.'), *slash = strrchr(wave, '/');
    size_t length = dot && (!slash || dot > slash) ? (size_t)(dot - wave) : strlen(wave);
    char *path = malloc(length + strlen(ending) + 1);
    if (path) sprintf(path, "%.*s%s", (int)length, wave, ending);
    return path;
}

static int close_file(FILE *file, const char *path, struct crl_diag *diag)
{
    bool bad = ferror(file);
    if (!fclose(file) && !bad) return 0;
    int number = errno;
    unlink(path);
    return crl_fail(diag, CRL_ERR_IO, "cannot write '%s': %s", path, strerror(number));
}

// A file of the viewer that it saved for somebody stays as it is.
static bool is_somebodys(const char *path)
{
    char start[sizeof MARK] = "";
    FILE *file = fopen(path, "r");
    if (!file) return false;
    bool ours = fgets(start, sizeof start, file) && !strcmp(start, MARK);
    fclose(file);
    return !ours;
}

// ---------------------------------------------------------------- names for numbers

static int write_words(const struct crl_wave_names *names, uint32_t width, const char *path, struct crl_diag *diag)
{
    FILE *file = fopen(path, "w");
    if (!file) return crl_fail(diag, CRL_ERR_IO, "cannot write '%s': %s", path, strerror(errno));
    char text[64];
    uint64_t word;
    for (uint64_t i = 0; i < CRL_WAVE_NAMES_MAX && names->word(names->user, i, &word, text); i++)
        fprintf(file, "%0*" PRIX64 " %s\n", (int)(width + 3) / 4, word, text);
    return close_file(file, path, diag);
}

// The row that a sequencer shows is that of the words on the links at the same time; the first has number 1.
static int write_slots(const struct crl_wave_names *names, uint32_t digits, const char *path, struct crl_diag *diag)
{
    FILE *file = fopen(path, "w");
    if (!file) return crl_fail(diag, CRL_ERR_IO, "cannot write '%s': %s", path, strerror(errno));
    fprintf(file, "%0*X -\n", (int)digits, 0u);
    for (uint32_t row = 1; row <= names->rows; row++)
        fprintf(file, "%0*X slot_%u\n", (int)digits, row, (row - 1) / names->cycles + 1);
    return close_file(file, path, diag);
}

// ---------------------------------------------------------------- signals

enum { HEX = 0x22, DECIMAL = 0x24, BITS = 0x28, TRANSLATED = 0x2000 }; // flags of the viewer

static void put_range(FILE *file, uint32_t bits)
{
    if (bits > 1) fprintf(file, "[%" PRIu32 ":0]", bits - 1);
}

static void put_signal(FILE *file, int flags, const char *scope, uint32_t number, const char *name, uint32_t bits)
{
    fprintf(file, "@%x\n%s%" PRIu32 ".%s", (unsigned)flags, scope, number, name);
    put_range(file, bits);
    fputc('\n', file);
}

// A field of the word of one port, of a signal that has those of all, under a name of its own.
static void put_field(FILE *file, const char *words, uint32_t node, uint32_t port, const char *way, uint32_t ports,
                      uint32_t width, const struct crl_wave_field *f)
{
    uint32_t all = ports * width, first = all - port * width - f->at - f->bits; // counted from the left
    if (f->as == CRL_WAVE_NAMED) fprintf(file, "@%x\n^1 %s\n", HEX | TRANSLATED, words);
    else fprintf(file, "@%x\n", f->as == CRL_WAVE_HEX ? HEX : DECIMAL);
    fprintf(file, "#{port_%" PRIu32 "_%s%s%s}", port, way, *f->name ? "_" : "", f->name);
    for (uint32_t bit = first; bit < first + f->bits; bit++) {
        fprintf(file, " (%" PRIu32 ")node%" PRIu32 ".link_data_%c", bit, node, *way);
        put_range(file, all);
    }
    fputc('\n', file);
}

static void put_ports(FILE *file, const struct crl_wave_signals *s, const char *words, uint32_t node, const char *way,
                      uint32_t ports)
{
    const struct crl_wave_field whole = {"", 0, s->width, CRL_WAVE_NAMED};
    put_signal(file, BITS, "node", node, *way == 'o' ? "link_valid_o" : "link_valid_i", ports);
    for (uint32_t p = 0; p < ports; p++) {
        if (!s->field_count) put_field(file, words, node, p, way, ports, s->width, &whole);
        for (uint32_t i = 0; i < s->field_count; i++)
            put_field(file, words, node, p, way, ports, s->width, &s->field[i]);
    }
}

static void put_node(FILE *file, const struct crl_wave_signals *s, const char *words, uint32_t node, bool closed)
{
    fprintf(file, "@%x\n-node_%" PRIu32 "\n", closed ? 0xc00200 : 0x800200, s->node0 + node);
    for (uint32_t i = 0; i < CRL_WAVE_MORE_MAX && s->more[i].bits; i++)
        put_signal(file, s->more[i].bits > 1 ? DECIMAL : BITS, "node", node, s->more[i].name, s->more[i].bits);
    put_ports(file, s, words, node, "out", s->ports_out);
    if (s->dest_bits) put_signal(file, HEX, "node", node, "link_dest_o", s->dest_bits);
    put_ports(file, s, words, node, "in", s->ports_in);
    fputs("[color] 1\n", file);
    put_signal(file, BITS, "node", node, "fault_o", s->fault_bits);
    fprintf(file, "@%x\n-node_%" PRIu32 "\n", closed ? 0x1401200 : 0x1000200, s->node0 + node);
}

static int write_view(const struct crl_wave_signals *s, const struct crl_wave_names *names, const char *path,
                      const char *wave, const char *words, const char *slots, struct crl_diag *diag)
{
    FILE *file = fopen(path, "w");
    if (!file) return crl_fail(diag, CRL_ERR_IO, "cannot write '%s': %s", path, strerror(errno));
    const char *name = strrchr(wave, '/');
    fprintf(file, "%s\n[dumpfile] \"%s\"\n[timestart] 0\n[sst_width] 200\n[signals_width] 220\n", MARK,
            name ? name + 1 : wave);
    put_signal(file, BITS, "node", 0, "clk_i", 1);
    for (uint32_t t = 0; t < s->sequencers; t++) {
        if (names->cycles) fprintf(file, "@%x\n^1 %s\n", HEX | TRANSLATED, slots);
        else fprintf(file, "@%x\n", HEX);
        fprintf(file, "+{%s} seq%" PRIu32 ".number_o", names->cycles ? "slot" : "row", t);
        put_range(file, s->row_bits);
        fputs("\n[color] 1\n", file);
        put_signal(file, BITS, "seq", t, "fault_parity_o", 1);
    }
    for (uint32_t v = 0; v < s->nodes; v++) put_node(file, s, words, v, s->nodes > OPEN_GROUPS_MAX);
    return close_file(file, path, diag);
}

int crl_rtl_view(const char *wave, const struct crl_wave_signals *signals, const struct crl_wave_names *names,
                 struct crl_diag *diag)
{
    CRL_OWNED char *view = beside(wave, ".gtkw"), *words = beside(wave, ".packets.txt"),
                   *slots = beside(wave, ".slots.txt");
    int error = view && words && slots ? 0 : crl_fail_memory(diag);
    uint32_t named = signals->field_count ? signals->field[0].bits : signals->width;
    if (!error && names->word) error = write_words(names, named, words, diag);
    if (!error && names->cycles) error = write_slots(names, (signals->row_bits + 3) / 4, slots, diag);
    if (!error && !is_somebodys(view)) error = write_view(signals, names, view, wave, words, slots, diag);
    return error;
}
