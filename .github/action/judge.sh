#!/usr/bin/env bash
# Judges the server that the inputs name. Its exit code becomes an output: the
# steps that show the result come before the one that fails.
set -euo pipefail
. "$(dirname "$0")/shared.sh"

# The server learns nothing of the files by which the steps of the job pass on results, of
# the program that judges it, and of its inputs. This script keeps what it needs itself.
program="$MCP_CONFORM" outputs="$GITHUB_OUTPUT"
unset MCP_CONFORM GITHUB_OUTPUT GITHUB_ENV GITHUB_PATH GITHUB_STATE GITHUB_STEP_SUMMARY GITHUB_ACTION_PATH RUNNER_TEMP

wrong() { printf '::error title=mcp-conform::%s\n' "$1"; printf 'exit-code=2\n' >>"$outputs"; exit 2; }

flags=()
option() { if [ -n "$2" ]; then flags+=("$1=$2"); fi; } # --flag=value: a value that begins with - stays one
switch() {
	case "$3" in
		true) flags+=("$1") ;;
		false | '') ;;
		*) wrong "the input $2 is neither true nor false" ;;
	esac
}

case "$INPUT_WAIT" in '' | *[!0-9]*) wrong "the input wait is not a number of seconds" ;; esac
case "$INPUT_LIMIT" in '' | *[!0-9]*) wrong "the input limit is not a number of minutes" ;; esac
locate || wrong "the input out has a line break"
if [ -z "$INPUT_COMMAND" ] && [ -n "$INPUT_ARGS" ]; then wrong "the input args needs the input command"; fi
if [[ "$INPUT_COMMAND" = *[[:space:]]* ]] && ! command -v -- "$INPUT_COMMAND" >/dev/null; then
	wrong "the input command is one program; its arguments stand in args, one per line"
fi
if [ -z "$INPUT_COMMAND$INPUT_URL$INPUT_CONFIG" ] && [ ! -e mcp-conform.yaml ]; then
	wrong "no server is named: set the input command, url or config, or add mcp-conform.yaml"
fi

if [ -n "$INPUT_COMPARE_WITH" ] && [ ! -f "$INPUT_COMPARE_WITH" ]; then
	wrong "there is no file at the path of the input compare-with; leave it empty while there is nothing to compare with"
fi

option --config "$INPUT_CONFIG"
option --url "$INPUT_URL"
option --revision "$INPUT_REVISION"
option --transport "$INPUT_TRANSPORT"
option --suite "$INPUT_SUITE"
option --case "$INPUT_CASE"
option --level "$INPUT_LEVEL"
option --shard "$INPUT_SHARD"
option --baseline "$INPUT_BASELINE"
option --out "$INPUT_OUT"
switch --strict strict "$INPUT_STRICT"
switch --fail-on-partial fail-on-partial "$INPUT_FAIL_ON_PARTIAL"
switch --strict-baseline strict-baseline "$INPUT_STRICT_BASELINE"
if [ "$INPUT_WAIT" -gt 0 ]; then flags+=("--start-timeout=${INPUT_WAIT}s"); fi
if [ "$INPUT_LIMIT" -gt 0 ]; then flags+=("--limit=${INPUT_LIMIT}m"); fi

while IFS= read -r line || [ -n "$line" ]; do
	line="${line%$'\r'}"
	case "$line" in
		'') ;;
		--out | --out=* | --format | --format=* | --watch | --watch=*) wrong "the input flags may not hold ${line%%=*}" ;;
		--?*)
			case "${line%%=*}" in
				*[[:space:]]*) wrong "a line of the input flags has a space before =; a value stands behind it, as in --jobs=4" ;;
			esac
			flags+=("$line")
			;;
		*) wrong "a line of the input flags does not begin with --; a value stands in the line of its flag, as in --jobs=4" ;;
	esac
done <<<"$INPUT_FLAGS"

# Values of header fields go by the environment: mcp-conform hides what comes from
# there, and nobody sees them in a list of processes.
number=0
while IFS= read -r line || [ -n "$line" ]; do
	line="${line%$'\r'}"
	if [ -z "$line" ]; then continue; fi
	name="${line%%:*}"
	if [ "$name" = "$line" ]; then wrong "a line of the input headers has no colon"; fi
	value="${line#*:}"
	number=$((number + 1))
	export "MCP_CONFORM_HEADER_$number=${value# }"
	flags+=("--header=$name: \${MCP_CONFORM_HEADER_$number}")
done <<<"$INPUT_HEADERS"

server=()
if [ -n "$INPUT_COMMAND" ]; then
	server=(-- "$INPUT_COMMAND")
	while IFS= read -r line || [ -n "$line" ]; do
		line="${line%$'\r'}"
		if [ -n "$line" ]; then server+=("$line"); fi
	done <<<"$INPUT_ARGS"
fi

# A server that an earlier step has started may not listen yet: it is ready as soon
# as it answers initialize by anything.
if [ -n "$INPUT_URL" ] && [ -z "$INPUT_COMMAND" ]; then
	hello='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
	hello="$hello"'"clientInfo":{"name":"mcp-conform-action","version":"1"}}}'
	until status=$(curl --silent --globoff --proto '=http,https' --output /dev/null --max-time 5 \
		--write-out '%{http_code}' --header 'Content-Type: application/json' --header 'Accept: application/json, text/event-stream' \
		--data "$hello" --url "$INPUT_URL") && [ "$status" -lt 502 ]; do
		if [ "$SECONDS" -ge "$INPUT_WAIT" ]; then
			echo "the server did not answer within $INPUT_WAIT seconds; it is judged all the same"
			break
		fi
		sleep 1
	done
fi

if [ "$INPUT_ANNOTATIONS" = false ]; then export GITHUB_ACTIONS=false; fi
for name in ${!INPUT_*}; do unset "$name"; done

report() { if [ -f "$folder/report.json" ]; then sum <"$folder/report.json"; fi; }

# The shell reads a script while it runs it, and a server could write into this one: all
# that follows is read before the server starts.
judge() {
	local code=0 before said mistake
	before=$(report)
	said=$(mktemp)
	{ "$program" run ${flags[@]+"${flags[@]}"} ${server[@]+"${server[@]}"} 2>&1 1>&3 3>&- | tee "$said" >&2; } 3>&1 || code=$?
	# Go ends with 2 as well where it gets no memory or no thread.
	if [ "$code" = 2 ] && { ! grep -q '^mcp-conform: ' "$said" || grep -Eq '^(fatal error|panic|runtime[a-z/]*): ' "$said"; }; then code=3; fi
	# The page of the job shows annotations, and not the log.
	if [ "$code" = 2 ]; then
		mistake=$(grep '^mcp-conform: ' "$said" | tail -n 1)
		mistake="${mistake#mcp-conform: }"
		printf '::error title=mcp-conform::%s\n' "${mistake//\%/%25}"
	fi
	rm -f "$said"
	printf 'exit-code=%s\n' "$code" >>"$outputs"
	# A run that was killed has written no report: what lies there is older, or not ours.
	case "$code" in 0 | 1 | 3 | 130) ;; *) return ;; esac
	if [ "$(report)" != "$before" ]; then printf 'files=%s\n' "$(sums)" >>"$outputs"; fi
}
judge; exit
