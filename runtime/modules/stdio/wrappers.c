/* Wrappers of the STDIO module, made from calls.def. */
#include "quick.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <string.h>

#include "formats/print.h"
#include "formats/scan.h"
#include "formats/wide.h"

/* Marks a call of this module: in a statically linked program libc's own putc() calls __overflow()
 * by name, which reaches this module. Nested calls are not counted. */
#define CALLING darshan_inside.stdio = __builtin_frame_address(0)
#define CALLED darshan_inside.stdio = NULL
#define OUTERMOST                                                                                  \
  if (darshan_inside.stdio && (const char *)__builtin_frame_address(0) < darshan_inside.stdio)     \
  FORWARD

#include <libc-names.h>

#define CALLS "../modules/stdio/calls.def"
#include "../../intercept/declare-slots.h"

#include "../../intercept/wrap.h"

/* Macros that rows use in their column "find". */
#define ACTIVE                                                                                     \
  if (UNLIKELY(!darshan_hot.fd_limit)) FORWARD
#define STREAM(file)                                                                               \
  struct stdio_stream *s = stdio_stream_of(file);                                                  \
  if (!s) FORWARD;                                                                                 \
  stdio_settle(s)
/* For small calls: returns at once if the call needs no measurement (quick.h). bytes: of the call,
 * 0 if it is not small. */
#define SMALL(file, bytes, serves, quick)                                                          \
  struct stdio_stream *s = stdio_stream_of(file);                                                  \
  if (!s) FORWARD;                                                                                 \
  int64_t small = bytes;                                                                           \
  int served = small > 0 && serves(s, small);                                                      \
  if (LIKELY(served) && stdio_is_quick(s)) {                                                       \
    if (LIKELY(quick(s, small, &(struct site_caller){QUICK_CALLER}))) FORWARD;                     \
  }                                                                                                \
  stdio_settle(s)
#define SMALL_READ(file, bytes) SMALL(file, bytes, stdio_serves_read, stdio_quick_read)
#define SMALL_WRITE(file, bytes) SMALL(file, bytes, stdio_serves_write, stdio_quick_write)
#define STREAM_UNGET(c, file)                                                                      \
  struct stdio_stream *s = stdio_stream_of(file);                                                  \
  if (!s) FORWARD;                                                                                 \
  if (stdio_serves_unget(s, c) && stdio_is_quick(s) && stdio_quick_unget(s)) FORWARD;              \
  stdio_settle(s)
#define STREAM_FIXED_LINE(file)                                                                    \
  STREAM_LINE(file, '\n', (int64_t)n - 1);                                                         \
  struct stdio_mark before = stdio_mark(file)
#define STREAM_POSITION(file)                                                                      \
  STREAM(file);                                                                                    \
  struct stdio_mark before = stdio_mark(file)
/* For getdelim, of which no number of bytes limits the line, and which may be called wrongly. */
#define DELIMITED (line && room ? INT64_MAX : 0)
#define STREAM_LINE(file, end, most) SMALL_READ(file, stdio_short_line(s, end, most))
#define STREAM_TEXT(file, text, more) SMALL_WRITE(file, stdio_short_text(s, text, more))
#define STREAM_WRITE_ITEMS(file) SMALL_WRITE(file, stdio_few_items(s, size, n))
#define STREAM_ITEMS(file)                                                                         \
  SMALL_READ(file, stdio_few_items(s, size, n));                                                   \
  size_t item = 0, items = n, all;                                                                 \
  if (size > 1 && !__builtin_mul_overflow(size, n, &all)) item = size, size = 1, n = all
#define STREAM_SCAN(file)                                                                          \
  STREAM(file);                                                                                    \
  struct stdio_scan scan;                                                                          \
  stdio_scan_begin(s, format, &scan)
#define WIDE_SCAN(file)                                                                            \
  STREAM(file);                                                                                    \
  struct stdio_scan scan;                                                                          \
  stdio_wide_scan_begin(s, &scan)
#define WIDE_PRINT(file)                                                                           \
  STREAM(file);                                                                                    \
  struct stdio_scan scan;                                                                          \
  stdio_wide_print_begin(s, &scan)
/* For functions of libc that print or read within libc; link/libc-own leaves them unwrapped in
 * static programs. */
#define PRINTS_BY(file, way)                                                                       \
  ACTIVE;                                                                                          \
  struct stdio_print print;                                                                        \
  if (!stdio_print_begin(file, way, &print)) FORWARD
#define PRINTS(file) PRINTS_BY(file, PRINT_THROUGH)
/* For getopt, which prints only if an option is wrong. */
#define MAY_PRINT(file)                                                                            \
  ACTIVE;                                                                                          \
  struct stdio_print print;                                                                        \
  if (!stdio_may_print_begin(file, &print)) FORWARD
/* For functions that may also end the process. */
#define PRINTS_LAST(file)                                                                          \
  PRINTS(file);                                                                                    \
  stdio_print_may_leave(&print, 0)
