#!/bin/sh
# Installs the kbdb executable: sh install.sh [--version X.Y.Z] [--dir DIR]
#
# Downloads the release for this system, compares it with the release's SHA256SUMS, and puts it into
# DIR (default: ~/.local/bin). KBDB_RELEASES names another place to download from.
set -eu

releases=${KBDB_RELEASES:-https://github.com/dikolab/kbdb/releases}
dir=${HOME:?HOME is not set}/.local/bin
version=

fail() {
  echo "install.sh: $*" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
    --version) version=${2:?--version needs a value}; shift 2 ;;
    --dir) dir=${2:?--dir needs a value}; shift 2 ;;
    *) fail "unknown argument $1; use --version X.Y.Z or --dir DIR" ;;
  esac
done

case $(uname -s) in
  Linux) os=linux ;;
  Darwin) os=macos ;;
  *) fail "no executable for $(uname -s); on Windows download the .exe from $releases" ;;
esac
case $(uname -m) in
  x86_64 | amd64) arch=x64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) fail "no executable for $(uname -m)" ;;
esac

if command -v curl >/dev/null 2>&1; then
  fetch() { curl --fail --silent --show-error --location --output "$2" "$1"; }
  latest() { curl --fail --silent --location --output /dev/null --write-out '%{url_effective}' "$1"; }
elif command -v wget >/dev/null 2>&1; then
  fetch() { wget --quiet --output-document "$2" "$1"; }
  latest() { fail "name a version with --version, or install curl"; }
else
  fail "curl or wget is needed"
fi
if command -v sha256sum >/dev/null 2>&1; then
  digest() { sha256sum "$1" | cut -d ' ' -f 1; }
elif command -v shasum >/dev/null 2>&1; then
  digest() { shasum -a 256 "$1" | cut -d ' ' -f 1; }
else
  fail "sha256sum or shasum is needed to check the download"
fi

if [ -z "$version" ]; then
  url=$(latest "$releases/latest")
  version=${url##*/v}
  case $version in
    [0-9]*) ;;
    *) fail "no release was found at $releases; name one with --version" ;;
  esac
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
file=kbdb-$version-$os-$arch
fetch "$releases/download/v$version/$file" "$work/$file" || fail "cannot download $file of version $version"
fetch "$releases/download/v$version/SHA256SUMS" "$work/SHA256SUMS" || fail "cannot download SHA256SUMS of version $version"
expected=$(grep "  $file\$" "$work/SHA256SUMS" | cut -d ' ' -f 1)
[ -n "$expected" ] || fail "SHA256SUMS does not name $file"
actual=$(digest "$work/$file")
[ "$expected" = "$actual" ] || fail "the download is damaged: SHA-256 is $actual, not $expected; nothing was installed"

mkdir -p "$dir"
chmod 755 "$work/$file"
mv "$work/$file" "$dir/kbdb"
echo "Installed kbdb $version as $dir/kbdb"
case :$PATH: in
  *:"$dir":*) ;;
  *) echo "Add $dir to your PATH to use it by name." ;;
esac
