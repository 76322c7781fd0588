#!/usr/bin/env python3
"""Statistics of ensembles against NumPy and SciPy, on the host and through CLBlast; coverage of their intervals.

usage: check_statistics.py PROGRAM

Exit code 0: all is well; 1: a check failed; 77: packages are missing.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
try:
    import h5py
    import numpy as np
    import xarray
    from scipy import special, stats
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

from program_checks import PROGRAM, check, clack, failures

CLOSE = 1e-12

# Two balls start at one place in one scene of eight: those scenes fail. The second impact is not in every scene.
STUDY = """format: 1
variables:
  height: {lognormal: {mu: -1, sigma: 0.3}}
  e: {beta: {alpha: 2, beta: 3, low: 0.4, high: 0.95}}
  mu: {uniform: [0.1, 0.4]}
  speed: "=2*e + mu"
scene:
  pairs: [{between: [steel, steel], restitution: $e, friction: $mu}]
  bodies:
    ground: {fixed: true, material: steel, shapes: [{half_space: {offset: -0.05}}]}
    ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, $height], velocity: [$speed, 0, 0]}
    other: {material: steel, shapes: [{sphere: {diameter: 0.1}}], \
position: [{discrete: {values: [9, 0], weights: [7, 1]}}, 0, $height], velocity: [$speed, 0, 0]}
design: {latin_hypercube: {samples: 300, seed: 3}}
solver: {end: 0.6}
outputs:
  quantities:
    first: {time_of: contact_begin, of: ball}
    second: {time_of: contact_begin, n: 2, of: ball}
    far: {final: ball.position.x}
    bounces: {count: contact_begin, of: ball}
    still: {min: ground.position.z}
    nowhere: {share: "=far > 100"}
    everywhere: {share: "=bounces >= 0"}
    late: {share: "=second > 0.55"}
  statistics: {quantiles: [0.1, 0.5, 0.93], confidence: 0.9, bins: 17}
"""


def close(found, expected, what, tolerance=CLOSE, scale=0):
    """Equal up to `tolerance` of `scale` or of the largest expected number; NaN in the same places."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    check(found.shape == expected.shape, f"{what}: shape {found.shape}, expected {expected.shape}")
    if found.shape != expected.shape:
        return
    check(np.array_equal(np.isnan(found), np.isnan(expected)), f"{what}: NaN in other places: {found} {expected}")
    known = ~np.isnan(expected)
    scale = np.abs(expected[known]).max(initial=scale)
    worst = np.abs(found[known] - expected[known]).max(initial=0)
    check(worst <= tolerance * scale, f"{what}: off by {worst:.3g} where {scale:.3g} is largest")


def computed(path, *words):
    """As JSON, lists as arrays."""
    said = json.loads(clack("stats", path, "--json", *words).stdout)["statistics"]
    return {key: np.array(value, float) if isinstance(value, list) and not isinstance(value[0], str) else value
            for key, value in said.items()}


def columns_of(path, names):
    """Parameters and quantities in the order of `names`; which are derived."""
    with h5py.File(path) as file:
        ok = file["status"][:] == 0
        parameters = [name for name in names if name in file["parameters"]]
        quantities = [name for name in names if name in file]
        roles = {name for name in file if np.string_(file[name].attrs.get("role", "")) == b"quantity"}
        check(set(quantities) == roles
              and len(parameters) + 1 == len(file["parameters"]) + ("scene" not in file["parameters"]),
              f"{path}: columns {names}")
        columns = [file["parameters"][name][:][ok] for name in parameters] + [file[name][:][ok] for name in quantities]
        derived = [np.string_(file["parameters"][name].attrs["distribution"]).startswith(b"=") for name in parameters]
    return parameters, quantities, np.array(columns), derived


# --- against NumPy and SciPy ------------------------------------------------------------------------


def student(confidence, degrees):
    """Quantile of Student's t; stats.t.ppf of SciPy 1.10 is off by up to 1e-9."""
    x = special.betaincinv(degrees / 2, 0.5, 1 - confidence)
    return np.sqrt(degrees * (1 - x) / x)


