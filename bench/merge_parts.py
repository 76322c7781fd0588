#!/usr/bin/env python3
"""One document of `clack bench -o` from those of its parts, each measured by a command of its own.

    python3 bench/merge_parts.py OUT PART.json...

OUT may be there: what parts measured replaces what it has of the same workload, pair or build. Of ceilings the greatest
counts: whatever else ran on the machine only made them lower. Parts that are not there, or were cut while they were
written, are told and left out. Exit code 1: there is none, or they are of different devices.
"""
import json
import os
import sys

ROWS = {"workloads": ("name",), "pairs": ("pair", "method"), "code": ("build", "kernel")}  # by what rows are the same


def read(path):
    try:
        with open(path) as file:
            document = json.load(file)
    except (OSError, ValueError) as error:
        print("%s: left out: %s" % (path, error), file=sys.stderr)
        return None
    if "device" not in document:  # stopped before it was known
        print("%s: left out: it names no device" % path, file=sys.stderr)
        return None
    return document


def merged(documents):
    out = {}
    for document in documents:
        for key, value in document.items():
            if key in ROWS:
                rows = {tuple(row.get(name) for name in ROWS[key]): row for row in out.get(key, []) + value}
                out[key] = list(rows.values())
            elif key == "ceilings" and key in out:
                out[key] = {name: max(value[name], out[key].get(name, 0)) for name in value}
            else:
                out[key] = value
    return out


def main():
    if len(sys.argv) < 3:
        print(__doc__, end="")
        return 2
    out, parts = sys.argv[1], sys.argv[2:]
    documents = [d for d in map(read, ([out] if os.path.exists(out) else []) + parts) if d]
    names = {d["device"]["name"] for d in documents}
    if len(names) != 1:
        print("%s: expected parts of one device, found %s" % (out, sorted(names) or "none"), file=sys.stderr)
        return 1
    with open(out + ".new", "w") as file:
        json.dump(merged(documents), file, indent=1)
        file.write("\n")
    os.replace(out + ".new", out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
