# SPDX-License-Identifier: Apache-2.0
"""What the tests of the formats plan."""
import itertools
import subprocess
import sys

COLLECTIVES = ("broadcast --root 2,scatter --root 1,gather --root 3,reduce --root 1,reduce --chunks 3,multinode-broadcast,total-exchange,"
               "reduce-scatter,reduce-scatter --parts 2,all-reduce,all-reduce --chunks 3,scan,scan --chunks 2").split(",")
NETWORKS = ["hypercube:3", "torus:4x3", "mesh:3x2", "ring:5 --ports single", "complete:4", "ring:4 --link-latency 2"]


def carillon(*words):
    return subprocess.run([sys.argv[1], *words], check=True, capture_output=True, text=True).stdout


def rows(text):
    """(slot, src, dst, packet) of a CSV."""
    return [(int(a), int(b), int(c), d) for a, b, c, d in (line.split(",") for line in text.split()[1:])]


def schedules():
    """(words, network, collective) of all that is planned; of one in so many, with --every K as the last arguments."""
    yield from itertools.islice(all_schedules(), 0, None, int(sys.argv[-1]) if "--every" in sys.argv else 1)


def all_schedules():
    for network in NETWORKS:
        for collective in COLLECTIVES:
            if collective.startswith("scan") and "latency" in network:
                continue  # is planned for links of one slot
            yield [*collective.split(), "-t", *network.split()], network, collective
