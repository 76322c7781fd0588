#!/usr/bin/env python3
"""Quantities by arithmetic, and sensitivity: against closed forms, and against NumPy from the rows of the file.

usage: check_sensitivity.py PROGRAM

Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import json
import os
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
try:
    import h5py
    import numpy as np
    from scipy import special
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

from program_checks import check, clack, failures

# A ball that flies for a millisecond: what counts are the quantities, which are functions of the variables.
FUNCTIONS = """format: 1
variables:
  x1: {uniform: ["=-pi", "=pi"]}
  x2: {uniform: ["=-pi", "=pi"]}
  x3: {uniform: ["=-pi", "=pi"]}
  v: {uniform: [1, 2]}
  mu: {uniform: [0.2, 0.4]}
scene:
  gravity: [0, 0, 0]
  bodies: {ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}]}}
design: DESIGN
solver: {end: 1.0e-3}
outputs:
  quantities:
    ishigami: "=sin(x1) + 7*sin(x2)^2 + 0.1*x3^4*sin(x1)"
    slip: {expression: "=12*v^2/(49*mu*9.81)", unit: m}
  events: false
"""
# Of that: mean, variance, first and total indices of all variables. Ishigami's function with a = 7, b = 0.1; the way
# that a ball slips before it rolls, integrated over v and mu.
EXACT = {
    "ishigami": (3.5, 13.844587941, [0.3139051911, 0.4424111448, 0, 0, 0],
                 [0.5575888553, 0.4424111448, 0.2436836641, 0, 0]),
    "slip": (0.2018777284, 0.0075439247, [0, 0, 0, 0.7497082833, 0.2197902172], [0, 0, 0, 0.7802097828, 0.2502917167]),
}


def close(found, expected, what, tolerance):
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    check(found.shape == expected.shape and np.array_equal(np.isnan(found), np.isnan(expected))
          and np.nanmax(np.abs(found - expected), initial=0) <= tolerance,
          f"{what}: {found}, expected {expected} +- {tolerance}")


def run(text, path, *words):
    with open("study.yaml", "w") as file:
        file.write(text)
    clack("run", "study.yaml", "-q", "-d", "native", "--overwrite", "-o", path, *words)


def said(path, *words):
    return json.loads(clack("stats", path, "--json", *words).stdout)


def columns(path):
    with h5py.File(path) as file:
        parameters = {name: file["parameters"][name][:] for name in file["parameters"] if name != "scene"}
        quantities = {name: file[name][:]
                      for name in file if np.string_(file[name].attrs.get("role", "")) == b"quantity"}
        return parameters, quantities, {name: np.string_(file[name].attrs["units"]) for name in quantities}


# --- arithmetic -----------------------------------------------------------------------------------------


def check_arithmetic():
    text = """format: 1
variables: {height: {uniform: [0.2, 1]}, e: {uniform: [0.3, 0.9]}}
scene:
  pairs: [{between: [steel, steel], restitution: $e}]
  bodies:
    ground: {fixed: true, material: steel, shapes: [{half_space: {offset: -0.05}}]}
    ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, $height]}
    apart: {count: {integer: [0, 1]}, material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [9, 0, 1]}
design: {monte_carlo: {samples: 64}}
solver: {end: 0.8}
outputs:
  quantities:
    ratio: "=top/height"
    many: {share: "=bounces >= 3"}
    neither: {share: "=(bounces > 2) + (bounces < 2)"}
    fast: {expression: "=ratio^0.5 - e", unit: m/s}
    top: {max: ball.position.z, after: first_contact_end}
    bounces: {count: contact_begin, of: ball}
    beside: {final: apart_1.position.z}
    above: {share: "=beside > 0.5"}
