#!/bin/sh
# Installs ananke: downloads the program of a release, compares its checksum, and puts it into a directory.
#
#   sh install.sh [--version VERSION] [--to DIRECTORY] [--archives DIRECTORY]
#
# Without a version, the latest release; without a directory, ~/.local/bin. With --archives, the archive that was downloaded is kept in
# that directory, and one that is there is taken if its checksum is that of the release. ANANKE_RELEASES names another place of
# releases: its address begins with https://, unless it is on this machine.
set -eu

fail() {
  echo "error: $1" >&2
  exit 1
}

# Downloads the file $1 of the release into the working directory.
download() {
  url="$releases/$place/$1"
  if command -v curl >/dev/null; then
    # A redirect may not leave the protocol either.
    curl --proto "=$protocol" --tlsv1.2 --fail --silent --show-error --location --retry 3 --output "$work/$1" "$url" \
      || fail "cannot download $url"
  elif command -v wget >/dev/null; then
    wget --quiet --output-document "$work/$1" "$url" || fail "cannot download $url"
  else
    fail "curl or wget is needed to download $url"
  fi
}

# Whether the archive in the working directory has the checksum that the release names.
is_right() {
  if command -v sha256sum >/dev/null; then
    (cd "$work" && sha256sum --check --status expected)
  else
    (cd "$work" && shasum --algorithm 256 --check --status expected)
  fi
}

# Everything is in a function that the last line calls: a part of this file, as a download that broke off leaves it, does nothing.
main() {
  releases="${ANANKE_RELEASES:-https://github.com/ananke-test/ananke/releases}"
  place="latest/download"
  to="${HOME:-.}/.local/bin"
  archives=""
  options="[--version VERSION] [--to DIRECTORY] [--archives DIRECTORY]"

  while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || fail "$1 needs a value: $options"
    case "$1" in
      --version) place="download/v$2" ;;
      --to) to="$2" ;;
      --archives) archives="$2" ;;
      *) fail "no option is called $1: $options" ;;
    esac
    shift 2
  done

  case "$releases" in
    https://*) protocol="https" ;;
    *@*) protocol="" ;;
    http://127.0.0.1:*) protocol="http" ;;
    *) protocol="" ;;
  esac
  [ -n "$protocol" ] || fail "ANANKE_RELEASES is $releases: only addresses that begin with https:// are used"

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

  download SHA256SUMS
  grep " $file\$" "$work/SHA256SUMS" >"$work/expected" || fail "$releases/$place/SHA256SUMS does not name $file"
  if [ -n "$archives" ] && [ -f "$archives/$file" ]; then
    cp "$archives/$file" "$work/$file"
    is_right || echo "the checksum of $archives/$file is not that of SHA256SUMS: it is downloaded again" >&2
  fi
  if [ ! -f "$work/$file" ] || ! is_right; then
    download "$file"
    is_right || fail "the checksum of $file is not that of SHA256SUMS: nothing is installed"
    if [ -n "$archives" ]; then
      mkdir -p "$archives"
      cp "$work/$file" "$archives/$file"
    fi
  fi
  if [ "$archive" = zip ]; then
    unzip -q "$work/$file" -d "$work"
  else
    tar -xzf "$work/$file" -C "$work"
  fi

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
}

main "$@"
