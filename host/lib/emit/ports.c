// SPDX-License-Identifier: Apache-2.0
// The ports of a top that was written, and an instance of it as its README shows one.
#include "emit/emit.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

// The port that a line of a top declares, if it does.
static bool read_port(const char *line, struct crl_top_port *port)
{
    char way[8];
    int at = 0;
    if (sscanf(line, " %7s logic %n", way, &at) != 1 || !at) return false;
    port->input = !strcmp(way, "input");
    if (!port->input && strcmp(way, "output")) return false;
    uint32_t high = 0;
    int minus = 0, end = 0;
    if (sscanf(line + at, "[%u-%d:0] %n", &high, &minus, &end) == 2 && end) high -= (uint32_t)minus;
    else end = 0;
    if (!end) sscanf(line + at, "[%u:0] %n", &high, &end);
    port->bits = end ? high + 1 : 1;
    return sscanf(line + at + end, "%95[A-Za-z0-9_]", port->name) == 1;
}

int crl_emit_ports(struct crl_top_ports *ports, struct crl_folder *folder, const char *top, struct crl_diag *diag)
{
    char path[PATH_MAX], line[512];
    *ports = (struct crl_top_ports){0};
    int error = crl_folder_end_file(folder, diag);
    if (error) return error;
    if (snprintf(path, sizeof path, "%s/%s.sv", folder->temp, top) >= PATH_MAX)
        return crl_fail(diag, CRL_ERR_IO, "the name of '%.80s' is too long", top);
    FILE *file = fopen(path, "r");
    if (!file) return crl_fail(diag, CRL_ERR_IO, "cannot read '%.200s': %s", path, strerror(errno));
    while (!error && fgets(line, sizeof line, file) && strncmp(line, ");", 2)) {
        error = crl_grow((void **)&ports->list, &ports->capacity, ports->count, sizeof *ports->list);
        if (!error && read_port(line, &ports->list[ports->count])) ports->count++;
    }
    fclose(file);
    return error ? crl_fail_memory(diag) : 0;
}

// What a port is wired to: its name, without what says its direction.
static int wire_length(const char *port)
{
    const size_t length = strlen(port);
    const char *end = port + length - (length > 3 ? 3 : length);
    return (int)(!strcmp(end, "_ni")                                ? length - 1
                 : !strcmp(end + 1, "_i") || !strcmp(end + 1, "_o") ? length - 2
                                                                    : length);
}

static void write_wires(FILE *file, const struct crl_top_ports *ports, bool inputs)
{
    for (size_t i = 0; i < ports->count; i++) {
        const struct crl_top_port *p = &ports->list[i];
        char range[32] = "";
        if (p->bits > 1) snprintf(range, sizeof range, "[%u:0] ", p->bits - 1);
        if (p->input == inputs) fprintf(file, "wire %s%.*s;\n", range, wire_length(p->name), p->name);
    }
}

int crl_emit_instance(char **text, struct crl_folder *folder, const char *top, struct crl_diag *diag)
{
    struct crl_top_ports ports;
    size_t size;
    *text = NULL;
    int error = crl_emit_ports(&ports, folder, top, diag);
    FILE *file = error ? NULL : open_memstream(text, &size);
    if (file) {
        fputs("// You drive these,\n", file);
        write_wires(file, &ports, true);
        fputs("// and the fabric these.\n", file);
        write_wires(file, &ports, false);
        fprintf(file, "\n%s u_%s (\n", top, top);
        for (size_t i = 0; i < ports.count; i++)
            fprintf(file, "  .%s(%.*s)%s\n", ports.list[i].name, wire_length(ports.list[i].name), ports.list[i].name,
                    i + 1 < ports.count ? "," : "");
        fputs(");", file);
    }
    free(ports.list);
    if (!error && (!file || fclose(file))) error = crl_fail_memory(diag);
    return error;
}
