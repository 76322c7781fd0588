#!/bin/sh
# What the counters of an NVIDIA GPU tell of `advance`: Nsight Compute (ncu) does not see OpenCL, so the program runs
# over CUDA's driver (by_cuda.c), on machine code that was made beforehand, anywhere.
#   sh bench/nvidia/profile.sh make FOLDER LIBRARY STUDY...         FOLDER gets the builds that an H100 has for studies
#   sh bench/nvidia/profile.sh run FOLDER STUDY [ARGUMENT of clack run]...    on the GPU: tables, and what lies below
# make: needs ptxas (of the CUDA toolkit; CLACK_PTXAS) and LIBRARY, libnvidia-nvvm.so.4 of a driver (Debian:
# libnvidia-nvvm4 of non-free). CLACK_REGISTERS: at most so many (default 255); CLACK_ARCHITECTURE (default sm_90).
# run: needs ncu; without it the study is run alone. Of the launches of `advance` the one after CLACK_PROFILE_SKIP
# others (default 3) is profiled. FOLDER/STUDY.txt: tables; .raw.csv: every counter, among them
# lts__t_sectors_srcunit_gcc.sum (sectors of instructions read from L2); .source.csv: every instruction, how often it
# ran, what it waited for (by_function.py FOLDER/STUDY.source.csv CUBIN: function by function).
# CLACK_QUEUES=N: builds whose groups of N work-items serve scenes from queues, and runs of these.
# Second builds and evaluators are not made. 77: something is not there.
set -u
mode=${1:?usage: profile.sh make|run FOLDER ...} folder=${2:?which folder?}
shift 2
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${CLACK_BENCH_BUILD:-$root/build}
mkdir -p "$folder" || exit 1
folder=$(cd "$folder" && pwd)

make_one() { # OPTIONS LIBRARY TEXT
    source=$build/kernel_${3}_embedded.c.cl
    name=$folder/$(python3 - "$1" "$source" <<'EOF'
import sys
hash_ = 14695981039346656037
for byte in sys.argv[1].encode() + open(sys.argv[2], "rb").read():
    hash_ = (hash_ ^ byte) * 1099511628211 % 2**64
print("%016x" % hash_)
EOF
    )
    [ -s "$name.cubin" ] && return
    "$build/nvidia_compile" "$2" "$source" "$name.ptx" "$1 -cl-nv-cstd=CL1.2 -cl-nv-arch $architecture -nv-m64" \
        > "$name.log" 2>&1 || { tail -n 3 "$name.log"; return 1; }
    # As CUDA's driver takes it: no texture mode, kernels to be seen, launches without an offset.
    sed -i -e 's/, texmode_independent//' -e 's/^\.entry/.visible .entry/' -e 's/%envreg[0-9]*;/0;/' "$name.ptx"
    "$ptxas" -arch="$architecture" --maxrregcount="${CLACK_REGISTERS:-255}" "$name.ptx" -o "$name.cubin" &&
        rm "$name.ptx" "$name.log"
}

if [ "$mode" = make ]; then
    architecture=${CLACK_ARCHITECTURE:-sm_90}
    ptxas=${CLACK_PTXAS:-$(command -v ptxas || find /usr/local -path '*/bin/ptxas' 2>/dev/null | head -n 1)}
    library=${1:?which library?}
    shift
    if [ -z "$ptxas" ] || [ ! -e "$library" ]; then
        echo "skipped: ptxas or $library is not there"
        exit 77
    fi
    cmake --build "$build" --target build_options nvidia_compile nvidia_by_cuda clack_program > /dev/null || exit 1
    "$build/build_options" ${CLACK_QUEUES:+-q "$CLACK_QUEUES"} "$@" > "$folder/builds.txt" || exit 1
    "$build/build_options" -x "${CLACK_QUEUES:-0}" > "$folder/exact.txt" || exit 1 # of opening a device
    while read -r study items options; do
        make_one "$options" "$library" exact || exit 1
    done < "$folder/exact.txt"
    while read -r study items options; do
        make_one "$options" "$library" source || exit 1
        echo "$study, $items work-items a scene: made"
    done < "$folder/builds.txt"
    exit 0
fi
study=${1:?which study?}
shift
name=$folder/$(basename "$study" .yaml)
ncu=$(command -v ncu || find /usr/local /opt/nvidia -name ncu -type f 2>/dev/null | head -n 1)
set -- run "$study" --device gpu ${CLACK_QUEUES:+--queues "$CLACK_QUEUES"} -o "$name.h5" --overwrite -v "$@"
export CLACK_CUDA_FOLDER="$folder"
preload=$build/libnvidia_by_cuda.so
if [ -z "$ncu" ]; then
    CLACK_CUDA_LOG=1 LD_PRELOAD=$preload "$build/clack" "$@"
    exit
fi
"$ncu" --target-processes all --kernel-name regex:advance --launch-skip "${CLACK_PROFILE_SKIP:-3}" --launch-count 1 \
    --section SpeedOfLight --section MemoryWorkloadAnalysis --section MemoryWorkloadAnalysis_Tables \
    --section SchedulerStats --section WarpStateStats --section Occupancy --section InstructionStats \
    --section SourceCounters --section LaunchStats --force-overwrite --export "$name" \
    env LD_PRELOAD="$preload" "$build/clack" "$@" || exit 1
"$ncu" --import "$name.ncu-rep" --page details > "$name.txt"
"$ncu" --import "$name.ncu-rep" --page raw --csv > "$name.raw.csv"
"$ncu" --import "$name.ncu-rep" --page source --csv > "$name.source.csv"
cat "$name.txt"
