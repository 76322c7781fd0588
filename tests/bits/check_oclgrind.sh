#!/bin/sh
# Runs a test program in the simulator oclgrind, looking for data races and bad accesses of the kernels:
#   check_oclgrind.sh TEST_PROGRAM [FILTER OF TESTS]
# Exit 77 (skipped) where oclgrind is missing. oclgrind itself exits 0 whatever it finds: its log is read.
set -u
program=${1:?usage: check_oclgrind.sh TEST_PROGRAM [FILTER]}
command -v oclgrind >/dev/null 2>&1 || { echo "oclgrind is not installed: skipped"; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
CLACK_TEST_OCLGRIND=1 CLACK_CACHE=0 oclgrind --data-races --log "$folder/log" "$program" --gtest_filter="${2:-*}" \
    > "$folder/out" 2>&1
status=$?
cat "$folder/out"
[ "$status" -eq 0 ] || exit 1
if grep -q SKIPPED "$folder/out"; then echo "the simulator was not seen as a device"; exit 1; fi
if [ -s "$folder/log" ]; then head -n 40 "$folder/log"; exit 1; fi
echo "oclgrind found nothing"