def quantile_interval(values, p, confidence):
    """Order statistics by the expansion of Cornish and Fisher for the binomial distribution."""
    n, ends = len(values), []
    for z in stats.norm.ppf([(1 - confidence) / 2, (1 + confidence) / 2]):
        at = n * p + 0.5 + z * np.sqrt(n * p * (1 - p)) + (1 - 2 * p) * (z * z - 1) / 6 - 1
        ends.append(np.interp(at, np.arange(n), np.sort(values)) if 0 <= at <= n - 1 else np.nan)
    return ends


def mean_interval(values, confidence, is_share):
    """Student's; of a share Wilson's: where the normal approximation with the share's own variance just holds it."""
    n, mean = len(values), values.mean()
    if not is_share:
        half = student(confidence, n - 1) * values.std(ddof=1) / np.sqrt(n)
        return mean - half, mean + half
    z = stats.norm.ppf((1 + confidence) / 2)
    # (mean - p)^2 = z^2 p (1 - p) / n
    return tuple(np.sort(np.roots([1 + z * z / n, -2 * mean - z * z / n, mean * mean]).real))


def check_column(found, i, values, confidence, is_share):
    values = values[np.isfinite(values)]
    n, name = len(values), found["column_name"][i]
    check(found["count"][i] == n, f"{name}: count {found['count'][i]}, expected {n}")
    close([found[key][i] for key in ("mean", "mean_lower", "mean_upper", "std", "min", "max")],
          [values.mean(), *mean_interval(values, confidence, is_share), values.std(ddof=1), values.min(), values.max()],
          f"{name}: moments")
    close(found["variance"][i], values.var(ddof=1), f"{name}: variance")
    if values.std() > 0:
        close(found["skewness"][i] + 3, stats.skew(values) + 3, f"{name}: skewness")
        close(found["kurtosis"][i] + 3, stats.kurtosis(values) + 3, f"{name}: kurtosis")
        error = np.sqrt(max(0, 2 / (n - 1) + stats.kurtosis(values, bias=False) / n))  # of the variance's logarithm
        factor = np.exp(stats.norm.ppf((1 + confidence) / 2) * error / 2)
        close([found["std_lower"][i], found["std_upper"][i]],
              [values.std(ddof=1) / factor, values.std(ddof=1) * factor], f"{name}: interval of std")
    probabilities = found["probability"]
    close(found["quantile"][i], np.quantile(values, probabilities), f"{name}: quantiles")
    ends = [quantile_interval(values, p, confidence) for p in probabilities]
    close(found["quantile_lower"][i], [lower for lower, _ in ends], f"{name}: lower ends of quantiles")
    close(found["quantile_upper"][i], [upper for _, upper in ends], f"{name}: upper ends of quantiles")
    close(found["ecdf"][i], np.quantile(values, np.arange(101) / 100), f"{name}: ecdf")
    counts, edges = np.histogram(values, bins=len(found["histogram"][i]))
    close(found["histogram_edge"][i], edges, f"{name}: edges")
    check(np.array_equal(found["histogram"][i], counts),
          f"{name}: histogram {found['histogram'][i]}, expected {counts}")


def check_convergence(found, i, values, is_ok, confidence, is_share):
    everything = np.full(len(is_ok), np.nan)
    everything[is_ok] = values
    for k, rows in enumerate(found["checkpoint"]):
        first = everything[: int(rows)]
        first = first[np.isfinite(first)]
        if len(first) < 2:
            continue
        close([found["convergence_mean"][i][k], found["convergence_lower"][i][k], found["convergence_upper"][i][k]],
              [first.mean(), *mean_interval(first, confidence, is_share)],
              f"{found['column_name'][i]}: first {rows} scenes",
              1e-8 if is_share else CLOSE)  # roots of polynomials near 0


