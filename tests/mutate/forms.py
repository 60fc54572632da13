# SPDX-License-Identifier: Apache-2.0
"""The forms in which modules of the RTL are built: whether lint takes a mutant in all of them, and whether any of them is other hardware.

The forms are those of tests/rtl/lint.sh and of the proofs, and what stands within these; those of more than six ports are left out.
"""
import collections, glob, hashlib, json, os, re, subprocess
import xml.etree.ElementTree

FOLDERS = "common stream slot logp queue online board".split()
MOST = 6  # forms of others in which a module is linted that has none of its own
CONSTANT = re.compile(r"\d+'s?h[0-9a-f]+$")


class Forms:
    """What is known of all forms, found once for each state of the sources."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        os.makedirs(folder, exist_ok=True)
        self.gold = {}
        self.sets = self.read_sets()
        sources = sorted(glob.glob(os.path.join(root, "rtl/*/*.sv*")))
        key = hashlib.sha256(json.dumps([self.sets] + [open(s).read() for s in sources]).encode()).hexdigest()[:16]
        self.path = os.path.join(folder, f"forms-{key}.json")
        if not os.path.exists(self.path):
            self.find()
        with open(self.path) as file:
            self.within, self.forms = json.load(file)

    def read_sets(self):
        """[top, parameter...] of each row."""
        with open(os.path.join(self.root, "tests/rtl/lint.sh")) as file:
            rows, bad = ([line.split() for line in part.split("SETS")[0].splitlines()] for part in file.read().split("<<'SETS'\n")[1:3])
        self.bad = [row[1:] for row in bad]  # what must be refused
        self.tops = {}  # of proofs
        with open(os.path.join(self.root, "tests/formal/proofs.txt")) as file:
            for line in file:
                if line.strip() and line[0] != "#":
                    parts = [part.strip() for part in line.split(" | ")]
                    self.tops[parts[0]] = parts[1]
                    rows.append([parts[1]] + parts[2].split())
        return [row for row in rows if row and glob.glob(os.path.join(self.root, "rtl/*", row[0] + ".sv"))]

    def holds(self, proof, module):
        """Whether the module is in what a proof is about."""
        found, left = set(), [self.tops[proof]]
        while left:
            top = left.pop()
            if top not in found:
                found.add(top)
                for path in glob.glob(os.path.join(self.root, "rtl/*", top + ".sv")) + glob.glob(os.path.join(self.root, "tests/formal", top + ".sv")):
                    with open(path) as file:
                        left += re.findall(r"^ *(crl_\w+) (?:#\(|u_)", file.read(), re.M)
        return module in found

    def verilator(self, row, *more, first=()):
        folders = list(first) + [os.path.join(self.root, "rtl", f) for f in FOLDERS]
        top = next(path for f in folders for path in [os.path.join(f, row[0] + ".sv")] if os.path.exists(path))
        words = ["verilator", *more, "--top-module", row[0], "-I" + os.path.join(self.root, "rtl/common")]
        words += [w for f in folders for w in ("-y", f)] + ["-G" + p for p in row[1:]] + [top]
        return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout

    def find(self):
        """Modules in each form of a top, and the parameters of each of them."""
        within, forms, out = collections.defaultdict(list), collections.defaultdict(dict), os.path.join(self.folder, "forms.xml")
        for number, row in enumerate(self.sets):
            self.verilator(row, "--xml-only", "-Wno-fatal", "--xml-output", out)
            tree = xml.etree.ElementTree.parse(out)
            size = os.path.getsize(out)
            for module in tree.iter("module"):
                name = module.get("origName")
                within[name].append((row[0] != name, size, number))
                values, files = {}, []
                for var in module.iter("var"):
                    constant = var.find("const")
                    if var.get("param") == "true" and constant is not None and CONSTANT.match(constant.get("name")):
                        values[var.get("origName")] = constant.get("name")
                    elif var.get("param") == "true" and var.get("origName").endswith("File"):
                        files.append(var.get("origName"))
                if int(values.get("Ports", "0").split("h")[-1], 16) <= 6:
                    forms[name][json.dumps(values)] = values
                    if files:  # one whose memories begin with what a file says
                        forms[name][json.dumps(values) + " file"] = dict(values, **{f: '"table"' for f in files})
        with open(self.path, "w") as file:
            json.dump([{n: [w[2] for w in sorted(rows) if not w[0]] or [w[2] for w in sorted(rows)][:MOST] for n, rows in within.items()},
                       {n: list(f.values()) for n, f in forms.items()}], file)

    def lint(self, path):
        """What Verilator finds in the module of that file, '' if nothing; 'no code' when it takes it in no form."""
        folder, module = os.path.split(path[:-3])
        refused, taken = "", False
        for row in (self.sets[n] for n in self.within.get(module, [])):
            said = self.verilator(row, "--lint-only", "-Wall", first=[folder])
            warning = re.search(r"^%(?:Warning|Error)-(\w+)", said, re.M)
            if warning:
                return f"lint {' '.join(row)}: {warning[1]}"
            if "%Error" in said:
                refused = refused or f"lint {' '.join(row)}: refused"
            else:
                taken = True
        for row in self.bad:
            if row[0] == module and "%Error" not in self.verilator(row, "--lint-only", first=[folder]):
                return f"lint {' '.join(row)}: not refused"
        return refused if taken else refused and "no code"

    def netlist(self, path, module):
        """All forms of the module as one text, without what tells where in the source it was."""
        out = os.path.join(self.folder, f"netlist-{os.getpid()}")
        with open(out + ".v", "w") as file:
            file.write("module forms;\n")
            for number, form in enumerate(self.forms[module]):
                file.write(f"{module} #({', '.join(f'.{n}({v})' for n, v in form.items())}) u{number} ();\n")
            file.write("endmodule\n")
        libraries = " ".join(f"-libdir {os.path.join(self.root, 'rtl', f)}" for f in FOLDERS)
        done = subprocess.run(["yosys", "-q", "-p", f"read_verilog -sv -defer -I{self.root}/rtl/common {path}; read_verilog {out}.v; "
                               f"verilog_defaults -add -sv -I {self.root}/rtl/common; hierarchy -top forms {libraries}; "
                               f"select forms A:hdlname=\\{module} %u; proc; opt_expr; opt_clean; write_rtlil -selected {out}.il"],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            return None
        with open(out + ".il") as file:
            text = re.sub(r"^ *(attribute|autoidx|#).*\n", "", file.read(), flags=re.M)
        names = {}
        return re.sub(r"\$(?!paramod)\w+[^\s\[\]]*\$\d+\S*", lambda m: names.setdefault(m.group(), f"$n{len(names)}"), text)

    def same(self, path):
        """Whether the module as it is in that file is, in all forms, the hardware that it was."""
        module = os.path.basename(path)[:-3]
        if module not in self.forms:  # a board's
            return False
        if module not in self.gold:
            self.gold[module] = self.netlist(glob.glob(os.path.join(self.root, "rtl/*", module + ".sv"))[0], module)
        return self.gold[module] is not None and self.gold[module] == self.netlist(path, module)
