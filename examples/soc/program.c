// SPDX-License-Identifier: Apache-2.0
// What each of the eight cores does: gives a word to all others, eight times over, each time one that depends on the words of
// all. One function in one section from address 0 on, so that nothing needs a linker.
#include <stdint.h>

enum { CORES = 8, TURNS = 8 };
#define BUS ((volatile uint32_t *)0x80000000) // soc.sv: words to and from the fabric, whose word is next, who am I, result

static void run(void);

// The stack is at the end of 1 KiB.
__attribute__((naked, used)) void start(void) { __asm__("li sp, 1024\n\tj run"); }

// Hashes of eight words: each depends on all and on its order.
__attribute__((used, noinline)) static uint32_t hash(const uint32_t *word)
{
    uint32_t x = 1;
    for (int i = 0; i < CORES; i++) {
        x ^= word[i];
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    return x;
}

__attribute__((used, noinline)) static void run(void)
{
    uint32_t word[CORES];
    const uint32_t me = BUS[2];
    uint32_t own = me;
    for (int turn = 0; turn < TURNS; turn++) {
        BUS[0] = own;
        word[me] = own;
        for (int i = 1; i < CORES; i++) {
            const uint32_t from = BUS[1]; // waits until there is a word
            word[from] = BUS[0];
        }
        own = hash(word) + me;
    }
    BUS[3] = own;
    for (;;) {}
}
