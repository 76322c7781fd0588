"""Sobol' indices of a study by SALib: its sample is the table, its analysis takes the quantity.

pip install SALib. clack computes the same indices itself (design: {saltelli: ...}); SALib has other methods (PAWN,
FAST, DGSM, ...) that are used in the same way.
"""
import clack
from SALib.analyze import sobol as analysis
from SALib.sample import sobol as sampling

from throw import STUDY


def main(samples=512):
    """Total indices of the way, by variable."""
    names = list(STUDY["variables"])
    problem = {"num_vars": len(names), "names": names,
               "bounds": [STUDY["variables"][name]["uniform"] for name in names]}
    values = sampling.sample(problem, samples, calc_second_order=False, seed=1)
    way = clack.run(STUDY, table=values, columns=names)["way"]
    indices = analysis.analyze(problem, way, calc_second_order=False, seed=1)
    return dict(zip(names, indices["ST"]))


if __name__ == "__main__":
    for name, index in main().items():
        print(f"{name:8} {index:.2f}")
