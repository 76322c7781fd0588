#!/bin/sh
# Install what is missing, build, run all tests. Works from any folder; arguments go to ctest.
set -e
root=$(cd "$(dirname "$0")/.." && pwd)
sh "$root/tests/install_and_build.sh"
ctest --test-dir "$root/build" --output-on-failure -j "${CLACK_JOBS:-$(nproc)}" "$@"
