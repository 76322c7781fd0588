#!/usr/bin/env python3
"""What a device that stays open saves: PYTHONPATH=host/python CLACK_LIBRARY=build/python/libclack.so python3
bench/open_device.py [DEVICE...]   (default: native, and OpenCL device 0)

Ten scenes of a bouncing sphere by clack.run, in turn with the device opened anew and kept open: medians of 20 pairs.
"""
import statistics
import sys
import time

import clack

STUDY = {
    "format": 1, "variables": {"height": {"uniform": [0.1, 0.3]}},
    "scene": {"bodies": {"ground": {"fixed": True, "material": "steel", "shapes": [{"half_space": {}}]},
                         "ball": {"material": "steel", "shapes": [{"sphere": {"diameter": 0.04}}],
                                  "position": [0, 0, "=height + 0.02"]}}},
    "design": {"monte_carlo": {"samples": 10}}, "solver": {"end": 0.3},
    "outputs": {"quantities": {"bounces": {"count": "contact_end"}}}}


def timed(device):
    begun = time.perf_counter()
    clack.run(STUDY, device=device)
    return 1e3 * (time.perf_counter() - begun)


def main(devices):
    for device in devices:
        clack.run(STUDY, device=device) # the compiler's cache is filled
        opened, kept = [], []
        for _ in range(20):
            clack.release()
            opened.append(timed(device))
            kept.append(timed(device))
        opened, kept = statistics.median(opened), statistics.median(kept)
        print(f"{device:>7}: opened {opened:.1f} ms, kept open {kept:.1f} ms, {opened / kept:.1f} times as fast")


if __name__ == "__main__":
    main(sys.argv[1:] or ["native", "0"])
