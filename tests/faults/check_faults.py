#!/usr/bin/env python3
"""Let each call that writes an ensemble fail, resume what ends with exit code 4, and compare with a run left alone.

usage: check_faults.py PROGRAM SHIM STUDY [--cases N | --all] [--shards one|several] [--seed N]

The runs: STUDY (data/bouncing_sphere.yaml) at 40 scenes, in one shard and in several. Each pwrite, fsync, rename,
ftruncate, open, close and unlink of their files fails once, and all from it on, with ENOSPC and EIO; each pwrite also
writes half of its bytes. Right is exit code 0 with the same contents (ensemble_contents.py), or exit code 4 with a
message that names the file and, under the final name, nothing or the same contents; then `clack resume`, or where
nothing was begun the same run, ends with exit code 0 and the same contents.
Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import argparse
import concurrent.futures
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from ensemble_contents import contents, differences

OUTPUT = "x.h5"
KINDS = ["pwrite", "fsync", "rename", "ftruncate", "open", "close", "unlink"]


class Faults:
    def __init__(self, program, shim, study):
        self.program, self.shim, self.study = program, shim, study
        self.reference = {}

    def command(self, shards):
        # One command line for all, since the file tells it.
        parts = ["--batch", "20", "--checkpoint", "0"] if shards else []
        return [self.program, "run", self.study, "-o", OUTPUT, "-q", "-d", "native",
                "--set", "design.monte_carlo.samples=40"] + parts

    def run(self, command, folder, **fault):
        environment = dict(os.environ)
        if fault:
            environment |= {"LD_PRELOAD": self.shim, "CLACK_TEST_FAIL_FILE": OUTPUT}
            environment |= {"CLACK_TEST_FAIL_" + name.upper(): str(value) for name, value in fault.items()}
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)

    def count(self, shards, folder):
        """The contents of a run that nothing fails in, and how many calls it makes of each kind."""
        done = self.run(self.command(shards), folder, number=0)
        assert done.returncode == 0, done.stderr
        self.reference[shards] = contents(os.path.join(folder, OUTPUT))
        os.remove(os.path.join(folder, OUTPUT))
        lines = [line.split() for line in done.stderr.splitlines() if line.startswith("calls: ")]
        return {kind: int(number) for _, kind, number in lines}

    def is_same(self, shards, path):
        return not differences(self.reference[shards], contents(path))

    def breach(self, shards, fault, folder):
        """What is wrong with the way a run with this fault ends; None where nothing is. And whether it failed."""
        path, manifest = os.path.join(folder, OUTPUT), os.path.join(folder, OUTPUT + ".parts/manifest.jsonl")
        done = self.run(self.command(shards), folder, **fault)
        if "shim:" not in done.stderr:
            return "the call was not made", False
        if done.returncode == 0:
            if not os.path.exists(path) or not self.is_same(shards, path):
                return "exit code 0, and the file is another", False
            if not os.path.exists(manifest):
                return None, False
        elif done.returncode != 4:
            return f"exit code {done.returncode}: {done.stderr}", True
        elif OUTPUT not in done.stderr.replace(f"shim: {fault['call']}", ""):
            return f"no message names the file: {done.stderr}", True
        elif os.path.exists(path) and not self.is_same(shards, path):
            return f"exit code 4, and another file has the final name: {done.stderr}", True
        if os.path.exists(manifest):
            again = self.run([self.program, "resume", OUTPUT, "-q"] + (["--checkpoint", "0"] if shards else []), folder)
        elif not os.path.exists(path):
            again = self.run(self.command(shards), folder)
        else:
            return None, True
        if again.returncode != 0:
            return f"{again.args[1]}: exit code {again.returncode}: {again.stderr}; after {done.stderr}", True
        if not self.is_same(shards, path):
            return f"{again.args[1]}: the file is another; after {done.stderr}", True
        left = [name for name in os.listdir(folder) if name != OUTPUT]
        return (f"left over: {left}" if left else None), done.returncode != 0

    def tried(self, case):
        shards, fault = case
        folder = tempfile.mkdtemp(prefix="case_", dir=".")
        try:
            return case, *self.breach(shards, fault, folder)
        except subprocess.TimeoutExpired:
            return case, "it hangs", True
        finally:
            shutil.rmtree(folder)


def all_cases(counts):
    for shards, numbers in counts.items():
        for kind in KINDS:
            for number in range(1, numbers[kind] + 1):
                for error in ["ENOSPC", "EIO"] + (["short"] if kind == "pwrite" else []):
                    for always in [0, 1] if error != "short" else [0]:
                        yield shards, {"call": kind, "number": number, "error": error, "always": always}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("shim")
    parser.add_argument("study")
    parser.add_argument("--cases", type=int, default=36)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--shards", choices=["one", "several"])
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    faults = Faults(*(os.path.abspath(path) for path in (options.program, options.shim, options.study)))
    with tempfile.TemporaryDirectory(prefix="clack_faults_") as folder:
        os.chdir(folder)
        counts = {shards: faults.count(shards, folder) for shards in (False, True)
                  if options.shards in (None, "several" if shards else "one")}
        for shards, numbers in counts.items():
            print("calls in several shards:" if shards else "calls in one shard:", numbers)
        cases = list(all_cases(counts))
        if not options.all:  # of each kind of call some
            chosen = random.Random(options.seed)
            few = [case for kind in KINDS for case in
                   chosen.sample([case for case in cases if case[1]["call"] == kind],
                                 min(3, sum(c[kind] for c in counts.values())))]
            cases = few + chosen.sample(cases, max(0, options.cases - len(few)))
        breaches = failed = done = 0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for case, wrong, has_failed in pool.map(faults.tried, cases):
                failed += has_failed
                done += 1
                if done % 500 == 0:
                    print(f"{done} of {len(cases)}: {breaches} breaches", flush=True)
                if wrong:
                    breaches += 1
                    print(f"{'several shards' if case[0] else 'one shard'}, {case[1]}: {wrong}", flush=True)
        print(f"{len(cases)} runs with a fault, {failed} ended with exit code 4 and were resumed; {breaches} breaches")
        os.chdir("/")
    return 1 if breaches > 0 or failed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
