#!/bin/sh
# Rules of the tree that a compiler does not check: who may include what, no cycles, who may print or exit,
# names of public functions, lengths of functions and files. Prints every breach; exit 1 if there is one.
# CHECK_ROOT names another tree (for the test of this test).
root=${CHECK_ROOT:-$(cd "$(dirname "$0")/.." && pwd)}
cd "$root" || exit 1
breaches=$(mktemp) || exit 1
trap 'rm -f "$breaches"' EXIT
FUNCTION_LINES_MAX=70
FILE_LINES_MAX=600
all_host=$(echo host/*.[ch] host/*/*.[ch])
host_c=$(echo host/*.c host/*/*.c)

# only PATTERN ALLOWED FILES...: lines that match PATTERN stand in files that match ALLOWED alone.
only() {
    pattern=$1 allowed=$2
    shift 2
    grep -nE "$pattern" "$@" /dev/null | grep -vE "^($allowed):" | sed "s|^|not allowed here: |" >>"$breaches"
}

# --- includes
only '^ *# *include *<CL/' 'host/device/opencl_internal\.h' $all_host kernels/*
# CLBlast's header brings OpenCL's: one file, so that devices are reached through device.h alone.
only '^ *# *include *<clblast' 'host/device/opencl_blas\.c' $all_host kernels/*
only '"opencl_internal\.h"' 'host/device/opencl(_[a-z]+)?\.c' $all_host
only '^ *# *include *<hdf5' 'host/record/record(_[a-z0-9]+)?\.[ch]' $all_host kernels/*
only '^ *# *include *<libdeflate' 'host/record/record_chunk\.c' $all_host kernels/*
only '^ *# *include *<libfyaml' 'host/study/study(_[a-z]+)?\.[ch]' $all_host kernels/*
only '^ *# *include *<jansson' 'host/(command/command(_[a-z_]+)?|record/manifest)\.c' $all_host kernels/*
only '^ *# *include *<libqhull' 'host/scene/hull\.c' $all_host kernels/*
only '^ *# *include *<Random123' 'host/scene/sample\.c' $all_host kernels/*
only '^ *# *include *<openssl' 'host/digest\.c' $all_host kernels/*
only '^ *# *include .*\.cl"' 'host/device/native_kernels\.c' $all_host kernels/*.h
only '^ *# *include *<' 'kernels/portable\.h' kernels/*.h kernels/*.cl
only '"device_internal\.h"' 'host/device/(device|native|native_kernels|opencl_internal|opencl|opencl_build|opencl_probe)\.[ch]' $all_host
# Only portable.h asks which compiler it is in.
only '__OPENCL|__cplusplus|__GNUC__|__clang__|__STDC' 'kernels/portable\.h' kernels/*.h kernels/*.cl
# The embedding finds only quoted includes at column 1.
only '^[[:space:]]+# *include|^# +include|^#include[^ ]' 'kernels/portable\.h' kernels/*.h kernels/*.cl
for file in kernels/*.h kernels/*.cl; do
    sed -n 's/^#include "\([^"]*\)".*/\1/p' "$file" | while read -r name; do
        [ -f "kernels/$name" ] || echo "$file: includes $name, which is not in kernels/" >>"$breaches"
    done
    [ -z "$(tail -c 1 "$file")" ] || echo "$file: does not end in a newline" >>"$breaches"
done

# --- no cycles
for file in $all_host kernels/*.h kernels/*.cl; do
    sed -n 's/^#include "\([^"]*\)".*/\1/p' "$file" | sed "s|^|${file##*/} |"
done | tsort >/dev/null 2>"$breaches.cycles"
sed 's/^/include cycle: /' "$breaches.cycles" >>"$breaches"
rm -f "$breaches.cycles"

# --- only the program prints or exits (describe.c writes to the stream it is given; opencl_probe.c and record_check.c end
# their children)
only '(^|[^a-z_])(printf|puts|putchar|perror|exit|abort|vprintf|getopt_long)\(' 'host/(main|command/command(_[a-z_]+)?)\.c' $host_c
only '(^|[^a-z_])_exit\(' 'host/(main|command/command(_[a-z_]+)?|device/opencl_probe|record/record_check)\.c' $host_c
only '(^|[^a-z_])(stderr|stdout)([^a-z_]|$)' 'host/(main|command/command(_[a-z_]+)?)\.c' $host_c

# --- one file starts other programs, without a shell; in children are asked whether drivers crash and whether files without a
# seal can be read
only '(^|[^a-z_])fork\(' 'host/(device/opencl_probe|record/record_check)\.c' $host_c
only '(^|[^a-z_])(vfork|exec[lv]p?e?|posix_spawnp?|popen|system)\(' 'host/view/gnuplot\.c' $host_c

# --- functions: public names begin with clack_ or the first word of their file, but for those of a
# module's own header (*_internal.h), which are named after what they work on; none is too long
internal=$(sed -n 's/^[A-Za-z].*[ *]\([a-z_0-9]*\)(.*/\1/p' host/*/*_internal.h | tr '\n' ' ')
awk -v most="$FUNCTION_LINES_MAX" -v internal="$internal" '
    { gsub(/__attribute__\(\(.*\)\)/, "") }
    FNR == 1 { inside = 0; file = FILENAME; sub(/.*\//, "", file); sub(/[_.].*/, "", file) }
    !inside && /^[A-Za-z_].*\(/ && !/;[ ]*(\/\/.*)?$/ && !/^(typedef|struct|enum|union|static const|extern)/ && !/=/ {
        inside = 1; start = FNR; name = $0; is_static = /^(static|FN|KERNEL)/
        sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
    }
    inside && /;[ ]*$/ && start == FNR { inside = 0 }
    inside && FNR == start && /}[ ]*(\/\/.*)?$/ { inside = 0; one_line = 1 }
    (inside && /^}/) || one_line {
        if (FNR - start + 1 > most)
            printf "%s:%d: %s has %d lines, at most %d\n", FILENAME, start, name, FNR - start + 1, most
        if (FILENAME ~ /^host/ && !is_static && name != "main" && name !~ /^(clack|report)_/ &&
            name !~ /^[A-Z0-9_]+$/ && index(name, file "_") != 1 && !(name in known))
            printf "%s:%d: public function %s does not begin with %s_\n", FILENAME, start, name, file
        inside = 0; one_line = 0
    }
    BEGIN {
        split(internal, list, " ")
        for (i in list) known[list[i]]
        # Named after what they make or take, not after their file.
        known["rotation_to_quat"]; known["scene_free"]; known["report_add"]; known["report_add_list"]; known["report_add_line"]; known["report_move"]; known["report_warn"]
    }' $host_c kernels/*.h kernels/*.cl >>"$breaches"

# --- lengths of files
for file in $all_host kernels/*.h kernels/*.cl; do
    lines=$(wc -l <"$file")
    [ "$lines" -le "$FILE_LINES_MAX" ] || echo "$file: $lines lines, at most $FILE_LINES_MAX" >>"$breaches"
done

if [ -s "$breaches" ]; then
    cat "$breaches"
    exit 1
fi
echo "layering: no breach"
