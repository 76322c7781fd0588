#!/bin/sh
# Registers, stack and spills of `advance` on an NVIDIA GPU, without one: clang makes PTX, ptxas machine code.
#   sh bench/registers.sh [-a sm_90] [-t SECONDS] [-o OPTIONS] [-n LIBRARY] [-e | -q ITEMS] [STUDY]...
# A line for each build that the program would make for these studies (default: those of clack bench), and below it the
# functions that spill or have more than 100 bytes of stack. Stack of a build is that of its deepest chain of calls.
# -e: of the evaluator's kernels instead. -q: of groups of so many work-items that serve scenes from queues.
# "everything" in place of a study is the build of everything, with the evaluator's kernels. -t: a compiler that takes
# longer is stopped, and told as such (default 600). -o: more options of clang, such as -DFN_ONCE=FN.
# Needs the build folder (build, or CLACK_BENCH_BUILD), clang, libclc (Debian: libclc-14; elsewhere its
# nvptx64--nvidiacl.bc as CLACK_LIBCLC) and ptxas (of the CUDA toolkit). The driver's own compiler differs: -n
# libnvidia-nvvm.so.4 of a driver (Debian: libnvidia-nvvm4 of non-free) makes the PTX by it, which also tells whether it
# ends (bench/results/nvidia-h100).
# 77: skipped, something of these is not there.
set -u
architecture=sm_90 limit=600 more='' status=0
file=advance evaluator='' nvidia=''
while getopts a:t:o:n:eq: option; do
    case $option in
    a) architecture=$OPTARG ;;
    t) limit=$OPTARG ;;
    o) more=$OPTARG ;;
    n) nvidia=$OPTARG ;;
    e) file=evaluate evaluator=-e ;;
    q) evaluator="-q $OPTARG" ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || for study in dropped_sphere ten_spheres tumbling_box packed_spheres billiard_break \
        thousand_spheres cuboid_die; do
    set -- "$@" "$root/data/$study.yaml"
done
build=${CLACK_BENCH_BUILD:-$root/build}
library=${CLACK_LIBCLC:-$(find /usr/lib/clc /usr/share/clc -name 'nvptx64--nvidiacl.bc' 2>/dev/null | head -n 1)}
ptxas=$(command -v ptxas || find /usr/local -path '*/bin/ptxas' 2>/dev/null | head -n 1)
if [ -z "$ptxas" ] || { [ -z "$nvidia" ] && { ! command -v clang > /dev/null 2>&1 || [ -z "$library" ]; }; }; then
    echo "skipped: clang, libclc or ptxas is not there"
    exit 77
fi
cmake --build "$build" --target build_options nvidia_compile > /dev/null || exit 1
if [ -n "$nvidia" ]; then
    front=$(basename "$(readlink -f "$nvidia")")
else
    front=$(clang --version | head -n 1)
fi
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

