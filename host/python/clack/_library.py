"""The shared library, by cffi's ABI mode: what clack.h declares, nothing compiled for Python."""
from __future__ import annotations

import os
import re
from pathlib import Path

import cffi

_HERE = Path(__file__).resolve().parent
# Debian's packages of the libraries that libclack.so needs, where the loader does not find one.
_PACKAGES = {"libOpenCL": "ocl-icd-libopencl1", "libclblast": "libclblast1", "libdeflate": "libdeflate0",
             "libfyaml": "libfyaml0", "libhdf5": "libhdf5-103-1 and libhdf5-hl-100", "libjansson": "libjansson4",
             "libqhull": "libqhull-r8.0", "libcrypto": "libssl3"}


def library_path() -> Path:
    """Path of libclack.so: CLACK_LIBRARY of the environment, else the one that came with this package."""
    named = os.environ.get("CLACK_LIBRARY")
    return Path(named) if named else _HERE / "libclack.so"


def _declarations() -> str:
    """clack.h as its preprocessor leaves it, written where the library is built."""
    beside = library_path().parent / "clack_declarations.h"
    path = beside if beside.exists() else _HERE / "clack_declarations.h"
    try:
        return path.read_text()
    except OSError as error:
        raise ImportError(f"clack: {path} is missing ({error.strerror}); install the package again") from error


def _missing(error: OSError) -> ImportError:
    """The loader's message, with what to install."""
    text = str(error)
    found = re.search(r"(lib[A-Za-z0-9_+-]+)[^:]*: cannot open shared object file", text)
    hint = ""
    for start, package in _PACKAGES.items():
        if found and found.group(1).startswith(start):
            hint = f" (Debian: apt install {package})"
    return ImportError(f"clack: {library_path()} cannot be loaded: {text}{hint}")


def _load():
    declared = cffi.FFI()
    declared.cdef(_declarations() + "void free(void *);")
    try:
        return declared, declared.dlopen(str(library_path()))
    except OSError as error:
        raise _missing(error) from error


ffi, lib = _load()
if "CLACK_DATA_DIR" not in os.environ and (_HERE / "data" / "materials.yaml").exists():
    DATA_DIR = str(_HERE / "data")
else:
    DATA_DIR = None


def sized(struct: str):
    """A struct of the caller's with nothing in it but its size."""
    made = ffi.new(f"{struct} *")
    made.size = ffi.sizeof(struct)
    return made


def text(pointer) -> str:
    """A C string; a char array too."""
    return ffi.string(pointer).decode("utf-8", "replace")


def version() -> str:
    """Version of the package, which is that of its library."""
    from importlib import metadata
    try:
        return metadata.version("clack")
    except metadata.PackageNotFoundError: # run from the source tree
        return "0+source"
