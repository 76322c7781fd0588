"""Runs: every scene of a study, with its parameters and quantities as arrays."""
from __future__ import annotations

import difflib
import os
import threading
import warnings
from statistics import NormalDist
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy
import xarray

from ._errors import FailedScenes, Problem, Report, StudyWarning, UsageError, caller_level
from ._library import ffi, lib, sized, text
from ._file import Ensemble
from ._rows import (STATES, TABLES, TRAJECTORY, batch_frames, batch_rows, batch_states, to_dataset, to_table,
                    to_trajectory)
from ._study import Source, Study

_COMMAND = b"clack.run of Python"


_FLAG_BITS = range(32)


def _name_of(status: int) -> str:
    return text(lib.clack_scene_status_name(int(status)))


def _warn_of_flags(flags: numpy.ndarray) -> None:
    counts = {text(lib.clack_scene_flag_name(1 << bit)): int(((flags >> bit) & 1).sum()) for bit in _FLAG_BITS}
    told = [f"{name} {count}" for name, count in counts.items() if count > 0 and name != "frozen"]
    if told:
        warnings.warn(StudyWarning(Problem(f"flags of {len(flags)} scenes: {', '.join(told)}")),
                      stacklevel=caller_level())


def _warn_of_failures(status: numpy.ndarray) -> None:
    words, counts = numpy.unique(status[status != "ok"], return_counts=True)
    if len(words) > 0:
        told = ", ".join(f"{word} {count}" for word, count in zip(words, counts))
        warnings.warn(StudyWarning(Problem(f"{counts.sum()} of {len(status)} scenes failed: {told}")),
                      stacklevel=caller_level())


class _Interval(NamedTuple):
    share: float
    lower: float
    upper: float


class Share(_Interval):
    """A share and both ends of its interval, a tuple of three; scenes: of how many it is; left_out: how many have no
    part in it, since they failed or the quantity is NaN there."""
    scenes: int
    left_out: int

    def __new__(cls, share: float, lower: float, upper: float, scenes: int, left_out: int) -> "Share":
        made = super().__new__(cls, share, lower, upper)
        made.scenes, made.left_out = scenes, left_out
        return made

    def __repr__(self) -> str:
        return f"Share(share={self.share:.6g}, lower={self.lower:.6g}, upper={self.upper:.6g}, " \
               f"scenes={self.scenes}, left_out={self.left_out})"


