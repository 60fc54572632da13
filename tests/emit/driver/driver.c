// SPDX-License-Identifier: Apache-2.0
// The driver that `emit` writes, against the port of the fabric `first`: loads two schedules and plays both, and looks
// at every word.
#include "fabric.h"
#include <stdio.h>
#include <stdlib.h>

static uint32_t bus_read(uint32_t address);
static void bus_write(uint32_t address, uint32_t value);
#define CARILLON_READ(base, offset)         bus_read((uint32_t)((base) + (offset)))
#define CARILLON_WRITE(base, offset, value) bus_write((uint32_t)((base) + (offset)), value)
#include "first/first.h"
#include "other/other.h"
#include "second/second.h"
#include "streams.h"

enum { BASE = 0x100, CYCLES_MAX = 100000 };

static struct fabric f;
static unsigned refused, cycles, lots = 1;

// What plays: a schedule's op, rounds of it, and how far each stream is.
static struct {
    unsigned schedule, op, rounds, fed[NODES], shown[NODES];
} now;

static void fail(const char *what)
{
    printf("FAIL %s, schedule %u op %u cycle %u\n", what, now.schedule, now.op, cycles);
    exit(1);
}

static uint32_t word_of(unsigned packet, unsigned round)
{
    return (packet + 1) * 2654435761u ^ (round + 1 + 16 * now.schedule + 8 * now.op) * 40503u << 8;
}

static const struct stream *feed(unsigned v) { return &feeds[now.schedule][now.op][v]; }
static const struct stream *show(unsigned v) { return &shows[now.schedule][now.op][v]; }

// A cycle: streams give and take their words, with stalls at random.
static void cycle(void)
{
    for (unsigned v = 0; v < NODES; v++) {
        bool more = now.fed[v] < now.rounds * feed(v)->count, offered = f.s_tvalid >> v & 1;
        lots = lots * 1103515245u + 12345u;
        f.s_tvalid = (f.s_tvalid & ~(1u << v)) | (uint32_t)(more && (offered || (lots >> 16 & 3))) << v;
        if (more) f.s_tdata[v] = word_of(feed(v)->packet[now.fed[v] % feed(v)->count], now.fed[v] / feed(v)->count);
        f.m_tready = (f.m_tready & ~(1u << v)) | (uint32_t)((lots >> 20 & 3) != 0) << v;
    }
    fabric_settle(&f);
    for (unsigned v = 0; v < NODES; v++) {
        if (f.s_tvalid & f.s_tready & 1u << v) {
            now.fed[v]++;
            f.s_tvalid &= ~(1u << v);
        }
        if (!(f.m_tvalid & f.m_tready & 1u << v)) continue;
        const struct stream *s = show(v);
        if (now.shown[v] >= now.rounds * s->count) fail("a word that nobody waits for");
        if (f.m_tdata[v] != word_of(s->packet[now.shown[v] % s->count], now.shown[v] / s->count)) fail("a wrong word");
        now.shown[v]++;
    }
    if (f.rst_n && f.fault) fail("a fault");
    if (++cycles > CYCLES_MAX) fail("no end");
    fabric_clock();
}

static uint32_t bus_read(uint32_t address)
{
    uint32_t value;
    f.arvalid = true;
    f.araddr = (uint8_t)(address - BASE);
    do cycle();
    while (!f.arready);
    f.arvalid = false;
    f.rready = true;
    do cycle();
    while (!f.rvalid);
    value = f.rdata;
    if (f.rresp) refused++;
    f.rready = false;
    return value;
}

static void bus_write(uint32_t address, uint32_t value)
{
    f.awvalid = f.wvalid = true;
    f.awaddr = (uint8_t)(address - BASE);
    f.wdata = value;
    do cycle();
    while (!f.awready || !f.wready);
    f.awvalid = f.wvalid = false;
    f.bready = true;
    do cycle();
    while (!f.bvalid);
    if (f.bresp) refused++;
    f.bready = false;
}

static void play(unsigned schedule, unsigned op, unsigned rounds)
{
    carillon_start(BASE, op, rounds);
    now.schedule = schedule;
    now.op = op;
    now.rounds = rounds;
    for (unsigned v = 0; v < NODES; v++) now.fed[v] = now.shown[v] = 0;
    if (!carillon_busy(BASE)) fail("ordered, and not busy");
    while (carillon_busy(BASE)) {
    }
    for (unsigned v = 0; v < NODES; v++)
        if (now.fed[v] != rounds * feed(v)->count || now.shown[v] != rounds * show(v)->count) fail("words are missing");
}

int main(void)
{
    unsigned words = 0;
    for (unsigned i = 0; i < 5; i++) cycle();
    f.rst_n = true;
    if (carillon_load(BASE, &other_tables) != CARILLON_OTHER_FABRIC) fail("takes tables of another fabric");
    // The memories are undefined as yet.
    for (unsigned again = 0; again < 2; again++) {
        if (carillon_load(BASE, &first_tables)) fail("does not take its own tables");
        for (unsigned op = 0; op < OPS; op++) play(0, op, 3 + op);
        if (carillon_load(BASE, &second_tables)) fail("does not take the other tables");
        for (unsigned op = OPS; op-- > 0;) play(1, op, 4);
        play(1, 0, 1);
    }
    for (unsigned v = 0; v < NODES; v++) words += now.shown[v];
    if (refused || !words) fail("something was refused");
    // What cannot be ordered: another kind of rounds, or rounds while some wait.
    bus_write(BASE + CARILLON_RUN, OPS << 16 | 1);
    if (refused != 1 || carillon_busy(BASE)) fail("orders what is not there");
    carillon_start(BASE, 0, 65535);
    bus_write(BASE + CARILLON_RUN, 1);
    if (refused != 2) fail("forgets an order for another");
    // And what was ordered is dropped where other tables are loaded.
    if (carillon_load(BASE, &first_tables) || carillon_busy(BASE) || carillon_fault(BASE)) fail("keeps an old order");
    carillon_clear(BASE);
    play(0, OPS - 1, 2);
    printf("PASS %u cycles\n", cycles);
    return 0;
}
