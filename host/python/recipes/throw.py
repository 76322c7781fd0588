"""The study that the recipes share: a ball thrown at a step, as a dict with the keys of a study file."""

STUDY = {
    "format": 1,
    "title": "A ball thrown at a step",
    "variables": {
        "speed": {"uniform": [1, 3]},  # m/s
        "height": {"uniform": [0.05, 0.2]},  # m
        "e": {"uniform": [0.3, 0.9]},
        "mu": {"uniform": [0.1, 0.5]},
    },
    "scene": {
        "pairs": [{"between": ["steel", "steel"], "restitution": "$e", "friction": "$mu", "damping": "exact"}],
        "bodies": {
            "ground": {"fixed": True, "material": "steel", "shapes": [{"half_space": {}}]},
            "step": {"fixed": True, "material": "steel", "shapes": [{"box": {"lengths": [1, 1, 0.1]}}],
                     "position": [1, 0, 0.05]},
            "ball": {"material": "steel", "shapes": [{"sphere": {"diameter": 0.04}}], "position": [0, 0, "$height"],
                     "velocity": ["$speed", 0, 0]},
        },
    },
    "design": {"monte_carlo": {"samples": 1000, "seed": 1}},
    "solver": {"end": 1},  # s
    "outputs": {"quantities": {"way": {"final": "ball.position.x"}}},
}
