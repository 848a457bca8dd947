#!/bin/sh
# Runs a command under darshan and compares its log with that of an earlier run. The GitHub action
# in this folder calls it; it works in any other CI, too.
#   DARSHAN_CI_COMMAND   the command, for sh -c
#   DARSHAN_CI_BASELINE  the log of the earlier run; without such a file nothing is compared
#   DARSHAN_CI_FAIL_IF   conditions of darshan compare, one per line
#   DARSHAN_CI_LOG       where the new log goes [darshan-ci.darshan]
#   DARSHAN_CI_JSON      where the comparison goes [darshan-ci.json]
# Exit status: that of the command if it fails, else that of darshan compare.
set -eu
: "${DARSHAN_CI_COMMAND:?is not set}" "${DARSHAN_CI_BASELINE:?is not set}"
log=${DARSHAN_CI_LOG:-darshan-ci.darshan} json=${DARSHAN_CI_JSON:-darshan-ci.json}

folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
DARSHAN_LOGFILE=$folder/new.darshan darshan run -o "$folder" sh -c "$DARSHAN_CI_COMMAND"
mv -f -- "$folder/new.darshan" "$log"

if [ ! -e "$DARSHAN_CI_BASELINE" ]; then
  echo "there is no $DARSHAN_CI_BASELINE: store $log under this name to compare the next run with it"
  exit 0
fi
set -- "$DARSHAN_CI_BASELINE" "$log"
while IFS= read -r condition; do
  [ -z "$condition" ] || set -- "$@" --fail-if "$condition"
done <<CONDITIONS
${DARSHAN_CI_FAIL_IF:-}
CONDITIONS
darshan compare "$@" --json -o "$json" || status=$?
text=${GITHUB_STEP_SUMMARY:-/dev/stdout}
{ echo '```' && { darshan compare "$@" || :; } && echo '```'; } >>"$text"
exit "${status:-0}"
