# SPDX-License-Identifier: Apache-2.0
"""Waves, as tests read them."""
import re


def samples(path):
    """Values of all signals of a VCD file, by their names with ranges, and the time, after every rising edge of node 0's clock; and what there is."""
    names, scope, values, taken = {}, [], {"time": 0}, []
    with open(path) as file:
        for line in file:
            words = line.split()
            if not words or words[0] == "$end":
                continue
            if words[0] == "$scope":
                scope.append(words[2])
            elif words[0] == "$upscope":
                scope.pop()
            elif words[0] == "$var":
                names.setdefault(words[3], []).append(".".join(scope + [words[4]]) + ("" if words[5] == "$end" else words[5]))
            elif words[0][0] == "#":
                values["time"] = int(words[0][1:])
            elif words[0][0] in "b01":
                value, key = (words[0][1:], words[1]) if words[0][0] == "b" else (words[0][0], words[0][1:])
                for name in names[key]:
                    values[name] = int(value, 2)
                    if name == "node0.clk_i" and value == "0":
                        taken.append(dict(values))
    return taken, {name for some in names.values() for name in some}


def named(lines):
    """The signals that a view of waves names, by its lines."""
    return {re.sub(r"^\(\d+\)", "", word) for line in lines if not re.match(r"[\[@^-]", line) for word in line.split() if word[0] not in "#+"}
