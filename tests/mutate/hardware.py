# SPDX-License-Identifier: Apache-2.0
"""Mutants of the RTL: where they are, and a copy of the sources that holds all of them at once.

Where an expression can be chosen while the simulation runs, the copy chooses: `mutant == 7 ? changed : as it was`, and the
number comes from the environment (CRL_MUTANT). So a simulator is built once and played once for each mutant, which takes a
hundredth of the time of building each. What must be constant (parameters, widths, what generates) is left to the proofs.
"""
import glob, hashlib, os, re, shutil, subprocess, sys, time

import choice

# What is replaced by what; the text between is what stands. Each match is a mutant for each of the right sides.
OPERATORS = [
    (r"==", ["!="]), (r"!=", ["=="]), (r"(?<=\w )<=(?= )", ["<"]), (r">=", [">"]), (r"(?<![<=])<(?![<=])", ["<=", ">"]),
    (r"(?<![>\-=])>(?![>=])", [">=", "<"]), (r"&&", ["||"]), (r"\|\|", ["&&"]), (r"<<(?!<)", [">>"]), (r">>(?!>)", ["<<"]),
    (r"(?<=[\w)\]}]) \+ (?=[\w{(])", [" - "]), (r"(?<=[\w)\]}]) - (?=[\w{(])", [" + "]),
    (r"(?<=[\w)\]}]) & (?=[\w~{(])", [" | "]), (r"(?<=[\w)\]}]) \| (?=[\w~{(])", [" & "]),
    (r"(?<=[\w)\]}]) \^ (?=[\w~{(])", [" | "]),
    # a term dropped
    (r" (?:&&|\|\|) !?[\w.]+(?:\[[^\[\]]*\])?(?= *[;),]| &&| \|\|)", [""]), (r"(?<=[(= ])!?[\w.]+(?:\[[^\[\]]*\])? (?:&&|\|\|) ", [""]),
    # operands swapped
    (r"\b([a-zA-Z]\w*) - ([a-zA-Z]\w*)\b(?!')", [r"\2 - \1"]), (r"(?<=[^}\w]){(\w+), (\w+)}", [r"{\2, \1}"]),
    # constants
    (r"'0", ["'1"]), (r"'1", ["'0"]), (r"1'b0", ["1'b1"]), (r"1'b1", ["1'b0"]),
    (r"!rst_ni\b", ["1'b0"]),  # a reset that does nothing
    (r"(?<![\w!])!(?=[\w(])", [""]), (r"~(?=[\w({])", [""]), (r"(?<=[(=?:!] )\|(?=[\w(])", ["&"]), (r"(?<=[=(?:!] )&(?=[\w(])", ["|"]),
]
# Static: what a parameter, a width or a generated block is made of.
CONSTANTS = [(r"(?<=[ (*+\[])0(?=[;,)\] :])", ["1"]), (r"(?<=[ (*+])1(?=[;,)\] :])", ["0", "2"]), (r"(?<=\w) \* (?=\w)", [" + "]),
             (r"(?<=\w)-1:0\](?= \w+_[qd];)", ["-2:0]"])]

HIDDEN = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|\(\*.*?\*\)|^[ \t]*`[^\n]*|'
                    r"^[ \t]*initial\b[^;]*;|\bassign unused_\w+[^;]*;|"
                    r"^[ \t]*logic[^;\n]*unused[^;\n]*;|\bif \([^\n]*\) begin : gen_bad.*?\bend\b", re.S | re.M)
STATIC = re.compile(r"\b(?:localparam|parameter|typedef|genvar)\b[^;]*;|\bfor \([^;]*;[^;]*;[^)]*\)|\bif \([^\n]*\) begin : gen_|"
                    r"else if \([^\n]*\) begin : gen_|#\([^;]*?\) u_\w+ \(|^ *(?:input|output)[^\n]*|"
                    r"^ *(?:logic|wire|reg|int|integer)\b[^;]*;|\bfunction\b.*?\bendfunction\b|\bcase[zx]?\b|\.\w+_o *\([^\n]*|\d*'[bh][01?xz_a-fA-F]*[?xz]+[^:]*:", re.S | re.M)
ASSIGNED = re.compile(r"^([ \t]*(?:[^\n;]*?(?:\belse |\) |: ))?)([a-z][\w.]*(?:\[[^\n;=]*?\])?) <= ([^;]+);", re.M)
OPEN, CLOSE = "([{", ")]}"
RANGE = re.compile(r"(?<=\[)[^\[\]]*:[^\[\]]*(?=\])")


def blank(text, pattern, keep="\n"):
    return pattern.sub(lambda m: re.sub(rf"[^{keep}]", "\0", m.group()), text)


def without_proofs(text):
    """The text with what only proofs and simulators see blanked, with all that is nested in it."""
    lines, depth = text.split("\n"), 0
    for i, line in enumerate(lines):
        word = line.split()[0] if line.split() else ""
        if word in ("`ifdef", "`ifndef") and (depth or re.search("FORMAL|CONTRACTS|SYNTHESIS", line)):
            depth += 1
        if depth:
            lines[i] = "\0" * len(line)
        if word == "`endif" and depth:
            depth -= 1
    return "\n".join(lines)


