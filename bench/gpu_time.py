#!/usr/bin/env python3
"""What time named GPUs would need, predicted from replays of their warps: python3 bench/gpu_time.py [REPLAY.txt]

Reads what the programs replay_* wrote (bench/results/replay.txt) and bench/gpus.json, whose constants name their
sources. For each replay and GPU the times of a scene of what could bound it, ns:
  waiting  each of a unit's warps waits for its own instructions and sectors: (a instructions + b sectors beyond L1)
           over the warps that run at once; in queues also at barriers. Two constants, fitted to an H100.
  issue    four instructions of a warp for each cycle of a unit, 3.7 of the machine to a replayed one
  FP64     0.7 operations in double precision for each lane of an instruction (counted: W1), at what a unit has
  L2, memory   sectors of 32 bytes at what L2 gives, and at what memory gives where they are scattered
The largest one is the prediction, and names the bound; launches add 3 us each where --launches tells how many a scene
takes. Where gpus.json has a measurement its share of the predicted rate follows.

What it cannot tell: on that H100 waiting for memory and the rate of scattered sectors (twice those replayed, as
registers are saved around calls) explain W1 alike. An H200 is as fast by the first and 1.4 times by the second.

Options: --registers N of a work-item (255), --launches N (0), --not-measured: replays of kernels that no GPU has run,
--check: exit code 1 where a prediction is off by more than a factor of 2 from a measurement.
"""
import argparse
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
WARP = 32
SECTOR_BYTES = 32
ISSUED_PER_CYCLE = 4
COUNTS = re.compile(r"all +lanes ([\d.]+), warps issue (\d+) a scene")
SECTORS = re.compile(r"L2: read (\d+), written (\d+); memory: read (\d+), written (\d+)")


def replays(path):
    """Of each replay that has sectors of caches: executor, study with what was set, instructions, sectors a scene."""
    command = ""
    with open(path) as file:
        for line in file:
            if line.startswith("$ replay_"):
                command = line[len("$ replay_"):].strip()
            counts, sectors = COUNTS.search(line), SECTORS.search(line)
            if not counts or not sectors or not command:
                continue
            executor, study = command.split()[:2]
            numbers = [int(text) for text in sectors.groups()]
            yield {"command": command, "executor": executor, "study": study, "lanes": float(counts[1]),
                   "instructions": int(counts[2]), "read": numbers[0], "l2": numbers[0] + numbers[1],
                   "memory": numbers[2] + numbers[3]}
            command = ""


def bounds(replay, gpu, constants, registers):
    """{bound: seconds a scene}."""
    value = {name: constant["value"] for name, constant in constants.items() if "value" in constant}
    cycles_per_s = gpu["units"] * gpu["clock_hz"]
    warps = min(gpu["warps_most"], gpu["registers"] // (8 * -(-registers // 8) * WARP))
    waiting = (value["replayed_instruction_cycles"] * replay["instructions"] + value["sector_cycles"] * replay["read"])
    if replay["executor"] == "queues":
        waiting /= 1 - value["barrier_share"]
    return {
        "waiting": waiting / (warps * cycles_per_s),
        "issue": value["machine_per_replayed"] * replay["instructions"] / (ISSUED_PER_CYCLE * cycles_per_s),
        "FP64": value["fp64_per_lane"] * WARP * replay["instructions"] / (gpu["fp64_per_clock"] * cycles_per_s),
        "L2": SECTOR_BYTES * replay["l2"] / gpu["l2_bytes_per_s"],
        "memory": SECTOR_BYTES * replay["memory"] / (value["scattered_share"] * gpu["memory_bytes_per_s"]),
    }


def measured_of(constants, replay, name):
    if name != constants["measured_on"]:
        return None
    return next((m["scenes_per_s"] for m in constants["measured"]
                 if m["study"] == replay["study"] and m["executor"] == replay["executor"]), None)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("replay", nargs="?", default=os.path.join(HERE, "results", "replay.txt"))
    words.add_argument("--registers", type=int, default=255)
    words.add_argument("--launches", type=float, default=0.0)
    words.add_argument("--not-measured", action="store_true")
    words.add_argument("--check", action="store_true")
    given = words.parse_args()
    with open(os.path.join(HERE, "gpus.json")) as file:
        constants = json.load(file)
    off = 0
    for replay in replays(given.replay):
        print(f"replay_{replay['command']}")
        print(f"  {replay['lanes']:.2f} of the lanes, {replay['instructions']} instructions, "
              f"sectors beyond L1 {replay['l2']}, beyond L2 {replay['memory']} a scene")
        for name, gpu in constants["gpus"].items():
            every = bounds(replay, gpu, constants, given.registers)
            bound = max(every, key=every.get)
            rate = 1 / (every[bound] + given.launches * constants["launch_s"]["value"])
            each = ", ".join(f"{what} {1e9 * time:.4g}" for what, time in every.items())
            measured = None if given.not_measured else measured_of(constants, replay, name)
            beside = f"; measured {measured:.3g}: {measured / rate:.2f} of the predicted rate" if measured else ""
            off += measured is not None and not 0.5 <= measured / rate <= 2
            print(f"    {name:9} {rate:9.3g} scenes/s by {bound} (ns: {each}){beside}")
    return 1 if off and given.check else 0


if __name__ == "__main__":
    sys.exit(main())
