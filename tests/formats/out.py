#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes schedules in the formats of other tools, and judges each as its tool would read it.

usage: out.py CARILLON [--every K], of the schedules
"""
import collections
import json
import os
import re
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import msccl
from msccl import need
from plans import carillon, rows, schedules

def left_before(sends, rank, packet, slot, latency):
    """Which of the sends (slot, rank, _, packet) must be over when a sum arrives that is sent to a rank in a slot; latency 0: no sum is."""
    return {label for label, send in sends.items() if latency and send[1] == rank and send[3] == packet and send[0] < slot + latency}


def judge_goal(text, moves, latency=0):
    """Every send requires that its packet has come, and what a sum is added to that it has left; messages meet by tag."""
    sends, slot, rank, receptions, needs, left = {}, None, None, {}, collections.defaultdict(set), collections.defaultdict(set)
    for line in text.splitlines():
        if match := re.fullmatch(r"// slot (\d+)", line):
            slot = int(match[1])
        elif match := re.fullmatch(r"rank (\d+) {", line):
            rank = int(match[1])
        elif match := re.fullmatch(r"s(\d+): send 1b to (\d+) tag (\d+)", line):
            sends[match[1]] = (slot, rank, int(match[2]), match[3])
        elif match := re.fullmatch(r"r(\d+): recv 1b from (\d+) tag (\d+)", line):
            receptions[match[1]] = (int(match[2]), rank, match[3])
        elif match := re.fullmatch(r"s(\d+) requires r(\d+)", line):
            needs[match[1]].add(match[2])
        elif match := re.fullmatch(r"r(\d+) requires s(\d+)", line):
            left[match[1]].add(match[2])
        else:
            need(not line or line == "}" or line.startswith("//") or line.startswith("num_ranks"), f"not GOAL: {line}")
    need(sorted(s[:3] for s in sends.values()) == sorted(m[:3] for m in moves), "other messages than the schedule's")
    for label, (_, src, dst, tag) in sends.items():
        need(receptions.get(label) == (src, dst, tag), f"message {label} has no reception")
        need(left[label] == left_before(sends, dst, tag, sends[label][0], latency), f"r{label} requires other sends")
    first = {}
    for label in sorted(sends, key=lambda s: sends[s][0]):
        slot, src, dst, tag = sends[label]
        for other in needs[label]:
            need(receptions[other][1:] == (src, tag) and sends[other][0] < slot, f"s{label} requires r{other}")
        need(needs[label] or (src, tag) not in first or first[src, tag] >= slot, f"s{label} requires nothing")
        first.setdefault((dst, tag), slot)


def judge_chakra(text, moves, latency=0):
    decoder, at, rank, nodes = json.JSONDecoder(), 0, None, {}
    while at < len(text.rstrip()):
        message, end = decoder.raw_decode(text, at)
        at = end + len(text[end:]) - len(text[end:].lstrip())
        attr = {a["name"]: next(v for k, v in a.items() if k != "name") for a in message["attr"]}
        if "version" in message:
            rank = attr["rank"]
            continue
        nodes[rank, message["id"]] = (message, attr)
        mine = attr["comm_src"] if message["type"] == "COMM_SEND_NODE" else attr["comm_dst"]
        need(mine == rank and message["type"] in ("COMM_SEND_NODE", "COMM_RECV_NODE"), "a node of another rank")
    sends = [a for m, a in nodes.values() if m["type"] == "COMM_SEND_NODE"]
    need(sorted((a["slot"], a["comm_src"], a["comm_dst"], a["packet"]) for a in sends) == sorted(moves), "other sends")
    sent = {key: (a["slot"], a["comm_src"], a["comm_dst"], a["packet"]) for key, (m, a) in nodes.items() if m["type"] == "COMM_SEND_NODE"}
    slots = {send[1:]: send[0] for send in sent.values()}
    for (rank, _), (message, attr) in nodes.items():
        if message["type"] == "COMM_RECV_NODE":
            slot = slots[attr["comm_src"], attr["comm_dst"], attr["packet"]]
            left = {(rank, dep) for dep in message.get("dataDeps", [])}
            need(left == left_before(sent, rank, attr["packet"], slot, latency), "a reception waits for other sends")
            continue
        for dep in message.get("dataDeps", []):
            other, its = nodes[rank, dep]
            need(other["type"] == "COMM_RECV_NODE" and its["packet"] == attr["packet"], "waits for another packet")


SWITCHED = {"star:5": range(5), "fat-tree:4": range(16), "mesh:3x3 --members 0,2,4,8": (0, 2, 4, 8),
            "graph:" + os.path.join(os.path.dirname(__file__), "../nets/two_dgx1.txt"): range(16)}


def between(moves, hosts, pair):
    """What goes from host to host when packets pass through nodes that only forward, by the numbers of ranks. Between
    two ranks nothing leaves before what comes sooner."""
    rank, left, sends, latest = {node: i for i, node in enumerate(hosts)}, {}, [], collections.Counter()
    name = lambda packet: ">".join(str(rank[int(n)]) for n in packet.split(">")) if pair else str(rank[int(packet)])
    for slot, src, dst, packet in sorted(moves, key=lambda m: (*m[:3], *map(int, m[3].split(">")))):
        start = (slot, rank[src]) if src in rank else left[packet, src]
        if dst not in rank:
            left.setdefault((packet, dst), start)
        elif start[1] != rank[dst]:
            ends = start[1], rank[dst]
            latest[ends] = max(latest[ends], start[0])
            sends.append((latest[ends], *ends, name(packet)))
    return sends


def judge_switched():
    """Formats without a network have hosts alone, numbered anew; what crosses switches is one send a destination."""
    count = 0
    for network, hosts in SWITCHED.items():
        large = ("multinode-broadcast", "total-exchange")
        for what in large if len(hosts) > 8 else ("broadcast", "scatter", "gather", f"broadcast --root {hosts[-1]}", *large):
            words = [*what.split(), "-t", *network.split()]
            moves = between(rows(carillon("plan", *words)), hosts, what.split()[0] in ("scatter", "gather", "total-exchange"))
            try:
                for form, play in (("msccl-xml", msccl.play_msccl), ("mscclpp-json", msccl.play_mscclpp)):
                    need(play(carillon("plan", *words, "--format", form)) == {m[:3] for m in moves}, f"{form}: other sends")
                judge_goal(carillon("plan", *words, "--format", "goal"), moves)
                judge_chakra(carillon("plan", *words, "--format", "chakra"), moves)
            except (ValueError, KeyError, IndexError) as error:
                sys.exit(f"formats: {' '.join(words)}: {type(error).__name__} {error}")
            count += 1
    return count


TWO_DGX = list(SWITCHED)[-1]
# Demands as lines, and as (source, destinations, packets) of ranks in the order of ids. The first plan of each takes as
# many slots as its bound says: where it does not, the planner goes on for seconds, and what is written is the same.
TRAFFIC = (("torus:3x2", "a,0,5,2 b,3,1+2,1 c,5,0,2", [(0, {5}, 2), (3, {1, 2}, 1), (5, {0}, 2)]),
           ("ring:5 --ports single", "b,4,3,3 a,1,0+2,2", [(1, {0, 2}, 2), (4, {3}, 3)]),
           (TWO_DGX, "x,b.gpu2,a.gpu0+a.gpu1+b.gpu7,1 m,a.gpu0,b.gpu5,3", [(0, {13}, 3), (10, {0, 1, 15}, 1)]))


def judge_traffic_plans():
    """All-to-all of any sizes: played with buffers, and read again by import."""
    for network, lines, msccl.demands in TRAFFIC:
        with tempfile.TemporaryDirectory() as folder:
            path = lambda name: os.path.join(folder, name)
            with open(path("demands"), "w", encoding="utf-8") as file:
                file.write("id,src,dst,packets\n" + lines.replace(" ", "\n").replace("+", " ") + "\n")
            words = ["--demands", path("demands"), "-t", *network.split()]
            for form, play in (("msccl-xml", msccl.play_msccl), ("mscclpp-json", msccl.play_mscclpp), ("goal", None), ("chakra", None)):
                text = carillon("plan", "traffic", *words, "--format", form)
                try:
                    for seed in (1, 2) if play else ():
                        play(text, seed)
                except (ValueError, KeyError, IndexError) as error:
                    sys.exit(f"formats: traffic on {network}: {form}: {type(error).__name__} {error}")
                with open(path("plan"), "w", encoding="utf-8") as file:
                    file.write(text)
                if network != TWO_DGX:  # where ranks are hosts only
                    carillon("import", path("plan"), *words, "-o", path("rows"))
    return len(TRAFFIC)


def judge_waits():
    """A send of a demand that waits requires all that it waits for."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write("id,src,dst,packets,release,deadline,period,after\na,0,5,2\nb,5,1,3,,,,a\n")
        file.flush()
        text = carillon("plan", "traffic", "--demands", file.name, "-t", "torus:3x2", "--format", "goal")
        gates = carillon("plan", "traffic", "--demands", file.name, "--period", "40", "-t", "torus:3x2", "--format", "tsn-gcl", "--slot-ns", "10")
    node = text.split("rank 5 {")[1].split("}")[0]
    came = set(re.findall(r"r(\d+): recv 1b from \d+ tag [01]\b", node))
    for send in re.findall(r"s(\d+): send 1b to \d+ tag [234]\b", node):
        if set(re.findall(rf"s{send} requires r(\d+)", node)) != came or len(came) != 2:
            sys.exit(f"formats: goal: send {send} does not wait for {came}")
    cycles = set(re.findall(r'"numerator": (\d+)', gates))
    if cycles != {"400"}:
        sys.exit(f"formats: gates of a period of 40 slots have cycles of {cycles}")


