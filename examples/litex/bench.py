#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A fabric in LiteX without a processor: gateware feeds the streams of `exchange` and looks at every word that they show, by streams.csv,
with stalls at random. LiteX compiles it with Verilator and plays it.

usage: bench.py FOLDER BUILD        where `carillon emit` wrote the fabric, and where to build"""
import csv
import functools
import operator
import sys

from litex.build.generic_platform import Pins
from litex.build.io import CRG
from litex.build.sim import SimPlatform
from litex.build.sim.config import SimConfig
from litex.gen import LiteXModule
from litex.soc.cores.prbs import PRBS31Generator
from migen import Array, Cat, Constant, Display, Finish, If, Signal

folder, build = sys.argv[1:]
sys.path.insert(0, folder)
from exchange_litex import NODES, PEER_BITS, Fabric

ROUNDS = 8
CYCLES_MAX = 10000


def packets_of(node, direction):
    """Origin and destination of each packet of a stream, in its order."""
    return [tuple(map(int, row["packet"].split(">"))) for row in csv.DictReader(open(f"{folder}/streams.csv"))
            if (int(row["node"]), row["direction"]) == (node, direction)]


def any_of(signals):
    return functools.reduce(operator.or_, signals)


class Words(LiteXModule):
    """The words of a stream, one after the other: each is made of its round, its origin and its destination."""
    def __init__(self, node, direction):
        packets = packets_of(node, direction)
        index, turn = Signal(max=len(packets) + 1), Signal(max=ROUNDS + 1)
        self.next, self.done = Signal(), turn == ROUNDS
        self.origin, self.dest = (Array(Constant(packet[end], PEER_BITS) for packet in packets)[index] for end in (0, 1))
        self.word = Cat(self.dest, self.origin, turn)
        self.sync += If(self.next, index.eq(index + 1), If(index == len(packets) - 1, index.eq(0), turn.eq(turn + 1)))


class Bench(LiteXModule):
    def __init__(self, platform):
        self.crg = CRG(platform.request("sys_clk"))
        self.fabric = fabric = Fabric(platform, with_csr=False)
        self.lots = lots = PRBS31Generator(4 * NODES) # two for each stream: it stalls where both are 0
        wrong, done = [fabric.fault], []
        for node, (sink, wanted, source) in enumerate(zip(fabric.sinks, fabric.wanted, fabric.sources)):
            own, shown = Words(node, "in"), Words(node, "out")
            self.submodules += own, shown
            offered, took, gave = Signal(), Signal(), Signal()
            self.comb += [
                sink.valid.eq(~own.done & (offered | (lots.o[4 * node:4 * node + 2] != 0))),
                sink.data.eq(own.word),
                took.eq(sink.valid & sink.ready),
                own.next.eq(took),
                source.ready.eq(lots.o[4 * node + 2:4 * node + 4] != 0),
                gave.eq(source.valid & source.ready),
                shown.next.eq(gave),
            ]
            self.sync += offered.eq(sink.valid & ~sink.ready) # a word that is offered stays
            wrong += [took & (wanted != own.dest),
                      gave & (shown.done | (source.data != shown.word) | (source.peer != shown.origin) | ~source.last)]
            done += [own.done, shown.done]
        cycle, rest = Signal(32), Signal(max=100)
        self.comb += fabric.start.eq(1) # rounds follow each other
        self.sync += [
            cycle.eq(cycle + 1),
            If(~any_of(~d for d in done), rest.eq(rest + 1)),
            If(any_of(wrong), Display("FAIL a wrong word or a fault, cycle %0d", cycle), Finish()
            ).Elif(cycle == CYCLES_MAX, Display("FAIL no end"), Finish()
            ).Elif(rest == 99, Display(f"PASS {ROUNDS} rounds of {NODES} nodes, %0d cycles", cycle), Finish()),
        ]


platform = SimPlatform("SIM", [("sys_clk", 0, Pins(1))])
platform.build(Bench(platform), build_dir=build, sim_config=SimConfig("sys_clk"), interactive=False, verbose=False, opt_level="O1")
