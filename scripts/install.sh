#!/bin/sh
# Installs ananke: downloads the program of a release, compares its checksum, and puts it into a directory.
#
#   sh install.sh [--version VERSION] [--to DIRECTORY]
#
# Without a version, the latest release; without a directory, ~/.local/bin. ANANKE_RELEASES names another place of releases.
set -eu

releases="${ANANKE_RELEASES:-https://github.com/ananke-test/ananke/releases}"
place="latest/download"
to="${HOME:-.}/.local/bin"

fail() {
  echo "error: $1" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || fail "$1 needs a value: [--version VERSION] [--to DIRECTORY]"
  case "$1" in
    --version) place="download/v$2" ;;
    --to) to="$2" ;;
    *) fail "no option is called $1: [--version VERSION] [--to DIRECTORY]" ;;
  esac
  shift 2
done

case "$(uname -s)" in
  Linux) system="unknown-linux-musl" archive="tar.gz" program="ananke" ;;
  Darwin) system="apple-darwin" archive="tar.gz" program="ananke" ;;
  MINGW* | MSYS* | CYGWIN*) system="pc-windows-msvc" archive="zip" program="ananke.exe" ;;
  *) system="" ;;
esac
case "$(uname -m)" in
  x86_64 | amd64) processor="x86_64" ;;
  aarch64 | arm64) processor="aarch64" ;;
  *) processor="" ;;
esac
# Windows runs programs for x86-64 on arm64.
[ "$system" != "pc-windows-msvc" ] || processor="x86_64"
if [ -z "$system" ] || [ -z "$processor" ]; then
  fail "no program is published for $(uname -s) on $(uname -m): \`cargo install --locked ananke-test\` builds it"
fi

folder="ananke-$processor-$system"
file="$folder.$archive"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

download() {
  url="$releases/$place/$1"
  if command -v curl >/dev/null; then
    curl --fail --silent --show-error --location --retry 3 --output "$work/$1" "$url" || fail "cannot download $url"
  elif command -v wget >/dev/null; then
    wget --quiet --output-document "$work/$1" "$url" || fail "cannot download $url"
  else
    fail "curl or wget is needed to download $url"
  fi
}

download "$file"
download SHA256SUMS

cd "$work"
grep " $file\$" SHA256SUMS >expected || fail "$releases/$place/SHA256SUMS does not name $file"
if command -v sha256sum >/dev/null; then
  sha256sum --check --status expected || fail "the checksum of $file is not that of SHA256SUMS: nothing is installed"
else
  shasum --algorithm 256 --check --status expected || fail "the checksum of $file is not that of SHA256SUMS: nothing is installed"
fi
if [ "$archive" = zip ]; then
  unzip -q "$file"
else
  tar -xzf "$file"
fi
cd - >/dev/null

mkdir -p "$to"
# Moved, so that a program that is running is replaced as well.
cp "$work/$folder/$program" "$to/.$program.new"
chmod 755 "$to/.$program.new"
mv -f "$to/.$program.new" "$to/$program"
echo "$("$to/$program" --version) is installed as $to/$program"
case ":$PATH:" in
  *":$to:"*) ;;
  *) echo "$to is not on your PATH: add it, to start the program as \`ananke\`" ;;
esac
