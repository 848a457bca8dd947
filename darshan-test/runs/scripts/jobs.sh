# Three jobs of MPI with work between them: jobs.sh LAUNCHER...; a shell stands between
# the launcher and each rank, and becomes the rank, or waits for it.
set -e
mkdir out
"$@" sh -c 'exec "$PROGRAM" out first'
cat out/rank-* >between
"$@" sh ./wrapper.sh
"$@" "$PROGRAM" out third
cat out/rank-* out/third >all