"""
    run(text, "arithmetic.h5")
    parameters, found, units = columns("arithmetic.h5")
    ratio = found["top"] / parameters["height"]
    close(found["ratio"], ratio, "ratio", 0)
    close(found["fast"], ratio ** 0.5 - parameters["e"], "fast", 1e-15)
    close(found["many"], found["bounces"] >= 3, "many", 0)
    close(found["neither"], found["bounces"] != 2, "neither", 0)
    close(found["above"], np.where(np.isnan(found["beside"]), np.nan, found["beside"] > 0.5), "above", 0)
    check(len(set(found["bounces"])) > 2 and np.isnan(ratio).any() + np.isnan(found["beside"]).any() > 0,
          "the same in all scenes: nothing was tested")
    check(units["ratio"] == b"1" and units["fast"] == b"m/s", f"units {units}")
    with h5py.File("arithmetic.h5") as file:
        order = [file[f"statistics/column_name"][i].decode() for i in range(-8, 0)]
    check(order == ["ratio", "many", "neither", "fast", "top", "bounces", "beside", "above"], f"quantities {order}")


# --- Sobol' indices ------------------------------------------------------------------------------------------


def check_indices_of_rows(table, values, inputs):
    """From the rows: A, B, then A with one column of B."""
    for q, name in enumerate(table["quantity_name"]):
        for step, count in enumerate(table["checkpoint"]):
            f = values[name].reshape(-1, inputs + 2)[:count]
            f = f[np.isfinite(f).all(axis=1)]
            check(step + 1 < len(table["checkpoint"]) or table["count"][q] == len(f),
                  f"{name}: {table['count'][q]} points")
            f = f - f[:, 0].mean()
            a, b, ab = f[:, 0], f[:, 1], f[:, 2:]
            variance = np.concatenate([a, b]).var()
            first = (b[:, None] * (ab - a[:, None])).mean(axis=0) / variance
            total = 0.5 * ((a[:, None] - ab) ** 2).mean(axis=0) / variance
            close(np.array(table["convergence_first"])[q, :, step], first, f"{name}: first indices of {count}", 1e-12)
            close(np.array(table["convergence_total"])[q, :, step], total, f"{name}: total indices of {count}", 1e-12)
        for key in ("first", "first_lower", "first_upper", "total", "total_lower", "total_upper"):
            close(table[key][q], np.array(table["convergence_" + key])[q, :, -1], f"{name}: {key}", 0)


def check_saltelli():
    run(FUNCTIONS.replace("DESIGN", "{saltelli: {samples: 16384, seed: 2}}"), "sobol.h5")
    both = said("sobol.h5")
    table, statistics = both["sensitivity"], both["statistics"]
    check(table["method"] == "saltelli" and table["samples"] == 16384, "design")
    check(table["input_name"] == ["x1", "x2", "x3", "v", "mu"], f"inputs {table['input_name']}")
    _, values, _ = columns("sobol.h5")
    check_indices_of_rows(table, values, 5)
    for q, name in enumerate(table["quantity_name"]):
        mean, variance, first, total = EXACT[name]
        close(table["first"][q], first, f"{name}: first indices", 0.01)
        close(table["total"][q], total, f"{name}: total indices", 0.01)
        for key, exact in (("first", first), ("total", total)):
            lower, upper = np.array(table[key + "_lower"][q]), np.array(table[key + "_upper"][q])
            check(np.all((lower <= np.array(exact) + 1e-12) & (upper >= np.array(exact) - 1e-12)),
                  f"{name}: {key} outside its interval")
        i = statistics["column_name"].index(name)
        n = statistics["count"][i]
        check(n >= 2 ** 16 and abs(statistics["mean"][i] - mean) < 4 * np.sqrt(variance / n),
              f"{name}: mean {statistics['mean'][i]}")
        check(abs(statistics["variance"][i] / variance - 1) < 0.01, f"{name}: variance {statistics['variance'][i]}")
    again = said("sobol.h5", "-d", "native")["sensitivity"]
    check(again == table, "computed anew: other numbers")


SAME = """format: 1
variables: {h: {uniform: [0.2, 1]}, v: {uniform: [1, 2]}}
scene:
  gravity: [0, 0, 0]
  bodies: {ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}]}}
design: {DESIGN: {samples: 256, seed: 2}}
solver: {end: 1.0e-3}
outputs:
  quantities:
    same: "=0.3 + 0*h"
    never: {share: "=h > 2"}
    always: {share: "=h < 2"}
    rounding: "=h*v/h/v"
    none: "=log(-h)"
    sometimes: "=log(h - 0.3)"
    rare: {share: "=h > 0.9965"}
    large: "=1e300*h"
    small: "=1e-300*h"
    plain: "=h"
  events: false
