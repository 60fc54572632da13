// SPDX-License-Identifier: Apache-2.0
#include "top.h"

#include <stdio.h>

const struct crl_vtop_ops *crl_vtop_load(const char *board, const char *netlist, void (*message)(const char *text),
                                         char *error, size_t error_size)
{
    (void)netlist;
    (void)message;
    snprintf(error, error_size, "there is no design, '%s'", board);
    return NULL;
}