def judge_gates(text, moves):
    bridges, slot_ns = json.loads(text), 1000
    slots, opened = max(m[0] for m in moves), collections.Counter()
    for bridge in bridges:
        for port in bridge["ietf-interfaces:interfaces"]["interface"]:
            table = port["ieee802-dot1q-bridge:bridge-port"]["ieee802-dot1q-sched-bridge:gate-parameter-table"]
            at = 1
            for i, entry in enumerate(table["admin-control-list"]["gate-control-entry"]):
                length = entry["time-interval-value"] // slot_ns
                need(entry["index"] == i and length * slot_ns == entry["time-interval-value"], "a bad entry")
                for s in range(at, at + length) if entry["gate-states-value"] == 128 else ():
                    opened[s, bridge["node"]] += 1
                at += length
            need(at == slots + 1 and table["admin-cycle-time"]["numerator"] == slots * slot_ns, "a bad cycle")
    need(opened == collections.Counter((s, v) for s, v, _, _ in moves), "other gates than the schedule's")


def judge_platform(text, moves):
    zone = ElementTree.fromstring(text).find("zone")
    hosts = {h.get("id") for h in zone.iter("host")}
    links = {link.get("id"): link for link in zone.iter("link")}
    for route in zone.iter("route"):
        need({route.get("src"), route.get("dst")} <= hosts and route.find("link_ctn").get("id") in links, "a bad route")
    need(len(links) == len(list(zone.iter("route"))), "a link without a route")
    for _, src, dst, _ in moves:
        need(f"link-{src}-{dst}" in links, "a move without a link")
    need(all(k.get("latency") in ("1.5us", "3us") and k.get("bandwidth") == "10Gbps" for k in links.values()), "a bad link")


