#!/bin/sh
# What building clack takes beside a compiler, unpacked into a folder of your own: for Debian and Ubuntu without root.
#
#   sh host/package/without_root.sh FOLDER [PACKAGE...]     # PACKAGE: more of Debian's, such as pocl-opencl-icd
#   . FOLDER/env.sh
#   cmake -B build -DBUILD_TESTING=OFF && cmake --build build
#
# The packages are those of packages.txt that are not installed, with what they depend on. It takes apt with lists of
# packages (somebody has run "apt-get update") and the network; env.sh is for the shells that build and run clack.
set -e
[ $# -ge 1 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2; }
lists=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/packages"
folder=$(cd "$1" && pwd)
shift
missing=$(apt-get -s -o Debug::NoLocking=1 install --no-install-recommends \
    $(sed 's/#.*//' "$lists/packages.txt") "$@" | sed -n 's/^Inst \([^ ]*\) .*/\1/p')
if [ -n "$missing" ]; then
    (cd "$folder/packages" && apt-get -q download $missing)
    for package in "$folder"/packages/*.deb; do dpkg -x "$package" "$folder"; done
fi
machine=$(gcc -print-multiarch 2>/dev/null || "$folder/usr/bin/gcc" -print-multiarch)
libraries=$folder/usr/lib/$machine
headers=$folder/usr/include
# Links lead to the system's folders, or to a library beside them that the system has: here there is another place.
find "$folder/usr" "$folder/etc" -type l 2>/dev/null | while read -r link; do
    to=$(readlink "$link")
    case $to in /*) [ ! -e "$folder$to" ] || ln -sfn "$folder$to" "$link" ;; esac
    [ -e "$link" ] || for place in "$folder/lib/$machine" "/usr/lib/$machine" "/lib/$machine"; do
        [ ! -e "$place/${to##*/}" ] || { ln -sfn "$place/${to##*/}" "$link"; break; }
    done
done
mkdir -p "$folder/etc/OpenCL/vendors"
cp -n /etc/OpenCL/vendors/*.icd "$folder/etc/OpenCL/vendors/" 2>/dev/null || true
cat >"$folder/env.sh" <<END
export PATH="$folder/usr/bin:\$PATH"
export CPATH="$headers:$headers/$machine:$headers/hdf5/serial\${CPATH:+:\$CPATH}"
export LIBRARY_PATH="$libraries:$libraries/hdf5/serial\${LIBRARY_PATH:+:\$LIBRARY_PATH}"
export LD_LIBRARY_PATH="$libraries:$libraries/hdf5/serial\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
export PKG_CONFIG_PATH="$libraries/pkgconfig\${PKG_CONFIG_PATH:+:\$PKG_CONFIG_PATH}" PKG_CONFIG_SYSROOT_DIR="$folder"
export CMAKE_PREFIX_PATH="$folder/usr:$libraries/hdf5/serial\${CMAKE_PREFIX_PATH:+:\$CMAKE_PREFIX_PATH}"
export HDF5_ROOT="$libraries/hdf5/serial"
export OCL_ICD_VENDORS="$folder/etc/OpenCL/vendors"
END
echo "unpacked $(echo $missing | wc -w) packages; now: . $folder/env.sh"
