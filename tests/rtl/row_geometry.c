// SPDX-License-Identifier: Apache-2.0
// Writes a module a parameter set that includes rtl/common/crl_row.svh and cannot be elaborated unless every field has
// the place and the width that the compiler gives it (image/row.h). tests/rtl/geometry.sh has the tools elaborate them.
#include "image/row.h"

#include <stdio.h>

static const struct {
    const char *at, *width; // as the include has them, %u the bank or lane
} fields[] = {
    [CRL_FIELD_PARITY] = {"0", "1"},
    [CRL_FIELD_RADDR] = {"BankAt + %u * BankFieldsW", "Store * AddrW"},
    [CRL_FIELD_BYP] = {"BankAt + %u * BankFieldsW + BypAt", "BypW"},
    [CRL_FIELD_DLY] = {"BankAt + %u * BankFieldsW + DlyAt", "Delay"},
    [CRL_FIELD_WEN] = {"BankAt + %u * BankFieldsW + WenAt", "Store"},
    [CRL_FIELD_WSEL] = {"BankAt + %u * BankFieldsW + WselAt", "XW"},
    [CRL_FIELD_WADDR] = {"BankAt + %u * BankFieldsW + WaddrAt", "Store * WaddrField * AddrW"},
    [CRL_FIELD_OWN] = {"BankAt + %u * BankFieldsW + OwnAt", "OwnW"},
    [CRL_FIELD_SET] = {"BankAt + %u * BankFieldsW + SetAt", "AddW / 3"},
    [CRL_FIELD_FWD] = {"BankAt + %u * BankFieldsW + FwdAt", "AddW / 3"},
    [CRL_FIELD_FLIP] = {"BankAt + %u * BankFieldsW + FlipAt", "AddW / 3"},
    [CRL_FIELD_OV] = {"OutAt + %u * OutFieldsW", "1"},
    [CRL_FIELD_OSEL] = {"OutAt + %u * OutFieldsW + OselAt", "SW"},
    [CRL_FIELD_OPORT] = {"OutAt + %u * OutFieldsW + OportAt", "GW"},
    [CRL_FIELD_EXP] = {"InAt + %u * InFieldsW", "1"},
    [CRL_FIELD_IPORT] = {"InAt + %u * InFieldsW + IportAt", "GW"},
    [CRL_FIELD_SHOW] = {"InAt + %u * InFieldsW + ShowAt", "Streams"},
    [CRL_FIELD_SSEL] = {"InAt + %u * InFieldsW + SselAt", "SselW"},
};

static void require(uint32_t at, uint32_t width, enum crl_field field, uint32_t index)
{
    printf("  if (");
    printf(fields[field].at, index);
    printf(" != %u || %s != %u) begin : gen_bad_%d_%u\n    crl_error_field_%d_is_elsewhere u_error ();\n  end\n", at,
           fields[field].width, width, (int)field, index, (int)field);
}

static uint32_t copies_of(const struct crl_geometry *g, enum crl_field field)
{
    return field == CRL_FIELD_PARITY ? 1 : field <= CRL_FIELD_FLIP ? g->banks : g->lanes;
}

// The widths of fields that are not there are 0 by their sum.
static void module(unsigned number, const struct crl_geometry *g)
{
    struct crl_row_layout layout = crl_row_layout(g);
    uint32_t seen = 0;
    printf("module geometry_%u #(\n  parameter int Ports = %u, Lanes = %u, Banks = %u, WriteXbar = %d, Delay = %d,\n"
           "  parameter int WaddrField = %d, Streams = %u, Store = %u, Combine = %u, AddrW = %u,\n  `include "
           "\"crl_row.svh\"\n  "
           "localparam int Last = 0\n) ();\n",
           number, g->ports, g->lanes, g->banks, g->write_xbar, g->delay, g->waddr_field, g->streams, !g->storeless,
           g->combine, g->addr_width);
    for (enum crl_field f = CRL_FIELD_PARITY; f <= CRL_FIELD_SSEL; f++)
        for (uint32_t k = 0; layout.field[f].width && k < copies_of(g, f); k++) {
            require(layout.field[f].at + k * layout.field[f].step, layout.field[f].width, f, k);
            seen += layout.field[f].width;
        }
    printf("  if (RowW != %u || RowW != %u) begin : gen_bad_row\n    crl_error_row_has_other_bits u_error ();\n  "
           "end\nendmodule\n\n",
           crl_row_bits(g), seen);
}

int main(void)
{
    static const uint32_t forms[][3] = {{1, 1, 1},    {2, 2, 2},  {3, 3, 3}, {4, 4, 4},    {6, 6, 6},
                                        {10, 10, 10}, {4, 1, 1},  {5, 2, 2}, {7, 3, 3},    {5, 2, 5},
                                        {4, 4, 5},    {32, 5, 9}, {1, 1, 3}, {32, 32, 32}, {4, 4, 1},
                                        {7, 5, 3},    {2, 2, 1},  {8, 8, 9}, {32, 17, 16}, {12, 12, 2}};
    unsigned number = 0;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (unsigned flags = 0; flags < 8; flags++) {
            struct crl_geometry g = {.ports = forms[i][0],
                                     .lanes = forms[i][1],
                                     .banks = forms[i][2],
                                     .write_xbar = flags & 1,
                                     .delay = flags >> 1 & 1,
                                     .waddr_field = flags >> 2 & 1,
                                     .addr_width = 1 + (number * 7) % 12};
            if ((!g.write_xbar && g.banks != g.lanes) || (g.delay && g.banks < g.lanes)) continue; // no such router
            module(number++, &g);
            if (i % 3) continue;
            g.streams = 1;
            g.storeless = !g.delay && flags & 4;
            module(number++, &g);
            if (flags != 7) continue;
            g.streams = g.storeless = 0;
            g.combine = 1 + (uint32_t)i % CRL_OPS;
            module(number++, &g);
            g.streams = g.banks >= g.lanes && g.lanes <= 16;
            if (g.streams) module(number++, &g);
        }
    printf("module geometry;\n");
    for (unsigned i = 0; i < number; i++) printf("  geometry_%u u_%u ();\n", i, i);
    printf("endmodule\n");
    return 0;
}