#define PRINTS_BOTH                                                                                \
  ACTIVE;                                                                                          \
  struct stdio_print print, other;                                                                 \
  if (!(stdio_print_begin(stderr, PRINT_THROUGH, &print) |                                         \
        stdio_print_begin(stdout, PRINT_THROUGH, &other)))                                         \
    FORWARD;                                                                                       \
  stdio_print_may_leave(&print, 0);                                                                \
  stdio_print_may_leave(&other, 1)
#define PARSES(file)                                                                               \
  STREAM(file);                                                                                    \
  struct stdio_scan scan;                                                                          \
  stdio_parse_begin(s, &scan)
/* For functions that print a question on stderr and read the answer from stdin if there is no
 * terminal. */
#define ASKS                                                                                       \
  ACTIVE;                                                                                          \
  struct stdio_stream *s = stdio_stream_of(stdin);                                                 \
  struct stdio_scan scan;                                                                          \
  struct stdio_print print;                                                                        \
  if (!stdio_print_begin(stderr, PRINT_BESIDE, &print) && !s) FORWARD;                             \
  if (s) {                                                                                         \
    stdio_settle(s);                                                                               \
    stdio_parse_begin(s, &scan);                                                                   \
  }
#define ASKED                                                                                      \
  if (s) stdio_scanned(s, &scan, EOF, t1, t2);                                                     \
  stdio_printed(&print, t1, t2)
#define ASSERTS(...)                                                                               \
  ACTIVE;                                                                                          \
  const char *const words[] = {__VA_ARGS__};                                                       \
  stdio_print_last_words(stderr, words, sizeof(words) / sizeof(words[0]))
#define RELEASE(file)                                                                              \
  ACTIVE;                                                                                          \
  struct stdio_stream last, *s = stdio_release(file, &last) ? &last : NULL;                        \
  if (s) stdio_closing(s, stream_fd(file))
#define FLUSH(file)                                                                                \
  ACTIVE;                                                                                          \
  struct stdio_stream *s = stdio_stream_of(file);                                                  \
  if (file && !s) FORWARD;                                                                         \
  if (s) stdio_settle(s);                                                                          \
  if (!s) stdio_settle_own()

/* Macros that rows use in their column "event". */
#define FLUSHED                                                                                    \
  if (r == 0 && s) stdio_flushed(s, t1, t2);                                                       \
  if (r == 0 && !s) stdio_all_flushed(t1, t2)
/* STREAM_ITEMS makes libc count bytes instead of items, so that the bytes of an incomplete item are
 * counted. */
#define READ_ITEMS                                                                                 \
  if (r > 0) stdio_read(s, (int64_t)(r * size), t1, t2);                                           \
  WAS_SMALL(STDIO_READ);                                                                           \
  if (item) r = r == n ? items : r / item
#define WAS_SMALL(kind)                                                                            \
  if (served) stdio_quick_begin(s, kind, &(struct site_caller){QUICK_CALLER}, t1, t2)
#define READ_LINE                                                                                  \
  if (r) stdio_line_read(s, r, before, t1, t2);                                                    \
  WAS_SMALL(STDIO_READ)
#define READ_DELIMITED                                                                             \
  if (r >= 0) stdio_read(s, r, t1, t2);                                                            \
  WAS_SMALL(STDIO_READ)
#define READ_FORMAT stdio_scanned(s, &scan, r, t1, t2)
#define WROTE_ITEMS                                                                                \
  if (r > 0) stdio_wrote(s, (int64_t)(r * size), t1, t2);                                          \
  WAS_SMALL(STDIO_WRITE)
#define WROTE_TEXT(more)                                                                           \
  if (r >= 0) stdio_wrote(s, (int64_t)strlen(text) + more, t1, t2);                                \
  WAS_SMALL(STDIO_WRITE)
#define WROTE_FORMAT                                                                               \
  if (r >= 0) stdio_wrote(s, r, t1, t2)
#define PRINTED stdio_printed(&print, t1, t2)
#define MAY_HAVE_PRINTED stdio_may_have_printed(&print, r == '?', t1, t2)
/* PRINTED_LAST and PRINTED_BOTH end a call that runs functions of the application, whose own calls
 * are counted separately. The row of such a call is a NOTE. */
#define PRINTED_LAST                                                                               \
  stdio_printed(&print, print.start, ticks_now());                                                 \
  stdio_print_stays()
#define PRINTED_BOTH                                                                               \
  stdio_printed(&other, other.start, ticks_now());                                                 \
  PRINTED_LAST
#define PARSED stdio_scanned(s, &scan, r ? 0 : EOF, t1, t2)
#define PARSED_INTO stdio_scanned(s, &scan, r == 0 ? 0 : EOF, t1, t2)
#define UNGOT                                                                                      \
  if (r != EOF) stdio_ungot(s, 1)
#define READ_WIDE_LINE                                                                             \
  if (r) stdio_read(s, stdio_encoded_text(s, r), t1, t2)
