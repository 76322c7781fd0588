#!/bin/sh
# clack beside other programs, on the same workloads and pairs, in one run:
#   sh bench/peers/run.sh [--install] [--quick] [--build FOLDER] [--work FOLDER] [-o RESULTS]
# Builds clack's programs in the build folder (default build/) and the others' in the work folder (default
# build/peers/), runs all of them in turn, and prints the ratios, what each got wrong, and the bars. Programs that are
# not there are told and left out; --install fetches Debian's (packages.txt; root or sudo)
# and MuJoCo of today from PyPI.
# --quick: fewer scenes and pairs, to see that all runs.
# RESULTS: a folder for table.txt and the lines that it is made of.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$root/build
work=
results=
quick=
install=
while [ $# -gt 0 ]; do
    case $1 in
    --install) install=1 ;;
    --quick) quick=--quick ;;
    --build) build=$2; shift ;;
    --work) work=$2; shift ;;
    -o) results=$2; shift ;;
    *) sed -n '3p' "$0"; exit 2 ;;
    esac
    shift
done
work=${work:-$build/peers}
mkdir -p "$work" || exit 1
work=$(cd "$work" && pwd)

if [ -n "$install" ]; then
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    $as_root apt-get update -q
    for package in $(grep -v '^#' "$here/packages.txt"); do
        $as_root apt-get install -qy --no-install-recommends "$package" || echo "not to be had: $package"
    done
    [ -d "$work/mujoco" ] || python3 -m venv "$work/mujoco"
    "$work/mujoco/bin/pip" install -q mujoco || echo "not to be had: mujoco from PyPI"
fi

cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release > "$work/build.txt" 2>&1 &&
    cmake --build "$build" --target clack_program sim_clack >> "$work/build.txt" 2>&1 ||
    { tail -n 30 "$work/build.txt"; exit 1; }
cmake --build "$build" --target bench_warm count_operations >> "$work/build.txt" 2>&1
cmake --build "$build" --target narrow_clack >> "$work/build.txt" 2>&1 ||
    echo "left out: clack's narrow phase beside libccd (no libccd-dev)"

# build NAME COMPILER SOURCE OPTIONS...: a program of another library, where that is installed.
build() {
    name=$1 compiler=$2 source=$3
    shift 3
    rm -f "$work/$name"
    $compiler -O3 -march=native -w "$here/$source" -o "$work/$name" "$@" -lm >> "$work/build.txt" 2>&1 ||
        echo "left out: $name (its library is not there, see $work/build.txt)"
}
build scenes "gcc -std=gnu17" scenes.c
build sim_ode "gcc -std=gnu17" sim_ode.c -lode
build sim_mujoco "gcc -std=gnu17" sim_mujoco.c -lmujoco
build sim_bullet g++ sim_bullet.cc -DBT_USE_DOUBLE_PRECISION -isystem /usr/include/bullet \
    -lBulletDynamics-float64 -lBulletCollision-float64 -lLinearMath-float64
build sim_simbody g++ sim_simbody.cc -isystem /usr/include/simbody -lSimTKsimbody -lSimTKmath -lSimTKcommon
build gen_pairs "gcc -std=gnu17" gen_pairs.c -lccd
build narrow_ode "gcc -std=gnu17" narrow_ode.c -lode
build narrow_bullet g++ narrow_bullet.cc -DBT_USE_DOUBLE_PRECISION -isystem /usr/include/bullet \
    -lBulletCollision-float64 -lLinearMath-float64
build narrow_fcl g++ narrow_fcl.cc -isystem /usr/include/eigen3 -lfcl -lccd
module=$("$work/mujoco/bin/python" -c 'import mujoco, os; print(os.path.dirname(mujoco.__file__))' 2>/dev/null)
if [ -n "$module" ]; then
    build sim_mujoco_new "gcc -std=gnu17" sim_mujoco.c -I"$module/include" "$(ls "$module"/libmujoco.so* | head -n 1)" \
        -Wl,-rpath,"$module"
else
    rm -f "$work/sim_mujoco_new"
    echo "left out: MuJoCo of today (PyPI; --install)"
fi
for program in lmp liggghts yade; do
    command -v $program >/dev/null 2>&1 || echo "left out: $program"
done

[ -z "$results" ] || mkdir -p "$results" || exit 1
python3 "$here/compare.py" "$build" "$work" ${results:+--results "$results"} $quick
