// SPDX-License-Identifier: Apache-2.0
// Floating-point numbers and what the compiler's operators make of them, for the bench of float.sh: a line a case, what
// is done (0: a sum, 1 and 2: 16 bits of bf16 and fp16 as a float, 3 and 4: a float in those), the operands and the
// result in hexadecimal. Numbers at borders of the format meet each other, and random ones meet others that lie near
// enough for every kind of rounding, or cancel.
#include "base/base.h"
#include "problem/problem.h"
#include <stdio.h>
#include <stdlib.h>

enum { RANDOM = 4000 };

static const uint32_t borders[] = {0x00000000, 0x00000001, 0x00000002, 0x003fffff, 0x00400000, 0x007fffff, 0x00800000,
                                   0x00800001, 0x00ffffff, 0x01000000, 0x33000000, 0x33800000, 0x33800001, 0x34000000,
                                   0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fffffff, 0x40000000, 0x4b7fffff, 0x4b800000,
                                   0x4b800001, 0x4c000000, 0x73000000, 0x73800000, 0x7effffff, 0x7f000000, 0x7f7ffffe,
                                   0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff};
static const enum crl_op halves[] = {CRL_OP_FADD_BF16, CRL_OP_FADD_FP16};

static void print(uint32_t a, uint32_t b)
{
    printf("0%08x%08x%08x\n", a, b, (uint32_t)crl_op_apply(CRL_OP_FADD, 32, a, b));
}

static void print_narrowed(int i, uint32_t number)
{
    printf("%d%08x%08x%08x\n", 3 + i, number, 0, (uint32_t)crl_op_narrowed(halves[i], number));
}

// A number of 16 bits, and, as a float, what lies beside it and beside the middle to the next.
static void print_halves(int i, uint32_t half)
{
    const uint32_t wide = (uint32_t)crl_op_widened(halves[i], half),
                   next = (uint32_t)crl_op_widened(halves[i], half + 1);
    const uint32_t middle = wide / 2 + next / 2;
    printf("%d%08x%08x%08x\n", 1 + i, half, 0, wide);
    for (uint32_t at = 0; at < 5; at++) print_narrowed(i, at < 3 ? middle - 1 + at : wide - 4 + at);
}

int main(void)
{
    const size_t count = sizeof borders / sizeof *borders;
    for (size_t i = 0; i < 2 * count; i++)
        for (size_t j = 0; j < 2 * count; j++)
            print(borders[i / 2] | (uint32_t)(i & 1) << 31, borders[j / 2] | (uint32_t)(j & 1) << 31);
    for (uint64_t i = 0; i < RANDOM; i++) {
        const uint64_t random = crl_mix(2 * i), more = crl_mix(2 * i + 1);
        const uint32_t a = (uint32_t)random, near = (uint32_t)(random >> 32) & 0x807fffff;
        // Exponents up to 31 apart; few of the lowest bits, in one pair of four, make ties.
        uint32_t exponent = (a >> 23 & 0xff) + (uint32_t)(more % 63);
        exponent = exponent < 31 ? 0 : exponent - 31 > 255 ? 255 : exponent - 31;
        print(a, (i % 4 ? near : near & 0x807ff000) | exponent << 23);
        print_narrowed(i & 1, a);
    }
    for (size_t i = 0; i < 2 * count; i++) print_narrowed(i & 1, borders[i / 2]);
    for (int i = 0; i < 2; i++)
        for (uint32_t half = 0; half < 0xffff; half += half % 0x400 < 3 || half % 0x80 > 0x7c ? 1 : 61)
            print_halves(i, half);
    return 0;
}
