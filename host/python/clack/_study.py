"""Studies: files, texts or dicts; with a table of values in place of what would be drawn."""
from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Union

import numpy

from ._errors import Problem, Report, UsageError
from ._library import DATA_DIR, ffi, lib, sized, text

Source = Union[str, os.PathLike, Mapping, "Study"]
TABLE = "table"  # as the study names it
_SAMPLES_MOST = 2**31 - 1


def _plain(value: Any) -> Any:
    """What json.dumps takes: NumPy's numbers and arrays as Python's."""
    if isinstance(value, numpy.generic):
        return value.item()
    if isinstance(value, numpy.ndarray):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a study cannot hold {type(value).__name__}: {value!r}")


def to_yaml(value: Any) -> str:
    """A dict, list, number or text as YAML (JSON is YAML); TypeError for anything else, ValueError for NaN."""
    return json.dumps(value, default=_plain, allow_nan=False)


def table_columns(table: Any, columns: Sequence[str] | None) -> dict[str, numpy.ndarray]:
    """Named columns of a DataFrame, a dict of arrays, a structured array, or a (scenes, columns) array with names."""
    if hasattr(table, "columns") and columns is None: # a DataFrame
        named = {str(name): numpy.asarray(table[name], float) for name in table.columns}
    elif isinstance(table, Mapping):
        named = {str(name): numpy.asarray(values, float) for name, values in table.items()}
    elif getattr(getattr(table, "dtype", None), "names", None):
        named = {name: numpy.asarray(table[name], float) for name in table.dtype.names}
    else:
        array = numpy.asarray(table, float)
        if array.ndim == 1:
            array = array[:, None]
        if columns is None:
            raise UsageError([Problem("table: an array without names wants columns=[...], the variables' names")])
        if array.ndim != 2 or array.shape[1] != len(columns):
            raise UsageError([Problem(f"table: expected the shape (scenes, {len(columns)}), found {array.shape}")])
        named = {str(name): array[:, i] for i, name in enumerate(columns)}
    shapes = {values.shape for values in named.values()}
    if len(shapes) != 1 or len(next(iter(shapes))) != 1 or next(iter(shapes))[0] == 0:
        raise UsageError([Problem(f"table: expected columns of one length > 0, found {sorted(shapes)}")])
    return named


def _table_text(named: Mapping[str, numpy.ndarray]) -> str:
    """The columns as CSV, each number with all of its digits."""
    rows = zip(*(values.tolist() for values in named.values()))
    return "\n".join([",".join(named)] + [",".join(map(repr, row)) for row in rows]) + "\n"


