# SPDX-License-Identifier: Apache-2.0
"""Mutants of the C library: where they are, and programs that hold all of them at once.

Where an expression or a statement can be chosen while the program runs, a copy of the source chooses (chooser.h), and the
number comes from the environment. So all sources are compiled and linked once, and a mutant costs a run of the cheapest test
that comes past it. What must be constant is compiled by itself, and so is what survived, to see whether it is other code at all.
"""
import bisect, hashlib, json, math, os, re, resource, shlex, subprocess, sys, tempfile, threading

import choice

# What is replaced by what. Each place where the left side stands is one mutant a right side.
EXPRESSIONS = [
    (r"==", ["!="]), (r"!=", ["=="]), (r"<=", ["<", "=="]), (r">=", [">", "=="]),
    (r"(?<![<\-=])<(?![<=])", ["<=", ">"]), (r"(?<![>\-=])>(?![>=])", [">=", "<"]),
    (r"&&", ["||"]), (r"\|\|", ["&&"]), (r"<<(?!=)", [">>"]), (r">>(?!=)", ["<<"]),
    (r"(?<=\w) \+ (?=\w)", [" - "]), (r"(?<=[\w)]) - (?=\w)", [" + "]), (r"(?<=[\w)]) & (?=[\w(])", [" | "]),
    (r"(?<=[\w)]) \| (?=[\w(])", [" & "]), (r"(?<=[\w)]) \^ (?=\w)", [" & "]), (r"(?<=[\w)]) % (?=\w)", [" / "]),
    (r"(?<![\w=!<>])!(?=[\w(])", [""]), (r"(?<=[ (\[])0(?=[;,)\] ])", ["1"]), (r"(?<=[ (\[])1(?=[;,)\] ])", ["0", "2"]),
    (r"(?<=\w) \* (?=\w)", [" + "]), (r"\+\+", ["--"]), (r"\+=", ["-="]), (r"\|=", ["&=", "="]), (r"(?<![&\w])&=", ["|="]),
    (r"\btrue\b", ["false"]), (r"\bfalse\b", ["true"]),
]
JUMPS = [(r"\bcontinue;", ["break;"]), (r"\bbreak;", ["continue;"])]
COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')|//[^\n]*|/\*.*?\*/', re.S)
QUOTED = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'')
DIRECTIVE = re.compile(r"^[ \t]*#[^\n]*", re.M)
# Leaks and sizes of allocations are for the sanitizers, which see them in every test.
MEMORY = re.compile(r"[^\n]*\b(?:free|malloc|calloc|realloc|\w+_(?:done|close|free))\([^\n]*")
# An assignment or a call that is left out; what declares is not.
STATEMENT = re.compile(r"(?<=[;{}):e])\s*\n[ \t]+(?=\S)((?!(?:return|else|case|default|struct|static|const|enum|goto|break|continue|if|for|while|do|switch)\b|\w+ \**\w|\w+ \(\*)"
                       r"[\w>.\[\]\-*()+ ]+(?: [-+|&^]?= [^;{}\n]+|\([^;{}\n]*\)|\+\+|--);)(?=[ \t]*$)", re.M)
BEFORE = {"return", "else", "do", "case"}  # an expression or a statement begins after it
HEADS = re.compile(r"\b(?:if|while|for|switch)\s*$")


def blank(text, pattern, by=" "):
    """With what matches written over, lines as they were; a first group stays."""
    return pattern.sub(lambda m: m.group() if m.re.groups and m.group(1) else re.sub(r"[^\n]", by, m.group()), text)


def head_before(text, at):
    """Whether the group of brackets that ends before `at` is the head of an if or a loop; and where it begins."""
    depth, a = 0, at
    while a > 0:
        a -= 1
        depth += (text[a] in ")]") - (text[a] in "([")
        if depth == 0:
            break
    return HEADS.search(text, max(0, a - 12), a) is not None, a


