"""Decodes lines of an object's version and an instruction in hexadecimal; prints size and text."""

import sys

from visa_isa import DecodeError, decode

for line in open(sys.argv[1]):
    minor, code = line.split()
    try:
        instruction, size = decode(bytes.fromhex(code), version=divmod(int(minor), 256))
        print(size, instruction)
    except DecodeError:
        print("error")
