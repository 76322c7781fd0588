#!/bin/sh
# Quasi-rigid bodies of clack beside Drake, MuJoCo, PyBullet and Siconos, on the same scenes in one run:
#   sh bench/peers/quasi_rigid.sh [--install] [--quick] [--build FOLDER] [--work FOLDER] [-o FILE]
# Builds clack in the build folder (default build/); the others lie in the work folder (default build/peers/), each in a
# folder of its own. What is not there is told and left out; --install fetches it: Drake, MuJoCo and PyBullet from PyPI
# (requirements.txt, quasi_requirements.txt), Siconos from Debian, whose packages are unpacked there, not installed.
# --quick: steps of 0.01 s alone, to see that all runs. FILE: gets what is printed.
set -u
. "$(dirname "$0")/options.sh"

# Without what they ask for besides NumPy: drawing and other solvers.
from_pypi() {
    [ ! -d "$work/$1" ] || return 0
    grep -h "^$1" "$here/requirements.txt" "$here/quasi_requirements.txt" > "$work/$1.txt"
    $python -m pip install -q --target "$work/$1" --no-deps -r "$work/$1.txt" || echo "not to be had: $1 from PyPI"
}

# Libraries that the machine lacks, without headers.
from_debian() {
    [ ! -d "$work/siconos" ] || return 0
    mkdir -p "$work/siconos/packages"
    list=$(apt-get install -s --no-install-recommends python3-siconos |
        awk '/^Inst/ && $2 !~ /-dev$|^siconos$/ { print $2 }')
    # shellcheck disable=SC2086
    if [ -z "$list" ] || ! (cd "$work/siconos/packages" && apt-get download -q $list); then
        echo "not to be had: python3-siconos"
        return 0
    fi
    for package in "$work"/siconos/packages/*.deb; do dpkg -x "$package" "$work/siconos"; done
}

if [ -n "$install" ]; then
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    $as_root apt-get install -qy --no-install-recommends python3-h5py python3-pip python3-numpy
    for peer in drake mujoco pybullet; do from_pypi $peer; done
    from_debian
fi

cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release > "$work/quasi_build.txt" 2>&1 &&
    cmake --build "$build" --target clack_program >> "$work/quasi_build.txt" 2>&1 ||
    { tail -n 30 "$work/quasi_build.txt"; exit 1; }
# shellcheck disable=SC2086
$python "$here/quasi_rigid.py" "$build/clack" "$work" ${out:+-o "$out"} $quick
