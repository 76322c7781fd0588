#!/bin/sh
# The installation as others use it: installs a build folder into a prefix, moves the prefix, and builds and
# runs the example of host/README.md ("Use as a library") with find_package and with pkg-config.
#   check_install.sh BUILD_FOLDER
set -e
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset CLACK_DATA_DIR

cmake --install "$build" --prefix "$folder/first" >"$folder/log" || { cat "$folder/log"; exit 1; }
mv "$folder/first" "$folder/prefix"
prefix=$folder/prefix
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name clack.pc)")
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
export PKG_CONFIG_PATH LD_LIBRARY_PATH

# block LANGUAGE FILE: the section's code block of that language.
mkdir "$folder/example"
block() {
    awk -v fence="\`\`\`$1" '/^## / { inside = /^## Use as a library/ }
        inside && $0 == "```" { taken = 0 } taken { print } inside && $0 == fence { taken = 1 }' \
        "$root/host/README.md" >"$folder/example/$2"
    [ -s "$folder/example/$2" ] || { echo "host/README.md has no $1 in \"Use as a library\""; exit 1; }
}
block c fall.c
block yaml fall.yaml
block cmake CMakeLists.txt

# A program of other people does not find the palettes by where it lies: a static library keeps the place
# it was installed to, here the source tree's or the prefix before it moved.
cd "$folder/example"
cmake -S . -B with_cmake -DCMAKE_PREFIX_PATH="$prefix" >log 2>&1 && cmake --build with_cmake >>log 2>&1 ||
    { cat log; exit 1; }
with_cmake/fall
static=--static
[ -z "$(find "$prefix" -name 'libclack.so*')" ] || static=
${CC:-cc} fall.c -o fall $(pkg-config $static --cflags --libs clack) -lm
./fall

# Where the palettes come from is told in the ensemble file: from the prefix, not from the source tree.
"$prefix/bin/clack" run fall.yaml -q -d native -o fall.h5
strings fall.h5 2>/dev/null | grep -q "$prefix/.*materials.yaml" || grep -aq "$prefix/.*materials.yaml" fall.h5 ||
    { echo "the installed program did not read the palettes of its prefix"; exit 1; }

# The man page and what shells complete.
grep -q '^.SS clack selftest' "$prefix/share/man/man1/clack.1" || { echo "no man page"; exit 1; }
bash -n "$prefix/share/bash-completion/completions/clack" || { echo "no completion for bash"; exit 1; }
[ -s "$prefix/share/zsh/site-functions/_clack" ] && [ -s "$prefix/share/fish/vendor_completions.d/clack.fish" ] ||
    { echo "no completion for zsh or fish"; exit 1; }

# The pages, with links that lead somewhere.
python3 "$root/tests/checks/check_pages.py" "$prefix/share/doc/clack" --installed || exit 1

# A shared library shows nothing that clack.h does not promise.
for library in $(find "$prefix" -name 'libclack.so' 2>/dev/null); do
    nm -D --defined-only "$library" | awk '$2 ~ /[A-Z]/ { print $3 }' >shown
    grep -v '^clack_' shown && { echo "shown by $library, but not public"; exit 1; }
    for name in $(sed -n 's/^CLACK_API.*[ *]\(clack_[a-z_]*\)(.*/\1/p' "$prefix/include/clack/clack.h"); do
        grep -qx "$name" shown || { echo "$name is not shown by $library"; exit 1; }
    done
done
echo "installation: header, library, package, pkg-config and palettes work"