def judge_traffic(text, moves):
    head, *lines = text.splitlines()
    need(head == "time_ns,src,dst,packet", "another head")
    sends = [tuple(map(int, line.split(","))) for line in lines]
    need([(time // 1000 + 1, src, dst) for time, src, dst, _ in sends] == [m[:3] for m in moves], "another traffic")
    pairs = {(sent[3], m[3]) for sent, m in zip(sends, moves)}
    need(len(pairs) == len({p for p, _ in pairs}) == len({name for _, name in pairs}), "packets are confused")
    need(all(time % 1000 == 0 for time, *_ in sends), "between slots")


def main():
    count = 0
    for what, network, _ in schedules():
        moves = rows(carillon("plan", *what))
        write = lambda form, *more: carillon("plan", *what, "--format", form, *more)
        try:
            for form, play in (("msccl-xml", msccl.play_msccl), ("mscclpp-json", msccl.play_mscclpp)):
                text = write(form)
                for seed in range(1, 6):
                    need(play(text, seed) == {m[:3] for m in moves}, f"{form}: other sends than the schedule's")
            latency = (2 if "latency 2" in network else 1) if msccl.is_sum(what[0]) else 0
            judge_goal(write("goal"), moves, latency)
            judge_chakra(write("chakra"), moves, latency)
            if "latency" not in network:
                judge_gates(write("tsn-gcl", "--slot-ns", "1000"), moves)
            judge_traffic(write("traffic-csv", "--slot-ns", "1000"), moves)
            judge_platform(write("simgrid-platform", "--latency", "1.5us", "--bandwidth", "10Gbps"), moves)
        except (ValueError, KeyError, IndexError) as error:
            sys.exit(f"formats: {' '.join(what)}: {type(error).__name__} {error}")
        count += 1
    switched, traffic = judge_switched(), judge_traffic_plans()
    judge_waits()
    print(f"{count} schedules in 7 formats, {switched} of networks with switches in 4, {traffic} of traffic, 0 failed")


main()
