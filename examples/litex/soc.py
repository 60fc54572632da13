#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A fabric in a SoC of LiteX: PicoRV32 runs program.c, which loads tables by the fabric's port and reads and writes the words of all nodes
by CSRs. LiteX compiles it with Verilator and plays it.

usage: soc.py FIRST SECOND BUILD        where `carillon emit` wrote the fabric, and other tables for it, and where to build"""
import pathlib
import subprocess
import sys

from litex import soc
from litex.build.generic_platform import Pins, Subsignal
from litex.build.io import CRG
from litex.build.sim import SimPlatform
from litex.build.sim.config import SimConfig
from litex.gen import LiteXModule
from litex.soc.integration import export
from litex.soc.integration.common import get_mem_data
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect.csr import CSRField, CSRStatus, CSRStorage
from migen import Display, Finish, If, Signal

first, second, build = sys.argv[1:]
sys.path.insert(0, first)
from first_litex import WIDTH, Fabric

CYCLES_MAX = 2000000
HERE = pathlib.Path(__file__).resolve().parent
PINS = [("sys_clk", 0, Pins(1)),
        ("serial", 0, *(Subsignal(f"{way}_{name}", Pins(bits)) for way in ("source", "sink") for name, bits in (("valid", 1), ("ready", 1), ("data", 8))))]


class Words(LiteXModule):
    """A node's words by CSR: one that waits to be taken, and the one that is shown."""
    def __init__(self, sink, wanted, source):
        self.own = CSRStorage(WIDTH, description="A word for the fabric.")
        self.asks = CSRStatus(fields=[CSRField("asks", description="One is wanted."), CSRField("dest", size=len(wanted), offset=8, description="Whom for.")])
        self.shown = CSRStatus(WIDTH, description="The word that is shown.")
        self.there = CSRStatus(fields=[CSRField("there", description="One is shown."), CSRField("origin", size=len(source.peer), offset=8)])
        self.take = CSRStorage(fields=[CSRField("take", pulse=True, description="It is taken.")])
        waits = Signal()
        self.sync += If(self.own.re, waits.eq(1)).Elif(sink.ready, waits.eq(0))
        self.comb += [
            sink.valid.eq(waits), sink.data.eq(self.own.storage),
            self.asks.fields.asks.eq(sink.ready & ~waits), self.asks.fields.dest.eq(wanted),
            self.shown.status.eq(source.data), source.ready.eq(self.take.fields.take),
            self.there.fields.there.eq(source.valid), self.there.fields.origin.eq(source.peer),
        ]


class SoC(SoCCore):
    def __init__(self, platform):
        self.crg = CRG(platform.request("sys_clk"))
        super().__init__(platform, clk_freq=1e6, cpu_type="picorv32", integrated_rom_size=0x4000, uart_name="sim")
        self.fabric = Fabric(platform, Init=0) # nothing plays before tables are loaded
        self.bus.add_slave("fabric", self.fabric.bus, SoCRegion(size=0x1000, cached=False))
        for v, (sink, wanted, source) in enumerate(zip(self.fabric.sinks, self.fabric.wanted, self.fabric.sources)):
            self.add_module(f"words{v}", Words(sink, wanted, source))
        platform.add_debug(self) # so that the program can end the simulation
        cycle = Signal(32)
        self.sync += [cycle.eq(cycle + 1), If(cycle == CYCLES_MAX, Display("FAIL no end"), Finish())]

    def compile_program(self):
        """The program needs what LiteX says of addresses; it runs bare, without LiteX's C library."""
        litex, generated = pathlib.Path(soc.__file__).parent, pathlib.Path(build) / "generated"
        generated.mkdir(parents=True)
        (generated / "soc.h").write_text(export.get_soc_header(self.constants))
        (generated / "mem.h").write_text(export.get_mem_header(self.mem_regions))
        (generated / "csr.h").write_text(export.get_csr_header(self.csr_regions, self.constants, self.mem_regions["csr"].origin))
        (generated / "regions.ld").write_text(export.get_linker_regions(self.mem_regions))
        program = generated.parent / "program"
        subprocess.run(["clang-14", "--target=riscv32-unknown-elf", "-march=rv32im", "-mabi=ilp32", "-O2", "-ffreestanding", "-Wall", "-Wextra", "-Werror",
                        "-fuse-ld=lld-14", "-nostdlib", f"-I{first}", f"-I{second}", f"-I{build}", f"-isystem{litex}/software/include",
                        f"-isystem{litex}/cores/cpu/picorv32", f"-L{generated}", f"-T{HERE}/program.ld", HERE / "program.c", "-o", program], check=True)
        subprocess.run(["objcopy", "-O", "binary", "-I", "elf32-little", program, f"{program}.bin"], check=True)
        self.init_rom("rom", get_mem_data(f"{program}.bin", data_width=32, endianness="little"))


design = SoC(SimPlatform("SIM", PINS))
design.finalize()
design.compile_program()
config = SimConfig("sys_clk")
config.add_module("serial2console", "serial")
design.build(build_dir=f"{build}/gateware", sim_config=config, interactive=False, verbose=False, opt_level="O1")
