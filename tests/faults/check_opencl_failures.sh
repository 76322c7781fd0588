#!/bin/sh
# Let each OpenCL call of a run fail once: the program says so and ends with exit code 5, or does without
# (a broken cache, a batch halved for want of memory) and ends with 0 and the same results; it leaves no partial file.
# So with no cache of kernels, one that is written, and one that is read; which is not, where others could write it.
# Usage: check_opencl_failures.sh PROGRAM SHIM [--all]. A sample of the calls, other ones for each error and cache; with
# --all each of them. 77: skipped, no OpenCL device.
program=$1 shim=$2
step=8
[ "${3:-}" != --all ] || step=1
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
export CLACK_CACHE_DIR="$folder/cache" CLACK_CACHE=1 # PoCL's runs have none by themselves
values() { "$program" export "$1" --csv --table scenes; }
"$program" run study.yaml -q -d 0 -o good.h5 && values good.h5 >good.csv || exit 1
cp -a cache warm

INVALID_COMMAND_QUEUE=-36 # what a lost device answers
OUT_OF_RESOURCES=-5
breaches=0 runs=0 failed=0
try() { # number of the call, error, cache: none, cold, warm
    rm -rf x.h5 x.h5.parts cache
    [ "$3" != warm ] || cp -a warm cache
    [ "$3" = none ] && CLACK_CACHE=0 || CLACK_CACHE=1
    LD_PRELOAD=$shim CLACK_TEST_FAIL_CALL=$1 CLACK_TEST_FAIL_ERROR=$2 \
        "$program" run study.yaml -q -d 0 -o x.h5 2>err.txt
    code=$?
    grep -q '^shim:' err.txt || return 1 # the run has fewer calls
    runs=$((runs + 1))
    wrong=
    case $code in
    0) [ -f x.h5 ] && values x.h5 | cmp -s - good.csv || wrong="exit code 0 without the good file's results" ;;
    5) failed=$((failed + 1))
       grep -q '^clack: ' err.txt || wrong="no message"
       [ ! -f x.h5 ] || wrong="a file is left" ;;
    *) wrong="exit code $code" ;;
    esac
    [ ! -e x.h5.parts ] || wrong="a folder of shards is left"
    if [ -n "$wrong" ]; then
        echo "call $1, error $2, cache $3: $wrong"
        cat err.txt
        breaches=$((breaches + 1))
    fi
}
every() { # error, cache, first call
    call=$3
    while try $call "$1" "$2"; do call=$((call + step)); done
}
every $INVALID_COMMAND_QUEUE none 1
lost=$failed
every $OUT_OF_RESOURCES none $((step > 1 ? 2 : 1))
every $OUT_OF_RESOURCES cold $((step > 2 ? 3 : 1))
every $OUT_OF_RESOURCES warm $step

# Whether a run takes its kernels from the cache as it stands.
takes_cache() {
    LD_PRELOAD=$shim CLACK_TEST_NAME_CALLS=1 "$program" run study.yaml -q -d 0 --overwrite -o x.h5 2>err.txt || exit 1
    values x.h5 | cmp -s - good.csv || { echo "other results"; breaches=$((breaches + 1)); }
    grep -q '^call: clCreateProgramWithBinary' err.txt
}
breach() { echo "cache: $1"; breaches=$((breaches + 1)); }
anew() { rm -rf cache && cp -a warm cache; }
CLACK_CACHE=1
anew && { takes_cache || breach "is not read"; }
[ "$(stat -c %a cache)" = 700 ] || breach "its folder has mode $(stat -c %a cache)"
anew && chmod 777 cache && takes_cache && breach "is read from a folder that all may write"
anew && chmod 666 cache/*.bin && takes_cache && breach "a file that all may write is read"
anew && truncate -s -1 cache/*.bin && takes_cache && breach "a file that was cut is read"
if [ "$(id -u)" = 0 ]; then # only then is there another's file
    anew && chown 1 cache/*.bin && takes_cache && breach "another user's file is read"
    anew && chown 1 cache && takes_cache && breach "another user's folder is read"
fi
echo "$runs runs, $failed ended with exit code 5 ($lost of them for a lost device), $breaches breaches"
[ "$breaches" = 0 ] && [ "$lost" -gt 20 ]
