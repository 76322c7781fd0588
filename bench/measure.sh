#!/bin/sh
# Build, test and measure on this machine, in one go: for machines that are lent for minutes.
#   sh bench/measure.sh FOLDER [DEVICE ...]
# Puts into FOLDER: devices.txt, tests.txt (ctest's output), build_log_<device>.txt (the OpenCL compiler's
# log: registers and spills where the driver tells them), studies.txt (bench_studies),
# evaluate.txt (bench_evaluate). Installs nothing.
set -u
folder=${1:?usage: measure.sh FOLDER [DEVICE ...]}
shift
[ $# -gt 0 ] || set -- native gpu
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$folder" || exit 1
folder=$(cd "$folder" && pwd)
cd "$root" || exit 1
cmake -S . -B build -DCMAKE_BUILD_TYPE=Release > "$folder/build.txt" 2>&1 &&
    cmake --build build -j "$(nproc)" >> "$folder/build.txt" 2>&1 &&
    cmake --build build --target bench_studies bench_evaluate >> "$folder/build.txt" 2>&1 ||
    { tail -n 40 "$folder/build.txt"; exit 1; }
build/clack devices | tee "$folder/devices.txt"
for device in "$@"; do
    [ "$device" = native ] && continue
    build/clack run data/chain.yaml --device "$device" --scene 0 --dump-build-log > "$folder/build_log_$device.txt" 2>&1
done
build/bench_studies -r 3 "$@" 2>&1 | tee "$folder/studies.txt"
build/bench_evaluate -r 5 "$@" 2>&1 | tee "$folder/evaluate.txt"
ctest --test-dir build -j "$(nproc)" --timeout 300 > "$folder/tests.txt" 2>&1
tail -n 20 "$folder/tests.txt"
