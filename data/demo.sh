#!/bin/sh
# Install what is missing, build, run the bouncing-sphere study into bouncing_sphere.h5 in this folder,
# and say how to open it. Works from any folder.
set -e
root=$(cd "$(dirname "$0")/.." && pwd)
sh "$root/tests/install_and_build.sh" clack_program
"$root/build/clack" run "$root/data/bouncing_sphere.yaml" --overwrite -o bouncing_sphere.h5
"$root/build/clack" info bouncing_sphere.h5
cat <<'TEXT'

Open it in Python:
    import xarray
    ensemble = xarray.open_dataset("bouncing_sphere.h5")
    print(ensemble)
TEXT
