#!/bin/sh
# Joints of clack beside Exudyn and MuJoCo, on the same pendulums, linkages and chains in one run:
#   sh bench/peers/joints.sh [--install] [--quick] [--build FOLDER] [--work FOLDER] [-o FILE]
# Builds clack in the build folder (default build/); the others lie in the work folder (default build/peers/), each in a
# folder of its own. What is not there is told and left out; --install fetches it from PyPI (joints_requirements.txt,
# quasi_requirements.txt). --quick: steps of 4 ms alone, without the longest chain, to see that all runs. FILE: gets
# what is printed.
set -u
. "$(dirname "$0")/options.sh"

# Without what they ask for besides NumPy and SciPy: drawing.
from_pypi() {
    [ ! -d "$work/$1" ] || return 0
    grep -h "^$1" "$here/joints_requirements.txt" "$here/quasi_requirements.txt" > "$work/$1.txt"
    $python -m pip install -q --target "$work/$1" --no-deps -r "$work/$1.txt" || echo "not to be had: $1 from PyPI"
}

if [ -n "$install" ]; then
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    $as_root apt-get install -qy --no-install-recommends python3-h5py python3-pip python3-numpy python3-scipy
    for peer in exudyn mujoco; do from_pypi $peer; done
fi

cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release > "$work/joints_build.txt" 2>&1 &&
    cmake --build "$build" --target clack_program >> "$work/joints_build.txt" 2>&1 ||
    { tail -n 30 "$work/joints_build.txt"; exit 1; }
# shellcheck disable=SC2086
OPENBLAS_NUM_THREADS=1 $python "$here/joints.py" "$build/clack" "$work" ${out:+-o "$out"} $quick
