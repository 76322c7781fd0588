#!/bin/sh
# Build, test and measure on this machine in one go, without a network:
# for machines with a GPU that are lent for minutes.
#   sh bench/gpu.sh FOLDER [DEVICE ...]          DEVICE as of clack --device; default: gpu native
# Needs what clack is built from (host/package/packages.txt) and the GPU's OpenCL driver (clack devices lists it),
# and installs nothing.
# Puts into FOLDER: machine.txt, devices.txt; for each device but native, before all else, selftest_<device>.txt and
# bits_<device>.txt (does it give native's bits: bench/same_bits.py); bench_<device>.txt and .json (clack bench),
# start_<device>.txt and .log (whole processes from their start to the first result, with nothing compiled and again;
# what they said),
# build_log_<device>.txt (the OpenCL compiler's), compile_<device>.txt and code_<device>.json and .txt (how long
# compiling took; registers and spills where the driver tells them), operations.json and arithmetic.txt (the kernels'
# arithmetic and what of the device's it reaches), scaling.svg and scaling.txt, one_core.json and .txt (W1 and W2 on one
# thread of the processor), bars.txt (what an H100 has to reach, got, met; of it alone: python3 bench/gpu_bars.py
# FOLDER), tests.txt (ctest's output).
# CLACK_BENCH_TIME: seconds for each point of clack bench (default 1).
# CLACK_BENCH_LIMIT: seconds after which a command is stopped, and told as such (default 540): a compiler need not end.
# Each part of the bench is a command, so that a part ends within ten minutes; so are the build, what is compiled
# beforehand, counts, tests. Compilers are given up before (CLACK_BUILD_LIMIT, four fifths of it), with a message.
# CLACK_BENCH_BITS=0: no comparison of bits.
# CLACK_BENCH_QUEUES: work-items of groups that serve scenes from queues, with which workloads are measured, and bits
# compared, once more (default 256; 0: not): queues_<device>.json and .txt, bits_<device>_queues.txt.
# CLACK_BENCH_PARTS: parts of it (default all but code), each into parts/; merge_parts.py makes bench_<device>.json of
# them, and of what is there from an earlier call.
# A GPU's compiler takes seconds to minutes for a build, one after the other: what the bench asks for is compiled
# beforehand, as many at once as there are processors (CLACK_BENCH_COMPILE=0: not). What was measured is written after
# each part, what is told of the code last (CLACK_BENCH_CODE=0: not).
# CLACK_BENCH_TESTS=0: no tests. Where a command may take minutes only: CLACK_BENCH_TESTS=0 CLACK_BENCH_TIME=0.2 and one
# device after the other into the same FOLDER, the tests last; what is built and measured stays.
set -u
folder=${1:?usage: gpu.sh FOLDER [DEVICE ...]}
shift
[ $# -gt 0 ] || set -- gpu native
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$folder" || exit 1
folder=$(cd "$folder" && pwd)
build=${CLACK_BENCH_BUILD:-$root/build}
time=${CLACK_BENCH_TIME:-1}
limit=${CLACK_BENCH_LIMIT:-540}
queues=${CLACK_BENCH_QUEUES:-256}
export CLACK_BUILD_LIMIT="${CLACK_BUILD_LIMIT:-$((limit * 4 / 5))}"
mkdir -p "$folder/parts" || exit 1
cd "$root" || exit 1

# A command that ends, or is stopped.
bounded() {
    timeout -k 10 "$limit" "$@"
    ended=$?
    [ $ended -lt 124 ] || echo "stopped after $limit s, or killed: $*"
    return $ended
}

{ date; uname -srm; nproc; grep -m 1 'model name' /proc/cpuinfo; git describe --always --dirty 2>/dev/null; uptime; } \
    > "$folder/machine.txt"
targets="all count_operations"
[ "${CLACK_BENCH_TESTS:-1}" = 0 ] && targets="clack_program count_operations"
# The targets are words.
# shellcheck disable=SC2086
bounded cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release > "$folder/build.txt" 2>&1 &&
    bounded cmake --build "$build" -j "$(nproc)" --target $targets >> "$folder/build.txt" 2>&1 ||
    { tail -n 40 "$folder/build.txt"; exit 1; }
clack=$build/clack
bounded "$clack" devices 2>&1 | tee "$folder/devices.txt"

# Seconds of a process from its start to its end, with one scene.
first_result() {
    begin=$(date +%s.%N)
    bounded "$clack" run data/chain.yaml --device "$1" --scene 0 -q >> "$folder/start_$1.log" 2>&1 ||
        echo "failed: clack run -d $1: $(tail -n 1 "$folder/start_$1.log")"
    echo "$begin $(date +%s.%N)" | awk '{ printf "%.3f s\n", $2 - $1 }'
}

# Parts of the bench that compile, the longest first; or those that were asked for.
print_builds() {
    if [ -n "${CLACK_BENCH_PARTS:-}" ]; then
        for part in $CLACK_BENCH_PARTS; do echo "$part -n 1"; done
        return
    fi
    for part in W4 W6 W3 die W5 W2 W1 'W4 --lanes 1' 'W6 --lanes 1' bodies; do echo "$part -n 1"; done
    set -- half_space sphere capsule ellipsoid box cylinder cone beam hull
    while [ $# -gt 0 ]; do
        for other in "$@"; do [ "$1" = half_space ] && [ "$other" = half_space ] || echo "$1-$other -n 1"; done
        shift
    done
}

compile_all() {
    begin=$(date +%s)
    # Their tables tell nothing: of one scene, or pair, while all others compile. Whatever becomes of one, others go on,
    # and those that would begin after the limit are left out.
    print_builds | xargs -P "$(nproc)" -L 1 sh -c \
        'left=$(($1 - $(date +%s))) clack=$2; shift 2
        [ $left -gt 0 ] || { echo "left out, no time is left: bench $*" >&2; exit 0; }
        timeout -k 10 "$left" "$clack" bench -d "$@" --time 0.001 || echo "failed: bench $*" >&2' \
        sh "$((begin + limit))" "$clack" "$1" > /dev/null 2> "$folder/compile_$1.txt"
    echo "compiled in $(($(date +%s) - begin)) s, $(nproc) at once" | tee -a "$folder/compile_$1.txt"
}

# Those of the parts that are measured from queues, too.
print_queue_parts() {
    for part in W1 W2 W3 W4 die; do
        case " ${CLACK_BENCH_PARTS:-$part} " in *" $part "*) echo "$part" ;; esac
    done
}

# Parts of the bench, each by a command of its own, and all of them as one document: NAME DEVICE PARTS [OPTION...]
bench_parts() {
    name=$1 device=$2 parts=$3
    shift 3
    set -- -d "$device" --time "$time" "$@"
    : > "$folder/$name.txt"
    for part in $parts; do
        rm -f "$folder/parts/${name}_$part.json"
        bounded "$clack" bench "$part" "$@" -o "$folder/parts/${name}_$part.json" 2>&1 | tee -a "$folder/$name.txt"
        [ ! -s "$folder/parts/${name}_$part.json" ] || ! command -v python3 > /dev/null ||
            python3 bench/merge_parts.py "$folder/$name.json" "$folder/parts/${name}_$part.json"
    done
}

tell_bars() {
    command -v python3 > /dev/null && python3 bench/gpu_bars.py "$folder" | tee "$folder/bars.txt"
}

# At most 8 studies at once: a driver reserves the stack of all work-items that could be resident for each process.
check_device() {
    bounded "$clack" selftest --device "$1" 2>&1 | tee "$folder/selftest_$1.txt"
    [ "${CLACK_BENCH_BITS:-1}" = 0 ] && return
    jobs=$(nproc)
    [ "$jobs" -le 8 ] || jobs=8
    bounded python3 bench/same_bits.py "$clack" "$clack" --against native --devices "$1" --share 32 --random 256 \
        --scenes 16 --jobs "$jobs" --limit $((limit / 2)) 2>&1 | tee "$folder/bits_$1.txt"
    [ "$queues" = 0 ] ||
        bounded python3 bench/same_bits.py "$clack" "$clack" --against native --devices "$1+$queues" --share 32 \
            --random 256 --scenes 16 --jobs "$jobs" --limit $((limit / 2)) 2>&1 | tee "$folder/bits_$1_queues.txt"
}

for device in "$@"; do
    [ "$device" = native ] || check_device "$device"
done

all_parts="start pairs W1 W2 W3 W4 W5 W6 die bodies"
for device in "$@"; do
    : > "$folder/start_$device.log"
    caches=$(mktemp -d) || exit 1
    for run in cold warm; do
        printf '%s: ' $run
        CLACK_CACHE_DIR=$caches POCL_CACHE_DIR=$caches CUDA_CACHE_PATH=$caches first_result "$device"
    done | tee "$folder/start_$device.txt"
    rm -rf "$caches"
    [ "$device" = native ] || [ "${CLACK_BENCH_COMPILE:-1}" = 0 ] || compile_all "$device"
    [ "$device" = native ] ||
        bounded "$clack" run data/chain.yaml --device "$device" --scene 0 --dump-build-log \
            > "$folder/build_log_$device.txt" 2>&1
    bench_parts "bench_$device" "$device" "${CLACK_BENCH_PARTS:-$all_parts}"
    [ "$device" = native ] || [ "$queues" = 0 ] ||
        bench_parts "queues_$device" "$device" "$(print_queue_parts)" --queues "$queues"
done
bounded "$clack" bench W1 W2 -d native --threads 1 --time "$time" -o "$folder/one_core.json" \
    > "$folder/one_core.txt" 2>&1
bounded "$build/count_operations" -n 4 data/dropped_sphere.yaml data/ten_spheres.yaml data/tumbling_box.yaml \
    data/billiard_break.yaml > "$folder/operations.json" 2> "$folder/operations.log" ||
    { cat "$folder/operations.log"; tail -n 1 "$folder/operations.json"; rm "$folder/operations.json"; }
if command -v python3 > /dev/null; then
    python3 bench/arithmetic.py "$folder/operations.json" "$folder"/bench_*.json 2>&1 | tee "$folder/arithmetic.txt"
    python3 bench/scaling.py "$folder"/bench_*.json -o "$folder/scaling.svg" 2>&1 | tee "$folder/scaling.txt"
fi
tell_bars
# What tells of its code compiles anew, for minutes: when all else has been measured.
for device in "$@"; do
    [ "$device" = native ] || [ "${CLACK_BENCH_CODE:-1}" = 0 ] ||
        bounded "$clack" bench code -d "$device" --time 0.01 -o "$folder/code_$device.json" \
            > "$folder/code_$device.txt" 2>&1
done
tell_bars > /dev/null
[ "${CLACK_BENCH_TESTS:-1}" = 0 ] && exit 0
bounded ctest --test-dir "$build" -j "$(nproc)" --timeout 300 > "$folder/tests.txt" 2>&1
tail -n 20 "$folder/tests.txt"
