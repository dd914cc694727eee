# What the scripts of the action have in common.
# shellcheck shell=bash

fail() { printf '::error title=mcp-conform::%s\n' "$1"; exit 1; }

sum() { # the SHA-256 of standard input
	if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1
}

# locate sets folder to the place of the report. A name with a line break in it would
# begin an output of its own.
locate() {
	folder="$PWD/$INPUT_OUT"
	case "$INPUT_OUT" in /* | [A-Za-z]:*) folder="$INPUT_OUT" ;; esac
	case "$folder" in *$'\n'* | *$'\r'*) return 1 ;; esac
}

sums() { # one sum for all files that the action publishes, or nothing without a report
	local name
	if [ ! -f "$folder/report.json" ]; then return; fi
	for name in report.json report.html junit.xml summary.md report.sarif badge.svg badge.json; do
		if [ -f "$folder/$name" ]; then printf '%s %s\n' "$(sum <"$folder/$name")" "$name"; fi
	done | sum
}
