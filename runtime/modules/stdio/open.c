/* Counts how streams are opened, reopened and closed. */
#include "stdio-module.h"

#include <fcntl.h>

#include "../../intercept/sys/sys.h"
#include "../lustre/lustre.h"
#include "record-id.h"

/* Counts an open of a stream. stream: NULL: not recorded, does nothing. is_fdopen: 1: by fdopen,
 * otherwise 0. */
static void count_open(struct stdio_stream *stream, int is_fdopen, uint64_t t1, uint64_t t2) {
  if (!stream) return;
  int of_a_pipe = posix_waited_for_a_pipe(stream_fd(stream->file), t1, t2);
  if (!stdio_lock(stream)) return;
  if (UNLIKELY(of_a_pipe)) stdio_opened_a_pipe(stream);
  struct clock_span at = ticks_span(t1, t2);
  stream->record->counters[STDIO_OPENS]++;
  stream->record->counters[STDIO_FDOPENS] += is_fdopen;
  stdio_note_span(stream, STDIO_F_OPEN_START_TIMESTAMP, STDIO_F_OPEN_END_TIMESTAMP, at);
  stdio_add_time(stream, STDIO_F_META_TIME, STDIO_META, at);
  stdio_unlock_layers(stream, SITE_OPEN, 0, 0, t1, t2);
}

static int stdio_is_on(void) {
  return module_is_on(DARSHAN_MOD_STDIO) && fd_may_change();
}

/* Records a stream that was just opened, under this name, and returns its state; NULL if it cannot
 * be recorded. If the descriptor belonged to a stream that is still open, although its descriptor
 * was closed, that stream writes to the new file, too, from now on. */
static struct stdio_stream *follow(FILE *file, const struct posix_name *name) {
  struct stdio_stream *stream = stdio_follow(file, name);
  if (UNLIKELY(stream && stream->same_fd)) posix_file_of_stream(stream_fd(file));
  return stream;
}

/* Sets the position of a stream that was opened to append, only for writing: its bytes go to the
 * end of the file. A stream that also reads ("a+") begins to read at offset 0. */
static __attribute__((noinline)) void begin_at_end(struct stdio_stream *stream, int fd) {
  int64_t end = STREAM_OPENS_AT_END ? SYS3(SYS_lseek, fd, 0, SEEK_CUR) : fd_end(fd);
  if (end >= 0) STDIO_POKE(stream->offset, end);
}

void stdio_opened(FILE *file, const char *path, uint64_t t1, uint64_t t2) {
  struct posix_name name;
  if (!fd_may_change()) return;
  fd_dropped(stream_fd(file));
  if (!stdio_is_on()) return;
  if (!posix_name_opened(&name, DARSHAN_MOD_STDIO, AT_FDCWD, path, stream_fd(file))) return;
  struct stdio_stream *stream = follow(file, &name);
  posix_name_done(&name);
  if (stream && UNLIKELY(stream_appends(file)) && stream_only_writes(file))
    begin_at_end(stream, stream_fd(file));
  count_open(stream, 0, t1, t2);
}

void stdio_descriptor_opened(FILE *file, int fd, uint64_t t1, uint64_t t2) {
  const struct posix_file *posix = posix_file_behind(fd);
  if (!posix || !stdio_is_on()) return;
  struct posix_name name = posix_named(posix->name, posix->name_length, posix->id);
  if (posix->overflow) name.id = darshan_hash(posix->name, posix->name_length, 0);
  int is_path = name.text[0] == '/'; /* otherwise a name that the runtime made */
  if (is_path && !posix_name_of(&name, DARSHAN_MOD_STDIO, AT_FDCWD, posix->name)) return;
  struct stdio_stream *stream = stdio_follow(file, &name);
  posix_name_done(&name);
  if (stream) stream->offset = posix_place_of(posix);
  count_open(stream, 1, t1, t2);
}

void stdio_temporary_opened(FILE *file, uint64_t t1, uint64_t t2) {
  static const char text[] = "<tmpfile>";
  struct posix_name name =
      posix_named(text, sizeof(text) - 1, darshan_hash(text, sizeof(text) - 1, 0));
  if (!fd_may_change()) return;
  fd_dropped(stream_fd(file));
  if (stdio_is_on()) count_open(follow(file, &name), 0, t1, t2);
}

void stdio_closing(const struct stdio_stream *stream, int fd) {
  if (fd < 0 || stream->standard || stream->born || stream->name[0] != '/' ||
      !module_is_on(DARSHAN_MOD_LUSTRE))
    return;
  if (posix_file_system(stream->name, stream->name_length, fd) & ON_LUSTRE)
    lustre_closing(stream->id, fd);
}

void stdio_closed(struct stdio_stream *last, int result, uint64_t t1, uint64_t t2) {
  (void)result; /* the stream is closed even if its last flush failed */
  if (!last || !stdio_lock(last)) return;
  struct clock_span at = ticks_span(t1, t2);
  stdio_note_span(last, STDIO_F_CLOSE_START_TIMESTAMP, STDIO_F_CLOSE_END_TIMESTAMP, at);
  stdio_add_time(last, STDIO_F_META_TIME, STDIO_META, at);
  stdio_drained_by_close(last);
  stdio_unlock_layers(last, SITE_CLOSE, 0, 0, t1, t2);
}

void stdio_reopened(FILE *file, const char *path, struct stdio_stream *last, uint64_t t1,
                    uint64_t t2) {
  stdio_closed(last, 0, t1, t1);
  if (!file) return;
  if (path) {
    stdio_opened(file, path, t1, t2);
  } else if (last) { /* the same file, reopened in another mode */
    struct posix_name name = posix_named(last->name, last->name_length, last->id);
    count_open(stdio_follow(file, &name), 0, t1, t2);
  }
}

void stdio_all_closed(uint64_t t1, uint64_t t2) {
  for (uint32_t i = 1; i <= stdio_state.used_streams; i++) {
    struct stdio_stream last, *stream = stdio_stream_at(i);
    if (!stream->file || !stream->record || stream->standard) continue;
    last = *stream;
    int fd = stream_fd(stream->file);
    stream->file = NULL;
    stdio_closed(&last, 0, t1, t2);
    if (fd >= 0) fd_dropped(fd);
  }
}