class Study:
    """A study that has been read and checked.

    source     path of a study file; text of one (it has line breaks); a dict with the same keys; a Study
    overrides  {"scene.gravity[2]": -1.62, ...}: as `clack run --set`; values may be dicts and lists
    seed       of the design, in place of the study's own
    table      values of variables, one scene a row: a DataFrame, a dict of arrays, a structured array, or an array
               (scenes, columns) with `columns`, their names. In place of the design and of those variables'
               distributions
    outputs    {name: quantity as in a study}: in place of the study's own outputs.quantities
    folder     where files lie that a text or dict names; default: the working folder
    samples    of the design, in place of the study's own (monte_carlo, sobol, saltelli, morris: those whose scenes do
               not depend on it)
    meshes     shapes may be meshes under every method, as clack.evaluate takes them
    poses      neither "solver" nor its "end" are needed, which clack.evaluate has no use for

    Raises StudyError with all problems, FileError; warns with StudyWarning.
    """

    def __init__(self, source: Source, *, overrides: Mapping[str, Any] | None = None, seed: int | None = None,
                 table: Any = None, columns: Sequence[str] | None = None, outputs: Mapping[str, Any] | None = None,
                 folder: str | os.PathLike | None = None, meshes: bool = False, poses: bool = False,
                 samples: int | None = None):
        if samples is not None and not 1 <= samples <= _SAMPLES_MOST:
            raise UsageError([Problem(f"samples: expected a number from 1 to {_SAMPLES_MOST}, found {samples}")])
        self._text: str | None = None
        self._is_dict = isinstance(source, Mapping)
        self._columns: set[str] = set()
        self._overrides: list[tuple[str, str]] = []
        self._table: dict[str, numpy.ndarray] | None = None
        self._seed, self._samples, self._meshes, self._poses = seed, samples, meshes, poses
        self._take_source(source, folder)
        if table is not None:
            self._take_table(table_columns(table, columns))
        if outputs is not None:
            self._overrides.append(("outputs.quantities", to_yaml(dict(outputs))))
        for path, value in (overrides or {}).items(): # in place of the same of a Study
            self._overrides = [pair for pair in self._overrides if pair[0] != path]
            self._overrides.append((path, value if isinstance(value, str) else to_yaml(value)))
        self._pointer = ffi.gc(self._read(self._path, self._text, self._table), lib.clack_study_free)

    def _take_source(self, source: Source, folder) -> None:
        if isinstance(source, Study):
            self._path, self._text, self._table = source._path, source._text, source._table
            self._overrides, self._is_dict = list(source._overrides), source._is_dict
            self._seed = source._seed if self._seed is None else self._seed
            self._samples = source._samples if self._samples is None else self._samples
            self._meshes, self._poses = self._meshes or source._meshes, self._poses or source._poses
            return
        at = os.fspath(folder) if folder is not None else ""
        if isinstance(source, Mapping):
            self._path, self._text = os.path.join(at, "study"), to_yaml(dict(source))
        elif isinstance(source, str) and "\n" in source:
            self._path, self._text = os.path.join(at, "study"), source
        else:
            self._path = os.path.join(at, os.fspath(source))

    def _take_table(self, named: dict[str, numpy.ndarray]) -> None:
        self._table = named
        self._overrides.append(("design", to_yaml({"table": TABLE})))
        self._overrides += [(f"variables.{name}", to_yaml({"column": name})) for name in named]
        self._columns = {f"variables.{name}" for name in named}

    def _read(self, path: str, study_text: str | None, table: dict[str, numpy.ndarray] | None):
        """A ClackStudy of the caller's."""
        kept = []

        def c_text(value: str):
            kept.append(ffi.new("char[]", value.encode()))
            return kept[-1]
        options = sized("ClackStudyOptions")
        pairs = ffi.new("ClackStudyOverride[]", [(c_text(path), c_text(value)) for path, value in self._overrides])
        options.overrides, options.override_count = pairs, len(self._overrides)
        if DATA_DIR is not None:
            options.data_dir = c_text(DATA_DIR)
        if self._seed is not None:
            options.seed = seed = ffi.new("uint64_t *", self._seed)
            kept.append(seed)
        if self._samples is not None:
            options.samples = self._samples
        if study_text is not None:
            options.text, options.text_bytes = c_text(study_text), len(study_text.encode())
        if table is not None:
            values = numpy.column_stack(list(table.values()))
            names = ffi.new("char *[]", [c_text(name) for name in table])
            options.tables = tables = ffi.new("ClackStudyTable[]", [(
                c_text(TABLE), names, ffi.cast("double *", ffi.from_buffer(values)), *values.shape[::-1])])
            options.table_count = 1
            kept += [values, names, tables]
        options.takes_meshes, options.is_for_poses, options.tells_idle = int(self._meshes), int(self._poses), 1
        out = ffi.new("ClackStudy **")
        with Report() as report:
            status = lib.clack_study_read(os.fsencode(path), options, out, report.pointer)
            idle = next((problem for problem in report.lines(False)[1] if problem.key in self._columns), None)
            if status == lib.CLACK_OK and idle is not None: # a column that changes nothing
                lib.clack_study_free(out[0])
                raise UsageError([Problem(f"table: {idle.message}", key=idle.key)])
            report.check(status, places=not self._is_dict)
        return out[0]

    def save(self, folder: str | os.PathLike, name: str) -> "Study":
        """The same study as files: NAME.study.yaml and, of a table, NAME.table.csv, written into a folder. What has no
        file of its own cannot be resumed without."""
        if self._text is None and self._table is None:
            return self
        at = Path(folder)
        saved = object.__new__(Study)
        saved._overrides, saved._table = list(self._overrides), None
        saved._seed, saved._samples = self._seed, self._samples
        saved._meshes, saved._poses = self._meshes, self._poses
        saved._path, saved._text, saved._is_dict, saved._columns = self._path, None, False, self._columns
        if self._table is not None:
            csv = at / f"{name}.table.csv"
            csv.write_text(_table_text(self._table))
            design = "design", to_yaml({"table": os.fspath(csv.resolve())})
            saved._overrides = [design if pair[0] == "design" else pair for pair in saved._overrides]
        if self._text is not None:
            path = at / f"{name}.study.yaml"
            path.write_text(self._text)
            saved._path = os.fspath(path)
        saved._pointer = ffi.gc(saved._read(saved._path, None, None), lib.clack_study_free)
        return saved

    @property
    def scene_count(self) -> int:
        """Scenes of the design."""
        return lib.clack_study_scene_count(self._pointer)

    def _names(self, kind: str) -> dict[str, str]:
        count = getattr(lib, f"clack_study_{kind}_count")(self._pointer)
        name, unit = (getattr(lib, f"clack_study_{kind}_{what}") for what in ("name", "unit"))
        return {text(name(self._pointer, i)): text(unit(self._pointer, i)) for i in range(count)}

    @property
    def parameters(self) -> dict[str, str]:
        """Names and units ("" where none is known) of what varies from scene to scene."""
        return self._names("parameter")

    @property
    def quantities(self) -> dict[str, str]:
        """Names and units of what is told of each scene."""
        return self._names("quantity")

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies, those of `count` and `one_of` all."""
        return [text(lib.clack_study_body_name(self._pointer, i))
                for i in range(lib.clack_study_body_count(self._pointer))]

    @property
    def joints(self) -> list[str]:
        """Names of joints, then of forces over time."""
        return [text(lib.clack_study_joint_name(self._pointer, i))
                for i in range(lib.clack_study_joint_count(self._pointer))]

    def sample(self, scenes: Sequence[int] | None = None) -> dict[str, numpy.ndarray]:
        """Values of all parameters, (scenes,) each; scenes: their numbers, default all. Raises UsageError."""
        numbers = numpy.arange(self.scene_count) if scenes is None else numpy.asarray(scenes, int).reshape(-1)
        if numbers.size and not (0 <= numbers.min() and numbers.max() < self.scene_count):
            raise UsageError([Problem(f"scenes: expected numbers from 0 to {self.scene_count - 1}")])
        names = list(self.parameters)
        values = numpy.empty((len(numbers), len(names)))
        for i, scene in enumerate(numbers):
            lib.clack_study_sample(self._pointer, int(scene), ffi.cast("double *", ffi.from_buffer(values[i])))
        return {name: values[:, i].copy() for i, name in enumerate(names)}

    def __repr__(self) -> str:
        return f"<clack.Study {self._path!r}: {self.scene_count} scenes, parameters {list(self.parameters)}, " \
               f"quantities {list(self.quantities)}>"
