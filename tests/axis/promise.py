# SPDX-License-Identifier: Apache-2.0
"""cocotb bench of an emitted fabric that knows streams.csv and the printed cycles: cocotbext-axi offers and takes words, first those of
one round, then of rounds without a gap, then with random stalls; all must come out in their order, in as many cycles as was said."""
import json
import os

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge, with_timeout
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from stalls import stalls

CASE = json.loads(os.environ["AXIS_CASE"])
COME, LEAVE = CASE["come"], CASE["leave"]  # words of each stream, a list a round
PHASES = CASE["phases"]                    # rounds alone, without a gap, with stalls


async def ends(dut, first, last):
    """The cycle in which each round's first word is taken, and that in which its last one is given."""
    come, leave = (sum(len(stream[0]) for stream in streams) for streams in (COME, LEAVE))
    taken = given = now = 0
    while True:
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        now += 1
        into = (int(dut.s_valid.value) & int(dut.s_ready.value)).bit_count()
        out = (int(dut.m_valid.value) & int(dut.m_ready.value)).bit_count()
        if into and taken // come == len(first):
            first.append(now)
        taken, given = taken + into, given + out
        if out and given // leave > len(last):
            last.append(now)
        assert int(dut.fault_o.value) == 0, "a fault"


@cocotb.test()
async def as_promised(dut):
    cocotb.start_soon(Clock(dut.clk_i, 10, units="ns").start())
    dut.rst_ni.value, dut.start_i.value = 0, 0

    def streams(kind, prefix, count):
        made = [kind(AxiStreamBus.from_prefix(dut, f"{prefix}{i}"), dut.clk_i, dut.rst_ni, reset_active_level=False, byte_lanes=1) for i in range(count)]
        for stream in made:
            stream.log.setLevel("WARNING")  # a line a word otherwise
        return made

    sources, sinks = streams(AxiStreamSource, "s", len(COME)), streams(AxiStreamSink, "m", len(LEAVE))
    for _ in range(8):
        await RisingEdge(dut.clk_i)
    dut.rst_ni.value, dut.start_i.value = 1, 1
    for _ in range(20):
        await RisingEdge(dut.clk_i)
    first, last = [], []
    cocotb.start_soon(ends(dut, first, last))

    async def play(rounds):
        for turn in rounds:
            for i, source in enumerate(sources):
                for word in COME[i][turn]:
                    source.send_nowait(AxiStreamFrame([word]))
        for turn in rounds:
            for i, sink in enumerate(sinks):
                for word in LEAVE[i][turn]:
                    frame = await with_timeout(sink.recv(), 1, "ms")
                    assert list(frame.tdata) == [word], f"stream {i}, round {turn}: {[hex(w) for w in frame.tdata]} instead of {word:#x}"
        for _ in range(60):
            await RisingEdge(dut.clk_i)

    alone, close, stalled = PHASES
    await play(range(alone))
    assert last[0] - first[0] + 1 == CASE["cycles"], f"{last[0] - first[0] + 1} cycles, {CASE['cycles']} promised"
    await play(range(alone, alone + close))
    period = (last[alone + close - 1] - last[alone]) / (close - 1)
    assert period == CASE["period"], f"a round every {period} cycles, {CASE['period']} promised"
    for i in range(len(COME)):
        sources[i].set_pause_generator(stalls(i, 0.3))
        sinks[i].set_pause_generator(stalls(1000 + i, 0.3))
    await play(range(alone + close, alone + close + stalled))
    assert all(sink.empty() for sink in sinks) and len(last) == sum(PHASES), f"{len(last)} rounds came out"
