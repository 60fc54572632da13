// SPDX-License-Identifier: Apache-2.0
// Fabrics to take away: a directory with RTL, tables, a test bench and what tools want to know, which needs nothing of
// ours.
#ifndef CRL_EMIT_H
#define CRL_EMIT_H

#include "base/context.h"

// ---------------------------------------------------------------- the directory

// A directory that appears only when it is complete: written under another name beside it, then renamed.
struct crl_folder {
    char *path, *temp;
    bool replaces; // what emit wrote there before
    FILE *file;    // the one that is being written
    char *name;    // its name
};
// Fails with CRL_ERR_IO where `path` is there and is not an empty directory, nor, with `force`, one that is as it was
// emitted.
int crl_folder_open(struct crl_folder *folder, const char *path, bool force, struct crl_diag *diag);
// Begins file `name` in it, in folders that are made where needed, and ends the one before. NULL after saying why.
FILE *crl_folder_file(struct crl_folder *folder, const char *name, struct crl_diag *diag);
// Ends the file that is being written, if there is one.
int crl_folder_end_file(struct crl_folder *folder, struct crl_diag *diag);
// A folder in it, to be written as a directory of its own; `of` is not written meanwhile. Returns the first error.
int crl_folder_open_sub(struct crl_folder *sub, struct crl_folder *of, const char *name, struct crl_diag *diag);
int crl_folder_close_sub(struct crl_folder *sub, int error, struct crl_diag *diag);
// Keeps the directory if `error` is 0, with a list of its files, else takes it away. Returns the first error.
int crl_folder_close(struct crl_folder *folder, int error, struct crl_diag *diag);

// The list of an emitted directory's files, and where its Makefile writes, which is not in it.
#define CRL_MANIFEST     "SHA256SUMS"
#define CRL_FOLDER_BUILD "build"
// The list as it would be written now; the caller ends it with free(), also after an error.
int crl_manifest_of(char **text, const char *path, struct crl_diag *diag);
// CRL_ERR_IO where the directory is not as emit wrote it.
int crl_manifest_check(const char *path, struct crl_diag *diag);

// A whole file with a 0 behind it, which the caller ends with free(); NULL after saying why.
int crl_emit_read(char **text, size_t *size, const char *path, struct crl_diag *diag);

// Copies into rtl/ the modules `tops`, with blanks between them, and all that they need from the RTL in `source`, but
// for those of `without`, which no parameters of theirs ask for. Hands out their file names without folder, in
// ascending order, as one text with blanks between them; the caller ends it with free().
int crl_emit_rtl(struct crl_folder *folder, const char *source, const char *tops, const char *without, char **names,
                 struct crl_diag *diag);

// Puts TOP.v in the place of TOP.sv, rtl/ and the tables that it reads: all of it as one file of Verilog-2005, which
// yosys writes. Errors: TOOL without yosys, BUILD if it fails.
int crl_emit_verilog(struct crl_folder *folder, const char *top, struct crl_diag *diag);

// The ports of the top that stands in TOP.sv, in their order; the caller ends the list with free(), also after an
// error.
enum { CRL_PORT_NAME = 96 };
struct crl_top_ports {
    struct crl_top_port {
        char name[CRL_PORT_NAME];
        bool input;
        uint32_t bits;
    } * list;
    size_t count, capacity;
};
int crl_emit_ports(struct crl_top_ports *ports, struct crl_folder *folder, const char *top, struct crl_diag *diag);
// An instance of this top, with a wire for each port: text of Verilog, which the caller ends with free().
int crl_emit_instance(char **text, struct crl_folder *folder, const char *top, struct crl_diag *diag);

// component.xml, IP-XACT (IEEE 1685-2009), of the top that stands in TOP.sv, of the modules `names`, as of
// crl_emit_rtl, and of `what` it does. Ports that are named as those of one AXI4-Stream or of the AXI4-Lite port are
// interfaces; the first two are clock and reset.
int crl_emit_ipxact(struct crl_folder *folder, const char *top, const char *names, const char *what,
                    struct crl_diag *diag);

// Whether Verilog or SystemVerilog keeps this word for itself.
bool crl_emit_keyword(const char *name);

// ---------------------------------------------------------------- templates

// Text that is compiled in, file by file of host/lib/emit/template.
struct crl_template {
    const char *name, *text;
};
extern const struct crl_template crl_templates[]; // ends with a NULL name
// What stands for @KEY@. Lines that begin with "@if KEY " are left out, up to their end, where KEY is "" or missing.
struct crl_blank {
    const char *key, *value;
};
// Writes file `name` from template `from`; blanks end with a NULL key. A key that is not among them is
// CRL_ERR_ARGUMENT.
int crl_emit_template(struct crl_folder *folder, const char *name, const char *from, const struct crl_blank *blanks,
                      struct crl_diag *diag);

// Whether what is written from a template of SystemVerilog has an identifier of that name.
int crl_emit_template_has(const char *from, const struct crl_blank *blanks, const char *name, bool *has,
                          struct crl_diag *diag);

// ---------------------------------------------------------------- fabrics of streams

// Packets in the order in which a stream takes or gives them.
struct crl_stream_order {
    uint32_t count;
    struct crl_stream_packet {
        uint32_t origin, dest; // as the problem names packets
    } * packet;
};

#endif
