#!/bin/sh
# Does what NVIDIA's OpenCL compiler makes of the kernels give native's bits? Told without a GPU: its PTX becomes C,
# which is run on a processor with every address checked (ptx_to_c.py, run_ptx.c).
#   sh bench/nvidia/bits.sh LIBRARY [ARGUMENT]...
# LIBRARY: libnvidia-nvvm.so.4 of a driver (Debian: libnvidia-nvvm4 of non-free). ARGUMENT: of bench/same_bits.py;
# default: --share 32 --random 256 --scenes 8. A build takes a minute or two of a processor; they are kept in
# CLACK_PTX_FOLDER (default: a folder that is removed). Builds in which several work-items share a scene are refused.
# Needs the build folder (build, or CLACK_BENCH_BUILD), a processor with fma, and an OpenCL device (PoCL), the first of
# which is used. 77: something is not there.
set -u
if [ "${1:-}" = --make ]; then # SOURCE OPTIONS LIBRARY.so, called by run_ptx.c
    name=${4%.so}
    "$CLACK_PTX_COMPILE" "$CLACK_PTX_NVVM" "$2" "$name.ptx" "$3 -cl-nv-cstd=CL1.2 -cl-nv-arch sm_90 -nv-m64" \
        2> "$name.log" || { tail -n 3 "$name.log" >&2; exit 1; }
    python3 "$(dirname "$0")/ptx_to_c.py" "$name.ptx" "$name.c" || exit 1
    cc -O1 -ffp-contract=off -fno-strict-aliasing -mfma -shared -fPIC "$name.c" -o "$name.$$.so" -lm &&
        mv "$name.$$.so" "$4"
    exit
fi
library=${1:?usage: bits.sh LIBRARY [ARGUMENT ...]}
shift
[ $# -gt 0 ] || set -- --share 32 --random 256 --scenes 8
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${CLACK_BENCH_BUILD:-$root/build}
[ -e "$library" ] || { echo "skipped: $library is not there"; exit 77; }
cmake --build "$build" --target nvidia_compile nvidia_run_ptx clack_program > /dev/null || exit 1
if [ -z "${CLACK_PTX_FOLDER:-}" ]; then
    CLACK_PTX_FOLDER=$(mktemp -d) || exit 1
    trap 'rm -rf "$CLACK_PTX_FOLDER"' EXIT
fi
CLACK_PTX_MAKE="sh $root/bench/nvidia/bits.sh --make"
CLACK_PTX_COMPILE=$build/nvidia_compile
CLACK_PTX_NVVM=$(readlink -f "$library")
export CLACK_PTX_FOLDER CLACK_PTX_MAKE CLACK_PTX_COMPILE CLACK_PTX_NVVM
LD_PRELOAD=$build/libnvidia_run_ptx.so python3 "$root/bench/same_bits.py" "$build/clack" "$build/clack" \
    --against native --devices 0 "$@"