def around(text, start, end):
    """The widest expression with [start, end) in it that no bracket, comma, question or assignment ends, as a range."""
    assigns = re.fullmatch(r"[+|&]=", text[start:end]) is not None  # binds less than a question
    a = start
    while a > 0:
        c = text[a - 1]
        if c in ")]":
            head, begin = head_before(text, a)
            if head:
                break
            a = begin
        elif c in "([{},;?:\0":
            break
        elif c == "=" and not (text[a] == "=" or text[a - 2] in "=!" or (text[a - 2] in "<>" and text[a - 3] != text[a - 2])):
            break
        elif c.isalnum() or c == "_":
            word = re.search(r"\w+$", text[max(0, a - 80):a]).group()
            if word in BEFORE:
                break
            a -= len(word)
        else:
            a -= 1
    depth, b = 0, end
    while b < len(text):
        c = text[b]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and c in (",;\0" if assigns else ",;?:\0"):
            break
        b += 1
    while a < start and text[a].isspace():
        a += 1
    while b > end and text[b - 1].isspace():
        b -= 1
    return a, b


def around_constant(text, start, end):
    """UINT64_C(1) is one constant: its macro wants a plain number."""
    macro = re.search(r"\bUINT(?:32|64)_C\($", text[max(0, start - 10):start])
    return (start - len(macro.group()), end + 1) if macro and text[end] == ")" else around(text, start, end)


def places(text):
    """All mutants of a source, in the order of the text."""
    text = blank(text, COMMENT)
    shape = blank(blank(text, QUOTED, "_"), DIRECTIVE, "\0")
    hidden = blank(shape, MEMORY, "\0")
    found = []
    for pattern, news in EXPRESSIONS:
        for match in re.finditer(pattern, hidden):
            found += [choice.Place(match.start(), match.end(), new, around_constant(shape, match.start(), match.end())) for new in news]
    for pattern, news in JUMPS:
        for match in re.finditer(pattern, hidden):
            found += [choice.Place(match.start(), match.end(), new, (match.start(), match.end())) for new in news]
    for match in STATEMENT.finditer(hidden):
        found.append(choice.Place(match.start(1), match.end(1), ";", (match.start(1), match.end(1))))
    return sorted(found, key=lambda p: (p.start, p.end, p.new))


def choosing(text, numbered):
    """The source with all of `numbered`, (number, place) with something around each, to choose from. Lines stay where they are."""
    text = blank(text, COMMENT)

    def choose(changed, where, was):
        if text[where[1] - 1] == ";":
            return "{ " + "".join(f"if (CRL_CHOSEN({n})) {{ {new} }} else " for n, new in changed) + f"{{ {was} }} }}"
        return "(" + "".join(f"CRL_CHOSEN({n}) ? ({new}) : " for n, new in changed) + f"({was}))"

    return choice.choosing(text, 0, numbered, choose)


