# SPDX-License-Identifier: Apache-2.0
"""cocotb bench of an emitted fabric with a table port: plays one schedule, is loaded with another one by cocotbext-axi's AXI4-Lite
manager, with random stalls, and plays that; what must not be written is refused."""
import json
import os

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge, with_timeout
from cocotbext.axi import (AxiLiteBus, AxiLiteMaster, AxiResp, AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource)
from stalls import stalls

CASE = json.loads(os.environ["AXIS_CASE"])
STREAMS, ROUNDS, IDENTITY = CASE["streams"], CASE["rounds"], CASE["id"]
PLANS = CASE["plans"]  # of the fabric's own tables, and of the others: packets as numbers, of each stream in and out
CONTROL, STATUS, SELECT, ENTRY, DATA = 0x04, 0x08, 0x0C, 0x10, 0x14


class Port:
    def __init__(self, dut):
        self.manager = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk_i, dut.rst_ni, reset_active_level=False)
        channels = (self.manager.write_if.aw_channel, self.manager.write_if.w_channel, self.manager.write_if.b_channel,
                    self.manager.read_if.ar_channel, self.manager.read_if.r_channel)
        for number, channel in enumerate(channels):
            channel.log.setLevel("WARNING")
            channel.set_pause_generator(stalls(2000 + number, CASE["stalls"]))
        self.manager.write_if.log.setLevel("WARNING")
        self.manager.read_if.log.setLevel("WARNING")

    async def write(self, address, value, good=True, size=4):
        answer = await with_timeout(self.manager.write(address, value.to_bytes(4, "little")[:size]), 5, "us")
        assert (answer.resp == AxiResp.OKAY) == good, f"{value:#x} to {address:#x}: {answer.resp}"

    async def read(self, address, good=True):
        answer = await with_timeout(self.manager.read(address, 4), 5, "us")
        assert (answer.resp == AxiResp.OKAY) == good, f"{address:#x}: {answer.resp}"
        return int.from_bytes(answer.data, "little")

    async def hold(self):
        await self.write(CONTROL, 1)
        for _ in range(1000):
            if await self.read(STATUS) & 1:
                return
        assert False, "never held"


async def answers_stay(dut):
    """An answer that is not taken stays."""
    waited = None
    while True:
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        answer = (str(dut.s_axil_bvalid.value), str(dut.s_axil_bresp.value)), (str(dut.s_axil_rvalid.value), str(dut.s_axil_rdata.value))
        ready = int(dut.s_axil_bready.value), int(dut.s_axil_rready.value)
        for before, now in zip(waited or (None, None), answer):
            assert before is None or before == now, f"{now} instead of {before}, which waited"
        waited = [None if taken or shown[0] != "1" else shown for shown, taken in zip(answer, ready)]


def word(packet, turn):
    return packet << 8 | turn & 255


async def play(sources, sinks, plan, first):
    for i, source in enumerate(sources):
        for turn in range(first, first + ROUNDS):
            for packet in plan["in"][i]:
                source.send_nowait(AxiStreamFrame([word(packet, turn)]))
    for turn in range(first, first + ROUNDS):
        for i, sink in enumerate(sinks):
            for packet in plan["out"][i]:
                frame = await with_timeout(sink.recv(), 50, "us")
                assert list(frame.tdata) == [word(packet, turn)], f"stream {i}, round {turn}: {frame.tdata} is not packet {packet}"
    assert all(sink.empty() for sink in sinks), "words too many"


async def refuse(port):
    """What cannot be written, one after the other; the entry that SELECT and ENTRY name stays as it was."""
    for address, value in ((0, 1), (CONTROL, 4), (STATUS, 0), (SELECT, 1 << 26), (ENTRY, 1 << 24), (0x18, 0)):
        await port.write(address, value, False)
    for kind, stream, part, entry in ((0, 0, STREAMS, 0), (0, 1, 0, 0), (0, 0, 0, 1 << 10), (1, STREAMS, 0, 0), (2, 0, 0, 1 << 12), (3, 0, 0, 1)):
        await port.write(SELECT, kind << 24 | stream << 16 | part)
        await port.write(ENTRY, entry)
        await port.write(DATA, 0xFFFFFFFF, False)
    await port.write(SELECT, 0)
    await port.write(DATA, 0, False, size=2)  # half a word
    await port.read(DATA, False)