class Result:
    """What a run gave, scenes in ascending order.

    scenes      (n,) int: numbers within the study
    status      (n,) str: "ok", "step_limit", ...; quantities of a scene that is not ok are of what it got to
    flags       (n,) int: bits; flagged("energy_drift") are the scenes with one
                StudyWarnings tell how many scenes failed and how many have flags
    parameters  {name: (n,) float}, quantities {name: (n,) float}; units {name: str} of both
    path        of the ensemble file; None: none was written
    device, run_s, event_count: where, how long (wall, without preparing kernels), how many
    events, contacts, joints
                DataFrames like those of clack.open, where run(rows=...) asks for them; else None
    trajectory  Dataset like that of clack.open, likewise: position(scene, time, body, xyz), orientation, velocity,
                angular_velocity of the scenes that the study records; NaN: what a scene did not reach, or has no such
                body
    states      Dataset: the last state of every body, position(scene, body, xyz), orientation, velocity,
                angular_velocity, and time(scene); NaN: the scene has no such body. None unless asked for
    result["name"]: a quantity or a parameter
    """

    def __init__(self, study: Study, kept: "_Kept", summary):
        order = numpy.argsort(kept.numbers(), kind="stable")
        self.scenes = kept.numbers()[order]
        self.status = numpy.array([_name_of(code) for code in kept.statuses()[order]], dtype=str)
        self.flags = kept.flags()[order].astype(numpy.int64)
        parameters, quantities = kept.parameters()[order], kept.quantities()[order]
        self.parameters = {name: parameters[:, i].copy() for i, name in enumerate(study.parameters)}
        self.quantities = {name: quantities[:, i].copy() for i, name in enumerate(study.quantities)}
        self.units = {**study.parameters, **study.quantities}
        path = text(summary.output_path)
        self.path = Path(path) if path else None
        self.device, self.run_s, self.event_count = text(summary.device_name), summary.run_s, summary.events
        self.events, self.contacts, self.joints, self.states = kept.tables(study, self.scenes, order)
        self.trajectory = kept.trajectory(study)

    @classmethod
    def _of_file(cls, path: str, summary) -> "Result":
        """All scenes of a finished file; its tables are clack.open's."""
        self = object.__new__(cls)
        with Ensemble(path) as ensemble:
            scenes, parameters = ensemble.scenes, ensemble.parameters
            self.scenes = scenes["scene"].values.astype(numpy.int64)
            self.status, self.flags = scenes["status"].values.astype(str), scenes["flags"].values.astype(numpy.int64)
            self.parameters = {} if parameters is None else {
                str(name): column.values for name, column in parameters.data_vars.items()}
            self.quantities = {str(name): column.values for name, column in scenes.data_vars.items()
                               if column.attrs.get("role") == "quantity"}
            self.units = {str(name): str(column.attrs.get("units", "")) for of in (parameters, scenes) if of is not None
                          for name, column in of.data_vars.items() if name in {**self.parameters, **self.quantities}}
        self.path = Path(path)
        self.device, self.run_s, self.event_count = text(summary.device_name), summary.run_s, summary.events
        self.events = self.contacts = self.joints = self.trajectory = self.states = None
        return self

    def __fspath__(self) -> str:
        if self.path is None:
            raise TypeError("the run wrote no file")
        return os.fspath(self.path)

    def __getitem__(self, name: str) -> numpy.ndarray:
        for of in self.quantities, self.parameters:
            if name in of:
                return of[name]
        names = [*self.quantities, *self.parameters]
        near = difflib.get_close_matches(name, names, 1)
        raise KeyError(f"{name!r}: {f'did you mean {near[0]!r}?' if near else f'expected one of {names}'}")

    def flagged(self, word: str) -> numpy.ndarray:
        """Numbers of the scenes with a flag, such as "energy_drift"."""
        bits = {text(lib.clack_scene_flag_name(1 << bit)): bit for bit in _FLAG_BITS}
        if word not in bits or word == "unknown":
            raise ValueError(f"flag: expected one of {sorted(set(bits) - {'unknown'})}, found {word!r}")
        return self.scenes[(self.flags >> bits[word]) & 1 == 1]

    def share(self, name: str, confidence: float = 0.95) -> Share:
        """Share of scenes in which a quantity of 0 and 1 is 1, and both ends of Wilson's interval of it: a tuple of
        three, whose `scenes` says of how many ok scenes it is and `left_out` how many failed or have NaN. The interval
        takes scenes as independent, which those of the designs saltelli and morris are not."""
        values = self[name][self.status == "ok"]
        values = values[~numpy.isnan(values)]
        others = values[~numpy.isin(values, (0, 1))]
        if len(others) > 0:
            raise ValueError(f"{name}: expected a quantity of 0 and 1, found {others[0]:g}")
        n, z = len(values), NormalDist().inv_cdf(0.5 + 0.5 * confidence)
        if n == 0:
            return Share(numpy.nan, numpy.nan, numpy.nan, 0, len(self))
        share = float(values.mean())
        middle, scale = share + z * z / (2 * n), 1 + z * z / n
        half = z * numpy.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        return Share(share, float((middle - half) / scale), float((middle + half) / scale), n, len(self) - n)

    def __len__(self) -> int:
        return len(self.scenes)

    def to_dataframe(self):
        """One row a scene, indexed by its number: status, flags, parameters, quantities."""
        import pandas
        return pandas.DataFrame({"status": self.status, "flags": self.flags, **self.parameters, **self.quantities},
                                index=pandas.Index(self.scenes, name="scene"))

    def __repr__(self) -> str:
        failed = int((self.status != "ok").sum())
        return f"<clack.Result: {len(self)} scenes, {failed} not ok, quantities {list(self.quantities)}>"


