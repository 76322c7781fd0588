#!/usr/bin/env python3
"""How steps of quasi-rigid bodies are solved: bodies of each shape thrown onto the ground, and piles.

usage: drops.py PROGRAM [-o FILE] [--share SHARE] [--theta THETA] [CASE]...

PROGRAM: build/clack. CASE: sphere, ellipsoid, superquadric (exponents 4), drum (a superquadric of exponents 2 and 8),
capsule, box, cylinder, cone, beam, hull (10^6 steps each with a layer and without), cans, mixed (heaps of six), pyramid
(100 bricks that stand), wall (100 whose ends fall), heap (20 boxes); default: all. --share: of the scenes, 1 if not
given. --theta: of the steps, 1 or 0.5. A row for each: steps, Newton's iterations and microseconds a step, shares of
steps that were halved and that were taken with the geometry of their start (`loose_steps`; residuals of all others are
below 1e-8), scenes that were not solved, the deepest overlap. One thread. Needs h5py.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import h5py

HERE = os.path.dirname(os.path.abspath(__file__))
SHAPES = {
    "sphere": "{sphere: {diameter: 1}}",
    "ellipsoid": "{ellipsoid: {lengths: [1, 0.8, 0.5]}}",
    "superquadric": "{superquadric: {lengths: [1, 0.8, 0.5], exponents: 4}}",
    "drum": "{superquadric: {lengths: [0.8, 0.8, 0.8], exponents: [2, 8]}}",
    "capsule": "{capsule: {diameter: 0.5, length: 0.6}}",
    "box": "{box: {lengths: [1, 0.8, 0.5], smoothing: 0.02}}",
    "cylinder": "{cylinder: {diameter: 0.8, length: 0.8, smoothing: 0.02}}",
    "cone": "{cone: {diameter: 0.8, length: 0.8, smoothing: 0.02}}",
    "beam": "{beam: {length: 0.5, width: 0.4, thickness: 0.3, smoothing: 0.02}}",
    "hull": "{hull: {points: [[0, 0, 0], [0.8, 0, 0], [0, 0.8, 0], [0, 0, 0.8], [0.6, 0.6, 0], [0.3, 0.3, 0.7]]}}",
}
LAYERS = {"rigid": "none",
          "layer": "{stiffness: 1.0e+4, damping: 50, thickness: 0.02, tangential_stiffness: 1.0e+4}"}
PILES = {"cans": 40, "mixed": 40, "pyramid": 1, "wall": 1, "heap": 1}  # scenes


def run(program, study, settings, output):
    """What an ensemble tells, and its kernel time in s."""
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    command = [program, "run", os.path.join(HERE, f"{study}.yaml"), "-d", "native", "--threads", "1", "-q", "--json",
               "--overwrite", "-o", output, *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    told = json.loads(done.stdout)
    if told["exit_code"] not in (0, 6):
        sys.exit(told["errors"][0]["message"])
    with h5py.File(output) as file:
        return {name: file[name][:] for name in ("steps", "evaluations", "rejects", "loose_steps", "max_penetration",
                                                 "status")}, told["kernel_s"]


def row(name, values, seconds):
    steps = int(values["steps"].sum())
    return (f"| {name} | {len(values['steps'])} | {steps} | {values['evaluations'].sum() / steps:.2f} | "
            f"{1e6 * seconds / steps:.1f} | {100 * values['rejects'].sum() / steps:.3g} | "
            f"{100 * values['loose_steps'].sum() / steps:.3g} | {int((values['status'] != 0).sum())} | "
            f"{values['max_penetration'].max():.1e} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("-o", "--output")
    parser.add_argument("--share", type=float, default=1)
    parser.add_argument("--theta", choices=["1", "0.5"])
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join([*SHAPES, *PILES]))
    arguments = parser.parse_intermixed_args()
    lines = ["| case | scenes | steps | iterations a step | us a step | halved, % | loose, % | not solved | "
             "overlap, m |", "|---|---|---|---|---|---|---|---|---|"]
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory(prefix="clack_drops_") as folder:
        output = os.path.join(folder, "drops.h5")
        for case in arguments.cases or [*SHAPES, *PILES]:
            layers = LAYERS if case in SHAPES else {"": ""}
            for word, layer in layers.items():
                scenes = arguments.share * PILES.get(case, 6667)
                settings = {"design.monte_carlo.samples": max(1, round(scenes))}
                if arguments.theta is not None:
                    settings["solver.theta"] = arguments.theta
                if case in SHAPES:
                    settings.update({"scene.bodies.thrown.shapes": f"[{SHAPES[case]}]", "scene.pairs[0].layer": layer})
                values, seconds = run(arguments.program, "drops" if case in SHAPES else case, settings, output)
                lines.append(row(f"{case} {word}".strip(), values, seconds))
                print(lines[-1], flush=True)
    if arguments.output is not None:
        with open(arguments.output, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


main()
