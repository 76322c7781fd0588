"""A restitution fitted to counts by Optuna: how often dropped balls have bounced within a second.

pip install optuna. The counts were made with e = 0.7. clack fits such counts itself as well (outputs.statistics with
`reference`), on a grid; Optuna goes where the likelihood is high.
"""
import clack
import numpy
import optuna

STUDY = {
    "format": 1,
    "variables": {"e": 0.5, "height": {"uniform": [0.1, 0.5]}},
    "scene": {
        "pairs": [{"between": ["steel", "steel"], "restitution": "$e", "damping": "exact"}],
        "bodies": {
            "ground": {"fixed": True, "material": "steel", "shapes": [{"half_space": {}}]},
            "ball": {"material": "steel", "shapes": [{"sphere": {"diameter": 0.04}}],
                     "position": [0, 0, "=height + 0.02"]},
        },
    },
    "design": {"monte_carlo": {"samples": 500, "seed": 1}},
    "solver": {"end": 1},
    "outputs": {"quantities": {"bounces": {"count": "contact_end"}}},
}
MOST = 12  # bounces; more count as so many


def shares(e, samples, seed):
    """Share of the drops with 0, 1, ... bounces."""
    result = clack.run(STUDY, overrides={"variables.e": e, "design.monte_carlo.samples": samples}, seed=seed)
    return numpy.bincount(numpy.minimum(result["bounces"], MOST).astype(int), minlength=MOST + 1) / samples


def main(trials=40):
    """Most likely restitution."""
    measured = 200 * shares(0.7, 200, 99)  # counts of 200 drops

    def misfit(trial):
        expected = shares(trial.suggest_float("e", 0.3, 0.95), 500, 1)
        return -float((measured * numpy.log(expected + 1e-3)).sum())

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    search = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1))
    search.optimize(misfit, n_trials=trials)
    return search.best_params["e"]


if __name__ == "__main__":
    print(f"e = {main():.3f}, made with 0.7")
