# SPDX-License-Identifier: Apache-2.0
"""Mutants that one program holds all of: what may be replaced by what, and a copy of a source that chooses while it runs."""


class Place:
    """One replacement: text[start:end] becomes `new`. What is around it that can be chosen at run time, as a range, or None."""

    def __init__(self, start, end, new, around):
        self.start, self.end, self.new, self.around = start, end, new, around


def choosing(text, begin, numbered, choice):
    """text[begin:] with all of `numbered`, (number, place) with something around each, to choose from.

    choice([(number, changed)], range, as it was) writes one choice. Ranges lie in each other; one that lies across is left out,
    and its places have nothing around them from then on.
    """
    groups = {}
    for number, place in numbered:
        groups.setdefault(place.around, []).append((number, place))

    def render(start, end, inside):
        out, at = [], start
        while inside:
            (a, b), rest = inside[0], inside[1:]
            within = [g for g in rest if g[1] <= b]
            for across in rest:
                for _, place in groups[across] if across[0] < b < across[1] else []:
                    place.around = None
            inside = [g for g in rest if g[0] >= b]
            changed = [(n, (text[a:p.start] + p.new + text[p.end:b]).replace("\n", " ")) for n, p in groups[a, b]]
            out += [text[at:a], choice(changed, (a, b), render(a, b, within))]
            at = b
        return "".join(out) + text[at:end]

    return render(begin, len(text), [g for g in sorted(groups, key=lambda g: (g[0], -g[1])) if g[0] >= begin])
