"""The probability of a rare event by OpenTURNS' subset simulation: each of its steps is one run.

pip install openturns. The event has a closed form here, so that what comes out can be compared: a ball is dropped from
a height that scatters, and its impact is faster than a limit.
"""
import clack
import numpy
import openturns

MEAN_M, DEVIATION_M, LIMIT_M_PER_S, GRAVITY = 1.0, 0.1, 5.5, 9.81
STUDY = {
    "format": 1,
    "variables": {"height": {"normal": {"mean": MEAN_M, "std": DEVIATION_M}}},
    "scene": {
        "bodies": {
            "ground": {"fixed": True, "material": "steel", "shapes": [{"half_space": {}}]},
            "ball": {"material": "steel", "shapes": [{"sphere": {"diameter": 0.04}}],
                     "position": [0, 0, "=height + 0.02"]},
        },
    },
    "design": {"monte_carlo": {"samples": 1}},
    "solver": {"end": 0.8},
    "outputs": {"quantities": {"speed": {"speed_of": "contact_begin", "n": 1, "between": ["ground", "ball"]}}},
}


def exact():
    """Of the normal distribution: the height from which a ball falls as fast as the limit."""
    height = LIMIT_M_PER_S ** 2 / (2 * GRAVITY)
    return openturns.Normal(MEAN_M, DEVIATION_M).computeComplementaryCDF(height)


def main(per_step=10000):
    """Estimate, its coefficient of variation, and how many scenes were run."""
    scenes = 0

    def margin(points):
        nonlocal scenes
        scenes += len(points)
        speed = clack.run(STUDY, table=numpy.array(points), columns=["height"])["speed"]
        return (LIMIT_M_PER_S - speed).reshape(-1, 1)

    openturns.RandomGenerator.SetSeed(1)
    inputs = openturns.RandomVector(openturns.Normal(MEAN_M, DEVIATION_M))
    output = openturns.CompositeRandomVector(openturns.PythonFunction(1, 1, func_sample=margin), inputs)
    algorithm = openturns.SubsetSampling(openturns.ThresholdEvent(output, openturns.Less(), 0.0))
    algorithm.setBlockSize(1000)
    algorithm.setMaximumOuterSampling(per_step // 1000)
    algorithm.run()
    result = algorithm.getResult()
    return result.getProbabilityEstimate(), result.getCoefficientOfVariation(), scenes


if __name__ == "__main__":
    probability, variation, count = main()
    print(f"p = {probability:.2e} (+- {100 * variation:.0f} %) from {count} scenes; exactly {exact():.2e}")
