#!/bin/sh
# Shared by tests/run.sh and data/demo.sh: install what tests/packages.txt lists and is missing, then
# build in build/ (Release), all of it or the targets named. Everything it says goes to stderr.
set -e
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
exec >&2

packages=$(sed 's/#.*//' tests/packages.txt)
missing=
for package in $packages; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
if [ -n "$missing" ]; then
    echo "installing:$missing"
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    $as_root apt-get update -q
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
fi

cmake -S . -B build -DCMAKE_BUILD_TYPE=Release
cmake --build build -j "${CLACK_JOBS:-$(nproc)}" ${*:+--target "$@"}
