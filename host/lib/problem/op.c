// SPDX-License-Identifier: Apache-2.0
// The operators by which routers combine what arrives. Words are unsigned, and sums modulo
// 2^data_width, but for those of floating-point numbers.
#include "problem/problem.h"
#include <math.h>
#include <string.h>

static const char *const names[CRL_OPS] = {"add", "min", "max", "xor", "and", "or", "fadd"};

const char *crl_op_name(enum crl_op op) { return names[op]; }

enum crl_op crl_op_named(const char *name)
{
    enum crl_op op = CRL_OP_ADD;
    while (op < CRL_OPS && strcmp(names[op], name)) op++;
    return op;
}

bool crl_op_fits(enum crl_op op, uint32_t data_width) { return op != CRL_OP_FADD || data_width == 32; }

// IEEE 754 binary32, rounded to nearest, ties to even. All NaNs become one, whose bits are not those of an operand.
static uint64_t add_floats(uint64_t a, uint64_t b)
{
    uint32_t bits[2] = {(uint32_t)a, (uint32_t)b};
    float operand[2];
    memcpy(operand, bits, sizeof operand);
    const float sum = operand[0] + operand[1];
    if (isnan(sum)) return CRL_OP_NAN;
    memcpy(bits, &sum, sizeof sum);
    return bits[0];
}

uint64_t crl_op_apply(enum crl_op op, uint32_t data_width, uint64_t a, uint64_t b)
{
    switch (op) {
    case CRL_OP_ADD: return (a + b) & UINT64_MAX >> (64 - data_width);
    case CRL_OP_MIN: return a < b ? a : b;
    case CRL_OP_MAX: return a < b ? b : a;
    case CRL_OP_XOR: return a ^ b;
    case CRL_OP_AND: return a & b;
    case CRL_OP_FADD: return add_floats(a, b);
    case CRL_OP_OR:
    case CRL_OPS: break;
    }
    return a | b;
}
