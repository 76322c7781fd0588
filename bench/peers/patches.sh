#!/bin/sh
# Forces of contact patches of clack, Drake (hydroelastic contact) and Simbody (elastic foundation), in one run:
#   sh bench/peers/patches.sh [--install] [--quick] [--build FOLDER] [--work FOLDER] [-o FILE]
# Builds clack in the build folder (default build/) and Simbody's program in the work folder (default build/peers/).
# What is not there is told and left out; --install fetches Simbody from Debian (root or sudo) and Drake from PyPI
# (requirements.txt). --quick: fewer poses and triangles, to see that all runs. FILE: gets what is printed.
set -u
. "$(dirname "$0")/options.sh"

if [ -n "$install" ]; then
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    $as_root apt-get install -qy --no-install-recommends libsimbody-dev python3-h5py python3-pip python3-scipy ||
        echo "not to be had: libsimbody-dev"
    # Without what Drake asks for besides NumPy: drawing and other solvers.
    [ -d "$work/drake" ] || $python -m pip install -q --target "$work/drake" --no-deps -r "$here/requirements.txt" ||
        echo "not to be had: Drake from PyPI"
fi

cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release > "$work/patches_build.txt" 2>&1 &&
    cmake --build "$build" --target clack_program >> "$work/patches_build.txt" 2>&1 ||
    { tail -n 30 "$work/patches_build.txt"; exit 1; }
rm -f "$work/patch_simbody"
g++ -O3 -march=native -w "$here/patch_simbody.cc" -o "$work/patch_simbody" -isystem /usr/include/simbody \
    -lSimTKsimbody -lSimTKmath -lSimTKcommon >> "$work/patches_build.txt" 2>&1 ||
    echo "left out: Simbody (libsimbody-dev is not there, see $work/patches_build.txt)"
# shellcheck disable=SC2086
$python "$here/patches.py" "$build/clack" "$work" --drake "$work/drake" ${out:+-o "$out"} $quick
