"""@TOP@ for LiteX: @WHAT@. Made by carillon @VERSION@.

    from @TOP@_litex import Fabric
    soc.fabric = Fabric(soc.platform)
@if LOADED     soc.bus.add_slave("fabric", soc.fabric.bus, SoCRegion(size=0x1000, cached=False))

Stream j of node v is at index v * STREAMS + j of `sinks`, which take a node's own words, and of `sources`, which show the words for it;
streams.csv has the packets in their order. `wanted` of that index says of the word that is taken next: @DEST_NOTE@; `peer` of a source, of
the word that is shown: @ORIGIN_NOTE@; its `last` is 1 where a packet ends.
"""
import pathlib

from litex.gen import LiteXModule
@if FIXED from litex.soc.interconnect import stream
@if LOADED from litex.soc.interconnect import axi, stream
from litex.soc.interconnect.csr import CSRField, CSRStatus, CSRStorage
@if PACKED from migen import Cat, ClockSignal, If, Instance, ResetSignal, Signal
@if NAMED from migen import ClockSignal, If, Instance, ResetSignal, Signal

NODES = @NODES@
STREAMS = @STREAMS@ # of a node, each way
WIDTH = @PORT_WIDTH@ # bits of a word@PADDING_NOTE@
PEER_BITS = @PEER_BITS@
FOLDER = pathlib.Path(__file__).resolve().parent


def add_sources(platform):
    """What files.f lists, relative to this directory."""
    for line in (FOLDER / "files.f").read_text().split():
        if line.startswith("+incdir+"):
            platform.add_verilog_include_path(str(FOLDER / line[len("+incdir+"):]))
        else:
            platform.add_source(str(FOLDER / line))


class Fabric(LiteXModule):
@if ONE     """`start` is sampled while not `busy` and arms a round. `fault` is sticky."""
@if LISTED     """`start`, where `op_ready`, orders a round of kind `op`. `fault` is sticky."""
@if SPARES     """`start`, where `op_ready`, orders a round of plan `op`. `fault` is sticky; `clear` clears it."""
@if BARE     def __init__(self, platform, with_csr=True):
@if ASIC     def __init__(self, platform, with_csr=True):
@if PARAMETERS     def __init__(self, platform, with_csr=True, **parameters): # those of the top
        self.start, self.busy, self.fault = Signal(), Signal(), Signal()
@if SEVERAL         self.op, self.op_ready = Signal(@OP_BITS@), Signal()
@if SPARES         self.clear = Signal()
        each = range(NODES * STREAMS)
@if PRESENT         self.sinks = [stream.Endpoint([("data", WIDTH)]) for _ in each]
@if ABSENT         self.sinks = [stream.Endpoint([("data", WIDTH), ("absent", 1)]) for _ in each] # absent: there is no word this time
        self.wanted = [Signal(PEER_BITS) for _ in each]
        self.sources = [stream.Endpoint([("data", WIDTH), ("peer", PEER_BITS)]) for _ in each]
@if LOADED         self.bus = axi.AXILiteInterface(data_width=32) # registers as README.md says

        # # #

        self._start = Signal() # also by CSR
        self.comb += self._start.eq(self.start)
@if SEVERAL         self._op = Signal.like(self.op)
@if SEVERAL         self.comb += self._op.eq(self.op)
@if SPARES         self._clear = Signal()
@if SPARES         self.comb += self._clear.eq(self.clear)
        if with_csr:
            self.add_csr()
        ports = {
            "i_@CLK@": ClockSignal(), "i_@RST@": ~ResetSignal(),
            "i_start@I@": self._start, "o_busy@O@": self.busy, "o_fault@O@": self.fault,
@if SEVERAL             "i_op@I@": self._op, "o_op_ready@O@": self.op_ready,
@if SPARES             "i_clear@I@": self._clear,
        }
@if FILES_READ         parameters.setdefault("TablesDir", str(FOLDER / "tables"))
@if PARAMETERS         ports.update({f"p_{name}": value for name, value in parameters.items()})
@if LOADED         ports.update(self.bus_ports())
        for port, signals in self.stream_ports().items():
@if PACKED             ports[port] = Cat(*signals)
@if NAMED             for i, signal in enumerate(signals):
@if NAMED                 ports[port.replace("nV", f"n{i // STREAMS}").replace("_J", f"_{i % STREAMS}")] = signal
        self.specials += Instance("@TOP@", **ports)
        add_sources(platform)

    def stream_ports(self):
        """The signals of all streams by what the top calls them."""
        return {
            "i_s_axis@OF@_tdata@I@": [sink.data for sink in self.sinks],
            "i_s_axis@OF@_tvalid@I@": [sink.valid for sink in self.sinks],
            "o_s_axis@OF@_tready@O@": [sink.ready for sink in self.sinks],
@if ABSENT             "i_s_axis@OF@_tuser@I@": [sink.absent for sink in self.sinks],
            "o_@WANTED@": self.wanted,
            "o_m_axis@OF@_tdata@O@": [source.data for source in self.sources],
            "o_m_axis@OF@_tvalid@O@": [source.valid for source in self.sources],
            "i_m_axis@OF@_tready@I@": [source.ready for source in self.sources],
            "o_m_axis@OF@_tlast@O@": [source.last for source in self.sources],
            "o_m_axis@OF@_tid@O@": [source.peer for source in self.sources],
        }
@if LOADED 
@if LOADED     def bus_ports(self):
@if LOADED         """The signals of AXI4-Lite, likewise."""
@if LOADED         ports = {}
@if LOADED         for name, fields in ("aw", "addr prot"), ("w", "data strb"), ("b", "resp"), ("ar", "addr prot"), ("r", "data resp"):
@if LOADED             channel, comes = getattr(self.bus, name), name in ("b", "r")
@if LOADED             for field in ["valid", *fields.split()]:
@if LOADED                 signal = getattr(channel, field)
@if LOADED                 ports[f"o_s_axil_{name}{field}@O@" if comes else f"i_s_axil_{name}{field}@I@"] = signal[:5] if field == "addr" else signal
@if LOADED             ports[f"i_s_axil_{name}ready@I@" if comes else f"o_s_axil_{name}ready@O@"] = channel.ready
@if LOADED         return ports

    def add_csr(self):
        """A round by software: written while `ordered` is 0."""
        ordered = Signal()
        self.control = CSRStorage(fields=[
            CSRField("start", pulse=True, description="Orders a round."),
@if SPARES             CSRField("clear", pulse=True, offset=1, description="Clears a fault."),
@if SEVERAL             CSRField("op", size=@OP_BITS@, offset=16, description="Its kind, from 0."),
        ])
        self.status = CSRStatus(fields=[
            CSRField("busy", description="A round plays, or has words that nobody has taken yet."),
            CSRField("fault", description="A word or a table was not as it must be; until reset."),
            CSRField("ordered", description="A round that was ordered is yet to begin."),
        ])
        self.comb += [
            self.status.fields.busy.eq(self.busy),
            self.status.fields.fault.eq(self.fault),
            self.status.fields.ordered.eq(ordered),
@if ONE             If(ordered & ~self.busy, self._start.eq(1)),
@if SEVERAL             If(ordered, self._start.eq(1), self._op.eq(self.control.fields.op)),
@if SPARES             If(self.control.fields.clear, self._clear.eq(1)),
        ]
@if ONE         self.sync += If(self.control.fields.start, ordered.eq(1)).Elif(~self.busy, ordered.eq(0))
@if SEVERAL         self.sync += If(self.control.fields.start, ordered.eq(1)).Elif(self.op_ready, ordered.eq(0))
