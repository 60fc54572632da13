// SPDX-License-Identifier: Apache-2.0
// A component of IP-XACT (IEEE 1685-2009) from a top that was written: its ports, and the interfaces that their names
// say.
#include "emit/emit.h"
#include <stdlib.h>
#include <string.h>

static void write_type(FILE *file, const char *library, const char *name)
{
    for (int abstraction = 0; abstraction < 2; abstraction++)
        fprintf(file,
                "      <spirit:%s spirit:vendor=\"xilinx.com\" spirit:library=\"%s\" spirit:name=\"%s%s\" "
                "spirit:version=\"1.0\"/>\n",
                abstraction ? "abstractionType" : "busType", library, name, abstraction ? "_rtl" : "");
}

static void write_map(FILE *file, const char *logical, const char *physical)
{
    fprintf(
        file,
        "        <spirit:portMap>\n          <spirit:logicalPort><spirit:name>%s</spirit:name></spirit:logicalPort>\n"
        "          <spirit:physicalPort><spirit:name>%s</spirit:name></spirit:physicalPort>\n"
        "        </spirit:portMap>\n",
        logical, physical);
}

static void write_parameter(FILE *file, const char *name, const char *value)
{
    fprintf(
        file,
        "        <spirit:parameter><spirit:name>%s</spirit:name><spirit:value>%s</spirit:value></spirit:parameter>\n",
        name, value);
}

// Where the interface's name ends in that of a port: behind s_axis_n5, m_axis_n5_1, s_axil; 0: it is in none. Ports of
// all streams side by side, as s_axis_tdata_i, are in none either: what tools connect are streams.
static size_t interface_of(const char *name)
{
    const char *last = strrchr(name, '_');
    if (!strncmp(name, "s_axil_", 7)) return 6;
    if ((strncmp(name, "s_axis_n", 8) && strncmp(name, "m_axis_n", 8)) || !last) return 0;
    return (size_t)(last - name);
}

static bool begins_with(const char *name, const char *interface, size_t length)
{
    return interface_of(name) == length && !strncmp(name, interface, length);
}

static void write_interface(FILE *file, const struct crl_top_ports *ports, size_t first)
{
    const char *name = ports->list[first].name;
    const size_t length = interface_of(name);
    const bool lite = !strncmp(name, "s_axil", 6);
    fprintf(file, "    <spirit:busInterface>\n      <spirit:name>%.*s</spirit:name>\n", (int)length, name);
    write_type(file, "interface", lite ? "aximm" : "axis");
    if (lite)
        fprintf(file, "      <spirit:slave><spirit:memoryMapRef spirit:memoryMapRef=\"s_axil\"/></spirit:slave>\n");
    else fprintf(file, "      <spirit:%s/>\n", *name == 's' ? "slave" : "master");
    fprintf(file, "      <spirit:portMaps>\n");
    for (size_t i = first; i < ports->count; i++) {
        char logical[CRL_PORT_NAME];
        if (!begins_with(ports->list[i].name, name, length)) continue;
        size_t n = 0;
        for (const char *c = ports->list[i].name + length + 1; *c && strcmp(c, "_i") && strcmp(c, "_o"); c++)
            logical[n++] = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
        logical[n] = 0;
        write_map(file, logical, ports->list[i].name);
    }
    fprintf(file, "      </spirit:portMaps>\n    </spirit:busInterface>\n");
}

// The clock and the reset, which are the first two ports: of all interfaces, whose names are handed in with ':'
// between.
static void write_clock(FILE *file, const struct crl_top_ports *ports, const char *all)
{
    static const char *const type[] = {"clock", "reset"}, *const logical[] = {"CLK", "RST"};
    for (size_t i = 0; i < 2; i++) {
        const char *name = ports->list[i].name;
        fprintf(file, "    <spirit:busInterface>\n      <spirit:name>%s</spirit:name>\n", name);
        write_type(file, "signal", type[i]);
        fprintf(file, "      <spirit:slave/>\n      <spirit:portMaps>\n");
        write_map(file, logical[i], name);
        fprintf(file, "      </spirit:portMaps>\n      <spirit:parameters>\n");
        if (i) write_parameter(file, "POLARITY", "ACTIVE_LOW");
        else {
            if (*all) write_parameter(file, "ASSOCIATED_BUSIF", all);
            write_parameter(file, "ASSOCIATED_RESET", ports->list[1].name);
        }
        fprintf(file, "      </spirit:parameters>\n    </spirit:busInterface>\n");
    }
}

static void write_interfaces(FILE *file, const struct crl_top_ports *ports)
{
    char *all = NULL;
    size_t size;
    FILE *names = open_memstream(&all, &size);
    fprintf(file, "  <spirit:busInterfaces>\n");
    for (size_t i = 0; i < ports->count; i++) {
        const size_t length = interface_of(ports->list[i].name);
        bool known = !length;
        for (size_t k = 0; k < i && !known; k++) known = begins_with(ports->list[k].name, ports->list[i].name, length);
        if (known) continue;
        if (names) fprintf(names, "%s%.*s", ftell(names) ? ":" : "", (int)length, ports->list[i].name);
        write_interface(file, ports, i);
    }
    if (names) fclose(names);
    write_clock(file, ports, all ? all : "");
    free(all);
    fprintf(file, "  </spirit:busInterfaces>\n");
}