class _Kept:
    """Batches, copied as they come."""

    def __init__(self, study: Study, wanted: Sequence[str] = ()):
        self._widths = len(study.parameters), len(study.quantities)
        self._rows: list[tuple[numpy.ndarray, ...]] = []
        self._tables: dict[str, list[numpy.ndarray]] = {table: [] for table in TABLES if table in wanted}
        self._states: list[tuple[numpy.ndarray, numpy.ndarray]] | None = [] if "states" in wanted else None
        self._frames: list[tuple[int, numpy.ndarray, numpy.ndarray]] | None = [] if "trajectory" in wanted else None

    def take(self, batch) -> None:
        def copied(pointer, shape, kind):
            count = int(numpy.prod(shape))
            if count == 0:
                return numpy.empty(shape, kind)
            buffer = ffi.buffer(pointer, count * numpy.dtype(kind).itemsize)
            return numpy.frombuffer(buffer, kind).reshape(shape).copy()
        n = batch.scene_count
        self._rows.append((copied(batch.scene_numbers, (n,), numpy.uint64).astype(numpy.int64),
                           copied(batch.statuses, (n,), numpy.uint32),
                           copied(batch.flags, (n,), numpy.uint32),
                           copied(batch.parameters, (n, self._widths[0]), float),
                           copied(batch.quantities, (n, self._widths[1]), float)))
        for table, kept in self._tables.items():
            kept.append(batch_rows(batch, table))
        if self._states is not None:
            self._states.append(batch_states(batch))
        if self._frames is not None:
            self._frames += batch_frames(batch)

    def tables(self, study: Study, scenes: numpy.ndarray, order: numpy.ndarray) -> list:
        """Events, contacts and joints as DataFrames, states as a Dataset, by scene; None of what was not wanted."""
        out: list = []
        for table in TABLES:
            kept = self._tables.get(table)
            rows = numpy.concatenate(kept) if kept else None
            out.append(None if rows is None else to_table(
                rows[numpy.argsort(rows["scene_number"], kind="stable")], table, study.bodies, study.joints))
        times, states = ([batch[which] for batch in self._states or []] for which in range(2))
        out.append(None if not states else to_dataset(
            scenes, numpy.concatenate(times)[order], numpy.concatenate(states)[order], study.bodies))
        return out

    def trajectory(self, study: Study) -> xarray.Dataset | None:
        """Frames by scene and time; None where they were not wanted."""
        return None if self._frames is None else to_trajectory(sorted(self._frames, key=lambda row: row[0]),
                                                               study.bodies)

    def _all(self, which: int, empty: numpy.ndarray) -> numpy.ndarray:
        return numpy.concatenate([row[which] for row in self._rows]) if self._rows else empty

    def numbers(self):
        return self._all(0, numpy.empty(0, numpy.int64))

    def statuses(self):
        return self._all(1, numpy.empty(0, numpy.uint32))

    def flags(self):
        return self._all(2, numpy.empty(0, numpy.uint32))

    def parameters(self):
        return self._all(3, numpy.empty((0, self._widths[0])))

    def quantities(self):
        return self._all(4, numpy.empty((0, self._widths[1])))


def _open_session():
    out = ffi.new("ClackSession **")
    with Report() as report:
        report.check(lib.clack_session_open(out, report.pointer))
    return out[0]


_SESSION = _open_session() # devices and kernels stay open until Python ends


def release() -> None:
    """Close the devices that calls have left open, and free their memory and kernels."""
    lib.clack_session_release(_SESSION)


def device_options(device: str | int | None, threads: int, allow_inexact: bool, kept: list):
    """A ClackDeviceOptions, which `kept` keeps."""
    options = sized("ClackDeviceOptions")
    kept.append(options)
    options.session = _SESSION
    if device is not None:
        kept.append(ffi.new("char[]", str(device).encode()))
        options.choice = kept[-1]
    options.threads = threads
    options.allow_inexact = int(allow_inexact)
    return options


def call_stoppable(stop, function: Callable[[], int]) -> int:
    """Call into the library from a thread, so that Ctrl-C reaches this one: it sets *stop, and the call ends soon."""
    if threading.current_thread() is not threading.main_thread():
        return function()
    out: dict[str, Any] = {}
    is_over = threading.Event() # an interrupted Thread.join takes a thread for one that has ended (CPython 3.11)

    def call():
        try:
            out["status"] = function()
        except BaseException as error: # of cffi's arguments: none comes from C
            out["error"] = error
        is_over.set()
    threading.Thread(target=call, name="clack").start()
    while not is_over.is_set():
        try:
            is_over.wait(0.1)
        except KeyboardInterrupt:
            stop[0] = 1
    if "error" in out:
        raise out["error"]
    return out["status"]


_ROW_BITS = {**{name: table[2] for name, table in TABLES.items()}, "trajectory": TRAJECTORY, "states": STATES}


