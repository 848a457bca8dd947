# Functions of both run and long: the corpus, and programs with sanitizers. The caller sets here,
# top, work, python, and DARSHAN_ASAN, the build with sanitizers (./dev asan).
flags="-std=c11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -fno-omit-frame-pointer -fno-sanitize-recover=all"
reader="$DARSHAN_ASAN/libdarshan-read.a"
reader_sources="$top/util/reader/*.c $top/util/reader/records/*.c $top/runtime/format/*.c $top/runtime/format/merge/*.c"
corpus="$work/corpus"

# build COMPILER SANITIZERS OUTPUT SOURCE|ARCHIVE|OPTION...
build() {
  compiler=$1 sanitizers=$2 output=$3
  shift 3
  # shellcheck disable=SC2086 # flags are a list
  $compiler $flags -fsanitize=$sanitizers -o "$output" "$@" -I"$DARSHAN_ASAN" \
    -I"$top/runtime/format" -I"$top/runtime" -I"$top/util/reader" -I"$top/util/parser" \
    -lz -lbz2 -ldeflate -lm
}

# The generated logs, and the real ones (DARSHAN_REAL_LOGS) if present.
make_corpus() {
  (cd "$here/.." && "$python" -m logs "$corpus" 80000 >/dev/null)
  real=${DARSHAN_REAL_LOGS:-$top/../shared/logs}
  if [ -d "$real" ]; then
    find "$real/" -name '*.darshan' -size -80k -exec cp {} "$corpus" \;
  elif [ -n "${CI:-}" ]; then
    echo "CI is set, but there are no real logs in $real" >&2
    exit 1
  else
    echo "the real logs were not there: fuzzing the generated ones alone"
  fi
}

# An allocation that a length field asked for is a bug even if it succeeds.  A
# small quarantine makes it twice as fast.
export ASAN_OPTIONS=max_allocation_size_mb=256:detect_leaks=1:exitcode=99:quarantine_size_mb=4
export UBSAN_OPTIONS=exitcode=99
reader_parts="$here/target.c $here/mutate.c $here/frame.c"
