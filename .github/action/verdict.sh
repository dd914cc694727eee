#!/usr/bin/env bash
# Ends the job as the run ended. Only the word false keeps it green, and never
# where the action itself was used wrongly.
set -euo pipefail
if [ "$EXIT_CODE" != 0 ] && { [ "$EXIT_CODE" = 2 ] || [ "$INPUT_FAIL" != false ]; }; then
	exit "${EXIT_CODE:-1}"
fi