class _Call:
    """A ClackRunOptions with callbacks that tell progress and, of a study, keep batches."""

    def __init__(self, study: Study | None, progress: Callable[[dict], None] | None, rows: Sequence[str] = ()):
        self.options, self.summary = sized("ClackRunOptions"), sized("ClackRunSummary")
        self.options.batch_rows = sum(_ROW_BITS[name] for name in set(rows))
        self.stop = ffi.new("int *", 0)
        self.options.stop = self.stop
        self.kept: list = [self.stop]
        self.failure: BaseException | None = None
        if study is not None:
            self.batches = _Kept(study, rows)
            self._callback("on_batch", "void(void *, const ClackBatch *)", self.batches.take)
        if progress is not None:
            self._callback("on_progress", "void(void *, const ClackProgress *)", lambda now: progress(
                {name: getattr(now, name) for name in ("scenes_done", "scenes_failed", "scenes_total", "elapsed_s")}))

    def _callback(self, name: str, signature: str, function: Callable) -> None:
        def guarded(_context, value):
            try:
                if self.failure is None:
                    function(value)
            except BaseException as error: # raised by run() after the library has ended
                self.failure = error
                self.stop[0] = 1
        self.kept.append(ffi.callback(signature, guarded))
        setattr(self.options, name, self.kept[-1])

    def call(self, function: Callable[[Any], int]) -> Exception | None:
        """Call function(report); raise what a callback raised, and return what the library reports."""
        with Report() as report:
            status = call_stoppable(self.stop, lambda: function(report.pointer))
            if self.failure is not None:
                raise self.failure
            try:
                return report.error(status)
            except KeyboardInterrupt:
                path = text(self.summary.resume_path)
                if not path:
                    raise
                raise KeyboardInterrupt(f"to go on: clack.resume({path!r})") from None

    def run(self, study: Study, function: Callable[[Any], int]) -> Result:
        error = self.call(function)
        if error is not None and not isinstance(error, FailedScenes):
            raise error
        result = Result(study, self.batches, self.summary)
        if error is None:
            _warn_of_failures(result.status)
        _warn_of_flags(result.flags)
        if error is not None:
            error.result = result
            raise error
        return result


def _numbers(scenes: Sequence[int]) -> numpy.ndarray:
    """Numbers of scenes as the library takes them."""
    numbers = numpy.asarray(scenes).reshape(-1)
    if numbers.size > 0 and (numbers.dtype.kind not in "iu" or numbers.min() < 0):
        raise UsageError([Problem(f"scenes: expected numbers of scenes, from 0, found {scenes!r}")])
    return numpy.ascontiguousarray(numbers, numpy.uint64)


