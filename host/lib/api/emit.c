// SPDX-License-Identifier: Apache-2.0
// Images as directories that stand alone.
#include "emit/emit.h"
#include "api/machine.h"
#include <ctype.h>
#include <string.h>

// A name that Verilog takes, and that is not one of our modules'.
static int check_top(const char *top, struct crl_diag *diag)
{
    const char *c = top;
    bool good = isalpha((unsigned char)*c) || *c == '_';
    for (; good && *c; c++) good = isalnum((unsigned char)*c) || *c == '_';
    if (good && crl_emit_keyword(top))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "'%s' is no name for the top: it is a word of Verilog's own", top);
    if (!strcmp(top, "TOP"))
        return crl_fail(diag, CRL_ERR_ARGUMENT,
                        "'TOP' is no name for the top: Verilator has something of that name above it");
    if (good && c - top < 128 && strncmp(top, "crl_", 4)) return 0;
    return crl_fail(diag, CRL_ERR_ARGUMENT,
                    "'%.80s' is no name for the top: letters, digits and '_', not a digit first, and not 'crl_…'", top);
}

// One of two words; NULL stands for the first.
static int choose(const char **word, const char *option, const char *first, const char *second, struct crl_diag *diag)
{
    if (!*word) *word = first;
    if (!strcmp(*word, first) || !strcmp(*word, second)) return 0;
    return crl_fail(diag, CRL_ERR_ARGUMENT, "%s is %s or %s, not '%.80s'", option, first, second, *word);
}

int carillon_emission_summary(const struct carillon_emitted *what, const struct carillon_emission *how, char **json,
                              struct crl_diag *diag)
{
    const struct crl_machine *machine = what->image->machine;
    json_t *summary = crl_summary(what->schedule, what->image);
    int error = machine->emitting ? machine->emitting->summary(what, how, summary, diag) : 0;
    if (!error) return crl_json_text(summary, json, diag);
    json_decref(summary);
    return error;
}

int carillon_emit(const struct carillon_emitted *what, uint32_t count, const struct carillon_emission *how,
                  struct crl_diag *diag)
{
    const struct crl_context *context = what->image->problem->context;
    struct carillon_emission all = *how;
    struct crl_folder folder;
    if (!all.top) all.top = "carillon_fabric";
    int error = choose(&all.protocol, "--protocol", "stream", "axis", diag);
    if (!error) error = choose(&all.language, "--language", "systemverilog", "verilog", diag);
    if (!error) error = choose(&all.tables, "--tables", "fixed", "axi-lite", diag);
    if (!error) error = choose(&all.table_files, "--table-files", "inline", "hex", diag);
    if (!error && (!all.top_ports || strcmp(all.top_ports, "wires")))
        error = choose(&all.top_ports, "--top-ports", "packed", "named", diag);
    if (!error) error = choose(&all.target, "--target", "fpga", "asic", diag);
    if (!error && !strcmp(all.table_files, "hex") && !strcmp(all.language, "verilog"))
        error = crl_fail(diag, CRL_ERR_ARGUMENT, "--table-files hex: a file of Verilog has its tables inside");
    if (!error && !strcmp(all.table_files, "hex") && !strcmp(all.target, "asic"))
        error = crl_fail(diag, CRL_ERR_ARGUMENT, "--table-files hex: an ASIC's tables are loaded by its port");
    if (!error) error = check_top(all.top, diag);
    if (error) return error;
    if (count > CARILLON_EMITTED_MAX)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "'%u' schedules; a fabric has up to %d", count, CARILLON_EMITTED_MAX);
    for (uint32_t i = 0; i < count; i++)
        if (!what[i].image->machine->emitting)
            return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                            "there is no fabric with streams for this image: take %s of the RTL, with tables by "
                            "'carillon dump'",
                            what[i].image->machine->fabric);
        else if (what[i].image->machine != what->image->machine)
            return crl_fail(diag, CRL_ERR_UNSUPPORTED, "one fabric for images of two forms: there is none");
    crl_context_hold(context, true); // half a directory must not be left
    error = crl_folder_open(&folder, all.directory, all.force, diag);
    if (!error) error = what->image->machine->emitting->write(what, count, &all, &folder, diag);
    if (!error && crl_context_cancelled(context)) error = crl_fail(diag, CRL_ERR_INTERRUPTED, "interrupted");
    error = crl_folder_close(&folder, error, diag);
    crl_context_hold(context, false);
    return error;
}
