"""A desk that is pushed over the floor (row T17 of the plan of quasi-rigid bodies): clack's steps against the sliding
model of the same steps, solved here on its own.

The model, after the reduced one of Xie and Chakraborty for planar sliding: with forces at the end of a step of h,

    m (v' - v) = h f + p,   I (w' - w) = h tau + p_r,   |(p / e_t, p_r / e_r)| <= mu m g h,   of the most dissipation

Either nothing moves after it, or p = -c e_t^2 v', p_r = -c e_r^2 w' with the c > 0 at which the bound is met: a root of
one unknown, found by bisection.
"""
import os
import subprocess
import tempfile

import h5py
import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
M, I, G, H, STEPS = 15, 0.625, 9.8, 0.01, 400
E = numpy.array([1, 1, 0.1])
MASS = numpy.array([M, M, I])


def pushes(t):
    """Force and moment, N and N m."""
    turn = 2 * numpy.pi * t
    return numpy.array([22.5 * numpy.sin(turn) + 22.5, 22.5 * numpy.cos(turn) + 22.5, 2.1 * numpy.cos(turn)])


def step(u, t, mu):
    """Velocities (x, y, about z) after a step that ends at t."""
    free = u + H * pushes(t) / MASS
    bound = mu * M * G * H
    if numpy.linalg.norm(MASS * free / E) <= bound:
        return numpy.zeros(3)
    low, high = 0.0, 1.0
    pushed = lambda c: c * numpy.linalg.norm(E * free / (1 + c * E * E / MASS)) # of the bound, rising with c
    while pushed(high) < bound:
        high *= 2
    for _ in range(200):
        c = 0.5 * (low + high)
        low, high = (c, high) if pushed(c) < bound else (low, c)
    return free / (1 + high * E * E / MASS)


def solved(mu):
    """Velocities at all ends of steps, and places of x, y."""
    u, x = numpy.array([0.3, 0.2, 0.5]), numpy.zeros(2)
    velocities, places = [u], [x]
    for k in range(STEPS):
        u = step(u, (k + 1) * H, mu)
        x = x + H * u[:2]
        velocities.append(u)
        places.append(x)
    return numpy.array(velocities), numpy.array(places)


def run(clack, device, mu):
    """Velocities and places of the desk at all ends of steps, as clack has them."""
    with tempfile.TemporaryDirectory(prefix="clack_desk_") as folder:
        out = os.path.join(folder, "desk.h5")
        done = subprocess.run([clack, "run", os.path.join(HERE, "desk.yaml"), "-d", device, "-q", "-o", out,
                               "--set", f"variables.mu={mu}"], stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        with h5py.File(out) as file:
            frames = file["trajectory"]
            return (numpy.concatenate([frames["velocity"][0, :, 1, :2], frames["angular_velocity"][0, :, 1, 2:]],
                                      axis=1), frames["position"][0, :, 1, :2])


def page_rows(clack, device, is_spoiled):
    """Rows of the validation page. Spoiled: the model has another friction."""
    rows = []
    for mu in (0.22, 0.3):
        got, path = run(clack, device, mu)
        velocities, places = solved(mu + (1e-6 if is_spoiled else 0))
        stands = int((numpy.abs(velocities).max(axis=1) == 0).sum())
        for name, mine, theirs in (("velocity along x", got[:, 0], velocities[:, 0]),
                                   ("velocity along y", got[:, 1], velocities[:, 1]),
                                   ("spin", got[:, 2], velocities[:, 2]),
                                   ("place along x", path[:, 0], places[:, 0]),
                                   ("place along y", path[:, 1], places[:, 1])):
            errors = numpy.abs(mine - theirs)
            worst = int(numpy.argmax(errors))
            rows.append({"case": f"friction {mu}, stands after {stands} of 400 steps", "quantity": f"T17 {name}",
                         "expected": float(theirs[worst]), "got": float(mine[worst]), "error": float(errors[worst]),
                         "ok": bool(errors[worst] <= 1e-10), "count": len(errors), "tolerance": "1e-10 absolute",
                         "source": "the sliding model of the same steps, by bisection"})
    return rows


if __name__ == "__main__":
    import sys
    for row in page_rows(sys.argv[1], "native", False):
        print(row)
