#!/usr/bin/env python3
"""Kill a run with SIGKILL at random moments, resume it, and compare its file with that of a run left alone.

usage: check_kills.py PROGRAM [--kills N] [--seed N]

Runs are cut at moments that are uniform over the time of a whole run (shards, their names, the manifest, the
merge, the clean-up), some of them again while they are resumed. What is compared: ensemble_contents.py.
Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from ensemble_contents import STUDY, contents, differences

OUTPUT = "night.h5"


class Kills:
    def __init__(self, program, seed):
        self.program, self.random = program, random.Random(seed)
        self.cut = {"run": 0, "resume": 0, "before": 0, "after": 0, "shards": 0}
        self.span_s = float("inf") # of the shortest whole run: other work on the machine may have slowed the first

    def command(self, batch):
        # One command line for all, since the file tells it.
        return [self.program, "run", "study.yaml", "-o", OUTPUT, "-q", "-d", "native", "--batch", str(batch),
                "--checkpoint", "0"]

    def whole(self, batch):
        start = time.monotonic()
        subprocess.run(self.command(batch), check=True)
        self.span_s = min(self.span_s, time.monotonic() - start)

    def killed(self, command, kind):
        """Start, wait, kill; False where it had ended before."""
        start = time.monotonic()
        process = subprocess.Popen(command, stderr=subprocess.PIPE)
        try:
            process.wait(self.random.uniform(0, 1.1 * self.span_s))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        errors = process.communicate()[1].decode()
        if process.returncode == -signal.SIGKILL:
            self.cut[kind] += 1
            return True
        if process.returncode != 0:
            sys.exit(f"{command}: exit code {process.returncode}\n{errors}")
        if kind == "run":
            self.span_s = min(self.span_s, time.monotonic() - start)
        return False

    def one(self, batch):
        parts = OUTPUT + ".parts"
        resume = [self.program, "resume", OUTPUT, "-q", "--checkpoint", "0"]
        if not self.killed(self.command(batch), "run"):
            self.cut["after"] += 1
            return
        if not os.path.exists(parts + "/manifest.jsonl"):
            if os.path.exists(OUTPUT):  # between the clean-up's last two steps
                self.cut["after"] += 1
                return
            self.cut["before"] += 1  # nothing had been begun: a run begins anew over what there is
            self.whole(batch)
            return
        self.cut["shards"] += len([name for name in os.listdir(parts) if name.endswith(".h5")])
        while self.random.random() < 0.4:
            if not self.killed(resume, "resume"):
                return
            if not os.path.exists(parts + "/manifest.jsonl"):
                return  # all but the folder was cleaned up
        last = subprocess.run(resume, stderr=subprocess.PIPE, text=True)
        if last.returncode != 0:
            sys.exit(f"resume: exit code {last.returncode}\n{last.stderr}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=12)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    kills = Kills(os.path.abspath(options.program), options.seed)
    has_h5diff = shutil.which("h5diff") is not None
    failures = 0
    with tempfile.TemporaryDirectory(prefix="clack_kills_") as folder:
        os.chdir(folder)
        with open("study.yaml", "w") as study:
            study.write(STUDY)
        batch = 24
        kills.whole(240)
        kills.span_s = float("inf")
        subprocess.run(["mv", OUTPUT, "whole.h5"], check=True)
        whole = contents("whole.h5")
        kills.whole(batch)
        spoilt = contents(OUTPUT)
        # The comparison can fail, and sees what the batches' number changes: the command line.
        assert differences(whole, spoilt) == ["/@", "provenance@"], differences(whole, spoilt)
        os.rename(OUTPUT, "shards.h5")
        reference = contents("shards.h5")
        for number in range(options.kills):
            kills.one(batch)
            different = differences(reference, contents(OUTPUT))
            left = [name for name in os.listdir(".") if name not in ("study.yaml", "whole.h5", "shards.h5", OUTPUT)]
            if has_h5diff:  # its own opinion on the values
                same = subprocess.run(["h5diff", "--exclude-path", "/provenance", "shards.h5", OUTPUT],
                                      stdout=subprocess.PIPE, text=True).stdout
                lines = [line for line in same.splitlines() if "attribute:" in line and "history" not in line]
                different += [line for line in same.splitlines() if line.startswith("dataset:")] + lines
            if different or left:
                failures += 1
                print(f"kill {number}: different: {different}, left over: {left}")
                for name in left:
                    shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)
            os.remove(OUTPUT)
    cut = kills.cut
    print(f"{cut['run']} runs and {cut['resume']} resumed runs killed with {cut['shards']} shards there, "
          f"{cut['before']} before their first, {cut['after']} had ended; {failures} different in the end")
    os.chdir("/")
    return 1 if failures > 0 or cut["shards"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
