#!/usr/bin/env bash
# Tells later steps what came out and where the files are.
set -euo pipefail

# A name with a line break in it would begin an output of its own.
folder="$PWD/$INPUT_OUT"
case "$INPUT_OUT" in /* | [A-Za-z]:*) folder="$INPUT_OUT" ;; esac
case "$folder" in *$'\n'* | *$'\r'*) echo "::error title=mcp-conform::the input out has a line break"; exit 2 ;; esac

report="$folder/report.json"
if [ ! -f "$report" ]; then
	echo "there is no report: the run did not come that far"
	exit 0
fi
"$MCP_CONFORM" report "$report" --format outputs >>"$GITHUB_OUTPUT"
file() { if [ -f "$folder/$2" ]; then printf '%s=%s\n' "$1" "$folder/$2" >>"$GITHUB_OUTPUT"; fi; }
file report-json report.json
file report-html report.html
file junit junit.xml
file summary-md summary.md
file sarif report.sarif
file badge-svg badge.svg
file badge-json badge.json
printf 'folder=%s\n' "$folder" >>"$GITHUB_OUTPUT"
