// SPDX-License-Identifier: Apache-2.0
// The operators by which routers combine what arrives. Words are unsigned, and sums modulo 2^data_width.
#include "problem/problem.h"
#include <string.h>

static const char *const names[CRL_OPS] = {"add", "min", "max", "xor", "and", "or"};

const char *crl_op_name(enum crl_op op) { return names[op]; }

enum crl_op crl_op_named(const char *name)
{
    enum crl_op op = CRL_OP_ADD;
    while (op < CRL_OPS && strcmp(names[op], name)) op++;
    return op;
}

uint64_t crl_op_apply(enum crl_op op, uint32_t data_width, uint64_t a, uint64_t b)
{
    switch (op) {
    case CRL_OP_ADD: return (a + b) & UINT64_MAX >> (64 - data_width);
    case CRL_OP_MIN: return a < b ? a : b;
    case CRL_OP_MAX: return a < b ? b : a;
    case CRL_OP_XOR: return a ^ b;
    case CRL_OP_AND: return a & b;
    case CRL_OP_OR:
    case CRL_OPS: break;
    }
    return a | b;
}
