#!/bin/sh
# Compile every .cl as OpenCL C 1.2 without a device, so that a mistake shows where no driver is installed.
# 77: skipped, no clang.
root=$(cd "$(dirname "$0")/../.." && pwd)
clang=${CLANG:-clang}
command -v "$clang" >/dev/null 2>&1 || {
    echo "skipped: no $clang"
    exit 77
}
status=0
# Alone, with work-items that share a scene, with scenes side by side, with wide columns (host/device/opencl_build.c),
# and with both, as tests/bits/test_side_by_side_bits.cc builds them; with groups that serve scenes from queues.
for option in -DSCENE_ITEMS=1 -DSCENE_ITEMS=8 -DSIDE_BY_SIDE=4 -DWIDE=1 "-DWIDE=1 -DSIDE_BY_SIDE=4" \
    "-DOWN_SLOTS=1 -DQUEUE_ITEMS=256"; do
    for file in "$root"/kernels/*/*.cl; do
        echo "$clang: ${file##*/}, $option"
        # The options are words.
        # shellcheck disable=SC2086
        "$clang" -x cl -cl-std=CL1.2 -target spir64-unknown-unknown -Xclang -finclude-default-header \
            -Wall -Wextra -Werror -Wconversion -Wshadow $option -I "$root/kernels" \
            -fsyntax-only "$file" || status=1
    done
done
# With numbers that count (bench/count_operations), which no test builds.
folders=$(find "$root/host" -type d | sed 's/^/-I/')
# The folders are words.
# shellcheck disable=SC2086
"$clang"++ -std=c++17 -w -fsyntax-only $folders -I "$root/kernels" -I "$root/bench" \
    "$root/bench/counted_kernels.cc" || status=1
exit $status
