"""clack: batches of contact simulations, NumPy in and out.

run(study, table=..., output=...)    every scene of a study: parameters and quantities as arrays, an ensemble file
evaluate(study, position, ...)       contacts and forces of poses of your own, without stepping
open(path)                           an ensemble file as xarray datasets and pandas tables
Study(source)                        a study that is read and checked: a file, text, or a dict with the same keys
devices()                            what scenes can be run on

Units are SI, angles rad, quaternions (w, x, y, z) from body to world. Errors: Error and its subclasses.
"""
from ._errors import (CorruptError, DeviceError, Error, FailedScenes, FileError, Problem, StudyError, StudyWarning,
                      UsageError)
from ._evaluate import Contacts, Evaluator, evaluate
from ._file import Ensemble, open  # noqa: A004
from ._library import library_path, version
from ._run import Result, Share, devices, release, resume, run
from ._study import Study

__version__ = version()
__all__ = ["Contacts", "CorruptError", "DeviceError", "Ensemble", "Error", "Evaluator", "FailedScenes", "FileError",
           "Problem", "Result", "Share", "Study", "StudyError", "StudyWarning", "UsageError", "devices", "evaluate",
           "library_path", "open", "release", "resume", "run"]
