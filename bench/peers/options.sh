# Read by patches.sh and quasi_rigid.sh: their options, whose line of usage is the third of each, into build, work, out,
# quick and install; here and root are folders of the project, python the one with Debian's packages.
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$root/build
work=
out=
quick=
install=
while [ $# -gt 0 ]; do
    case $1 in
    --install) install=1 ;;
    --quick) quick="--quick --rounds 1" ;;
    --build) build=$2; shift ;;
    --work) work=$2; shift ;;
    -o) out=$2; shift ;;
    *) sed -n '3p' "$0"; exit 2 ;;
    esac
    shift
done
work=${work:-$build/peers}
mkdir -p "$work" || exit 1
work=$(cd "$work" && pwd)
python=python3 # Debian's, where its packages are
[ ! -x /usr/bin/python3 ] || python=/usr/bin/python3
