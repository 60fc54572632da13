// SPDX-License-Identifier: Apache-2.0
// The operators by which routers combine what arrives. Words are unsigned, and sums modulo
// 2^data_width, but for those of floating-point numbers.
#include "problem/problem.h"
#include <math.h>
#include <string.h>

static const char *const names[CRL_OPS] = {"add", "min", "max", "xor", "and", "or", "fadd", "fadd-bf16", "fadd-fp16"};

const char *crl_op_name(enum crl_op op) { return names[op]; }

enum crl_op crl_op_named(const char *name)
{
    enum crl_op op = CRL_OP_ADD;
    while (op < CRL_OPS && strcmp(names[op], name)) op++;
    return op;
}

const char *crl_op_meant(const char *name, enum crl_op end, char hint[96])
{
    struct carillon_nearest nearest = {.word = strcmp(name, "sum") ? name : names[CRL_OP_ADD]};
    for (enum crl_op op = CRL_OP_ADD; op < end; op++) crl_nearest_try(&nearest, names[op]);
    return crl_did_you_mean(&nearest, hint);
}

bool crl_op_fits(enum crl_op op, uint32_t data_width) { return !crl_op_floats(op) || data_width == 32; }

float crl_float_of(uint64_t word)
{
    const uint32_t bits = (uint32_t)word;
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

uint64_t crl_float_bits(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

// IEEE 754 binary32, rounded to nearest, ties to even. All NaNs become one, whose bits are not those of an operand.
static uint64_t add_floats(uint64_t a, uint64_t b)
{
    const float sum = crl_float_of(a) + crl_float_of(b);
    return isnan(sum) ? CRL_OP_NAN : crl_float_bits(sum);
}

// Formats of 16 bits: significant bits, the hidden one with them, and the exponent of the least number.
static const struct half {
    int digits, least;
    uint32_t infinity;
} halves[] = {{8, -133, 0x7f80}, {11, -24, 0x7c00}};

static const struct half *half_of(enum crl_op op) { return op > CRL_OP_FADD ? &halves[op - CRL_OP_FADD_BF16] : NULL; }

// Numbers of one exponent are so many of its units, and the next exponent begins where they end.
uint64_t crl_op_narrowed(enum crl_op op, uint64_t word)
{
    const struct half *half = half_of(op);
    if (!half) return word;
    const uint64_t sign = word >> 16 & 0x8000;
    const float number = fabsf(crl_float_of(word));
    if (isnan(number)) return half->infinity | UINT64_C(1) << (half->digits - 2);
    if (isinf(number)) return sign | half->infinity;
    int exponent;
    frexpf(number, &exponent);
    int unit = number > 0 ? exponent - half->digits : half->least;
    if (unit < half->least) unit = half->least;
    const uint64_t units = (uint64_t)rint(ldexp((double)number, -unit));
    const uint64_t bits = ((uint64_t)(unit - half->least) << (half->digits - 1)) + units;
    return sign | (bits < half->infinity ? bits : half->infinity);
}

uint64_t crl_op_widened(enum crl_op op, uint64_t word)
{
    const struct half *half = half_of(op);
    if (!half) return word;
    const uint64_t sign = (word & 0x8000) << 16, bits = word & 0x7fff, hidden = UINT64_C(1) << (half->digits - 1);
    const uint64_t field = bits / hidden, fraction = bits % hidden;
    if (bits >= half->infinity) return sign | 0x7f800000 | fraction << (24 - half->digits);
    return sign | crl_float_bits(ldexpf((float)(field ? fraction + hidden : fraction),
                                        half->least + (field ? (int)field - 1 : 0)));
}

uint64_t crl_op_apply(enum crl_op op, uint32_t data_width, uint64_t a, uint64_t b)
{
    switch (op) {
    case CRL_OP_ADD: return (a + b) & UINT64_MAX >> (64 - data_width);
    case CRL_OP_MIN: return a < b ? a : b;
    case CRL_OP_MAX: return a < b ? b : a;
    case CRL_OP_XOR: return a ^ b;
    case CRL_OP_AND: return a & b;
    case CRL_OP_FADD:
    case CRL_OP_FADD_BF16:
    case CRL_OP_FADD_FP16: return add_floats(a, b);
    case CRL_OP_OR:
    case CRL_OPS: break;
    }
    return a | b;
}