# As in the test `sanitize`: what reads over an end, leaks or shifts too far is seen too.
SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Programs:
    """The unit tests and the program with all mutants of the numbered sources in them; source -> [(number, place)]."""

    def __init__(self, root, build, folder, numbered):
        self.root, self.build, self.folder, self.numbered = root, build, folder, numbered
        self.here = os.path.join(root, "tests", "mutate")
        with open(os.path.join(build, "compile_commands.json")) as file:
            self.commands = {os.path.relpath(row["file"], root): row["command"] for row in json.load(file)
                             if "carillon_objects" in row["command"]}
        self.reach, self.seconds, self.own = {}, {}, {}  # of parts: (check, name of its test)
        self.programs, self.adding = {}, threading.Lock()  # (kind, check) -> words
        self.linked = set()  # what was linked, of which objects
        os.makedirs(folder, exist_ok=True)

    def compile(self, source, text, out, flags=()):
        """What the compiler says, or nothing when it made the object."""
        words = [w for w in shlex.split(self.commands[source]) if w not in ("-g", "-c") and not w.startswith("-W")]
        at = words.index("-o")
        words = ["cc"] + [w for w in words[1:at] + words[at + 2:] if not w.endswith(source)]
        # The name stands in assertions: the same for each.
        with open(os.path.join(os.path.dirname(out), "mutant.c"), "w") as file:
            file.write(text)
        words += ["-O1", "-Werror=vla", *flags, "-I" + os.path.dirname(os.path.join(self.root, source)), "-o", out, "-c", "mutant.c"]
        done = subprocess.run(words, cwd=os.path.dirname(out), capture_output=True, text=True)
        return done.stderr if done.returncode else ""

    def link(self, check, objects, folder, flags=()):
        """What runs a check with the objects in the place of the library's own; a list of words. Unit tests are one program."""
        script = os.path.join(self.here, check)  # a script gets the program
        target, where = ("carillon", self.build) if os.path.exists(script) else ("programs", os.path.join(self.build, "tests"))
        with open(os.path.join(where, "CMakeFiles", target + ".dir", "link.txt")) as file:
            words = shlex.split(file.read())
        at = words.index("-o")
        out = os.path.join(folder, target)
        words[0], words[at + 1] = "c++", out
        words[at + 2:at + 2] = objects  # before the archive, whose members are then not asked for
        if (out, *objects) not in self.linked:
            done = subprocess.run(words + ["-Wl,--allow-multiple-definition", *flags], cwd=where, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"mutate: {target} does not link; build first:\n{done.stderr}")
            self.linked.add((out, *objects))
        if target == "carillon":
            return [script, out]
        name = os.path.join(folder, check)  # by which the program knows what it is to be
        if not os.path.islink(name):
            os.symlink(target, name)
        return [name]

    def run(self, words, seconds=None, sanitized=False, **chosen):
        """pass, fail or hang: a limit of processor time, so that a busy machine changes no verdict."""
        limit = math.ceil(5 * seconds) + 1 if seconds is not None else 600
        limits = ["prlimit", f"--cpu={limit}:{limit + 1}", "--core=0", f"--fsize={1 << 28}"]
        if not sanitized:  # the sanitizer takes much address space
            limits.append(f"--as={1 << 33}")
        # What the font library keeps is no leak of ours.
        environment = dict(os.environ, CARILLON_CACHE=os.path.join(self.build, "cache"),
                           ASAN_OPTIONS="detect_leaks=1:hard_rss_limit_mb=3072:allocator_may_return_null=1",
                           LSAN_OPTIONS=f"suppressions={self.folder}/leaks:print_suppressions=0", **chosen)
        try:
            done = subprocess.run(limits + ["--"] + words, cwd=os.path.join(self.build, "tests"), env=environment,
                                  timeout=60 * limit, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return "hang"
        return "pass" if done.returncode == 0 else "hang" if -done.returncode in (9, 24) else "fail"

    def build_all(self, checks, sanitized):
        """Compiles all sources, links the checks with them, and sees which mutants each comes past, and how long it takes."""
        kinds = {"plain": []} | ({"sanitized": SANITIZED} if sanitized else {})
        objects = {kind: [] for kind in kinds}
        with open(os.path.join(self.folder, "leaks"), "w") as file:
            file.write("leak:libfontconfig\n")
        for kind, flags in kinds.items():
            os.makedirs(os.path.join(self.folder, kind), exist_ok=True)
            flags = flags + ["-include", os.path.join(self.here, "chooser.h")]
            for source in self.numbered:
                out = os.path.join(self.folder, kind, source.replace("/", "-") + ".o")
                self.compile_choosing(source, out, flags)
                objects[kind].append(out)
            out = os.path.join(self.folder, kind, "chooser.o")
            subprocess.run(["cc", "-O1", "-fPIC", "-o", out, "-c", os.path.join(self.here, "chooser.c")], check=True)
            objects[kind].append(out)
        self.objects = objects
        for check in checks:
            self.add(check, kinds)

    def add(self, check, kinds):
        """Links a check once, and sees which mutants it comes past, and how long it takes."""
        with self.adding:
            if ("plain", check) in self.programs:
                return
            for kind in kinds:
                self.programs[kind, check] = self.link(check, self.objects[kind], os.path.join(self.folder, kind),
                                                       SANITIZED if kind == "sanitized" else ())
            for part in self.parts_of(check):
                self.measure((check, part), kinds)

    def parts_of(self, check):
        """The names of the tests of a unit test, or what a script says: what can be run one by one ($CRL_PART)."""
        words = self.programs["plain", check]
        if len(words) > 1:
            return subprocess.run([words[0], "--parts"], capture_output=True, text=True, check=True).stdout.split()
        with open(os.path.join(self.root, "tests", "unit", check + ".c")) as file:
            return re.findall(r"\bcmocka_unit_test\((\w+)\)", file.read())

    def measure(self, part, kinds):
        """Which mutants a part of a check comes past, and how long it takes."""
        path = os.path.join(self.folder, "reached")
        with open(path, "wb") as file:
            file.write(bytes(1 << 16))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        passed = self.run(self.programs["plain", part[0]], CRL_REACHED=path, CRL_MUTANT="0", CRL_PART=part[1]) == "pass"
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if "sanitized" in kinds and passed:
            passed = self.run(self.programs["sanitized", part[0]], sanitized=True, CRL_MUTANT="0", CRL_PART=part[1]) == "pass"
        if not passed:
            sys.exit(f"mutate: {' '.join(part)} fails with no mutant chosen")
        self.seconds[part] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        with open(path, "rb") as file:
            self.reach[part] = file.read()

    def compile_choosing(self, source, out, flags):
        """What the compiler refuses is left out: it wants a constant there, or the change is no C."""
        with open(os.path.join(self.root, source)) as file:
            text = file.read()
        ends = [i for i, c in enumerate(text) if c == "\n"]
        while True:
            said = self.compile(source, choosing(text, [row for row in self.numbered[source] if row[1].around]), out, flags)
            # The first alone: others may be of what it broke.
            lines = {int(line) for line in re.findall(r"mutant\.c:(\d+):\d+: (?:fatal )?error:", said)[:1]}
            refused = [p for _, p in self.numbered[source] if p.around and lines and
                       any(bisect.bisect_left(ends, p.around[0]) < n <= bisect.bisect_left(ends, p.around[1]) + 1 for n in lines)]
            if said and not refused:
                sys.exit(f"mutate: {source} does not compile:\n{said[-3000:]}")
            for place in refused:
                place.around = None
            if not said:
                return

    def play(self, number, checks, sanitized=False):
        """Which test of the checks fails with the mutant of this number, or none; only what comes past it is run. What was not
        linked from the beginning is long, and linked when the first mutant asks for it."""
        for check in checks:
            self.add(check, ["plain"])
        kind, times, with_what = ("sanitized", 4, " (sanitized)") if sanitized else ("plain", 1, "")
        for part in sorted((p for p in list(self.seconds) if p[0] in checks and self.reach[p][number]), key=self.seconds.get):
            result = self.run(self.programs[kind, part[0]], times * self.seconds[part], sanitized, CRL_MUTANT=str(number),
                              CRL_PART=part[1])
            if result != "pass":
                return " ".join(part).strip() + (" (hangs)" if result == "hang" else with_what)
        return None

    def alone(self, source, text, changed, checks):
        """The verdict on a change that is compiled by itself; the checks run only if there are any."""
        with tempfile.TemporaryDirectory() as folder:
            own, out = os.path.join(folder, "own.o"), os.path.join(folder, "mutant.o")
            if source not in self.own:
                said = self.compile(source, text, own)
                if said:
                    sys.exit(f"mutate: {source} does not compile as it is:\n{said}")
                self.own[source] = digest(own)
            if self.compile(source, changed, out):
                return "no code", ""
            if digest(out) == self.own[source]:
                return "same code", ""
            for check in checks:
                self.add(check, ["plain"])  # for its parts, and how long they take
                words = self.link(check, [out, self.objects["plain"][-1]], folder)  # with what chooses the part
                for part in [p for p in list(self.seconds) if p[0] == check]:
                    result = self.run(words, self.seconds[part], CRL_PART=part[1])
                    if result != "pass":
                        return "killed", " ".join(part).strip() + (" (hangs)" if result == "hang" else "")
        return "survived", ""