async def held_between_rounds(dut, port, sources, sinks, plan, delay):
    """Rounds that had begun when the fabric was asked to hold give all their words, others none. Reset leaves tables as they are."""
    dut.rst_ni.value = 0
    for stream in sources + sinks:
        stream.clear()
    for _ in range(4):
        await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    for i, source in enumerate(sources):
        for turn in range(100):
            for packet in plan["in"][i]:
                source.send_nowait(AxiStreamFrame([word(packet, turn)]))
    for _ in range(20 + delay):
        await RisingEdge(dut.clk_i)
    await port.hold()
    await RisingEdge(dut.clk_i)
    came = [[list(sink.recv_nowait().tdata)[0] for _ in range(sink.count())] for sink in sinks]
    rounds = max(len(words) for words in came)
    assert 0 < rounds < 100, f"{rounds} rounds before it held"
    for i, words in enumerate(came):
        wanted = [word(packet, turn) for turn in range(rounds) for packet in plan["out"][i]]
        assert words == wanted, f"stream {i}: {words} when it held, not {wanted}"


@cocotb.test()
async def other_tables(dut):
    cocotb.start_soon(Clock(dut.clk_i, 10, units="ns").start())
    dut.rst_ni.value, dut.start_i.value = 0, 0
    ends = [[kind(AxiStreamBus.from_prefix(dut, f"{letter}{i}"), dut.clk_i, dut.rst_ni, reset_active_level=False, byte_lanes=1)
             for i in range(STREAMS)] for kind, letter in ((AxiStreamSource, "s"), (AxiStreamSink, "m"))]
    for number, stream in enumerate(ends[0] + ends[1]):
        stream.log.setLevel("WARNING")
        stream.set_pause_generator(stalls(number, CASE["stalls"]))
    port = Port(dut)
    for _ in range(4):
        await RisingEdge(dut.clk_i)
    dut.rst_ni.value, dut.start_i.value = 1, 1
    cocotb.start_soon(answers_stay(dut))
    assert await port.read(0) == IDENTITY, "not the fabric that the tables are for"
    # While it plays nothing can be written, and what is refused does no harm.
    await port.write(DATA, 0, False)
    await play(*ends, PLANS[0], 0)
    await port.hold()
    await refuse(port)
    for address, value in CASE["load"]:
        await port.write(address, value)
    await port.write(CONTROL, 0)
    await play(*ends, PLANS[1], ROUNDS)
    # A fault is told, and cleared: a row of bad parity, as all zeros but one bit, and the right tables again.
    await port.hold()
    await port.write(SELECT, CASE["spoiled"])
    await port.write(ENTRY, 0)
    for i in range(CASE["row_words"]):
        await port.write(DATA, int(i == 0))
    await port.write(CONTROL, 0)
    for i, source in enumerate(ends[0]):
        for packet in PLANS[1]["in"][i]:
            source.send_nowait(AxiStreamFrame([word(packet, 0)]))
    for _ in range(1000):
        if await port.read(STATUS) & 4:
            break
    else:
        assert False, "no fault"
    await port.hold()
    for address, value in CASE["load"]:
        await port.write(address, value)
    await port.write(CONTROL, 2)
    assert not await port.read(STATUS) & 4, "the fault stays"
    for number, sink in enumerate(ends[1]):
        sink.set_pause_generator(stalls(3000 + number, 0.8))  # so that words wait when it is to hold
    for delay in range(4):
        await held_between_rounds(dut, port, *ends, PLANS[1], delay)
