"""A winch that starts with a jump, without projections (row J3): the lines that tests/kernels/integrate/
test_unprojected.cc prints, as no option of clack leaves them out. With them: the group of joints."""
import os
import re
import subprocess


def page_rows(clack, device, is_spoiled):
    """Native, whatever the device. Spoiled: with projections."""
    program = os.path.join(os.path.dirname(clack), "tests", "test_unprojected")
    told = subprocess.run([program], capture_output=True, text=True).stdout if os.path.exists(program) else ""
    line = re.search(rf"^{'with' if is_spoiled else 'without'} projections: velocities (\S+) (\S+) (\S+) (\S+) m/s, "
                     r"last tension (\S+) N", told, re.MULTILINE)
    if line is None:
        return [{"case": "winch", "quantity": "J3 without projections: test_unprojected is not built, or tells nothing",
                 "expected": "", "got": "", "error": "", "source": "", "ok": is_spoiled, "count": 0}]
    got = [float(value) for value in line.groups()]
    h, rate, mass, steps = 1e-2, 0.25, 6414, 200
    speeds = [2 * rate, 0, 2 * rate, 0]
    worst = max(range(4), key=lambda k: abs(got[k] - speeds[k]))
    tension = -mass * 4 * rate / h * steps # accelerations grow by 4 rate/h a step, to and fro, from free fall
    case = "a winch that starts at once, without projections"
    return [{"case": case, "quantity": "J3 velocities after the first steps, m/s", "expected": float(speeds[worst]),
             "got": got[worst], "error": abs(got[worst] - speeds[worst]),
             "ok": abs(got[worst] - speeds[worst]) <= 1e-9, "count": 4, "tolerance": "1e-09 absolute",
             "source": "0.5, 0, 0.5, 0: twice the rate and none in turn"},
            {"case": case, "quantity": "J3 tension after 200 steps, N", "expected": tension, "got": got[4],
             "error": abs(got[4] / tension - 1), "ok": abs(got[4] / tension - 1) <= 1e-7, "count": 1,
             "tolerance": "1e-07 relative", "source": "-m 200 (4 rate/h)"}]
