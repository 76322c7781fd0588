#!/usr/bin/env python3
"""What Nsight Compute counted of `advance`, function by function.

usage: by_function.py SOURCE.csv CUBIN [COUNT]

SOURCE.csv: the page "source" of a report with the section SourceCounters (profile.sh run; or .gz of it). CUBIN: the
machine code that ran; its symbols tell where functions begin. Prints the COUNT (30) functions with most samples:
shares of samples and of warp instructions, lanes at work (of 32), calls by a lane, share of the samples that wait for
memory, for instructions, at barriers; sectors of 32 bytes loaded from and stored to global and private memory, as the
instructions ask for them, before any cache. Samples may stop before the kernel ends, counts do not.
"""
import bisect
import csv
import gzip
import subprocess
import sys
from collections import defaultdict

COLUMNS = {"samples": "# Samples", "issued": "Instructions Executed", "lanes": "Thread Instructions Executed",
           "memory": "stall_long_sb", "fetch": "stall_no_inst", "barrier": "stall_barrier"}
SECTORS = {"global": "L2 Theoretical Sectors Global", "private": "L2 Theoretical Sectors Local"}


def functions_of(cubin):
    """Offsets at which the functions of `advance` begin, in rising order, and their names."""
    rows = []
    sections = subprocess.run(["readelf", "-SW", cubin], capture_output=True, text=True, check=True).stdout
    number = next(line.split("]")[0].split("[")[1].strip() for line in sections.splitlines() if ".text.advance " in line
                  and ".rela" not in line)
    symbols = subprocess.run(["readelf", "-sW", cubin], capture_output=True, text=True, check=True).stdout
    for line in symbols.splitlines():
        parts = line.split()
        if len(parts) >= 8 and parts[3] == "FUNC" and parts[6] == number:
            rows.append((int(parts[1], 16), parts[7].replace("$advance$", "")))
    return sorted(set(rows) | {(0, "advance")})


def number_of(text):
    return float(text.replace(",", "")) if text not in ("", "-") else 0.0


def read(source, functions):
    """Sums by function, and calls: instructions that are the first of one, by lanes."""
    starts = [start for start, _ in functions]
    sums, calls, base = defaultdict(lambda: defaultdict(float)), {}, None
    with (gzip.open if source.endswith(".gz") else open)(source, "rt") as file:
        rows = csv.reader(file)
        next(rows)  # the kernel's name
        at = {name: k for k, name in enumerate(next(rows))}
        for row in rows:
            if len(row) < len(at):
                continue
            address = int(row[0], 16)
            base = address if base is None else base
            k = bisect.bisect_right(starts, address - base) - 1
            name = functions[k][1]
            if address - base == starts[k]:
                calls[name] = number_of(row[at[COLUMNS["lanes"]]])
            for key, column in COLUMNS.items():
                sums[name][key] += number_of(row[at[column]])
            operation = "stored" if row[at["Access Operation"]] == "Store" else "loaded"
            for space, column in SECTORS.items():
                sums[name][space + operation] += number_of(row[at[column]])
    return sums, calls


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    functions = functions_of(sys.argv[2])
    sums, calls = read(sys.argv[1], functions)
    keys = sorted({key for row in sums.values() for key in row})
    total = {key: sum(row[key] for row in sums.values()) or 1.0 for key in keys}
    ranked = sorted(sums, key=lambda name: -sums[name]["samples"])[:int(sys.argv[3]) if len(sys.argv) > 3 else 30]
    print("samples  issued lanes      calls  memory fetch barrier   loaded: global private  stored: global private")
    for name in ["all"] + ranked:
        row = total if name == "all" else sums[name]
        samples = row["samples"] or 1.0
        print(f"{100 * row['samples'] / total['samples']:6.2f}% {100 * row['issued'] / total['issued']:6.2f}% "
              f"{row['lanes'] / (row['issued'] or 1.0):5.1f} {calls.get(name, 0):10.3g} "
              f"{100 * row['memory'] / samples:6.0f}% {100 * row['fetch'] / samples:4.0f}% "
              f"{100 * row['barrier'] / samples:6.0f}%   {row['globalloaded']:12.3g} {row['privateloaded']:9.3g}"
              f"  {row['globalstored']:12.3g} {row['privatestored']:9.3g}  {name}")


if __name__ == "__main__":
    main()