# What ptxas and the PTX tell of every function: NAME REGISTERS STACK STORES LOADS;
# a kernel, which has registers, first.
read_functions() {
    awk '
        FNR == NR && /^[.a-z ]*\.(entry|func)/ {
            name = $0
            sub(/\($/, "", name)
            sub(/.*[ )]/, "", name)
        }
        FNR == NR && /__local_depot[0-9]+\[/ { split($0, part, "[][]"); depot[name] = part[2] }
        FNR == NR { next }
        /Compiling entry function/ { split($0, part, "\047"); kernel = name = part[2] }
        /Function properties for/ { name = $NF }
        /bytes stack frame/ {
            split($0, word, /[^0-9]+/)
            order[++count] = name
            stores[name] = word[3]; loads[name] = word[4]
            if (name == kernel) stack[name] = word[2]
        }
        /Used [0-9]+ registers/ { sub(/.*Used /, ""); registers[kernel] = $0 + 0 }
        END {
            for (i = 1; i <= count; i++) {
                name = order[i]
                print name, registers[name] + 0, (name in stack ? stack[name] : depot[name] + 0),
                      stores[name], loads[name]
            }
        }' "$1" "$2"
}

# PTX of a .cl file by options.
make_ptx() {
    if [ -n "$nvidia" ]; then # as libnvidia-opencl.so calls it
        timeout "$limit" "$build/nvidia_compile" "$nvidia" "$1" "$folder/kernels.ptx" \
            "$2 $more -I $root/kernels -cl-nv-cstd=CL1.2 -cl-nv-arch $architecture -nv-m64" 2> "$folder/log" ||
            { tail -n 3 "$folder/log"; return 1; }
        return
    fi
    # Options are words.
    # shellcheck disable=SC2086
    timeout "$limit" clang -x cl $2 -target nvptx64-nvidia-nvcl -march=sm_80 -Xclang -finclude-default-header -O3 \
        -Xclang -mlink-builtin-bitcode -Xclang "$library" -Wno-linker-warnings -Dcl_khr_fp64=1 \
        -I "$root/kernels" $more -S "$1" -o "$folder/kernels.ptx"
}

# Of a .cl file by options: the sums of each kernel, then the functions.
compile() {
    start=$(date +%s)
    make_ptx "$1" "$2" || { echo "  $front: failed, or stopped after $limit s"; status=1; return; }
    between=$(date +%s)
    timeout "$limit" "$ptxas" -arch="$architecture" -v "$folder/kernels.ptx" -o "$folder/kernels.cubin" \
        > "$folder/log" 2>&1 || {
        echo "  ptxas: failed, or stopped after $limit s, of $(wc -c < "$folder/kernels.ptx") bytes of PTX"
        status=1
        return
    }
    end=$(date +%s)
    read_functions "$folder/kernels.ptx" "$folder/log" > "$folder/functions"
    awk -v ptx="$(wc -c < "$folder/kernels.ptx")" -v clang=$((between - start)) -v assembler=$((end - between)) '
        function put() {
            if (kernel == "") return
            printf "  %-26s %9d %9d %13d %12d%s\n%s", kernel, registers, stack, stores, loads, how, rows
            how = rows = ""; stores = loads = 0
        }
        BEGIN { how = sprintf("   %.1f MB, %d + %d s", ptx / 1e6, clang, assembler) }
        $2 > 0 { put(); kernel = $1; registers = $2; stack = $3 }
        { stores += $4; loads += $5 }
        $4 + $5 > 0 || $2 == 0 && $3 > 100 { rows = rows sprintf("    %-24s %9s %9d %13d %12d\n", $1, "", $3, $4, $5) }
        END { put() }' "$folder/functions"
}

{
    for study in "$@"; do
        if [ "$study" = everything ]; then
            "$build/build_options"
        else
            # Words, or none.
            # shellcheck disable=SC2086
            "$build/build_options" $evaluator "$study"
        fi || exit 1
    done
} > "$folder/builds" || exit 1
# Studies whose builds are the same.
awk '{ name = $1; sub(/^[^ ]+ [0-9]+ /, ""); if (!($0 in names)) order[++count] = $0; names[$0] = names[$0] " " name }
     END { for (i = 1; i <= count; i++) print substr(names[order[i]], 2) ":" order[i] }' \
    "$folder/builds" > "$folder/merged"
echo "$architecture; $front, ptxas $("$ptxas" --version |
    sed -n 's/.*release \([^,]*\),.*/\1/p')${more:+; $more}"
printf '%-28s %9s %9s %13s %12s   %s\n' kernel registers 'stack, B' 'spill stores' 'spill loads' 'PTX, compiler + ptxas'
while IFS=: read -r names options; do
    echo "$names: $options"
    case $names in
    everything) for source in "$root"/kernels/*/*.cl; do compile "$source" "$options"; done ;;
    *) compile "$(echo "$root"/kernels/*/"$file.cl")" "$options" ;;
    esac
done < "$folder/merged"
exit $status
