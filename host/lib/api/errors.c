// SPDX-License-Identifier: Apache-2.0
// The table of errors, for whoever tells them apart by name.
#include "base/base.h"

static const struct carillon_error table[] = {
    {CRL_ERR_ARGUMENT, "argument", "an option or name makes no sense"},
    {CRL_ERR_PARSE, "parse", "a text or file does not parse, or its CRC is wrong"},
    {CRL_ERR_IO, "io", "the operating system refused"},
    {CRL_ERR_MEMORY, "memory", "out of memory"},
    {CRL_ERR_RULE, "rule", "a schedule breaks a rule, or demands cannot be met"},
    {CRL_ERR_UNSUPPORTED, "unsupported", "no algorithm, or no hardware form, for this"},
    {CRL_ERR_LIMIT, "limit", "too large to represent, or for this machine"},
    {CRL_ERR_MISMATCH, "mismatch", "traces or results differ"},
    {CRL_ERR_TOOL, "tool", "an outside tool is missing or failed"},
    {CRL_ERR_DEVICE, "device", "there is no board, or it does not do what it should"},
    {CRL_ERR_INTERRUPTED, "interrupted", "the caller's watch wanted to stop"},
    {CRL_ERR_BUILD, "build", "an outside tool refused what a simulator is compiled from"},
    {CRL_ERR_LOAD, "load", "a compiled simulator cannot be loaded"},
    {CRL_ERR_BUSY, "busy", "not while rows are being played"},
    {CRL_ERR_ASSERT, "assert", "an assertion of the RTL failed"},
};

bool carillon_error_at(size_t index, struct carillon_error *row)
{
    if (index >= sizeof table / sizeof *table) return false;
    *row = table[index];
    return true;
}
