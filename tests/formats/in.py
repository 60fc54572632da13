#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes schedules in the formats of other tools and reads them back: with their slots they are the same, and without
they are laid out in slots that break no rule.

usage: in.py CARILLON [--every K]
"""
import json
import os
import re
import subprocess
import sys
import tempfile

from plans import carillon, schedules

FORMATS = ["msccl-xml", "mscclpp-json", "goal", "chakra"]


def without_slots(text):
    text = re.sub(r' slot="\d+"', "", text)  # MSCCL
    text = re.sub(r',\s*"slot": \d+', "", text)  # MSCCL++
    text = re.sub(r"// slot \d+\n", "", text)  # GOAL
    return re.sub(r'"name": "slot"', '"name": "was"', text)  # Chakra


def import_plan(text, network, *more):
    """The rows and the summary of a plan."""
    with tempfile.TemporaryDirectory() as folder:
        plan, rows = os.path.join(folder, "plan"), os.path.join(folder, "rows")
        with open(plan, "w", encoding="utf-8") as file:
            file.write(text)
        words = [sys.argv[1], "import", plan, "-t", *network.split(), *more, "--json", "-o", rows]
        run = subprocess.run(words, capture_output=True, text=True)
        if run.returncode:
            return run.stderr, {}
        with open(rows, encoding="utf-8") as file:
            return file.read(), json.loads(run.stdout)


# On LogP machines GOAL's calculations hold messages back until their times, so that these come back.
LOGP = ["broadcast -t logp:P=8,L=6,o=2,g=4", "k-item-broadcast -t logp:P=10,L=3 --items 8",
        "all-to-all-personalized -t logp:P=7,L=4,o=2,g=3", "all-to-all-broadcast -t logp:P=7,L=4,o=2,g=3",
        "combining-broadcast -t logp:P=12,L=3", "summation -t logp:P=8,L=5,o=2,g=4 --time 28",
        "continuous-broadcast -t logp:P=14,L=2,g=3 --items 9"]

# Several packets a node: what is planned on which network, and what import must be told besides.
SEVERAL = [("broadcast --root 3 --parts 4", "hypercube:3", ""), ("multinode-broadcast --parts 3", "ring:5", ""),
           ("partial-multinode-broadcast --active 0,2,5 --parts 2", "hypercube:3", "-a"), ("partial-exchange --active 1,4,5", "mesh:3x3", "-a"),
           ("line-broadcast --dimension 2 --counts 1,0,2", "torus:4x3", "-a"), ("monotone-routing --active 1,4,5 --to 0,2-3", "mesh:3x3", "-a")]


def look_at_several():
    """Written and read back, with slots."""
    for words, network, again in SEVERAL:
        rows = carillon("plan", *words.split(), "-t", network)
        for form in FORMATS[:2]:
            text = carillon("plan", *words.split(), "-t", network, "--format", form)
            read, summary = import_plan(text, network, *(["-a", *words.split()] if again else []))
            if read != rows or summary["layout"] != "slots of the file":
                sys.exit(f"formats: {words}: {form} is another schedule: {read[:300]}")
    return len(SEVERAL)


def main():
    count = look_at_several()
    for line in LOGP:
        algorithm, _, machine, *more = line.split()
        rows = carillon("plan", algorithm, "-t", machine, *more)
        text = carillon("plan", algorithm, "-t", machine, *more, "--format", "goal")
        again, _ = import_plan(text, machine, "-a", algorithm, *more)
        if again != rows:
            sys.exit(f"formats: {line}: goal is another schedule: {again[:300]}")
        count += 1
    for what, network, collective in schedules():
        rows = carillon("plan", *what)
        # How many chunks there are is to be read from the size of buffers, where there are any.
        chunks = collective.split()[1:] if "--chunks" in collective or "--parts" in collective else []
        for form in FORMATS:
            text = carillon("plan", *what, "--format", form)
            more = chunks if form in ("goal", "chakra") else []
            again, summary = import_plan(text, network, *more)
            if again != rows or summary["layout"] != "slots of the file":
                sys.exit(f"formats: {' '.join(what)}: {form} is another schedule: {again[:300]}")
            early, summary = import_plan(without_slots(text), network, *more)
            if not summary or summary["violations"] or summary["layout"] != "as early as the rules allow":
                sys.exit(f"formats: {' '.join(what)}: {form} without slots: {early[:300]}")
            if len(early.split()) != len(rows.split()):
                sys.exit(f"formats: {' '.join(what)}: {form} without slots sends something else")
            count += 1
    print(f"{count} plans, 0 failed")


main()
