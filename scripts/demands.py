# SPDX-License-Identifier: Apache-2.0
"""Demands (docs/formats/demands.md), for the second checker of certificates; shares nothing with the program."""
import dataclasses, hashlib, math

COLUMNS = ["id", "src", "dst", "packets", "release", "deadline", "period", "after", "stage"]


@dataclasses.dataclass
class Demand:
    id: str
    src: int
    dst: list
    packets: int = 1
    release: int = 1
    deadline: object = None
    period: object = None
    after: str = ""
    stage: int = 0
    again: int = 0  # how often its period has come before


def rows(path):
    for line in open(path, encoding="utf-8"):
        if line.strip() and not line.strip().startswith("#"):
            yield [field.strip() for field in line.rstrip("\r\n").split(",")]


def read_csv(path, names):
    lines = rows(path)
    header = next(lines)
    if header != COLUMNS[:len(header)] or len(header) < 3:
        raise ValueError(f"{path}:1:1: error: no header of demands")
    demands = []
    for fields in lines:
        said = {key: value for key, value in zip(header, fields) if value}
        numbers = {key: int(said[key]) for key in ("packets", "release", "deadline", "period", "stage") if key in said}
        src = names.node(said["src"])
        demands.append(Demand(said["id"], src, sorted(names.nodes(said["dst"].split()) - {src}), after=said.get("after", ""), **numbers))
    return demands


def read_matrix(path, hosts):
    hosts = sorted(hosts)
    return [Demand(f"{a}>{b}", a, [b], int(entry)) for a, row in zip(hosts, rows(path)) for b, entry in zip(hosts, row) if int(entry)]


def digest(demands):
    """Of the one form that equal demands have."""
    staged = any(d.stage for d in demands)
    text = ",".join(COLUMNS[:8 + staged]) + "\n"
    for d in sorted(demands, key=lambda d: d.id.encode()):
        fields = [d.id, d.src, " ".join(map(str, d.dst)), d.packets, d.release, d.deadline or "", d.period or "", d.after]
        text += ",".join(map(str, fields + [d.stage or ""] * staged)) + "\n"
    return hashlib.sha256(text.encode()).hexdigest()


def repeated(demands):
    """Each periodic demand as often as it comes in a hyperperiod, and that."""
    whole = math.lcm(*(d.period for d in demands if d.period)) if any(d.period for d in demands) else 0
    return [dataclasses.replace(d, release=d.release + k * (d.period or 0), deadline=d.deadline and d.deadline + k * (d.period or 0), again=k)
            for d in demands for k in range(whole // d.period if d.period else 1)], whole


def earliest(demands, delay, into, out):
    """The first slot in which each may leave: of its release, what it waits for, and what comes to it in lower stages."""
    known, number, ready, load = {}, {(d.id, d.again): i for i, d in enumerate(demands)}, {}, {}

    def wait(i, node):
        d = demands[i]
        return known[i] + -(-d.packets // min(out[d.src], into[node])) - 1 + delay(d.src, node)

    def settle(i):
        d = demands[i]
        if i not in known:
            before = number[d.after, d.again] if d.after else None
            if d.after:
                settle(before)
            known[i] = max(d.release, wait(before, d.src) if d.after else 0, ready.get(d.src, 0) if d.stage else 0)

    for stage in sorted({d.stage for d in demands}):
        chosen = [i for i, d in enumerate(demands) if d.stage == stage]
        for i in chosen:
            settle(i)
        for i in chosen:
            for v in demands[i].dst:
                load[v] = load.get(v, 0) + demands[i].packets
                ready[v] = max(ready.get(v, 0), wait(i, v), -(-load[v] // into[v]) + 1)
    return [known[i] for i in range(len(demands))]