#define UNGOT_WIDE                                                                                 \
  if (r != WEOF) stdio_ungot(s, stdio_encoded_one(s, r))
#define WROTE_WIDE_TEXT                                                                            \
  if (r >= 0) stdio_wrote(s, stdio_encoded_text(s, text), t1, t2)
#define WROTE_WIDE_FORMAT stdio_wide_printed(s, &scan, r, t1, t2)
#define SEEKED                                                                                     \
  if (r == 0) stdio_seeked(s, sys_gate_is_shut() ? -1 : ftello(file), t1, t2)

/* A function for one character. The wrapper counts a call in the most frequent case (fast), and
 * then makes the real call as its last action, so that both need hardly any stack. Everything else
 * is in a second function, in which `caller` is that of the wrapper. The wrapper stays on the stack
 * meanwhile, because the name of a call site begins with its name. It does not realign the stack
 * (ANY_STACK), because only calls of the runtime need that.
 *
 * small: bytes of the call if it is small, else 0. serves, quick: as in SMALL. none: the result of
 * a call that moved nothing. moved: counts the bytes of another result r. */
#define ONE(name, type, params, args, params2, args2, file, operation, fast, small, serves, quick, \
            none, moved)                                                                           \
  static __attribute__((noinline)) ANY_STACK type measure_##name params2 {                         \
    struct stdio_stream *s = stdio_stream_of(file);                                                \
    if (!s) FORWARD;                                                                               \
    const struct site_caller caller = {frame, returns, IDENTITY(name)};                            \
    int64_t bytes = small;                                                                         \
    int served = bytes > 0 && serves(s, bytes);                                                    \
    if (served && stdio_is_quick(s) && quick(s, bytes, &caller)) FORWARD;                          \
    stdio_settle(s);                                                                               \
    CALLING;                                                                                       \
    uint64_t t1 = ticks_now();                                                                     \
    type r = REAL(name) args;                                                                      \
    uint64_t t2 = ticks_after(t1);                                                                 \
    CALLED;                                                                                        \
    if (r == (none)) return r;                                                                     \
    moved;                                                                                         \
    if (served) stdio_quick_begin(s, operation, &caller, t1, t2);                                  \
    return r;                                                                                      \
  forward:                                                                                         \
    return REAL(name) args;                                                                        \
  }                                                                                                \
  __attribute__((visibility("default"), used)) type wrap_##name params __asm__(SYMBOL(name));      \
  type wrap_##name params {                                                                        \
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);                                       \
    uintptr_t returns = (uintptr_t)__builtin_return_address(0);                                    \
    if (LIKELY(fast)) return REAL(name) args;                                                      \
    type r = measure_##name args2;                                                                 \
    __asm__("" : "+r"(r)); /* so that the call above is not the last action */                     \
    return r;                                                                                      \
  }

#define GET(name, type, params, args, params2, args2, file, kind)                                  \
  ONE(name, type, params, args, params2, args2, file, STDIO_READ,                                  \
      stdio_fast_get##kind(file, frame, returns, IDENTITY(name)), SMALL_GET_##kind,                \
      stdio_serves_read##kind, stdio_quick_read##kind, NONE_##kind,                                \
      stdio_read(s, BYTES_##kind, t1, t2))
#define PUT(name, type, params, args, params2, args2, file, kind)                                  \
  ONE(name, type, params, args, params2, args2, file, STDIO_WRITE,                                 \
      stdio_fast_put##kind(c, file, frame, returns, IDENTITY(name)), SMALL_PUT_##kind,             \
      stdio_serves_write##kind, stdio_quick_write##kind, NONE_##kind,                              \
      stdio_wrote(s, BYTES_##kind, t1, t2))
#define NONE_ EOF
#define NONE__wide WEOF
#define SMALL_GET_ 1
#define SMALL_GET__wide stdio_next_wide(s)
#define SMALL_PUT_ 1
#define SMALL_PUT__wide stdio_known_wide(s, c)
#define BYTES_ 1
#define BYTES__wide stdio_encoded_one(s, r)
/* Identifies a wrapper by an address. */
#define IDENTITY(name) (uintptr_t) & real_##name
#define CALLER uintptr_t frame, uintptr_t returns
#define HERE frame, returns
#define GET_ONE(name, type, kind)                                                                  \
  GET(name, type, (FILE * file), (file), (CALLER, FILE * file), (HERE, file), file, kind)
#define GET_ONE_OF_STDIN(name, type, kind)                                                         \
  GET(name, type, (void), (), (CALLER), (HERE), stdin, kind)
#define PUT_ONE(name, type, of, kind)                                                              \
  PUT(name, type, (of c, FILE * file), (c, file), (CALLER, of c, FILE * file), (HERE, c, file),    \
      file, kind)
#define PUT_ONE_TO_STDOUT(name, type, of, kind)                                                    \
  PUT(name, type, (of c), (c), (CALLER, of c), (HERE, c), stdout, kind)

#include "calls.def"