static void write_registers(FILE *file)
{
    static const char *const name[] = {"ID", "CONTROL", "STATUS", "SELECT", "ENTRY", "DATA", "RUN"};
    static const char *const access[] = {"read-only",  "read-write", "read-only", "read-write",
                                         "read-write", "write-only", "write-only"};
    fprintf(file, "  <spirit:memoryMaps>\n    <spirit:memoryMap>\n      <spirit:name>s_axil</spirit:name>\n"
                  "      <spirit:addressBlock>\n        <spirit:name>registers</spirit:name>\n"
                  "        <spirit:baseAddress>0</spirit:baseAddress>\n        <spirit:range>32</spirit:range>\n"
                  "        <spirit:width>32</spirit:width>\n        <spirit:usage>register</spirit:usage>\n");
    for (unsigned i = 0; i < sizeof name / sizeof *name; i++)
        fprintf(file,
                "        <spirit:register><spirit:name>%s</spirit:name><spirit:addressOffset>%u</spirit:addressOffset>"
                "<spirit:size>32</spirit:size><spirit:access>%s</spirit:access></spirit:register>\n",
                name[i], 4 * i, access[i]);
    fprintf(file, "      </spirit:addressBlock>\n    </spirit:memoryMap>\n  </spirit:memoryMaps>\n");
}

static void write_model(FILE *file, const struct crl_top_ports *ports, const char *top)
{
    fprintf(
        file,
        "  <spirit:model>\n    <spirit:views>\n      <spirit:view>\n        <spirit:name>rtl</spirit:name>\n"
        "        <spirit:envIdentifier>:vivado.xilinx.com:synthesis</spirit:envIdentifier>\n"
        "        <spirit:language>systemVerilog</spirit:language>\n        <spirit:modelName>%s</spirit:modelName>\n"
        "        <spirit:fileSetRef><spirit:localName>rtl</spirit:localName></spirit:fileSetRef>\n"
        "      </spirit:view>\n    </spirit:views>\n    <spirit:ports>\n",
        top);
    for (size_t i = 0; i < ports->count; i++) {
        const struct crl_top_port *p = &ports->list[i];
        fprintf(file,
                "      <spirit:port>\n        <spirit:name>%s</spirit:name>\n        <spirit:wire>\n"
                "          <spirit:direction>%s</spirit:direction>\n",
                p->name, p->input ? "in" : "out");
        if (p->bits > 1)
            fprintf(file,
                    "          <spirit:vector><spirit:left>%u</spirit:left><spirit:right>0</spirit:right>"
                    "</spirit:vector>\n",
                    p->bits - 1);
        fprintf(file, "        </spirit:wire>\n      </spirit:port>\n");
    }
    fprintf(file, "    </spirit:ports>\n  </spirit:model>\n");
}

// Text in which nothing is markup.
static void write_text(FILE *file, const char *text)
{
    for (; *text; text++)
        if (*text == '&' || *text == '<' || *text == '>') fprintf(file, "&#%d;", *text);
        else fputc(*text, file);
}

static void write_files(FILE *file, const char *top, const char *names)
{
    static const char type[] = "<spirit:fileType>systemVerilogSource</spirit:fileType>";
    fprintf(file, "  <spirit:fileSets>\n    <spirit:fileSet>\n      <spirit:name>rtl</spirit:name>\n");
    for (size_t length; (length = strcspn(names, " ")); names += length + strspn(names + length, " ")) {
        const bool include = length > 4 && !strncmp(names + length - 4, ".svh", 4);
        fprintf(file, "      <spirit:file><spirit:name>rtl/%.*s</spirit:name>%s%s</spirit:file>\n", (int)length, names,
                type, include ? "<spirit:isIncludeFile>true</spirit:isIncludeFile>" : "");
    }
    fprintf(file, "      <spirit:file><spirit:name>%s.sv</spirit:name>%s</spirit:file>\n", top, type);
    fprintf(file, "    </spirit:fileSet>\n  </spirit:fileSets>\n");
}

int crl_emit_ipxact(struct crl_folder *folder, const char *top, const char *names, const char *what,
                    struct crl_diag *diag)
{
    struct crl_top_ports ports;
    int error = crl_emit_ports(&ports, folder, top, diag);
    FILE *file = error ? NULL : crl_folder_file(folder, "component.xml", diag);
    if (!error && !file) error = CRL_ERR_IO;
    if (!error) {
        bool lite = false;
        for (size_t i = 0; i < ports.count; i++) lite = lite || interface_of(ports.list[i].name) == 6;
        fprintf(file,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<spirit:component xmlns:spirit=\"http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009\">\n"
                "  <spirit:vendor>carillon</spirit:vendor>\n  <spirit:library>emitted</spirit:library>\n"
                "  <spirit:name>%s</spirit:name>\n  <spirit:version>" CARILLON_VERSION "</spirit:version>\n",
                top);
        write_interfaces(file, &ports);
        if (lite) write_registers(file);
        write_model(file, &ports, top);
        write_files(file, top, names);
        fprintf(file, "  <spirit:description>");
        write_text(file, what);
        fprintf(file, "</spirit:description>\n</spirit:component>\n");
    }
    free(ports.list);
    return error;
}
