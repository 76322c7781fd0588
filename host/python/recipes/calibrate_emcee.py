"""Restitution and friction from measured throws, with what the measurements leave open, by emcee.

pip install emcee. Eight throws at a step with known speeds were "measured" with e = 0.6, mu = 0.25 and an error of
5 mm. Every step of the sampler asks for all walkers at once, which is one run of walkers x throws scenes.
"""
import clack
import emcee
import numpy

from throw import STUDY

TRUE = {"e": 0.6, "mu": 0.25}
SPEEDS, HEIGHT_M, ERROR_M = numpy.linspace(0.8, 1.4, 8), 0.15, 0.005
LOW, HIGH = numpy.array([0.3, 0.1]), numpy.array([0.9, 0.5])


def ways(points):
    """Where the ball ends for each (e, mu), (walkers, 2), and each speed: (walkers, speeds)."""
    points = numpy.atleast_2d(points)
    count = len(SPEEDS)
    result = clack.run(STUDY, table={
        "speed": numpy.tile(SPEEDS, len(points)), "height": numpy.full(count * len(points), HEIGHT_M),
        "e": numpy.repeat(points[:, 0], count), "mu": numpy.repeat(points[:, 1], count)})
    return result["way"].reshape(len(points), count)


def main(steps=200, walkers=12):
    """Samples of (e, mu) after the first third, (n, 2)."""
    random = numpy.random.default_rng(1)
    measured = ways([list(TRUE.values())])[0] + random.normal(0, ERROR_M, len(SPEEDS))

    def log_probability(points):
        inside = ((points > LOW) & (points < HIGH)).all(axis=1)
        misfit = (ways(numpy.clip(points, LOW, HIGH)) - measured) / ERROR_M
        return numpy.where(inside, -0.5 * (misfit ** 2).sum(axis=1), -numpy.inf)

    sampler = emcee.EnsembleSampler(walkers, 2, log_probability, vectorize=True)
    sampler.random_state = numpy.random.RandomState(1).get_state()
    sampler.run_mcmc(random.uniform(LOW, HIGH, (walkers, 2)), steps)
    return sampler.get_chain(discard=steps // 3, flat=True)


if __name__ == "__main__":
    for name, values in zip(TRUE, main().T):
        low, middle, high = numpy.quantile(values, [0.025, 0.5, 0.975])
        print(f"{name:2} = {middle:.3f}, 95 % within {low:.3f} to {high:.3f}; made with {TRUE[name]}")
