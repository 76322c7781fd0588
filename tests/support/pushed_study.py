"""A block that slides on the ground and a ball that rolls: contacts with friction, for figures and exports."""


def pushed_study(end, every):
    """Its text: so long, s; contacts recorded every so often, states half as often."""
    return f"""
format: 1
scene:
  bodies:
    ground: {{fixed: true, material: steel, shapes: [{{half_space: {{}}}}]}}
    block: {{material: steel, shapes: [{{box: {{lengths: [0.1, 0.2, 0.05]}}}}], position: [0, 0, 0.027],
            velocity: [0.5, 0, 0]}}
    ball: {{material: steel, shapes: [{{sphere: {{diameter: 0.1}}}}], position: [1, 0, 0.055], velocity: [0, 1, 0]}}
design: {{monte_carlo: {{samples: 2}}}}
solver: {{end: {end}}}
outputs: {{contacts: {{every: {every}, scenes: 2}}, trajectory: {{every: {2 * every}, scenes: 2}}}}
"""