def run(study: Source, *, table: Any = None, columns: Sequence[str] | None = None,
        outputs: Mapping[str, Any] | None = None, overrides: Mapping[str, Any] | None = None, seed: int | None = None,
        folder: str | os.PathLike | None = None, output: str | os.PathLike | None = None, overwrite: bool = False,
        device: str | int | None = None, threads: int = 0, scenes: Sequence[int] | None = None,
        failures_allowed: int | None = None, rows: str | Sequence[str] = (),
        progress: Callable[[dict], None] | None = None, extend: int | None = None,
        allow_inexact: bool = False) -> Result:
    """Run every scene of a study, or those that a file lacks.

    study, table, columns, outputs, overrides, seed, folder: see Study
    output            ensemble file to write; None: none. Of a study without a file, and of a table, it gets files
                      beside it (NAME.study.yaml, NAME.table.csv), so that `clack resume` can go on
    overwrite         the output may replace a file
    device, threads   "native" (all cores, or so many threads), "gpu", "cpu", an index of devices(); None: a GPU if
                      there is one, else native
    scenes            numbers of the scenes to run; default: all. Trajectories, where rows or an output take them, are
                      recorded of each of them, not just of the first ones. With an output one scene, of which the
                      file then is
    failures_allowed  more failed scenes raise FailedScenes; default: as many as there are
    rows              what the Result has beside parameters and quantities: "events", "contacts" and "joints" (at the
                      times of the study's outputs.contacts), "trajectory" (outputs.trajectory), "states" (at the end);
                      one of them, or a list
    progress          called now and then with a dict: scenes_done, scenes_failed, scenes_total, elapsed_s
    extend            so many samples of the design (monte_carlo, sobol, saltelli, morris) is the output, a finished
                      file of the same study, to have then: only scenes that it lacks are run, and are in the result;
                      open(output) has all. The file stays as it is until the whole one replaces it
    allow_inexact     a device whose arithmetic is not that of IEEE 754 is taken too, with a warning: its results have
                      other bits than those of other devices

    Raises Error and its subclasses; KeyboardInterrupt after Ctrl-C, within about 2 s: what was done is kept in
    NAME.parts, and resume(output) goes on, as its text says. Warns (StudyWarning) of scenes that failed and of flags.
    """
    rows = [rows] if isinstance(rows, str) else list(rows)
    if extend is not None and output is None:
        raise UsageError([Problem("extend: wants the output that is to be extended")])
    checked = Study(study, table=table, columns=columns, outputs=outputs, overrides=overrides, seed=seed, folder=folder,
                    samples=extend)
    if not set(rows) <= set(_ROW_BITS):
        raise UsageError([Problem(f"rows: expected some of {list(_ROW_BITS)}, found {rows!r}")])
    numbers = None if scenes is None else _numbers(scenes)
    if numbers is not None and output is not None and len(numbers) != 1:
        raise UsageError([Problem(f"scenes: one scene goes into a file, found {len(numbers)}: the others without an "
                                  "output")])
    every_s = lib.clack_study_trajectory_every_s(checked._pointer)
    if "trajectory" in rows and not every_s > 0:
        raise UsageError([Problem("rows: the study records no trajectory: it has no outputs.trajectory")])
    is_recorded = every_s > 0 and ("trajectory" in rows or output is not None)
    if is_recorded and numbers is not None and len(numbers) > 0 and numbers.max() < checked.scene_count:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore") # which have been told
            checked = Study(checked, overrides={"outputs.trajectory.scenes": int(numbers.max()) + 1})
    if output is not None:
        path = Path(output)
        checked = checked.save(path.parent, path.stem)
    call = _Call(checked, progress, rows)
    options = call.options
    options.device = device_options(device, threads, allow_inexact, call.kept)
    options.no_file, options.overwrites, options.extends = int(output is None), int(overwrite), int(extend is not None)
    if output is not None:
        call.kept.append(ffi.new("char[]", os.fsencode(output)))
        options.output_path = call.kept[-1]
    if numbers is not None:
        call.kept.append(numbers)
        first = ffi.cast("uint64_t *", ffi.from_buffer(numbers))
        if output is not None:
            options.only_scene = first
        else:
            options.scenes, options.listed_scenes = first, len(numbers)
    options.failures_allowed = checked.scene_count if failures_allowed is None else failures_allowed
    call.kept.append(ffi.new("char[]", _COMMAND))
    options.command_line = call.kept[-1]
    return call.run(checked, lambda report: lib.clack_run(checked._pointer, options, call.summary, report))


def resume(output: str | os.PathLike, *, device: str | int | None = None, threads: int = 0,
           progress: Callable[[dict], None] | None = None, allow_inexact: bool = False) -> Result:
    """Go on with a run that was stopped or killed. The Result is of all scenes, those of before too, without tables
    and states, which clack.open(output) has; as a path it is the ensemble file's. Raises and warns as run does."""
    call = _Call(None, progress)
    call.options.device = device_options(device, threads, allow_inexact, call.kept)
    path = os.fsencode(output)
    error = call.call(lambda report: lib.clack_resume(path, ffi.NULL, call.options, call.summary, report))
    if error is not None:
        raise error
    result = Result._of_file(text(call.summary.output_path), call.summary)
    _warn_of_failures(result.status)
    _warn_of_flags(result.flags)
    return result


def devices(measure: bool = False) -> list[dict[str, Any]]:
    """What scenes can be run on, native first: index, name, platform, driver, version, is_gpu, has_fp64,
    compute_units, global_memory_bytes, unusable_because ("" where it can be used), arithmetic: with `measure`, which
    tries each device, "IEEE 754" or what differs from it; else ""."""
    out, count = ffi.new("ClackDeviceInfo ***"), ffi.new("size_t *")
    with Report() as report:
        report.check((lib.clack_device_measure if measure else lib.clack_device_list)(out, count, report.pointer))
    try:
        return [{"index": row.index, **{name: text(getattr(row, name)) for name in
                                        ("name", "platform", "driver", "version", "unusable_because", "arithmetic")},
                 "is_gpu": bool(row.is_gpu), "has_fp64": bool(row.has_fp64), "compute_units": row.compute_units,
                 "global_memory_bytes": row.global_memory_bytes} for row in out[0][0:count[0]]]
    finally:
        _C.free(out[0])


_C = ffi.dlopen(None)
