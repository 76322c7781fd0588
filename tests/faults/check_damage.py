#!/usr/bin/env python3
"""Damage ensembles, shards and manifests, and let every command read them: none may be silent about it, crash, or hang.

usage: check_damage.py PROGRAM SHIM [--flips N] [--cuts N] [--only COMMAND] [--unsealed] [--seed N]

Each case changes one byte of one file, or cuts it at a random length, and runs one command: info, stats, plot, report,
export or merge of a finished ensemble, merge or resume of shards, resume with a manifest. Right is exit code 7 with a
message that names the file, or the same output as of the whole file: all that was printed, all bytes of the file that
was written (of merge and resume the contents, ensemble_contents.py). With --unsealed the checksums behind the files'
ends are cut off first, as of files of earlier versions: those must not crash or hang either, but may be read.
Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import argparse
import collections
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

STUDY = """format: 1
scene:
  bodies:
    ground: {fixed: true, material: steel, shapes: [{half_space: {normal: [0, 0, 1]}}]}
    ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, {uniform: [0.1, 0.6]}]}
design: {sobol: {samples: 24, seed: 5}}
solver: {end: {uniform: [0.2, 0.4]}}
outputs:
  quantities: {impacts: {count: contact_begin, of: ball}, height: {max: ball.position.z, after: 0.1}}
  trajectory: {every: 0.05, scenes: 8}
  contacts: {every: 0.1, scenes: 8}
  events: true