def counting(text, end):
    """The text up to an end as the hardware is: a verdict is kept while this stays."""
    return re.sub(r"\n+", "\n", without_proofs(text)[:end].replace("\0", ""))


def proofs_only(text):
    """What without_proofs takes away."""
    return "".join(a for a, b in zip(text, without_proofs(text)) if b == "\0")


def header_end(text):
    match = re.search(r"^module .*?^\);", text, re.S | re.M)
    return match.end() if match else 0


def around(hidden, start, end):
    """The smallest expression with [start, end) in it, as a range, or None."""
    depth, a = 0, start
    while a > 0:
        c = hidden[a - 1]
        if c in CLOSE:
            depth += 1
        elif c in OPEN:
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and (c in ",;?:\0" or (c == "=" and hidden[a - 2] not in "=!<>" and hidden[a] != "=") or
                             (c == "=" and hidden[a - 2] == "<" and nonblocking(hidden, a - 2))):
            break
        elif depth == 0 and re.search(r"\b(?:begin|else|end|assign|always_comb)$", hidden[max(0, a - 12):a]):
            return None
        a -= 1
    depth, b = 0, end
    while b < len(hidden):
        c = hidden[b]
        if c in OPEN:
            depth += 1
        elif c in CLOSE:
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and (c in ",;?:\0" or hidden[b:b + 2] in ("+:", "-:")):
            break
        b += 1
    while a < start and hidden[a] in " \n":
        a += 1
    while b > end and hidden[b - 1] in " \n":
        b -= 1
    # A repetition count, a cast's width, and what follows them, must be constant.
    if "\0" in hidden[a:b] or not hidden[a:b].strip() or hidden[b:b + 1] in "({" and b < len(hidden):
        return None
    return a, b


def nonblocking(hidden, at):
    """Whether the <= at this place is an assignment."""
    return re.search(r"(?:^|[;:)]|\bbegin|\belse|\bend|\0)\s*[\w.]+(?:\[[^;=]*\])*\s*$", hidden[max(0, at - 160):at]) is not None


def places(text):
    """All mutants of a source, in the order of the text."""
    hidden = blank(without_proofs(text), HIDDEN)
    found = []
    body = header_end(text)
    hidden = "\0" * body + hidden[body:]  # parameters and ports are what neighbours say
    static = blank(hidden, STATIC)
    fixed = static  # and what stands in ranges of bits
    for match in RANGE.finditer(hidden):
        begin = match.start() + max(match.group().find("+:"), 0)
        fixed = fixed[:begin] + "\0" * (match.end() - begin) + fixed[match.end():]

    def add(start, end, new, where):
        if text[start:end] != new:
            found.append(choice.Place(start, end, new, where))

    for pattern, news in OPERATORS:
        for match in re.finditer(pattern, hidden):
            if match.group() == "<=" and nonblocking(hidden, match.start()):
                continue
            for new in news:
                chosen = "\0" not in fixed[match.start():match.end()]
                add(match.start(), match.end(), match.expand(new) if "\\" in new else new,
                    around(static, match.start(), match.end()) if chosen else None)
    for pattern, news in CONSTANTS:
        for match in re.finditer(pattern, hidden):
            for new in news:
                add(match.start(), match.end(), new, None)
    for match in re.finditer(r"(?<=[\w)\]}]) \? ", static):  # a choice turned round
        where = around(static, match.start(), match.start())
        if where:
            add(*where, f"!({text[where[0]:where[1]]})", where)
    for match in ASSIGNED.finditer(static):  # what is not stored
        if "\0" not in match.group(3):
            add(match.start(3), match.end(3), match.group(2), (match.start(3), match.end(3)))
    for match in re.finditer(r"^ *\.(\w+_n?i) *\(([^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\),?$", static, re.M):  # a wire cut
        if match.group(1) != "clk_i":
            add(match.start(2), match.end(2), "'0", (match.start(2), match.end(2)))
    unique = {(p.start, p.end, p.new): p for p in found}
    return sorted(unique.values(), key=lambda p: (p.start, p.end, p.new))


PLAYED = ' int mutant; initial mutant = $c32("(::atoi(::getenv(\\"CRL_MUTANT\\")))");'
# Free; the proof's model holds it. What ticks is for the solver, which takes nothing without a state.
PROVED = (" (* keep *) wire [15:0] mutant; (* gclk *) wire mutant_clk; (* keep *) reg mutant_ticks;"
          " always @(posedge mutant_clk) mutant_ticks <= !mutant_ticks;")


def choosing(text, numbered, declared):
    """The source with all of `numbered`, (number, place) with an expression around each, to choose from."""

    def choose(changed, _, was):
        return "(" + "".join(f"(mutant == {n}) ? ({new}) : " for n, new in changed) + f"({was}))"

    body = header_end(text)
    return text[:body] + declared + choice.choosing(text, body, numbered, choose)


