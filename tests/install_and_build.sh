#!/bin/sh
# Shared by tests/run.sh and data/demo.sh: install what is missing, then build in build/ (Release). Everything it says
# goes to stderr. With targets: these alone, with what host/package/packages.txt lists; without: all, and tests with
# what tests/packages.txt lists.
set -e
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
exec >&2

lists=host/package/packages.txt
testing=OFF
if [ $# = 0 ]; then
    lists="$lists tests/packages.txt"
    testing=ON
fi
missing=
for package in $(cat $lists | sed 's/#.*//'); do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
if [ -n "$missing" ]; then
    echo "installing:$missing"
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    $as_root apt-get update -q
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
fi

cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=$testing
cmake --build build -j "${CLACK_JOBS:-$(nproc)}" ${*:+--target "$@"}
