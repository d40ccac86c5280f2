"""Decodes lines of an object's version and an instruction in hexadecimal; prints size and text.

With `--columns`, prints the cells of all lists instead.
"""

import sys

from visa_isa import DecodeError, decode
from visa_isa import tables as t


def shown(cell):
    own = slice(cell.first, cell.first + cell.count)
    if cell.kind == t.CELL_FLAG:
        return "yes" if cell.value else "no"
    if cell.kind == t.CELL_NUMBER:
        return str(cell.value)
    words = [str(n.value) for n in t.NUMBERS[own]] if cell.kind == t.CELL_NUMBERS else [w.name for w in t.WORDS[own]]
    return " ".join(words) or "-"


if sys.argv[1] == "--columns":
    for row in t.LISTS:
        for value in t.VALUES[row.values : row.values + row.value_count]:
            for at in range(row.column_count):
                print(row.name, t.COLUMNS[row.columns + at].name, value.code, shown(t.CELLS[value.cells + at]))
    sys.exit()

for line in open(sys.argv[1]):
    minor, code = line.split()
    try:
        instruction, size = decode(bytes.fromhex(code), version=divmod(int(minor), 256))
        print(size, instruction)
    except DecodeError:
        print("error")
