"""Ensemble files as xarray datasets and pandas tables, codes as words, bodies by name."""
from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy
import xarray

from ._errors import CorruptError, FileError, Problem


def _words(variable: xarray.DataArray) -> numpy.ndarray | None:
    """Values of a variable with CF flags as words; None: it has none, or they are bits."""
    meanings, values = variable.attrs.get("flag_meanings"), variable.attrs.get("flag_values")
    if meanings is None or values is None:
        return None
    names = dict(zip(numpy.atleast_1d(values).tolist(), str(meanings).split()))
    return numpy.array([names.get(value, value) for value in variable.values.reshape(-1).tolist()],
                       dtype=object).reshape(variable.shape)


class Ensemble:
    """A finished ensemble file, of version 1 or 2 of the format, read as it is asked for.
    with clack.open(path) as ensemble: ...

    scenes      Dataset: status (words), flags (bits; flagged() tells which), quantities and counters of each scene
    parameters  Dataset: sampled values
    trajectory  Dataset with scene (those recorded), time, body (names), xyz, quat; None where none was recorded.
                .sel(scene=17, body="ball", xyz="z")
    events, contacts, joints
                DataFrames, one row each with its scene, bodies and kinds as words, vectors as columns _x, _y, _z; None
    statistics, sensitivity, fit
                Datasets with columns, quantities, inputs by name; None.
                statistics.sel(column="top")[["mean", "mean_lower", "mean_upper"]]
    provenance  dict: version, device, seed, command line, ...; "study_text": the study
    """

    def __init__(self, path: str | os.PathLike):
        self.path = Path(path)
        self._cache: dict[str, Any] = {}
        self._datasets: list[xarray.Dataset] = []
        root = self._dataset(None)
        if root is None or "ensemble_format" not in root.attrs:
            self.close()
            raise CorruptError([Problem("expected an ensemble file of clack", str(self.path))])
        self.bodies = [str(name) for name in root["body_name"].values.tolist()] if "body_name" in root else []
        self.title = str(root.attrs.get("title", ""))
        self.scenes = self._named(root)

    def __enter__(self) -> "Ensemble":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        for dataset in self._datasets:
            dataset.close()

    def _dataset(self, group: str | None) -> xarray.Dataset | None:
        try:
            dataset = xarray.open_dataset(self.path, group=group, engine="h5netcdf", decode_timedelta=False)
        except OSError as error:
            if group is not None and not isinstance(error, FileNotFoundError):
                return None # there is no such group
            if isinstance(error, FileNotFoundError) or not os.path.isfile(self.path):
                raise FileError([Problem("cannot be read: there is no such file", str(self.path))]) from error
            raise CorruptError([Problem(f"expected an HDF5 file: {error}", str(self.path))]) from error
        self._datasets.append(dataset)
        return dataset

    def _named(self, dataset: xarray.Dataset) -> xarray.Dataset:
        """Codes as words, bodies and axes by name."""
        out = dataset
        if "recorded" in out.dims: # of a trajectory: its values are numbers of scenes
            out = out.drop_vars("scene_number", errors="ignore").rename(recorded="scene")
        for name, variable in out.data_vars.items():
            words = _words(variable)
            if words is not None:
                out = out.assign({name: (variable.dims, words, variable.attrs)})
        for axis in ("xyz", "quat"):
            if axis in out.dims:
                out = out.assign_coords({axis: list("xyz" if axis == "xyz" else "wxyz")})
        if "body" in out.dims and len(self.bodies) == out.sizes["body"]:
            out = out.assign_coords(body=self.bodies)
        for axis in out.dims: # of statistics, sensitivity, fit
            names = out.get(f"{axis}_name")
            if axis != "body" and names is not None and names.dims == (axis,):
                out = out.drop_vars(f"{axis}_name").assign_coords({axis: names.values.astype(str)})
        if "other" in out.dims and "column" in out.coords and out.sizes["other"] == out.sizes["column"]:
            out = out.assign_coords(other=out["column"].values)
        return out

    def _group(self, group: str) -> xarray.Dataset | None:
        if group not in self._cache:
            dataset = self._dataset(group)
            self._cache[group] = None if dataset is None else self._named(dataset)
        return self._cache[group]

    def _table(self, group: str):
        import pandas
        key = f"{group} as a table"
        if key in self._cache:
            return self._cache[key]
        dataset, columns = self._dataset(group), {}
        for name, variable in {} if dataset is None else dataset.variables.items():
            row = name == dataset[name].dims[0] if dataset[name].dims else True
            if row or name in ("xyz", "quat"):
                continue
            values = _words(dataset[name])
            values = variable.values if values is None else values
            if name == "scene_number":
                name = "scene"
            if name in ("body_a", "body_b"):
                values = numpy.array(self.bodies + [""], dtype=object)[values]
            if values.ndim == 2:
                columns.update({f"{name}_{axis}": values[:, i] for i, axis in enumerate("xyz")})
            else:
                columns[name] = values
        self._cache[key] = None if dataset is None else pandas.DataFrame(columns)
        return self._cache[key]

    @property
    def parameters(self) -> xarray.Dataset | None:
        return self._group("parameters")

    @property
    def trajectory(self) -> xarray.Dataset | None:
        return self._group("trajectory")

    @property
    def statistics(self) -> xarray.Dataset | None:
        return self._group("statistics")

    @property
    def sensitivity(self) -> xarray.Dataset | None:
        return self._group("sensitivity")

    @property
    def fit(self) -> xarray.Dataset | None:
        return self._group("fit")

    @property
    def events(self):
        return self._table("events")

    @property
    def contacts(self):
        return self._table("contacts")

    @property
    def joints(self):
        return self._table("joints")

    @property
    def provenance(self) -> dict[str, Any]:
        dataset = self._group("provenance")
        if dataset is None:
            return {}
        out = dict(dataset.attrs)
        if "study_text" in dataset:
            out["study_text"] = bytes(numpy.asarray(dataset["study_text"].values, numpy.uint8)).decode()
        return out

    def flagged(self, word: str) -> numpy.ndarray:
        """Numbers of the scenes with a flag, such as "energy_drift"."""
        flags = self.scenes["flags"]
        words, bits = str(flags.attrs["flag_meanings"]).split(), numpy.atleast_1d(flags.attrs["flag_masks"])
        masks = dict(zip(words, bits.tolist()))
        if word not in masks:
            raise ValueError(f"flag: expected one of {sorted(masks)}, found {word!r}")
        return self.scenes["scene"].values[(flags.values.astype(numpy.int64) & masks[word]) != 0]

    def __repr__(self) -> str:
        return f"<clack.Ensemble {str(self.path)!r}: {self.scenes.sizes.get('scene', 0)} scenes, bodies {self.bodies}>"


def open(path: str | os.PathLike) -> Ensemble: # noqa: A001
    """An ensemble file; see Ensemble. Raises FileError (an OSError), CorruptError (a ValueError: of another kind)."""
    return Ensemble(path)
