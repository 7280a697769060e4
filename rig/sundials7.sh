#!/bin/sh
# Builds SUNDIALS 7 (CVODE and ARKODE) into a folder, where a distribution has only 6:
#     rig/sundials7.sh build/sundials7
# The source comes with a package of the Rust registry, sundials-sys, so cargo is needed, and no
# other network. Then: cmake -S rig -B build/rig7 -G Ninja -DCMAKE_PREFIX_PATH=$PWD/build/sundials7
set -eu
[ $# = 1 ] || { echo "usage: rig/sundials7.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
prefix=$(cd "$1" && pwd)
[ ! -e "$prefix/lib/cmake/sundials/SUNDIALSConfig.cmake" ] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/crate"
cat >"$work/crate/Cargo.toml" <<'END'
[package]
name = "sundials-source"
version = "0.0.0"
edition = "2021"
[lib]
path = "lib.rs"
[dependencies]
sundials-sys = "=0.6.2"
END
: >"$work/crate/lib.rs"
(cd "$work/crate" && cargo vendor --quiet "$work/vendor" >/dev/null)
cmake -S "$work/vendor/sundials-sys/vendor" -B "$work/build" -G Ninja \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
    -DBUILD_STATIC_LIBS=OFF -DEXAMPLES_ENABLE_C=OFF -DEXAMPLES_INSTALL=OFF \
    -DBUILD_IDA=OFF -DBUILD_IDAS=OFF -DBUILD_KINSOL=OFF -DBUILD_CVODES=OFF -DENABLE_MPI=OFF
cmake --build "$work/build"
cmake --install "$work/build"