def check_pairs(found, columns):
    size = len(columns)
    covariance, correlation, count = (np.full((size, size), np.nan), np.full((size, size), np.nan),
                                      np.zeros((size, size)))
    for i in range(size):
        for j in range(size):
            both = np.isfinite(columns[i]) & np.isfinite(columns[j])
            count[i, j] = both.sum()
            # np.cov of NumPy 1.24 is off by 1e-11 for the column "few" below; its sums in halves are not.
            x, y = (values[both] - values[both].mean() for values in (columns[i], columns[j]))
            covariance[i, j] = (x * y).sum() / (both.sum() - 1)
            if x.any() and y.any():
                correlation[i, j] = (x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum())
    deviation = np.sqrt(np.diag(covariance))
    scales = np.where(deviation > 0, deviation, 1)
    close(found["pair_count"], count, "pair_count")
    close(found["covariance"] / np.outer(scales, scales), covariance / np.outer(scales, scales), "covariance")
    close(found["correlation"], correlation, "correlation")


def check_regression(found, columns, parameters, derived):
    regressors = [i for i in range(len(parameters)) if not derived[i]]
    check(found["regressor_name"] == [parameters[i] for i in regressors], f"regressors {found['regressor_name']}")
    for q in range(len(columns) - len(parameters)):
        y, name = columns[len(parameters) + q], found["quantity_name"][q]
        rows = np.isfinite(y)
        y, x = y[rows], columns[regressors][:, rows].T
        if y.std() == 0:
            check(np.isnan(found["linear_r2"][q]) and np.isnan(found["quadratic_r2"][q]), f"{name}: constant, yet R^2")
            continue
        varies = x.std(axis=0) > 0
        matrix = np.column_stack([np.ones(len(y)), x[:, varies]])
        b, *_ = np.linalg.lstsq(matrix, y, rcond=None)
        residual = y - matrix @ b
        errors = np.sqrt(np.diag(np.linalg.inv(matrix.T @ matrix)) * (residual @ residual) / (len(y) - matrix.shape[1]))
        expected, standardised, standard_error = (np.full(len(regressors), np.nan) for _ in range(3))
        expected[varies], standard_error[varies] = b[1:], errors[1:]
        standardised[varies] = b[1:] * x.std(axis=0)[varies] / y.std()
        close(found["linear_coefficient"][q], expected, f"{name}: linear coefficients")
        close(found["linear_standardised"][q], standardised, f"{name}: standardised coefficients")
        close(found["linear_standard_error"][q], standard_error, f"{name}: standard errors", 1e-11)
        close(found["linear_intercept"][q], b[0], f"{name}: intercept", scale=np.abs(matrix * b).max())
        close(found["linear_r2"][q], 1 - residual.var() / y.var(), f"{name}: R^2", scale=1)
        check_quadratic(found, columns, parameters, regressors, q, rows)


def check_quadratic(found, columns, parameters, regressors, q, rows):
    """In z with means and deviations of all scenes; terms that others give are left out."""
    name, y = found["quantity_name"][q], columns[len(parameters) + q]
    all_y = y[np.isfinite(y)]
    z = np.array([(columns[i] - columns[i].mean()) / columns[i].std(ddof=1) if columns[i].std() > 0 else 0 * columns[i]
                  for i in regressors])[:, rows]
    terms, names = list(z), list(found["regressor_name"])
    for i in range(len(regressors)):
        for j in range(i, len(regressors)):
            terms.append(z[i] * z[j])
            names.append(f"{names[i]}^2" if i == j else f"{names[i]}*{names[j]}")
    check(found["term_name"] == names, f"terms {found['term_name']}, expected {names}")
    kept = np.isfinite(found["quadratic_standardised"][q])
    y = y[rows]
    matrix = np.column_stack([np.ones(len(y)), np.array(terms)[kept].T])
    b, _, rank, _ = np.linalg.lstsq(matrix, y, rcond=None)
    whole = np.linalg.matrix_rank(np.column_stack([np.ones(len(y)), np.array(terms).T]))
    check(rank == matrix.shape[1] == whole, f"{name}: {matrix.shape[1]} terms kept, rank {rank}, of all {whole}")
    close(found["quadratic_standardised"][q][kept], b[1:] / all_y.std(ddof=1), f"{name}: quadratic", 1e-11)
    close(found["quadratic_intercept"][q], b[0], f"{name}: quadratic intercept", scale=np.abs(y).max())
    close(found["quadratic_r2"][q], 1 - (y - matrix @ b).var() / y.var(), f"{name}: quadratic R^2", scale=1)


