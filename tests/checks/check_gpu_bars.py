#!/usr/bin/env python3
"""bench/gpu_bars.py, merge_parts.py, arithmetic.py and gpu_time.py on numbers made up: check_gpu_bars.py ROOT

Which bars are met, not met, not measured; shares that cannot be; parts made one; counts that are missing; times that
are predicted, reckoned by hand.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

BENCH = os.path.join(os.path.abspath(sys.argv[1]), "bench")
OPERATIONS = {"W1.yaml": {"evaluations": 100, "add": 400, "multiply": 300, "fma": 300, "divide": 0, "root": 0}}
failures = 0


def check(is_right, sentence):
    global failures
    if not is_right:
        failures += 1
        print("wrong:", sentence)


def tool(name, *words):
    return subprocess.run([sys.executable, os.path.join(BENCH, name), *words], capture_output=True, text=True)


def made(platform, is_gpu, workloads, pairs=()):
    return {"device": {"name": "made", "platform": platform, "driver": "1", "compute_units": 16, "is_gpu": is_gpu},
            "ceilings": {"flops_per_s": 1e12}, "workloads": workloads,
            "pairs": [{"pair": pair, "method": method,
                       **{state: {"pairs_per_kernel_s": speed} for state in ("overlapping", "touching", "apart")}}
                      for pair, method, speed in pairs]}


def workload(name, *points):
    return {"name": name, "study": name + ".yaml",
            "points": [{"scenes": n, "scenes_per_s": v, "scenes_per_kernel_s": v, "evaluations_per_scene": 100}
                       for n, v in points]}


def write(name, document):
    with open(name, "w") as out:
        json.dump(document, out)


def check_bars():
    pairs = [("a", "closed", 6e9), ("b", "exact", 3e9), ("c", "exact", 9e8), ("b", "mpr", 2e9)]
    code = [{"build": b, "kernel": "advance", "registers": 255, "stack_bytes": 8, "spill_store_bytes": n,
             "spill_load_bytes": 0} for b, n in (("W1", 0), ("W2", 4))]
    code.append({**code[1], "build": "hull-hull, exact", "kernel": "evaluate_narrow"}) # told, and no bar
    gpu = made("CUDA", True, [workload("W1", (10, 1e5), (1000000, 2.1e8)),
                              workload("W2", (1000, 9e9), (100000, 4.9e4), (1000000, 9e9))], pairs)
    for name, document in (("bench_gpu", gpu), ("code_gpu", {"device": gpu["device"], "code": code}),
                           ("bench_native", made("native", False, [workload("W2", (100, 1e3))])),
                           ("one_core", made("native", False, [workload("W1", (100, 1e6))])),
                           ("operations", OPERATIONS)):
        write(name + ".json", document)
    done = tool("gpu_bars.py", ".")
    for what in (r"closed forms.*6\.00e\+09.* met$", r"GJK.*9\.00e\+08 \(c; .*NOT MET$", r"MPR.*2\.00e\+09.* met$",
                 r"W1 over one core.*210x.* met$", r"W2.*over 16 cores.*49x.*NOT MET$",
                 r"advance, W1, of the arithmetic.*42\.0 %.* met$", r"spills of advance, W1.* met$",
                 r"spills of advance, W2.*NOT MET$"):
        check(re.search(what, done.stdout, re.M) is not None, f"bars: {what}: {done.stdout}{done.stderr}")
    check("hull-hull" not in done.stdout and "queues" not in done.stdout, f"bars: {done.stdout}")
    check(done.returncode == 0, f"bars: {done.returncode}")
    return gpu


def check_queues(gpu):
    """What was measured from queues has rows of its own."""
    write("queues_gpu.json", made("CUDA", True, [workload("W1", (1000000, 3e8)), workload("W2", (100000, 6e4))]))
    done = tool("gpu_bars.py", ".")
    for what in (r"W1 over one core, start to end +>=.*210x", r"W1 over one core.*queues.*300x.* met$",
                 r"W2.*, queues.* 60x .* met$", r"advance, W1, of the arithmetic.*queues.*60\.0 %.* met$"):
        check(re.search(what, done.stdout, re.M) is not None, f"queues: {what}: {done.stdout}{done.stderr}")
    write("queues_gpu.json", made("CUDA", True, [workload("W1", (1000000, 6e8))])) # 120 %
    done = tool("gpu_bars.py", ".")
    check(done.returncode == 1 and re.search(r"W1.*queues.*120\.0 %; more than there is.*REFUSED$", done.stdout, re.M),
          f"queues, 120 %: {done.returncode}, {done.stdout}")
    os.remove("queues_gpu.json")


def check_shares():
    """50 times what a device can do is no bar that is met; just what it can do is."""
    for speed, word, code in ((5e8, "met", 0), (5.001e8, "REFUSED", 1), (2.5e10, "REFUSED", 1)):
        write("bench_gpu.json", made("CUDA", True, [workload("W1", (1000000, speed))]))
        done = tool("gpu_bars.py", ".")
        line = next((line for line in done.stdout.splitlines() if "arithmetic" in line), "")
        check(line.endswith(" " + word) and done.returncode == code,
              f"{speed:g}: {done.returncode}, {line}, {done.stderr}")
        told = tool("arithmetic.py", "operations.json", "bench_gpu.json").stdout
        check(("not possible" in told) == (code == 1), f"arithmetic, {speed:g}: {told}")


def check_missing(gpu):
    os.remove("bench_native.json")
    os.remove("one_core.json")
    write("bench_gpu.json", gpu)
    done = tool("gpu_bars.py", ".")
    check(done.returncode == 0 and "over 0 cores" not in done.stdout, f"no native: {done.stdout}")
    for what in (r"W1 over one core.*no W1 on one core was measured.* -$",
                 r"W2.*over all cores.*no W2 on all cores.* -$"):
        check(re.search(what, done.stdout, re.M) is not None, f"no native: {what}: {done.stdout}")
    gpu["device"]["is_gpu"] = False
    write("bench_gpu.json", gpu)
    done = tool("gpu_bars.py", ".")
    check("not judged" in done.stdout and "met" not in done.stdout.lower().split(), f"no GPU: {done.stdout}")
    for text in "", '{"W1.yaml": {"evalua':
        with open("operations.json", "w") as out:
            out.write(text)
        for name, words in (("arithmetic.py", ("operations.json", "bench_gpu.json")), ("gpu_bars.py", (".",))):
            done = tool(name, *words)
            check("Traceback" not in done.stderr, f"{name}, counts {text!r}: {done.stderr}")
        done = tool("arithmetic.py", "operations.json", "bench_gpu.json")
        check(done.returncode == 1 and "no operations were counted" in done.stderr, f"counts {text!r}: {done.stderr}")


def check_merged():
    first, second = made("CUDA", True, [workload("W1", (1, 1.0))]), made("CUDA", True, [workload("W2", (1, 2.0))])
    second["ceilings"]["flops_per_s"] = 2e12
    write("first.json", first)
    write("second.json", second)
    with open("cut.json", "w") as out:
        out.write('{"device": ')
    done = tool("merge_parts.py", "all.json", "first.json", "second.json", "cut.json", "absent.json")
    check(done.returncode == 0 and done.stderr.count("left out") == 2, f"parts: {done.returncode}, {done.stderr}")
    whole = json.load(open("all.json"))
    check([w["name"] for w in whole["workloads"]] == ["W1", "W2"] and whole["ceilings"]["flops_per_s"] == 2e12,
          f"parts: {whole}")
    first["workloads"][0]["points"][0]["scenes_per_s"] = 9.0
    write("first.json", first)
    done = tool("merge_parts.py", "all.json", "first.json") # measured anew
    whole = json.load(open("all.json"))
    check([w["points"][0]["scenes_per_s"] for w in whole["workloads"]] == [9.0, 2.0], f"a part anew: {whole}")
    second["device"]["name"] = "another"
    write("second.json", second)
    done = tool("merge_parts.py", "all.json", "second.json")
    check(done.returncode == 1 and "of one device" in done.stderr, f"two devices: {done.returncode}, {done.stderr}")


def predicted(executor, sectors, *words):
    """{GPU: (scenes/s, bound)} of a scene of 1,000 instructions that reads 100 sectors beyond L1."""
    with open("replay.txt", "w") as out:
        out.write(f"$ replay_{executor} made.yaml -n 1\nmade.yaml: 1 scenes\n  all     lanes 0.50, warps issue 1000 a "
                  "scene (9 blocks), sectors a scene: global 1, private 1; L2: read 100, written 50; "
                  f"memory: {sectors}\n")
    told = tool("gpu_time.py", "replay.txt", *words).stdout
    rows = re.findall(r"^ +(\S+ \S+) +(\S+) scenes/s by (\w+)", told, re.M)
    return {name: (float(rate), bound) for name, rate, bound in rows}


def check_times():
    few, many = "read 40, written 20", "read 900000, written 100000"
    # Waiting: 60 (1,000 + 100) cycles over 8 warps on 132 units of 1.755 GHz. FP64: 1,000 x 0.7 x 32 operations, 2 for
    # each cycle of 128 units of 2.52 GHz.
    for got, rate, bound in (
            (predicted("own_slots", few)["H100 SXM"], 8 * 132 * 1.755e9 / 66000, "waiting"),
            (predicted("queues", few)["H100 SXM"], 0.73 * 8 * 132 * 1.755e9 / 66000, "waiting"),
            (predicted("own_slots", few, "--registers", "128")["H100 SXM"], 16 * 132 * 1.755e9 / 66000, "waiting"),
            (predicted("own_slots", few)["RTX 4090"], 2 * 128 * 2.52e9 / 22400, "FP64"),
            (predicted("own_slots", many)["H200 SXM"], 0.29 * 4.8e12 / 32e6, "memory"),
            (predicted("own_slots", few, "--launches", "1")["H100 SXM"], 1 / (66000 / 8 / 132 / 1.755e9 + 3e-6),
             "waiting")):
        check(abs(got[0] / rate - 1) < 0.01 and got[1] == bound, f"predicted {got}, not {rate:.3g} by {bound}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        gpu = check_bars()
        check_queues(gpu)
        check_shares()
        check_missing(gpu)
        check_merged()
        check_times()
        os.chdir("/")
    print(f"{failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