class Tree:
    """A copy of the sources to choose from, as the folder of data of the program; number -> place of each source."""

    def __init__(self, root, folder, numbered):
        self.root, self.folder, self.numbered = root, folder, numbered
        os.makedirs(folder, exist_ok=True)
        if not os.path.islink(os.path.join(folder, "sim")):
            os.symlink(os.path.join(root, "sim"), os.path.join(folder, "sim"))
        self.refused = os.path.join(folder, "refused")  # what Verilator did not take in the runs before
        if os.path.exists(self.refused):
            with open(self.refused) as file:
                known = set(file.read().split("\n"))
            for source, numbers in numbered.items():
                for _, place in numbers:
                    if place.around and self.name(source, place) in known:
                        place.around = None
        self.left_out = 0
        for path in (p for part in ("rtl/*/*.sv*", "fpga/*/*.sv*", "fpga/*/board.conf") for p in glob.glob(os.path.join(root, part))):
            self.write(os.path.relpath(path, root))

    def name(self, source, place):
        """Of an expression; another when the source changes."""
        with open(os.path.join(self.root, source), "rb") as file:
            return f"{source} {place.around[0]} {place.around[1]} {hashlib.sha256(file.read()).hexdigest()}"

    def write(self, source):
        with open(os.path.join(self.root, source)) as file:
            text = file.read()
        if source in self.numbered:
            text = choosing(text, [(n, p) for n, p in self.numbered[source] if p.around], PLAYED)
        path = os.path.join(self.folder, source)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(path):  # another run may be building from it
            with open(path) as file:
                if file.read() == text:
                    return
        with open(path, "w") as file:
            file.write(text)

    def leave_out(self, said):
        """Leaves out of the copy what Verilator refused: it wants a constant there."""
        found = False
        for source, line in set(re.findall(r"(?:%Error[^:\n]*: |  )\S*?((?:rtl|fpga)/\w+/\w+\.sv):(\d+):\d+: (?!\.\.\. (?:note|Called))", said)):
            with open(os.path.join(self.root, source)) as file:
                text = file.read()
            for _, place in self.numbered.get(source, []):
                if place.around and text.count("\n", 0, place.around[0]) < int(line) <= text.count("\n", 0, place.around[1]) + 1:
                    with open(self.refused, "a") as file:
                        file.write(self.name(source, place) + "\n")
                    place.around, found = None, True
            self.write(source)
        self.left_out += found
        return found

    def play(self, words, number, limit):
        """How the program ends, with the mutant of this number, or with none."""
        environment = dict(os.environ, CARILLON_DATA=self.folder, CARILLON_CACHE=os.path.join(self.folder, "cache"),
                           CRL_MUTANT=str(number))
        try:
            done = subprocess.run(words, env=environment, timeout=limit, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, cwd=self.root)
        except subprocess.TimeoutExpired:
            return "hang", ""
        return ("pass" if done.returncode == 0 else "fail"), done.stdout

    def build(self, words):
        """Builds what one play needs; seconds that it takes then."""
        while True:
            result, said = self.play(words, 0, 3600)
            if result == "pass":
                break
            log = re.search(r"(\S+\.log)", said)
            if log and os.path.exists(log[1].strip("',:")):
                with open(log[1].strip("',:")) as file:
                    said += file.read()
            if not self.leave_out(said):
                sys.exit(f"mutate: {' '.join(words)} fails with no mutant chosen:\n{said[-3000:]}")
        start = time.monotonic()
        self.play(words, 0, 600)
        return time.monotonic() - start

    def beside(self, path, source):
        """The sources with that file for this one, in a folder beside it."""
        alone = Tree(self.root, os.path.join(os.path.dirname(path), "alone"), {})
        shutil.copy(path, os.path.join(alone.folder, source))
        return alone

    def bench_fails(self, path, source, words):
        """Which case of a bench of tests/rtl, [script, case...], sees this file in the place of that source (None: nothing altered)."""
        tree = self.beside(path, source) if path else self
        for case in words[1:]:
            result, _ = tree.play([os.path.join(self.root, "tests/rtl", words[0]), case], 0, 240)
            if result == "fail":  # that the time is up may be for the machine being busy
                return f"{words[0]} {case}"
        return None

    def play_alone(self, path, source, plays):
        """The verdict on a mutant that cannot be chosen at run time: simulators are built of it, beside that file."""
        alone = self.beside(path, source)
        folder = alone.folder
        cache = os.path.join(folder, "cache")
        os.makedirs(cache, mode=0o700, exist_ok=True)
        for runtime in glob.glob(os.path.join(self.folder, "cache", "runtime-*")):
            shutil.copy(runtime, cache)
        for play in plays[:3]:
            result, said = alone.play(play, 0, 300)
            if result != "pass":
                return ("no code" if "cannot be built" in said else "killed"), " ".join(play[1:])
        return "survived", ""


def proof_fails(root, path, proof):
    """What of a proof fails with this file in the place of the source of its name; nothing when it holds."""
    try:
        done = subprocess.run([os.path.join(root, "tests/formal/run.sh"), "--broken", path, proof], timeout=240,
                              capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        return ""
    said = done.stdout.strip()
    return said if done.returncode == 0 or said == "no model" else ""