def check_everything(path, found):
    parameters, quantities, columns, derived = columns_of(path, found["column_name"])
    confidence = found["confidence"]
    with h5py.File(path) as file:
        is_ok = file["status"][:] == 0
        shares = {name for name in quantities if np.string_(file[name].attrs.get("kind", "")) == b"share"}
    check(found["n_ok"] == is_ok.sum(), f"{found['n_ok']} scenes ok")
    for i, values in enumerate(columns):
        is_share = found["column_name"][i] in shares
        check_column(found, i, values, confidence, is_share)
        check_convergence(found, i, values, is_ok, confidence, is_share)
        check(found["missing"][i] == (~np.isfinite(values)).sum(), f"{found['column_name'][i]}: missing")
    check_pairs(found, columns)
    check_regression(found, columns, parameters, derived)


def check_same(first, second, what, tolerance):
    """Two sources of all tables."""
    check(set(first) == set(second), f"{what}: {set(first) ^ set(second)}")
    for key in set(first) & set(second) - {"covariance_by"}:
        if isinstance(first[key], (str, list)):
            check(first[key] == second[key], f"{what}: {key}")
        elif tolerance == 0:
            check(np.array_equal(first[key], second[key], equal_nan=True), f"{what}: {key}: other bits")
        else:
            close(first[key], second[key], f"{what}: {key}", tolerance)


