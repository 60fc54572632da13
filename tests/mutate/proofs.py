# SPDX-License-Identifier: Apache-2.0
"""The bounded check of each proof, with all mutants of a source in one model: which of them breaks it.

The number of the mutant is an input of the model. For each mutant that input is held by constraints, so that yosys runs once
a proof and source, and a mutant costs a call of the solver.
"""
import os, re, subprocess, sys

WIRE = re.compile(r"^wire (\d+) (\d+) (?:\S*\.)?mutant$", re.M)


class Proofs:
    """Models of proofs, made when they are first asked for, each with the mutants of one source."""

    def __init__(self, root, folder):
        self.runner, self.folder, self.models = os.path.join(root, "tests/formal/run.sh"), folder, {}

    def make(self, proof, name, text):
        """(words of the header, lines of the lists, the rest, names of assertions, literal -> bit, steps); None if there is none."""
        out = os.path.join(self.folder, proof + "-" + name)
        os.makedirs(os.path.join(out, "sources"), exist_ok=True)
        with open(os.path.join(out, "sources", name), "w") as file:
            file.write(text)
        done = subprocess.run([self.runner, "--model", os.path.join(out, "sources"), proof, out], capture_output=True, text=True,
                              check=False)
        if done.returncode:
            return None
        with open(os.path.join(out, "model.aig"), "rb") as file:
            header, rest = file.read().split(b"\n", 1)
        header = header.split()
        lists = sum(int(n) for n in header[3:5] + header[6:8])
        *lines, rest = rest.split(b"\n", lists)
        with open(os.path.join(out, "map")) as file:
            bits = {int(literal): int(bit) for literal, bit in WIRE.findall(file.read())}
        with open(os.path.join(out, "names")) as file:
            names = [line.strip().split("/")[-1] for line in file]
        return (header, lines, rest, names, bits, done.stdout.split()[-1], os.path.join(out, "held.aig")) if bits else None

    def breaks(self, proof, number, name, text):
        """The assertion that fails, nothing when none does, None where the proof cannot be asked: text holds all of the source."""
        key = proof, name
        if key not in self.models:
            self.models[key] = self.make(proof, name, text)
            if self.models[key] and self.failing(self.models[key], 0):
                print(f"mutate: proof {proof} fails with no mutant of {name} chosen", file=sys.stderr)
                self.models[key] = None
        return self.failing(self.models[key], number) if self.models[key] else None

    @staticmethod
    def failing(model, number):
        header, lines, rest, names, bits, steps, path = model
        held = [b"%d" % (literal ^ (not number >> bit & 1)) for literal, bit in bits.items()]
        header = header[:7] + [b"%d" % (int(header[7]) + len(held))] + header[8:]
        with open(path, "wb") as file:
            file.write(b"\n".join([b" ".join(header)] + lines + held + [rest]))
        try:
            said = subprocess.run(["yosys-abc", "-c", f"read_aiger {path}; fold; strash; bmc3 -T 20 -F {steps}"], timeout=120,
                                  capture_output=True, text=True, check=False).stdout
        except subprocess.TimeoutExpired:
            return ""
        found = re.search(r"^Output (\d+) of miter.*was asserted in frame", said, re.M)
        return names[int(found[1])] if found else ""