"""


def check_same():
    """What does not vary has no index, nor have roundings; what differs in a few points has no interval."""
    for design in ("saltelli", "morris"):
        run(SAME.replace("DESIGN", design), "same.h5")
        table, statistics = said("same.h5")["sensitivity"], said("same.h5")["statistics"]
        text = clack("stats", "same.h5").stdout
        at = {name: q for q, name in enumerate(table["quantity_name"])}
        for name, q in at.items():
            varies = name not in (("same", "never", "always", "rounding", "none") +
                                  (("rare",) if design == "morris" else ()))
            check(table["varies"][q] == varies, f"{design}: {name} varies: {table['varies'][q]}")
            check(statistics["varies"][statistics["column_name"].index(name)] == varies,
                  f"{design}: statistics: {name}")
            if not varies and design == "saltelli":
                check(all(x is None for key in ("first", "total", "total_lower", "convergence_total")
                          for x in np.ravel(table[key][q])), f"{name}: {table['total'][q]}")
            says = f"  {name}  {'no value' if name == 'none' else 'does not vary'}\n"
            check((says in text) == (not varies), f"{design}: {name} in\n{text}")
        check("1 in all of them but for rounding: does not vary" in text, f"rounding in\n{text}")
        check(statistics["linear_r2"][at["rounding"]] is None, "a regression of roundings")
        if design == "morris":
            continue
        check(table["total_lower"][at["rare"]][0] is None and "no interval: too few points differ" in text,
              f"an interval of one point:\n{text}")
        for name in ("large", "small"):
            close(table["total"][at[name]], table["total"][at["plain"]], f"total indices of {name} numbers", 1e-12)
        check(None in statistics["mean_lower"], "an interval of no width where squares overflow")


def check_slip():
    """The way that a ball slips, simulated: the same in every scene up to the smoothing of friction below v_small."""
    text = """format: 1
variables: {v: {uniform: [1, 2]}, mu: {uniform: [0.2, 0.4]}, t: 1.5}
scene:
  pairs: [{between: [steel, steel], restitution: 0.5, friction: $mu, rolling: 0, v_small: 1.0e-4}]
  bodies:
    ground: {fixed: true, material: steel, shapes: [{half_space: {offset: -0.05}}]}
    ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}], velocity: [$v, 0, 0]}
design: {saltelli: {samples: 32}}
solver: {end: $t}
outputs:
  quantities:
    way: {final: ball.position.x}
    speed: {final: ball.velocity.x}
    slip: {expression: "=6*(way - t*speed)", unit: m}
    exact: {expression: "=12*v^2/(49*mu*9.81)", unit: m}
"""
    run(text, "slip.h5")
    _, values, _ = columns("slip.h5")
    close(values["slip"] / values["exact"], np.ones(128), "way that a ball slips, over the closed form", 2e-4)
    table = said("slip.h5")["sensitivity"]
    for key in ("first", "total"):
        close(table[key][2], table[key][3], f"{key} indices, simulated and of the closed form", 1e-3)


def check_bootstrap():
    """Standard errors against a bootstrap by NumPy, and against the spread of designs."""
    spread, errors = [], []
    rng = np.random.default_rng(1)
    for seed in range(40):
        run(FUNCTIONS.replace("DESIGN", "{saltelli: {samples: 256}}"), "small.h5", "--seed", str(seed))
        table = said("small.h5")["sensitivity"]
        spread.append(table["total"][0][:3])
        errors.append((np.array(table["total_upper"][0][:3]) - np.array(table["total_lower"][0][:3])) / 2 / 1.959964)
    f = columns("small.h5")[1]["ishigami"].reshape(-1, 7)
    drawn = []
    for _ in range(2000):
        g = f[rng.integers(len(f), size=len(f))]
        drawn.append(0.5 * ((g[:, :1] - g[:, 2:5]) ** 2).mean(axis=0) / g[:, :2].var())
    ratio = errors[-1] / np.std(drawn, axis=0)
    check(np.all(np.abs(ratio - 1) < 0.15), f"standard errors over those of NumPy's bootstrap: {ratio}")
    ratio = np.mean(errors, axis=0) / np.std(spread, axis=0)
    print("standard errors by the bootstrap over the spread of 40 designs:", ratio)
    # Points of a sequence are spread more evenly than random ones, which the bootstrap does not know.
    check(np.all(ratio > 0.8), f"bootstrap: {ratio} of the spread")


def check_groups():
    """Numbers drawn together are one input; a shard has the whole points of its scenes alone."""
    text = """format: 1
variables: {h: {uniform: [1, 2]}, pair: {correlated_normals: {names: [p, q], means: [0, 0], sds: [1, 1], \
correlation: [[1, 0.8], [0.8, 1]]}}, double: "=2*h"}
scene:
  gravity: [0, 0, 0]
  bodies: {ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}], \
rotation: {random: {}}, position: {unit_vector: {length: $h}}}}
design: {DESIGN: {samples: 12}}
solver: {end: 1.0e-3}
outputs:
  quantities: {sum: "=h + p*q", far: {final: ball.position.x}, lost: "=log(p)"}