def check_run():
    with open("study.yaml", "w") as file:
        file.write(STUDY)
    clack("run", "study.yaml", "-q", "-d", "native", "-o", "run.h5", "--seed", "3", "--max-failures", "300")
    stored, recomputed = computed("run.h5"), computed("run.h5", "-d", "native")
    check(stored["column_name"] == ["height", "e", "mu", "speed", "scene.bodies.other.position[0]", "first", "second",
                                    "far", "bounces", "still", "nowhere", "everywhere", "late"],
          f"columns {stored['column_name']}")
    check_same(stored, recomputed, "in the file and computed anew", 0)
    check(stored["missing"][stored["column_name"].index("second")] > 10, "the second impact is there in all scenes")
    check(stored["n_failed"] > 10, "no scene failed")
    check_everything("run.h5", stored)
    with h5py.File("run.h5") as file:
        for key, values in stored.items():
            if isinstance(values, np.ndarray):
                check(np.array_equal(file["statistics"][key][...].astype(float), values, equal_nan=True),
                      f"{key}: JSON and file differ")
        status = file["status"][:]
        check(np.array_equal(file["statistics/failed_scene"][:], np.flatnonzero(status)), "failed scenes")
        check(np.array_equal(file["statistics/failed_status"][:], status[status != 0]), "how they failed")
    said = clack("stats", "run.h5").stdout
    line = next(line for line in said.splitlines() if "failed: scene" in line)
    again = subprocess.run(line.split("; ")[1].replace("clack", PROGRAM, 1), shell=True, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    check(again.returncode == 6 and "coincident" in again.stdout, f"{line}: {again.returncode} {again.stdout}")
    check(f"and {int(stored['n_failed']) - 10} more" in said, "how many more failed")
    check_told(said, stored)


def check_told(said, stored):
    """What people read: no "nan", shares of nothing with an interval that is not a point,
    what is computed from others aside."""
    check("nan" not in said, f"nan in\n{said}")
    lines = said.splitlines()
    told = next(lines[i + 1] for i, line in enumerate(lines) if line.startswith("  nowhere  of"))
    upper = stored["mean_upper"][stored["column_name"].index("nowhere")]
    check(told == f"    0 in all of them (0 to {upper:.6g}): does not vary" and upper > 0, f"share of nothing: {told}")
    check(not any(line.startswith("  speed ") for line in lines)
          and any("computed from these" in line and "speed" in line for line in lines), "derived parameters aside")
    clack("run", "study.yaml", "-q", "-d", "native", "-o", "short.h5", "--set", "solver.end=0.01",
          "--set", "design.latin_hypercube.samples=5", "--max-failures", "5")
    said = clack("stats", "short.h5").stdout
    check("second [s]  no value in any of" in said and "late  no value in any of" in said and "nan" not in said,
          f"no value:\n{said}")


def check_device():
    """The same products by CLBlast, to 1e-12; skipped where there is no OpenCL device."""
    devices = json.loads(clack("devices", "--json").stdout)["devices"]
    usable = [device["device"] for device in devices if device["device"] != "native" and not device["unusable_because"]]
    if not usable:
        print("no OpenCL device: CLBlast not checked")
        return
    device = computed("run.h5", "-d", str(usable[0]))
    check(device["covariance_by"] != "host", "the device did not compute")
    check_same(device, computed("run.h5", "-d", "native"), "device and host", CLOSE)
    check_everything("run.h5", device)


def check_readers():
    """The group as netCDF, with both of xarray's engines, and as h5py reads it."""
    with h5py.File("run.h5") as file:
        raw = {name: dataset[...] for name, dataset in file["statistics"].items()}
    for engine in ("h5netcdf", "netcdf4"):
        with xarray.open_dataset("run.h5", group="statistics", engine=engine) as data:
            check(set(data.variables) == set(raw), f"{engine}: {set(data.variables) ^ set(raw)}")
            check(data["quantile"].dims == ("column", "probability"), f"{engine}: axes {data['quantile'].dims}")
            for name in set(data.variables) & set(raw):
                values = data[name].values
                check(values.shape == raw[name].shape, f"{engine}: shape of {name}")
                if values.dtype.kind == "f":
                    check(np.array_equal(values, raw[name], equal_nan=True), f"{engine}: values of {name}")


# --- measured values ----------------------------------------------------------------------------------


def chi_squared_of(values, reference):
    """Two samples in bins that end behind every (size / bins)-th reference, the same edge once."""
    ordered = np.sort(reference)
    size = len(ordered)
    wanted, edges = min(size // 5, 20), []
    for i in range(size - 1):
        if (i + 1) * wanted // size > len(edges) and ordered[i] != ordered[i + 1]:
            edges.append(ordered[i])
    counts = np.array([np.bincount(np.searchsorted(edges, x, side="left"), minlength=len(edges) + 1)
                       for x in (values, ordered)])
    return stats.chi2_contingency(counts, correction=False)


def check_references():
    """A sample of the same distribution, one of another, one with few different values, one too small for bins."""
    rng = np.random.default_rng(8)
    text = """format: 1
variables: {x: {normal: {mean: 2, sd: 0.5}}, k: {integer: [1, 6]}}
scene: {gravity: [0, 0, 0], bodies: {ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}]}}}
design: {monte_carlo: {samples: 500}}
solver: {end: 1.0e-3}
outputs:
  quantities: {same: "=x", other: "=x", dice: "=k", few: "=x", far: "=x"}
  statistics: {references: {same: {file: two.csv, column: first}, other: two.csv, \
dice: dice.csv, few: few.csv, far: far.csv}}
"""
    measured = {"same": rng.normal(2, 0.5, 203), "other": rng.normal(2.3, 0.5, 203),
                "dice": rng.choice(6, 90, p=[0.1, 0.1, 0.2, 0.2, 0.2, 0.2]) + 1.0, "few": np.array([2.0, 2.5, 1.5]),
                "far": np.linspace(50, 60, 40)}
    two = np.column_stack([measured["same"], measured["other"]])
    np.savetxt("two.csv", two, "%.17g", ",", header="first,other", comments="")
    for name in ("dice", "few", "far"):
        np.savetxt(name + ".csv", measured[name], "%.17g", header="anything", comments="")
    with open("study.yaml", "w") as file:
        file.write(text)
    clack("run", "study.yaml", "-q", "-d", "native", "-o", "measured.h5")
    found = computed("measured.h5")
    check_same(found, computed("measured.h5", "-d", "native"), "references in the file and computed anew", 0)
    check(found["comparison_name"] == list(measured), f"comparisons {found['comparison_name']}")
    with h5py.File("measured.h5") as file:
        for i, (name, reference) in enumerate(measured.items()):
            values = file[name][:]
            distance = stats.ks_2samp(values, reference).statistic
            effective = len(values) * len(reference) / (len(values) + len(reference))
            close(found["ks_statistic"][i], distance, f"{name}: distance")
            close(found["ks_p"][i], special.kolmogorov(np.sqrt(effective) * distance), f"{name}: p of the distance",
                  scale=1)
            check(found["reference_count"][i] == len(reference), f"{name}: {found['reference_count'][i]} references")
            if name == "few":
                check(np.isnan(found["chi_squared"][i]) and found["chi_squared_dof"][i] == 0, "three values in bins")
                continue
            chi_squared, p, degrees, _ = chi_squared_of(values, reference)
            check(found["chi_squared_dof"][i] == degrees,
                  f"{name}: {found['chi_squared_dof'][i]} degrees, expected {degrees}")
            close(found["chi_squared"][i], chi_squared, f"{name}: chi-squared")
            close(found["chi_squared_p"][i], p, f"{name}: p of chi-squared", scale=1)
    check(found["ks_p"][0] > 0.05 and found["ks_p"][1] < 0.01 and found["ks_p"][4] < 1e-12,
          f"judgement {found['ks_p']}")
    for i in (1, 2):
        clack("run", "study.yaml", "-q", "-d", "native", "--shard", f"{i}/2", "-o", f"part{i}.h5")
    clack("merge", "part1.h5", "part2.h5", "-o", "merged.h5", "-q")
    check_same(found, computed("merged.h5"), "merged shards", 0)


def check_first_failed():
    """The scenes that fail are the first ones: their numbers are no index."""
    with open("first.yaml", "w") as file:
        file.write("""format: 1
title: fall
variables: {x: {discrete: [0, 9]}, y: {uniform: [0, 1]}}
scene:
  gravity: [0, 0, -9.81]
  bodies:
    a: {material: steel, shapes: [{sphere: {diameter: 0.1}}]}
    b: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [$x, 0, 0]}
design: {grid: {levels: {y: 3}}}
solver: {end: 0.1}
outputs: {quantities: {low: {final: a.position.z}}}
""")
    clack("run", "first.yaml", "-q", "-d", "native", "-o", "first.h5", "--set", "scene.gravity[2]=-1.62",
          "--set", "title=it's", code=6)
    said = clack("stats", "first.h5").stdout
    check([line.split("scene ")[1].split(",")[0] for line in said.splitlines() if "failed: scene" in line]
          == ["0", "1", "2"], said)
    command = next(line for line in said.splitlines() if "failed: scene 2" in line).split("; ", 1)[1]
    again = subprocess.run(command.replace("clack", PROGRAM, 1), shell=True, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    check(again.returncode == 6 and "coincident" in again.stdout, f"{command}: {again.returncode} {again.stderr}")


# --- ensembles made by hand ------------------------------------------------------------------------------


def write_ensemble(path, parameters, quantities, status):
    with h5py.File(path, "w", track_order=True) as file:
        file.attrs["ensemble_format"] = np.string_("clack ensemble")
        file.attrs["ensemble_format_version"] = 1
        file["scene"] = np.arange(len(status), dtype="i4")
        file["status"] = status.astype("u1")
        file.create_group("provenance")
        group = file.create_group("parameters", track_order=True)
        for name, values in parameters.items():
            group[name] = values
            group[name].attrs["distribution"] = np.string_("uniform(0, 1)")
        for name, values in quantities.items():
            file[name] = values
            file[name].attrs["role"] = np.string_("quantity")


def check_blocks():
    """More rows than are held at once, with infinities, equal values, negative zeros, failed scenes."""
    rng = np.random.default_rng(4)
    rows = 1_100_000
    x, y = rng.normal(3, 2, rows), rng.exponential(1, rows)
    status = np.where(rng.random(rows) < 0.01, 3, 0)
    lacking = np.where(rng.random(rows) < 0.2, np.inf, x * y)
    few = np.where(rng.random(rows) < 0.5, -0.0, np.round(y, 1) * rng.choice([-1, 1], rows))
    write_ensemble("blocks.h5", {"x": x, "y": y}, {"few": few, "lacking": lacking}, status)
    found = computed("blocks.h5")
    parameters, quantities, columns, derived = columns_of("blocks.h5", found["column_name"])
    for i, values in enumerate(columns):
        check_column(found, i, values, 0.95, False)
    check_pairs(found, np.where(np.isfinite(columns), columns, np.nan))
    check_regression(found, np.where(np.isfinite(columns), columns, np.nan), parameters, derived)


def check_coverage():
    """10,000 samples of 200 normal numbers: how many intervals hold what they are for; 95 +- 1 %."""
    rng = np.random.default_rng(17)
    shares, files = {}, 100
    for _ in range(files):
        write_ensemble("coverage.h5", {}, {f"q{i:03d}": rng.normal(size=200) for i in range(100)}, np.zeros(200))
        found = computed("coverage.h5")
        truths = {"mean": 0, "std": 1, "quantile": stats.norm.ppf(found["probability"])}
        for name, truth in truths.items():
            holds = (found[name + "_lower"] <= truth) & (found[name + "_upper"] >= truth)
            shares[name] = shares.get(name, 0) + holds.mean(axis=0) / files
    for name, share in shares.items():
        print(f"intervals of 95 % that hold the {name}: {np.round(100 * share, 2)} %")
        check(np.all(np.abs(share - 0.95) <= 0.01), f"intervals of 95 % hold the {name} in {100 * share} %")


def check_small():
    """One scene, none that ended well, fewer scenes than coefficients: no numbers out of nothing."""
    write_ensemble("one.h5", {"x": np.array([2.0])}, {"q": np.array([5.0])}, np.zeros(1))
    found = computed("one.h5")
    check(found["mean"][1] == 5 and np.isnan(found["std"][1]) and np.isnan(found["mean_lower"][1]), "one scene")
    write_ensemble("none.h5", {"x": np.array([2.0, 3])}, {"q": np.array([5.0, 6])}, np.full(2, 3))
    found = computed("none.h5")
    check(found["n_failed"] == 2 and np.isnan(found["mean"]).all() and found["count"].sum() == 0, "no scene ok")
    write_ensemble("few.h5", {name: np.array([1.0, 2, 4]) ** k for k, name in enumerate("xyz", 1)},
                   {"q": np.array([5.0, 6, 9])}, np.zeros(3))
    check(np.isnan(computed("few.h5")["quadratic_r2"]).all(), "three scenes fix no quadratic")
    with open("none.yaml", "w") as file:
        file.write(STUDY.replace("statistics: {quantiles: [0.1, 0.5, 0.93], confidence: 0.9, bins: 17}",
                                 "statistics: false").replace("samples: 300", "samples: 4"))
    clack("run", "none.yaml", "-q", "-d", "native", "-o", "without.h5", "--max-failures", "4")
    with h5py.File("without.h5") as file:
        check("statistics" not in file, "statistics: false, yet there are some")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    check_run()
    check_readers()
    check_first_failed()
    check_device()
    check_references()
    check_blocks()
    check_coverage()
    check_small()
sys.exit(1 if failures else 0)
