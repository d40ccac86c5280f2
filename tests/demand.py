#!/usr/bin/env python3
"""Counts the programs that name each extension or feature of OpenCL.

    demand.py [--not NAME]… PACKAGE…

PACKAGE is a wheel or a Debian package. A program that names a feature only in a list of all features, as
compilers and copies of OpenCL's headers do, says nothing: `--not NAME` leaves it out, where NAME is the
beginning of the file's name. Prints one line for each feature: the number of packages, and their names.
The figures are `[[demand]]` in docs/data/validation.toml.
"""

import argparse, collections, re, subprocess, tempfile, zipfile
from pathlib import Path

FEATURE = re.compile(rb"\b(?:cl_(?:khr|ext|intel)_[a-z0-9_]{3,60}|__opencl_c_[a-z0-9_]+)\b")


def contents(package):
    """Returns the bytes of each file of a package."""
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as archive:
            yield from (archive.read(name) for name in archive.namelist())
        return
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
        yield from (path.read_bytes() for path in Path(folder).rglob("*") if path.is_file() and not path.is_symlink())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--not", action="append", default=[], dest="left_out", metavar="NAME")
    parser.add_argument("packages", nargs="+", type=Path, metavar="PACKAGE")
    args = parser.parse_args()
    found = collections.defaultdict(set)
    for package in args.packages:
        if package.name.startswith(tuple(args.left_out)):
            continue
        for data in contents(package):
            for name in FEATURE.findall(data):
                found[name.decode()].add(re.split(r"[-_]\d", package.name)[0])
    for name, packages in sorted(found.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        print(f"{len(packages):3} {name}: {', '.join(sorted(packages))}")


if __name__ == "__main__":
    main()
