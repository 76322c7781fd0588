#!/bin/sh
# Registers, stack and spills of every kernel on an NVIDIA GPU, without one: clang makes PTX, ptxas machine code.
#   sh bench/registers.sh [-a sm_90] [CLANG_OPTION ...]        options as of the kernels' build, such as -DLANES=8
# Needs clang, libclc (Debian: libclc-14) and ptxas (of the CUDA toolkit). The driver's own compiler can differ a little.
# 77: skipped, something of these is not there.
set -u
architecture=sm_90
[ "${1:-}" = -a ] && { architecture=$2; shift 2; }
[ $# -gt 0 ] || set -- -DLANES=1
root=$(cd "$(dirname "$0")/.." && pwd)
library=$(find /usr/lib/clc /usr/share/clc -name 'nvptx64--nvidiacl.bc' 2>/dev/null | head -n 1)
ptxas=$(command -v ptxas || find /usr/local -path '*/bin/ptxas' 2>/dev/null | head -n 1)
command -v clang >/dev/null 2>&1 && [ -n "$library" ] && [ -n "$ptxas" ] || {
    echo "skipped: clang, libclc or ptxas is not there"
    exit 77
}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
echo "$architecture, $*"
printf '%-18s %9s %9s %13s %13s\n' kernel registers 'stack, B' 'spill stores' 'spill loads'
status=0
for file in "$root"/kernels/*.cl; do
    clang -x cl -cl-std=CL1.2 -target nvptx64-nvidia-nvcl -march=sm_80 -Xclang -finclude-default-header -O3 \
        -Xclang -mlink-builtin-bitcode -Xclang "$library" -Wno-linker-warnings -Dcl_khr_fp64=1 -I "$root/kernels" "$@" \
        -S "$file" -o "$folder/kernels.ptx" &&
        "$ptxas" -arch="$architecture" -v "$folder/kernels.ptx" -o "$folder/kernels.cubin" > "$folder/log" 2>&1 ||
        { status=1; continue; }
    awk -F"'" '
        /Compiling entry function/ { name = $2; stack = stores = loads = 0 }
        /bytes stack frame/ { split($0, word, /[^0-9]+/); stack += word[2]; stores += word[3]; loads += word[4] }
        /Used [0-9]+ registers/ { sub(/.*Used /, ""); printf "%-18s %9d %9d %13d %13d\n", name, $0 + 0, stack, stores, loads }' "$folder/log"
done
exit $status
