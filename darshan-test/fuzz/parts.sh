# What run and long share: the corpus, and programs with sanitizers.  Expects
# here, top and work.
flags="-std=c11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -fno-omit-frame-pointer -fno-sanitize-recover=all"
reader="$top/util/reader/*.c $top/runtime/format/*.c"
corpus="$work/corpus"
printf '#define PACKAGE_VERSION "fuzz"\n' >"$work/config.h"

# build COMPILER SANITIZERS OUTPUT SOURCE|OPTION...: links the reader in.
build() {
  compiler=$1 sanitizers=$2 output=$3
  shift 3
  # shellcheck disable=SC2086 # flags and sources are lists
  $compiler $flags -fsanitize=$sanitizers -o "$output" "$@" \
    -I"$top/runtime/format" -I"$top/runtime" -I"$top/util/reader" -I"$top/util/parser" -I"$work" \
    $reader -lz -lbz2 -ldeflate -lm
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
parser_parts="$top/util/parser/*.c"
dxt_parts="$top/util/dxt-parser/*.c $top/util/parser/id-table.c $top/util/parser/numbers.c
  $top/util/parser/output.c $top/util/parser/escape.c $top/util/parser/preamble.c
  $top/util/parser/print-log.c"
convert_parts="$top/util/convert/*.c $top/util/parser/id-table.c $top/runtime/job/text/utf8.c"
diff_parts="$top/util/diff/*.c $top/util/parser/apmpi-names.c $top/util/parser/id-table.c $top/util/parser/numbers.c
  $top/util/parser/output.c $top/util/parser/escape.c $top/util/parser/rows.c
  $top/util/parser/rows-special.c"
library_parts="$here/library.c $top/util/library/*.c $top/util/parser/apmpi-names.c
  $top/util/parser/id-table.c $top/util/parser/summary.c $top/util/parser/summary-file.c
  $top/util/parser/summary-perf.c -I$top/util/library"
