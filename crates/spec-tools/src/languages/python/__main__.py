"""Print the instructions of objects: python -m visa_isa FILE..."""

import sys

from . import DecodeError, Object


def main(paths):
    if not paths:
        sys.stderr.write("usage: python -m visa_isa FILE...\n")
        return 2
    failed = 0
    for path in paths:
        try:
            with open(path, "rb") as file:
                routines = Object(file.read()).routines
        except (OSError, DecodeError) as error:
            sys.stderr.write(f"{path}: {error}\n")
            failed = 1
            continue
        for routine in routines:
            print(f"{'.kernel' if routine.is_kernel else '.function'} {routine.name}")
            for instruction in routine.instructions:
                print(instruction.text(routine.names))
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
