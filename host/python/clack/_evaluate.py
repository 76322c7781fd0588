"""Contacts and forces of given poses, without stepping."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy

from ._errors import Problem, Report, UsageError
from ._library import ffi, lib, sized, text
from ._rows import dtype, rows_of
from ._run import call_stoppable, device_options
from ._study import Source, Study

_CONTACT, _REGION, _STATE = dtype("ClackContact"), dtype("ClackRegion"), dtype("ClackBodyState")


class Contacts(NamedTuple):
    """What clack.evaluate found.

    contacts      structured array, by configuration, then by shapes: distance_m (< 0: overlap), normal_N, normal
                  (from A to B), point_a_m, point_b_m, force_N and torque_N_m (on B), configuration, body_a, body_b,
                  shape_a, shape_b, ...: the fields of ClackContact in clack.h
    first         (configurations + 1,): rows of configuration i are contacts[first[i]:first[i + 1]]
    regions       the same of contact regions of meshes: area_m2, volume_m3, thickness_m, normal, centroid_m, ...
    first_region  (configurations + 1,)
    bodies        names, as body_a and body_b number them
    """
    contacts: numpy.ndarray
    first: numpy.ndarray
    regions: numpy.ndarray
    first_region: numpy.ndarray
    bodies: list[str]

    def to_dataframe(self):
        """One row a contact, bodies by name, vectors as columns _x, _y, _z."""
        import pandas
        columns: dict[str, Any] = {}
        for name in self.contacts.dtype.names:
            values = self.contacts[name]
            if name in ("body_a", "body_b"):
                columns[name] = numpy.array(self.bodies, dtype=object)[values]
            elif values.ndim == 2:
                columns.update({f"{name}_{axis}": values[:, i] for i, axis in enumerate("xyz")})
            else:
                columns[name] = values
        return pandas.DataFrame(columns)


class Evaluator:
    """One scene on one device, for many calls: with Evaluator(study) as evaluator: evaluator(position, ...).

    study           its bodies, shapes, materials and pairs count; see Study
    scene           number of the study's scene whose values count
    margin          contacts up to this distance (m) are listed; 0: those that touch or overlap
    everything      every contact that has a distance is listed, however large
    device, threads, allow_inexact   as of clack.run
    """

    def __init__(self, study: Source, *, scene: int = 0, margin: float = 0.0, everything: bool = False,
                 device: str | int | None = None, threads: int = 0, folder=None,
                 overrides: Mapping[str, Any] | None = None, allow_inexact: bool = False):
        checked = Study(study, overrides=overrides, folder=folder, meshes=True, poses=True)
        options, out, kept = sized("ClackEvaluateOptions"), ffi.new("ClackEvaluator **"), []
        options.device = device_options(device, threads, allow_inexact, kept)
        options.scene, options.margin_m, options.list_all = scene, margin, int(everything)
        stop = ffi.new("int *", 0)
        options.device.on_build = asked = ffi.callback("int(void *, const ClackBuild *)", lambda *_: stop[0])
        kept.append(asked) # kernels may be compiled for minutes
        with Report() as report:
            report.check(call_stoppable(
                stop, lambda: lib.clack_evaluator_open(checked._pointer, options, out, report.pointer)))
        self._pointer = ffi.gc(out[0], lib.clack_evaluator_close)
        count = lib.clack_study_body_count(checked._pointer)
        self.bodies = checked.bodies
        start = ffi.new("ClackBodyState[]", max(count, 1))
        lib.clack_evaluator_start(self._pointer, start)
        self._start = rows_of(start, count, _STATE)

    def close(self) -> None:
        """Give device and memory back."""
        if self._pointer is not None:
            ffi.release(self._pointer)
            self._pointer = None

    def __enter__(self) -> "Evaluator":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def _spread(self, values: Any, name: str, width: int) -> numpy.ndarray | None:
        """What was given for all bodies, as (configurations, bodies, width); None: nothing was."""
        if values is None:
            return None
        bodies = len(self.bodies)
        if isinstance(values, Mapping):
            unknown = [body for body in values if body not in self.bodies]
            if unknown:
                raise UsageError([Problem(f"{name}: no body is called {unknown[0]!r}; there are {self.bodies}")])
            given = {body: numpy.asarray(rows, float).reshape(-1, width) for body, rows in values.items()}
            rows = max([len(of_body) for of_body in given.values()] + [1])
            out = numpy.broadcast_to(self._start[self._field(name)], (rows, bodies, width)).copy()
            for body, of_body in given.items():
                if len(of_body) not in (1, rows):
                    raise UsageError([Problem(f"{name}: expected {rows} rows of {body!r}, found {len(of_body)}")])
                out[:, self.bodies.index(body)] = of_body
            return out
        array = numpy.asarray(values, float)
        if array.ndim == 2:
            array = array[None]
        if array.ndim != 3 or array.shape[1:] != (bodies, width):
            raise UsageError([Problem(f"{name}: expected the shape (configurations, {bodies}, {width}), the bodies "
                                      f"{self.bodies}, found {array.shape}")])
        return array

    @staticmethod
    def _field(name: str) -> str:
        return {"position": "position_m", "orientation": "orientation", "velocity": "velocity_m_per_s",
                "angular_velocity": "angular_velocity_rad_per_s"}[name]

    def __call__(self, position: Any = None, orientation: Any = None, velocity: Any = None,
                 angular_velocity: Any = None) -> Contacts:
        """Contacts of every configuration.

        position          (configurations, bodies, 3) m of the body frames, bodies in the order of `bodies`; or
                          {body: (configurations, 3) or (3,)}. What is not given is as the scene starts
        orientation       (configurations, bodies, 4), quaternions (w, x, y, z) of any length > 0, or a dict
        velocity          (configurations, bodies, 3) m/s; angular_velocity rad/s, world axes; or dicts

        Raises CorruptError (a number that is not finite, a quaternion of length 0), UsageError (a shape).
        """
        widths = {"position": 3, "orientation": 4, "velocity": 3, "angular_velocity": 3}
        given = dict(position=position, orientation=orientation, velocity=velocity, angular_velocity=angular_velocity)
        spread = {name: self._spread(values, name, widths[name]) for name, values in given.items()}
        rows = max([1] + [len(values) for values in spread.values() if values is not None])
        states = numpy.broadcast_to(self._start, (rows, len(self.bodies))).copy()
        for name, values in spread.items():
            if values is None:
                continue
            if len(values) not in (1, rows):
                raise UsageError([Problem(f"{name}: expected {rows} configurations, found {len(values)}")])
            states[self._field(name)] = values
        out = sized("ClackContacts")
        with Report() as report:
            report.check(lib.clack_evaluate(self._pointer, rows, ffi.cast("ClackBodyState *", ffi.from_buffer(states)),
                                            out, report.pointer))
        try:
            first = rows_of(out.first, rows + 1, numpy.dtype(numpy.uint64)).astype(numpy.int64)
            first_region = rows_of(out.first_region, rows + 1, numpy.dtype(numpy.uint64)).astype(numpy.int64)
            return Contacts(rows_of(out.rows, out.row_count, _CONTACT), first,
                            rows_of(out.regions, out.region_count, _REGION), first_region, self.bodies)
        finally:
            lib.clack_contacts_free(out)


def evaluate(study: Source, position: Any = None, orientation: Any = None, velocity: Any = None,
             angular_velocity: Any = None, **options: Any) -> Contacts:
    """Contacts and forces of poses, once: Evaluator(study, **options)(position, ...)."""
    with Evaluator(study, **options) as evaluator:
        return evaluator(position, orientation, velocity, angular_velocity)
