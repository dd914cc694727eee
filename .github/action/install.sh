#!/usr/bin/env bash
# Puts mcp-conform where the other steps find it: the binary of a release, if the
# action is used at the tag of one that has it, else a build of the action's source.
set -euo pipefail

. "$(dirname "$0")/shared.sh"

into="$RUNNER_TEMP/mcp-conform-bin"
mkdir -p "$into"
program="$into/mcp-conform"
if [ "${RUNNER_OS:-}" = Windows ]; then program="$program.exe"; fi

release="${INPUT_VERSION:-}"
asked="$release"
if [ -z "$release" ]; then release="${ACTION_REF:-}"; fi
# Only the tag of a release can be one; a branch or a commit is built.
semver='^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$'
repository='^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$'

checked() { # FILE SUMS: is it the file that the list of the release names?
	local want
	want=$(awk -v name="$(basename "$1")" '$2 == name || $2 == "*" name { print $1 }' "$2")
	[ -n "$want" ] && [ "$(sum <"$1")" = "$want" ]
}

prebuilt() {
	local os arch name from
	case "${RUNNER_OS:-}" in
		Linux) os=linux ;;
		macOS) os=darwin ;;
		Windows) os=windows ;;
		*) return 1 ;;
	esac
	case "${RUNNER_ARCH:-}" in
		X64) arch=amd64 ;;
		ARM64) arch=arm64 ;;
		*) return 1 ;;
	esac
	name="mcp-conform_${release#v}_${os}_${arch}.tar.gz"
	from="$GITHUB_SERVER_URL/$ACTION_REPOSITORY/releases/download/$release"
	curl --fail --silent --show-error --location --retry 3 --output "$into/$name" "$from/$name" || return 1
	curl --fail --silent --show-error --location --retry 3 --output "$into/checksums.txt" "$from/checksums.txt" || return 1
	checked "$into/$name" "$into/checksums.txt" || fail "the download $name does not have the checksum of the release"
	tar -xzf "$into/$name" -C "$into" && [ -x "$program" ]
}

if [[ "$release" =~ $semver && "${ACTION_REPOSITORY:-}" =~ $repository ]] && prebuilt; then
	echo "installed the release $release"
elif [ -n "$asked" ]; then
	fail "there is no binary of the release that the input version names for this runner"
else
	command -v go >/dev/null || fail "there is no binary for this runner, and no Go to build one: add actions/setup-go before this action"
	# Reports say which kit judged: the branch or commit of the action.
	built="${ACTION_REF:-}"
	if ! [[ "$built" =~ ^[A-Za-z0-9._/-]+$ ]]; then built=devel; fi
	(cd "$GITHUB_ACTION_PATH" && go build -ldflags "-s -w -X main.stamped=$built" -o "$program" ./cmd/mcp-conform)
	echo "built mcp-conform from the source of the action"
fi
"$program" version
printf 'program=%s\nsha256=%s\n' "$program" "$(sum <"$program")" >>"$GITHUB_OUTPUT"