"""
    for design, inputs in (("saltelli", 4), ("morris", 4)):
        run(text.replace("DESIGN", design), "groups.h5")
        table = said("groups.h5")["sensitivity"]
        check(table["input_name"] == ["h", "p+q", "scene.bodies.ball.rotation", "scene.bodies.ball.position"],
              f"{table['input_name']}")
        check(0 < table["missing"][2] <= 12 and table["count"][2] + table["missing"][2] == 12,
              "points that lack a value")
        for i in (1, 2):
            run(text.replace("DESIGN", design), f"part{i}.h5", "--shard", f"{i}/2")
        clack("merge", "part2.h5", "part1.h5", "-o", "merged.h5", "--overwrite")
        check(said("merged.h5") == said("groups.h5"), f"{design}: merged shards have other numbers")
        each = inputs + (2 if design == "saltelli" else 1)
        scenes = 12 * each
        check(said("part2.h5")["sensitivity"]["samples"] == 12 - -(-(scenes // 2) // each), "points of the second half")


# --- elementary effects -----------------------------------------------------------------------------------------


def check_morris():
    run(FUNCTIONS.replace("DESIGN", "{morris: {samples: 400, seed: 5}}"), "morris.h5")
    table = said("morris.h5")["sensitivity"]
    parameters, values, _ = columns("morris.h5")
    names, step = table["input_name"], 0.98 * 2 / 3
    ranges = {"v": 1, "mu": 0.2}
    x = np.array([(parameters[name]) / ranges.get(name, 2 * np.pi) for name in names]).T.reshape(400, 6, 5)
    moves = np.diff(x, axis=1)
    check(np.all((np.abs(moves) > 1e-9).sum(axis=2) == 1), "a step moves other than one input")
    check(np.all((np.abs(moves) > 1e-9).sum(axis=1) == 1), "an input moves other than once in a trajectory")
    close(np.abs(moves[np.abs(moves) > 1e-9]), np.full(2000, step), "steps", 1e-12)
    check(len({tuple(order) for order in np.argmax(np.abs(moves), axis=2)}) > 100, "orders repeat")
    check(0.4 < (moves[np.abs(moves) > 1e-9] > 0).mean() < 0.6, "moves go one way")
    for q, name in enumerate(table["quantity_name"]):
        change = np.diff(values[name].reshape(400, 6), axis=1)
        for i in range(5):
            t, at = np.nonzero(np.abs(moves[:, :, i]) > 1e-9)
            effects = change[t, at] / moves[t, at, i]
            star, n = np.abs(effects).mean(), len(effects)
            y = special.betaincinv((n - 1) / 2, 0.5, 0.05)
            half = np.sqrt((n - 1) * (1 - y) / y) * np.abs(effects).std(ddof=1) / np.sqrt(n)
            close([table[key][q][i] for key in ("mu", "mu_star", "sigma", "mu_star_lower", "mu_star_upper")],
                  [effects.mean(), star, effects.std(ddof=1), star - half, star + half], f"{name}, {names[i]}", 1e-10)
            some = np.abs(effects[t < 64])
            close(table["convergence_mu_star"][q][i][table["checkpoint"].index(64)], some.mean(),
                  f"{name}, {names[i]}: of 64", 1e-10)
    check(np.all(np.array(table["mu_star"][0][3:]) < 1e-9), "Ishigami's function does not depend on v")


# --- convergence ------------------------------------------------------------------------------------------------


def check_slope():
    """Means of Sobol' points converge faster than N^-0.8, of random ones as N^-0.5; of 9 seeds."""
    sizes, errors = [256, 4096], {"sobol": [], "monte_carlo": []}
    for design, all_errors in errors.items():
        for samples in sizes:
            off = []
            for seed in range(9):
                run(FUNCTIONS.replace("DESIGN", f"{{{design}: {{samples: {samples}}}}}"), "slope.h5",
                    "--seed", str(seed))
                found = said("slope.h5")["statistics"]
                off.append(abs(found["mean"][found["column_name"].index("slip")] - EXACT["slip"][0]))
            all_errors.append(np.sqrt(np.mean(np.square(off))))
    slopes = {design: np.log(pair[1] / pair[0]) / np.log(sizes[1] / sizes[0]) for design, pair in errors.items()}
    print("slopes of the error of a mean:", slopes)
    check(slopes["sobol"] < -0.8, f"Sobol' points: slope {slopes['sobol']}")
    check(-0.8 < slopes["monte_carlo"] < -0.2, f"random points: slope {slopes['monte_carlo']}")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    check_arithmetic()
    check_saltelli()
    check_same()
    check_slip()
    check_bootstrap()
    check_groups()
    check_morris()
    check_slope()
sys.exit(1 if failures else 0)
