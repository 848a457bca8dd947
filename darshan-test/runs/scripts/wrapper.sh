# Wraps a rank as centres do: settings, a line in a log, and no exec.
export SOMETHING=1
cat settings >/dev/null
"$PROGRAM" out second <settings
status=$?
echo "ended with $status" >>wrapped
exit $status
