#!/bin/sh
# Let each OpenCL call of a run fail once: the program says so and ends with exit code 5, or does without
# (a broken cache, a batch halved for want of memory) and ends with 0; it leaves no partial file.
# Usage: check_opencl_failures.sh PROGRAM SHIM. 77: skipped, no OpenCL device.
program=$1 shim=$2
"$program" devices | grep -q '^0 .* yes ' || {
    echo "skipped: no OpenCL device"
    exit 77
}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
cat >study.yaml <<'TEXT'
format: 1
units: SI
scene:
  bodies:
    ground: {fixed: true, material: steel, shapes: [{half_space: {normal: [0, 0, 1]}}]}
    ball: {material: steel, shapes: [{sphere: {diameter: 0.1}}], position: [0, 0, 0.2]}
design: {monte_carlo: {samples: 4, seed: 1}}
solver: {end: 0.2}
outputs: {quantities: {impacts: {count: contact_begin}}}
TEXT
export CLACK_CACHE_DIR="$folder/cache"
"$program" run study.yaml -q -d 0 -o good.h5 || exit 1

INVALID_COMMAND_QUEUE=-36 # what a lost device answers
OUT_OF_RESOURCES=-5
breaches=0 runs=0 failed=0
try() { # number of the call, error
    rm -rf x.h5 x.h5.parts
    LD_PRELOAD=$shim CLACK_TEST_FAIL_CALL=$1 CLACK_TEST_FAIL_ERROR=$2 \
        "$program" run study.yaml -q -d 0 -o x.h5 2>err.txt
    code=$?
    grep -q '^shim:' err.txt || return 1 # the run has fewer calls
    runs=$((runs + 1))
    wrong=
    case $code in
    0) [ -f x.h5 ] || wrong="no file" ;;
    5) failed=$((failed + 1))
       grep -q '^clack: ' err.txt || wrong="no message"
       [ ! -f x.h5 ] || wrong="a file is left" ;;
    *) wrong="exit code $code" ;;
    esac
    [ ! -e x.h5.parts ] || wrong="a folder of shards is left"
    if [ -n "$wrong" ]; then
        echo "call $1, error $2: $wrong"
        cat err.txt
        breaches=$((breaches + 1))
    fi
}
call=1
while try $call $INVALID_COMMAND_QUEUE; do call=$((call + 1)); done
lost=$failed
call=1
while try $call $OUT_OF_RESOURCES; do call=$((call + 5)); done
echo "$runs runs, $failed ended with exit code 5 ($lost of them for a lost device), $breaches breaches"
[ "$breaches" = 0 ] && [ "$lost" -gt 20 ]
