"""vISA in Python: decoder, printer and object reader, generated from a specification.

    from visa_isa import Object

    for routine in Object(open("kernel.isa", "rb").read()).routines:
        for instruction in routine.instructions:
            print(instruction.text(routine.names))

`python -m visa_isa FILE` prints a file. Only the standard library is needed.
"""

from .isa import DecodeError, Instruction, Names, Operand, Raw, decode, decode_all
from .objects import Object, Routine

__all__ = [
    "DecodeError",
    "Instruction",
    "Names",
    "Object",
    "Operand",
    "Raw",
    "Routine",
    "decode",
    "decode_all",
]