"""
WHOLE, PARTS = "whole.h5", "night.h5.parts"
END_BYTES = 56  # of the seal: bytes before it, bytes of a block, SHA-256, magic


def commands():
    """Name -> which file is damaged, the command, and the file that it writes."""
    export = ["export", "{file}", "--csv", "--table"]
    return {"info": ("whole", ["info", "{file}"], None),
            "info --json": ("whole", ["info", "{file}", "--json"], None),
            "stats": ("whole", ["stats", "{file}"], None),
            "stats -d": ("whole", ["stats", "{file}", "-d", "native"], None),
            "export scenes": ("whole", export + ["scenes"], None),
            "export events": ("whole", export + ["events"], None),
            "export trajectory": ("whole", export + ["trajectory"], None),
            "export h5md": ("whole", ["export", "{file}", "--h5md", "-q", "-o", "out"], None),
            "report": ("whole", ["report", "{file}", "-q", "-o", "out.html"], "out.html"),
            "plot": ("whole", ["plot", "{file}", "-q", "-o", "out.svg"], "out.svg"),
            "merge": ("whole", ["merge", "{file}", "-q", "-o", "out.h5"], "out.h5"),
            "merge shards": ("shard", ["merge", "{shards}", "-q", "-o", "out.h5"], "out.h5"),
            "resume shards": ("shard", ["resume", "night.h5", "-q"], "night.h5"),
            "resume manifest": ("manifest", ["resume", "night.h5", "-q"], "night.h5")}


WEIGHTS = {"plot": 0.3, "report": 0.3, "resume shards": 2, "resume manifest": 2, "merge shards": 2}


def without_seal(path):
    with open(path, "rb+") as file:
        file.seek(-END_BYTES, os.SEEK_END)
        end = file.read()
        if end.endswith(b"clackSH1"):
            file.truncate(int.from_bytes(end[:8], "little"))


class Damage:
    def __init__(self, program, folder, is_unsealed):
        self.program, self.folder, self.is_unsealed = program, folder, is_unsealed
        self.outputs, self.counts = {}, collections.Counter()

    def make(self):
        with open("study.yaml", "w") as file:
            file.write(STUDY)
        run = [self.program, "run", "study.yaml", "-q", "-d", "native", "-o"]
        subprocess.run(run + [WHOLE], check=True)
        # Shards stay where the run that makes them cannot end: its last file is taken for another's.
        subprocess.run(run + ["night.h5", "--batch", "12", "--checkpoint", "0"], check=True)
        shutil.copyfile("night.h5", "final.h5")
        self.night = contents("final.h5")
        os.remove("night.h5")
        stop = dict(os.environ, LD_PRELOAD=self.shim, CLACK_TEST_FAIL_FILE="merged.h5", CLACK_TEST_FAIL_CALL="open",
                    CLACK_TEST_FAIL_NUMBER="1", CLACK_TEST_FAIL_ERROR="EIO")
        done = subprocess.run(run + ["night.h5", "--batch", "12", "--checkpoint", "0"],
                              env=stop, capture_output=True, text=True)
        assert done.returncode == 4, done.stderr
        self.shards = sorted(name for name in os.listdir(PARTS) if name.endswith(".h5"))
        assert len(self.shards) > 1, self.shards
        if self.is_unsealed:
            for path in [WHOLE] + [f"{PARTS}/{name}" for name in self.shards]:
                without_seal(path)

    def arrange(self, folder, kind):
        """Copies of the files that a command needs; the paths of those that may be damaged."""
        shutil.copyfile("study.yaml", f"{folder}/study.yaml")
        if kind == "whole":
            shutil.copyfile(WHOLE, f"{folder}/{WHOLE}")
            return [f"{folder}/{WHOLE}"]
        shutil.copytree(PARTS, f"{folder}/{PARTS}")
        names = ["manifest.jsonl"] if kind == "manifest" else self.shards
        return [f"{folder}/{PARTS}/{name}" for name in names]

    def output(self, folder, name):
        """What a command says and writes: exit code, standard output and error, contents of its file."""
        _, words, written = commands()[name]
        arguments = []
        for word in words:
            arguments += ([f"{PARTS}/{shard}" for shard in self.shards] if word == "{shards}" else
                          [WHOLE] if word == "{file}" else [word])
        done = subprocess.run([self.program] + arguments, cwd=folder, capture_output=True, timeout=60)
        path = f"{folder}/{written}" if written else None
        what = None
        if done.returncode == 0 and path is not None:
            if written.endswith(".h5"):
                what = contents(path)
            else:
                with open(path, "rb") as file:
                    what = file.read()
        return done.returncode, done.stdout, done.stderr, what

    def case(self, number, name, is_cut, seed):
        chance = random.Random(seed)
        folder = f"case_{number}"
        os.mkdir(folder)
        try:
            path = chance.choice(self.arrange(folder, commands()[name][0]))
            bytes_before = bytearray(open(path, "rb").read())
            at = chance.randrange(len(bytes_before))
            if is_cut:
                del bytes_before[at:]
            else:
                bytes_before[at] ^= chance.randrange(1, 256)
            with open(path, "wb") as file:
                file.write(bytes_before)
            return (self.judge(name, os.path.basename(path), self.output(folder, name)),
                    f"{os.path.basename(path)}, byte {at}")
        except subprocess.TimeoutExpired:
            return ("hangs", ""), f"byte {at}"
        finally:
            shutil.rmtree(folder)

    def judge(self, name, file, output):
        code, said, errors, what = output
        wanted = self.outputs[name]
        if code == 7:
            return (("detected", "") if file.encode() in errors
                    else ("breach", f"exit code 7, no message names {file}: {errors}"))
        if code < 0 or code > 7:
            return "crash", f"exit code {code}: {errors}"
        if code == 0 and said == wanted[1] and self.is_same(what, wanted[3]):
            return "harmless", ""
        return "silent" if code == 0 else "breach", f"exit code {code}: {errors}"

    @staticmethod
    def is_same(what, wanted):
        return not differences(what, wanted) if isinstance(what, dict) else what == wanted

    def prepare(self):
        """What every command says of whole files."""
        for name in commands():
            os.mkdir("good")
            self.arrange("good", commands()[name][0])
            output = self.output("good", name)
            assert output[0] == 0, (name, output)
            if name.startswith("resume"):
                assert not differences(output[3], self.night), (name, differences(output[3], self.night))
            self.outputs[name] = output
            shutil.rmtree("good")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("shim")
    parser.add_argument("--flips", type=int, default=300)
    parser.add_argument("--cuts", type=int, default=60)
    parser.add_argument("--only", choices=list(commands()))
    parser.add_argument("--unsealed", action="store_true")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="clack_damage_") as folder:
        damage = Damage(os.path.abspath(options.program), folder, options.unsealed)
        damage.shim = os.path.abspath(options.shim)
        os.chdir(folder)
        damage.make()
        if shutil.which("gnuplot") is None:
            WEIGHTS["plot"] = 0
        names = [name for name in commands() if WEIGHTS.get(name, 1) > 0 and options.only in (None, name)]
        damage.prepare()
        cases = [(number, chance.choices(names, [WEIGHTS.get(name, 1) for name in names])[0], number < options.cuts,
                  chance.getrandbits(60)) for number in range(options.flips + options.cuts)]
        results = collections.Counter()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for case, ((kind, why), where) in zip(cases, pool.map(lambda case: damage.case(*case), cases)):
                results[kind] += 1
                if sum(results.values()) % 1000 == 0:
                    print(dict(results), flush=True)
                allowed = {"detected", "harmless"} | ({"silent", "breach"} if options.unsealed else set())
                if kind not in allowed:
                    print(f"{case[1]}: {where} {'cut' if case[2] else 'flipped'} (seed {case[3]}): {kind} {why}"[:600],
                          flush=True)
        os.chdir("/")
    wrong = sum(count for kind, count in results.items() if kind not in allowed)
    print(f"{options.flips} flips and {options.cuts} cuts: " +
          ", ".join(f"{count} {kind}" for kind, count in sorted(results.items())))
    return 1 if wrong > 0 or results["detected"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
