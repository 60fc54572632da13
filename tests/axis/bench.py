# SPDX-License-Identifier: Apache-2.0
"""cocotb bench of an emitted fabric: cocotbext-axi offers and takes words with random stalls; each must come out once, where and when
it should, and the streams must keep the rules of AXI4-Stream."""
import json
import os

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from stalls import stalls

CASE = json.loads(os.environ["AXIS_CASE"])
NODES, WAYS, WORDS, STALLS = CASE["nodes"], CASE["ways"], CASE["words"], CASE["stalls"]
DESTS, ORIGINS = CASE["dests"], CASE["origins"]  # of a round, in order, of each node and stream
NODE_W = max(1, (NODES - 1).bit_length())


def word(origin, dest, turn):
    return origin << (16 - NODE_W) | dest << (16 - 2 * NODE_W) | turn % (1 << (16 - 2 * NODE_W))


def bits(value, at, width):
    return value >> at * width & (1 << width) - 1


async def rules(dut, asked):
    """A word that is offered stays; a destination is told before its word is taken."""
    held = [None] * (NODES * WAYS)
    count = [0] * (NODES * WAYS)
    while True:
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        valid, ready, data, peer, last = (int(s.value) for s in (dut.m_valid, dut.m_ready, dut.m_data, dut.m_peer, dut.m_last))
        s_valid, s_ready, dest = int(dut.s_valid.value), int(dut.s_ready.value), int(dut.s_dest.value)
        for i in range(NODES * WAYS):
            offered = (bits(data, i, 16), bits(peer, i, NODE_W), bits(last, i, 1)) if bits(valid, i, 1) else None
            assert held[i] is None or offered == held[i], f"stream {i}: {offered} instead of {held[i]}, which waited"
            held[i] = None if bits(ready, i, 1) else offered
            if bits(s_valid & s_ready, i, 1):
                wanted = DESTS[i][count[i] % len(DESTS[i])]
                assert bits(dest, i, NODE_W) == wanted, f"stream {i}: word {count[i]} goes to {bits(dest, i, NODE_W)}, not {wanted}"
                count[i] += 1
        asked[0] = sum(count)
        assert int(dut.fault_o.value) == 0, "a fault"


@cocotb.test()
async def all_words(dut):
    cocotb.start_soon(Clock(dut.clk_i, 10, units="ns").start())
    dut.rst_ni.value, dut.start_i.value = 0, 0
    sources = [AxiStreamSource(AxiStreamBus.from_prefix(dut, f"s{i}"), dut.clk_i, dut.rst_ni, reset_active_level=False, byte_lanes=1)
               for i in range(NODES * WAYS)]
    sinks = [AxiStreamSink(AxiStreamBus.from_prefix(dut, f"m{i}"), dut.clk_i, dut.rst_ni, reset_active_level=False, byte_lanes=1)
             for i in range(NODES * WAYS)]
    for stream in sources + sinks:
        stream.log.setLevel("WARNING")  # a line a word otherwise
    for _ in range(4):
        await RisingEdge(dut.clk_i)
    dut.rst_ni.value, dut.start_i.value = 1, 1
    for i in range(NODES * WAYS):
        sources[i].set_pause_generator(stalls(i, STALLS))
        sinks[i].set_pause_generator(stalls(1000 + i, STALLS))
    asked = [0]
    cocotb.start_soon(rules(dut, asked))
    rounds = -(-WORDS // sum(len(d) for d in DESTS))

    for i, source in enumerate(sources):
        for turn in range(rounds):
            for dest in DESTS[i]:
                source.send_nowait(AxiStreamFrame([word(i // WAYS, dest, turn)]))
    came = 0
    for turn in range(rounds):
        for i, sink in enumerate(sinks):
            for origin in ORIGINS[i]:
                frame = await sink.recv()
                want = word(origin, i // WAYS, turn)
                assert list(frame.tdata) == [want], f"stream {i}, round {turn}: {[hex(w) for w in frame.tdata]} instead of {want:#x}"
                assert frame.tid == origin, f"stream {i}, round {turn}: from {frame.tid} instead of {origin}"
                came += 1
    assert asked[0] == came and all(s.empty() for s in sinks), f"{asked[0]} words went in, {came} came out"
    dut._log.info("%d words", came)
