/* Counts the bytes that libc itself prints (messages, entries), by the growth of the stream. If the
 * call prints only through the stream, libc's own offset measures the growth; otherwise the
 * position of the descriptor does. Bytes that other calls wrote in the meantime are subtracted,
 * because those calls count them. */
#include "print.h"

#include <fcntl.h>
#include <string.h>

#include "../../../intercept/stack.h"
#include "../../../intercept/sys/sys.h"

/* Calls of this thread in progress that may end the process (print.h). */
enum { MOST_LEAVING = 2 };
static __thread struct stdio_print leaving[MOST_LEAVING];

/* Returns 1 for a standard stream that is not a file, otherwise 0. */
static int is_no_file(struct stdio_stream *stream) {
  return stream->standard && (!STDIO_PEEK(stream->changed) || stdio_was_never_a_file(stream));
}

/* Returns 1 if the stream is recorded under the name of a file. Returns 0 for a terminal or pipe,
 * which has no position, and if the lock of the stream cannot be taken. */
static int is_file(struct stdio_stream *stream) {
  if (is_no_file(stream)) return 0;
  if (!stdio_lock(stream)) return 0;
  int file = !stream->standard;
  stdio_unlock(stream);
  return file;
}

/* Returns the file offset behind the last byte that the stream has written, flushed or not; -1 if
 * the descriptor has no position. */
static int64_t place(struct stdio_stream *stream) {
  const FILE *file = stream->file;
  int64_t position = SYS3(SYS_lseek, stream_fd(file), 0, SEEK_CUR);
  return position < 0 ? -1 : position + stdio_output_waiting(stream);
}

/* Returns the file offset of the first byte that a call of this way will print: behind the stream's
 * bytes, or at the end of the file if it appends or seeks there first; -1 if unknown. */
static int64_t begin_place(struct stdio_stream *stream, enum stdio_print_way way) {
  int fd = stream_fd(stream->file);
  int64_t at = place(stream), waiting = stdio_output_waiting(stream);
  int appends = SYS3(SYS_fcntl, fd, F_GETFL, 0) & O_APPEND;
  struct stat st;
  if (at < 0 || (!appends && way != PRINT_AT_THE_END) || sys_fstat(fd, &st) < 0) return at;
  if (appends) return st.st_size + waiting;
  return at > st.st_size ? at : st.st_size;
}

int stdio_print_begin(FILE *file, enum stdio_print_way way, struct stdio_print *print) {
  struct stdio_stream *stream = stdio_stream_of(file);
  print->stream = NULL;
  if (!stream || !is_file(stream)) return 0;
  stdio_settle(stream);
  print->stream = stream;
  print->start = ticks_now();
  print->booked = stream->record->counters[STDIO_BYTES_WRITTEN];
  print->scan = (struct stdio_scan){.waiting = stdio_output_waiting(stream)};
  if (way == PRINT_THROUGH && !STDIO_PEEK(stream->shared) && !stream_appends(file) &&
      stream_read_end(file) == stream_read_at(file)) {
    stdio_lend_offset(stream, &print->scan);
    return 1;
  }
  print->scan.how = SCAN_BY_POSITION;
  print->scan.position = begin_place(stream, way);
  return 1;
}

int stdio_may_print_begin(FILE *file, struct stdio_print *print) {
  struct stdio_stream *stream = stdio_stream_of(file);
  if (!stream || STDIO_PEEK(stream->known)) return stdio_print_begin(file, PRINT_THROUGH, print);
  print->stream = NULL;
  if (is_no_file(stream)) return 0;
  print->stream = stream;
  print->start = ticks_now();
  print->booked = PRINT_UNBOOKED;
  print->scan = (struct stdio_scan){.waiting = stdio_output_waiting(stream)};
  print->scan.how = SCAN_BY_POSITION;
  print->scan.position = begin_place(stream, PRINT_THROUGH);
  return 1;
}

/* Returns the bytes that the call printed, without those of other calls in the meantime; 0 if
 * unknown. */
static int64_t grown(struct stdio_print *print) {
  struct stdio_stream *stream = print->stream;
  int64_t bytes;
  if (print->scan.how == SCAN_BY_OFFSET) {
    int64_t flushed = stdio_scan_refills(stream, &print->scan);
    stream->odd &= ~(uint32_t)STDIO_SCANNING;
    bytes = (flushed > 0 ? flushed : 0) + stdio_output_waiting(stream) - print->scan.waiting;
  } else {
    int64_t at = print->scan.position < 0 ? -1 : place(stream);
    bytes = at < 0 ? 0 : at - print->scan.position;
  }
  if (!STDIO_PEEK(stream->known)) return 0;
  if (print->booked == PRINT_UNBOOKED) return bytes;
  return bytes - (stream->record->counters[STDIO_BYTES_WRITTEN] - print->booked);
}

void stdio_printed(struct stdio_print *print, uint64_t t1, uint64_t t2) {
  if (!print->stream || print->stream->file == NULL) return;
  int64_t bytes = grown(print);
  if (bytes > 0) stdio_wrote(print->stream, bytes, t1, t2);
  print->stream = NULL;
}

void stdio_may_have_printed(struct stdio_print *print, int printed, uint64_t t1, uint64_t t2) {
  if (print->booked == PRINT_UNBOOKED && print->stream && (!printed || !is_file(print->stream)))
    print->stream = NULL;
  stdio_printed(print, t1, t2);
}

void stdio_print_may_leave(const struct stdio_print *print, int which) {
  leaving[which] = *print;
}

void stdio_print_stays(void) {
  for (int i = 0; i < MOST_LEAVING; i++)
    leaving[i].stream = NULL;
}

static void count_left(void *nothing) {
  (void)nothing;
  for (int i = 0; i < MOST_LEAVING; i++)
    if (leaving[i].stream) stdio_printed(&leaving[i], leaving[i].start, ticks_now());
}

void stdio_print_left(void) {
  if (leaving[0].stream || leaving[1].stream) stack_run(count_left, NULL);
}

struct stdio_digits stdio_number(unsigned value) {
  struct stdio_digits digits = {{0}};
  char *at = digits.text + sizeof(digits.text) - 1;
  do
    *--at = (char)('0' + value % 10);
  while (value /= 10);
  memmove(digits.text, at, strlen(at) + 1);
  return digits;
}

void stdio_print_last_words(FILE *file, const char *const *words, int n) {
  struct stdio_stream *stream = stdio_stream_of(file);
  if (!stream || !is_file(stream)) return;
  int64_t bytes = 0;
  for (int i = 0; i < n; i++)
    bytes += words[i] ? (int64_t)strlen(words[i]) : 0;
  uint64_t now = ticks_now();
  stdio_wrote(stream, bytes, now, now);
}
