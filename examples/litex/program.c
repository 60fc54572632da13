// SPDX-License-Identifier: Apache-2.0
// What the processor runs: loads two schedules, scatter and gather from node 0 and then from node 3, and plays both, once by the fabric's
// port and once by a CSR. It gives each word that a node is asked for, and looks at each that is shown.
#include <stdbool.h>
#include <stdint.h>

#include "first.h"
#include "second.h"
#include <generated/csr.h>
#include <generated/mem.h>

enum { NODES = 4, SCATTER = 0, GATHER = 1 };
static const uint32_t port[NODES] = {CSR_WORDS0_BASE, CSR_WORDS1_BASE, CSR_WORDS2_BASE, CSR_WORDS3_BASE};
#define CSR_OF(node, name) (port[node] + (CSR_WORDS0_##name##_ADDR - CSR_WORDS0_BASE))

__attribute__((naked, section(".start"))) void _start(void) { __asm__("la sp, stack_top\n j main"); }

static void print(const char *text)
{
    for (; *text; text++) {
        while (uart_txfull_read()) {
        }
        uart_rxtx_write(*text);
    }
}

__attribute__((noreturn)) static void end(const char *text)
{
    print(text);
    while (!uart_txempty_read()) {
    }
    for (;;) sim_finish_finish_write(1);
}

static uint32_t word_of(uint32_t origin, uint32_t dest, uint32_t round) { return (round << 8 | origin << 4 | dest) * 0x01000193; }

// Words that a node has for a round of scatter or gather, and those for it.
static uint32_t gives(uint32_t op, uint32_t root, uint32_t v) { return op == SCATTER ? (v == root ? NODES - 1 : 0) : v != root; }
static uint32_t gets(uint32_t op, uint32_t root, uint32_t v) { return gives(op == SCATTER ? GATHER : SCATTER, root, v); }

// Gives node v's next word where it is asked for one.
static void give(uint32_t v, uint32_t words, uint32_t each, uint32_t *given)
{
    const uint32_t asks = csr_read_simple(CSR_OF(v, ASKS));
    if (*given == words || !(asks & 1)) return;
    csr_write_simple(word_of(v, asks >> 8, *given / each), CSR_OF(v, OWN));
    ++*given;
}

// Takes the word that node v is shown, if there is one.
static void take(uint32_t v, uint32_t words, uint32_t each, uint32_t *taken, uint32_t *origins)
{
    const uint32_t there = csr_read_simple(CSR_OF(v, THERE)), origin = there >> 8;
    if (!(there & 1)) return;
    if (*taken == words) end("FAIL a word that nobody waits for\n");
    if (csr_read_simple(CSR_OF(v, SHOWN)) != word_of(origin, v, *taken / each)) end("FAIL a wrong word\n");
    if (*origins >> origin & 1) end("FAIL a word twice\n");
    *origins = ++*taken % each ? *origins | 1u << origin : 0;
    csr_write_simple(1, CSR_OF(v, TAKE));
}

static void play(uint32_t op, uint32_t root, uint32_t rounds, bool by_csr)
{
    uint32_t given[NODES], taken[NODES], origins[NODES];
    bool more = true;
    for (uint32_t v = 0; v < NODES; v++) given[v] = taken[v] = origins[v] = 0;
    if (by_csr) fabric_control_write(1 | op << 16);
    else carillon_start(FABRIC_BASE, op, rounds);
    while (more || carillon_busy(FABRIC_BASE) || fabric_status_read()) {
        more = false;
        for (uint32_t v = 0; v < NODES; v++) {
            const uint32_t own = gives(op, root, v), others = gets(op, root, v);
            give(v, rounds * own, own, &given[v]);
            take(v, rounds * others, others, &taken[v], &origins[v]);
            if (given[v] != rounds * own || taken[v] != rounds * others) more = true;
        }
        if (carillon_fault(FABRIC_BASE)) end("FAIL a fault\n");
    }
}

int main(void)
{
    const struct carillon_tables *const tables[] = {&first_tables, &second_tables};
    const uint32_t root[] = {0, 3};
    for (uint32_t again = 0; again < 2; again++)
        for (uint32_t i = 0; i < 2; i++) {
            if (carillon_load(FABRIC_BASE, tables[i])) end("FAIL tables of another fabric\n");
            for (uint32_t op = 0; op < 2; op++) {
                play(op, root[i], 3, false);
                play(op, root[i], 1, true);
            }
        }
    end("PASS two schedules, loaded twice, 32 rounds\n");
}
