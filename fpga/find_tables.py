#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints where in the block RAMs of a bitstream the words of its tables lie: bank and first column, as in 2.48, a word each.

usage: find_tables.py WORDS BITSTREAM

WORDS are the contents that the tables were built with (lines of hexadecimal digits, all columns different). The bitstream's
format is Project IceStorm's description of it; how yosys and nextpnr have placed the words is found by the contents.
"""
import sys

PREAMBLE = bytes.fromhex("7eaa997e")
LOGIC, RAM, WAKE_UP = 1, 3, 6


def ram_pieces(data):
    """Yields bank, first row, width and bytes of each piece of block RAM."""
    at = data.index(PREAMBLE) + len(PREAMBLE)
    bank = width = height = offset = 0
    while True:
        command, size = data[at] >> 4, data[at] & 15
        value = int.from_bytes(data[at + 1 : at + 1 + size], "big")
        at += 1 + size
        if command == 1:
            bank = value
        elif command == 6:
            width = value + 1
        elif command == 7:
            height = value
        elif command == 8:
            offset = value
        elif command == 0 and value == WAKE_UP:
            return
        elif command == 0 and value in (LOGIC, RAM):
            length = width * height // 8
            if value == RAM:
                yield bank, offset, width, data[at : at + length]
            at += length + 2


def ram_columns(data):
    """Contents, as a number of a bit a row, to (bank, column)."""
    columns = {}
    for bank, first, width, piece in ram_pieces(data):
        for i in range(len(piece) * 8 // width):
            row = int.from_bytes(piece[i * width // 8 : (i + 1) * width // 8], "big")
            for column in range(width):
                bit = row >> (width - 1 - column) & 1
                columns[bank, column] = columns.get((bank, column), 0) | bit << (first + i)
    return {contents: place for place, contents in columns.items()}


def main():
    lines = open(sys.argv[1], encoding="ascii").read().split()
    words = len(lines[0]) // 4
    rows = [int(line, 16) for line in lines]
    columns = ram_columns(open(sys.argv[2], "rb").read())
    places = []
    for word in range(words):
        bits = []
        for bit in range(16):
            contents = sum((row >> (16 * word + bit) & 1) << i for i, row in enumerate(rows))
            if contents not in columns:
                sys.exit(f"find_tables: error: bit {bit} of word {word} is in no block RAM")
            bits.append(columns[contents])
        bank, first = min(bits)
        # Bit i of the word is the block RAM's bit of i read backwards; the columns run from bit 15 to bit 0.
        if bits != [(bank, first + 15 - int(f"{i:04b}"[::-1], 2)) for i in range(16)]:
            sys.exit(f"find_tables: error: word {word} is not a block RAM's, but scattered: {bits}")
        places.append(f"{bank}.{first}")
    print(*places)


main()
