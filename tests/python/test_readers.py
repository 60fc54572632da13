# SPDX-License-Identifier: Apache-2.0
"""The Python package reads what the program writes, and says where a file is damaged."""
import os
import subprocess
import tempfile
import unittest

import carillon

PROGRAM = os.environ["CARILLON"]


def write(*words):
    subprocess.run([PROGRAM, *words], check=True, capture_output=True)


class Package(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text=None):
        path = os.path.join(self.folder.name, name)
        if text is not None:
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        return path

    def test_csv_and_json_are_the_same_schedule(self):
        for what in ("total-exchange -t hypercube:3", "line-broadcast --counts 2,0,1 -t path:3", "broadcast -t logp:P=8,L=6,o=2,g=4"):
            write("plan", *what.split(), "-o", self.path("s.csv"))
            write("plan", *what.split(), "--format", "json", "-o", self.path("s.json"))
            rows, other = (carillon.read_schedule(self.path(name)) for name in ("s.csv", "s.json"))
            self.assertEqual(rows.rows, other.rows)
            self.assertEqual(other.algorithm, what.split()[0])
            self.assertGreater(len(rows), 0)

    def test_moves(self):
        write("plan", "total-exchange", "-t", "hypercube:3", "-o", self.path("s.csv"))
        schedule = carillon.read_schedule(self.path("s.csv"))
        self.assertEqual(len(schedule), 96)
        self.assertEqual(list(schedule.by_slot()), [1, 2, 3, 4])
        self.assertTrue(all(len(moves) == 24 for moves in schedule.by_slot().values()))
        self.assertEqual(len(schedule.links()), 24)
        self.assertEqual({carillon.packet_ends(m.packet) for m in schedule},
                         {(a, b) for a in range(8) for b in range(8) if a != b})

    def test_times_of_reception(self):
        write("plan", "k-item-broadcast", "-t", "logp:P=10,L=3", "--items", "8", "--scheme", "buffered", "-o", self.path("b.csv"))
        for send in carillon.read_schedule(self.path("b.csv")):
            self.assertGreaterEqual(send.rtime, send.time + 3)

    def test_trace(self):
        trace, summary = self.path("t"), self.path("t.json")
        with open(summary, "wb") as file:
            words = [PROGRAM, "run", "multinode-broadcast", "-t", "hypercube:3", "--engine", "model", "--trace", trace, "--json"]
            subprocess.run(words, check=True, stdout=file)
        words = carillon.read_trace(trace)
        self.assertEqual(len(words), 56)
        self.assertEqual(len({word.data for word in words}), 8)
        self.assertEqual(carillon.read_summary(summary)["transmissions"], 56)

    def test_tables(self):
        write("plan", "total-exchange", "-t", "ring:4", "--format", "traffic-csv", "--slot-ns", "10", "-o", self.path("t.csv"))
        write("plan", "total-exchange", "-t", "ring:4", "-o", self.path("s.csv"))
        self.assertEqual([(m["time_ns"] // 10 + 1, m["src"], m["dst"]) for m in carillon.read_table(self.path("t.csv"))],
                         [tuple(m[:3]) for m in carillon.read_schedule(self.path("s.csv"))])
        write("dynamic", "direct", "-t", "hypercube:3", "--rho", "0.1:0.2:0.1", "--slots", "100", "-o", self.path("sweep.csv"))
        self.assertEqual([(p["scheme"], p["rho"], p["stable"], p["formula_queue"]) for p in carillon.read_table(self.path("sweep.csv"))],
                         [("direct", 0.1, True, None), ("direct", 0.2, True, None)])

    def test_gates(self):
        write("plan", "total-exchange", "-t", "ring:4", "--format", "tsn-gcl", "--slot-ns", "10", "-o", self.path("g.json"))
        write("plan", "total-exchange", "-t", "ring:4", "-o", self.path("s.csv"))
        gates = carillon.read_gates(self.path("g.json"))
        self.assertEqual(sorted(gates), [(v, f"port{p}") for v in range(4) for p in range(2)])
        sent = sum(gate.nanoseconds // 10 for port in gates.values() for gate in port if gate.states == 128)
        self.assertEqual(sent, len(carillon.read_schedule(self.path("s.csv"))))
        self.assertEqual({sum(gate.nanoseconds for gate in port) for port in gates.values()}, {20})

    def test_damage_has_a_place(self):
        head = "slot,src,dst,packet\n"
        for text, place in ((head + "1,0,x,3\n", ":2"), (head + "1,0,1\n", ":2"), (head + "1,0,1,3>\n", ":2"), ("a,b\n", ":1"),
                            ("", ":1"), (head + "1,0,1,3\n1,0", ":3"), ('{"columns": []}', ":1"), ("{\n{", ":2"),
                            ('{"columns": ["slot", "src", "dst", "packet"], "rows": [[1, 0, 1, "x"]]}', ": row 1")):
            with self.assertRaisesRegex(carillon.FormatError, "damaged" + place):
                carillon.read_schedule(self.path("damaged", text))
        for text, place in (("0 0 0\n", ":1"), ("0 0 0 ff\n0 1 0 fg\n", ":2"), ("0 0 0 ff", ":1")):
            with self.assertRaisesRegex(carillon.FormatError, "damaged" + place):
                carillon.read_trace(self.path("damaged", text))
        with self.assertRaisesRegex(carillon.FormatError, "damaged:1"):
            carillon.read_summary(self.path("damaged", "{"))
        for text, place in (("a,b\n1,2\n1\n", ":3"), ("a,b\n1,2", ":2")):
            with self.assertRaisesRegex(carillon.FormatError, "damaged" + place):
                carillon.read_table(self.path("damaged", text))
        for text in ("[", "[{}]", "[3]", "{}1"):
            with self.assertRaisesRegex(carillon.FormatError, "damaged:1"):
                carillon.read_gates(self.path("damaged", text))

