#!/usr/bin/env bash
# Tells later steps what came out and where the files are, if these are what the run wrote:
# a server has had its rights, and may have left something behind that still runs.
set -euo pipefail
. "$(dirname "$0")/shared.sh"

refuse() { printf 'verdict=unjudged\n' >>"$GITHUB_OUTPUT"; fail "$1, so no result is shown"; }

locate || fail "the input out has a line break"
report="$folder/report.json"
if [ -z "$FILES" ]; then
	echo "there is no report: the run did not come that far"
	printf 'verdict=unjudged\n' >>"$GITHUB_OUTPUT"
	exit 0
fi
if [ "$(sum <"$MCP_CONFORM")" != "$PROGRAM" ]; then refuse "something replaced the program mcp-conform while it judged"; fi
if [ "$(sums)" != "$FILES" ]; then refuse "something changed the report after the run"; fi
outputs=$("$MCP_CONFORM" report "$report" --format outputs) || refuse "the report cannot be read"
if ! grep -qx "exit-code=$EXIT_CODE" <<<"$outputs"; then refuse "the report tells another exit code than that of the run"; fi
printf '%s\n' "$outputs" >>"$GITHUB_OUTPUT"
printf 'program=%s\n' "$MCP_CONFORM" >>"$GITHUB_OUTPUT"
dirname -- "$MCP_CONFORM" >>"$GITHUB_PATH"
file() { if [ -f "$folder/$2" ]; then printf '%s=%s\n' "$1" "$folder/$2" >>"$GITHUB_OUTPUT"; fi; }
file report-json report.json
file report-html report.html
file junit junit.xml
file summary-md summary.md
file sarif report.sarif
file badge-svg badge.svg
file badge-json badge.json
printf 'folder=%s\n' "$folder" >>"$GITHUB_OUTPUT"
comparison="$folder/comparison.md"
rm -f "$comparison"
if [ -n "$INPUT_COMPARE_WITH" ]; then
	code=0
	"$MCP_CONFORM" diff "$INPUT_COMPARE_WITH" "$report" --format md >"$comparison" || code=$?
	case "$code" in
		0) echo worse=false >>"$GITHUB_OUTPUT" ;;
		1) echo worse=true >>"$GITHUB_OUTPUT" ;;
		*) rm -f "$comparison"; fail "the input compare-with names no report that can be read" ;;
	esac
	printf 'comparison-md=%s\n' "$comparison" >>"$GITHUB_OUTPUT"
fi
if [ "$INPUT_SUMMARY" != false ] && [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
	"$MCP_CONFORM" report "$report" --format summary >>"$GITHUB_STEP_SUMMARY"
	if [ -f "$comparison" ]; then cat -- "$comparison" >>"$GITHUB_STEP_SUMMARY"; fi
fi
