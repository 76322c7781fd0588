#!/usr/bin/env python3
"""The recipes of the Python package give what is known: check_recipes.py ROOT LIBRARY

Exit status 77 where a package of host/python/recipes/requirements.txt is missing; those that are there are tried.
"""
import importlib
import os
import sys
import tempfile

ROOT, LIBRARY = sys.argv[1:3]
os.environ["CLACK_LIBRARY"] = LIBRARY
os.environ["CLACK_DATA_DIR"] = os.path.join(ROOT, "data")
sys.path[:0] = [os.path.join(ROOT, "host", "python"), os.path.join(ROOT, "host", "python", "recipes")]


def sensitivity_salib(recipe):
    """The speed decides how far a ball gets, friction hardly."""
    total = recipe.main(256)
    assert max(total, key=total.get) == "speed" and total["speed"] > 0.8 and total["mu"] < 0.15, total


def rare_event_openturns(recipe):
    """Within four standard deviations of the closed form."""
    probability, variation, scenes = recipe.main(10000)
    assert abs(probability / recipe.exact() - 1) < 4 * variation < 1, (probability, recipe.exact(), variation)
    assert scenes < 200000, scenes


def fit_optuna(recipe):
    """Near the restitution that the counts were made with."""
    found = recipe.main(40)
    assert abs(found - 0.7) < 0.03, found


def calibrate_emcee(recipe):
    """What it was made with lies where the samples are."""
    samples = recipe.main(120)
    for values, true in zip(samples.T, recipe.TRUE.values()):
        low, high = sorted(values)[len(values) // 200], sorted(values)[-1 - len(values) // 200]
        assert low < true < high, (low, true, high)
    assert samples[:, 0].std() < 0.05, samples.std(axis=0)


def notebook():
    """The notebook runs, in a folder of its own; its table says what the quantities of a run are."""
    import ipykernel  # noqa: F401
    import matplotlib  # noqa: F401
    import nbclient
    import nbformat
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:2])
    with tempfile.TemporaryDirectory() as scratch:
        book = nbformat.read(os.path.join(sys.path[1], "throw.ipynb"), 4)
        nbclient.NotebookClient(book, timeout=600, kernel_name="python3").execute(cwd=scratch)
        outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
        assert sum("image/png" in output.get("data", {}) for output in outputs) == 3, outputs
        assert os.path.exists(os.path.join(scratch, "throw.h5"))


if __name__ == "__main__":
    skipped = 0
    try:
        notebook()
        print("notebook: ok")
    except ImportError as error:
        print(f"notebook: skipped: {error}")
        skipped += 1
    for check in (sensitivity_salib, rare_event_openturns, fit_optuna, calibrate_emcee):
        try:
            recipe = importlib.import_module(check.__name__)
        except ImportError as error:
            print(f"{check.__name__}: skipped: {error}")
            skipped += 1
            continue
        check(recipe)
        print(f"{check.__name__}: ok")
    sys.exit(77 if skipped else 0)
