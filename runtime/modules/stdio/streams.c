/* Finds or makes the state of a FILE and its STDIO record, and ends both. */
#include "quick.h"

#include <string.h>

#include "../../names/descriptors.h"
#include "../training/training.h"
#include "formats/print.h"
#include "record-id.h"

struct stdio_state stdio_state;

/* Values of stdio_stream.changed. STREAM_CHANGED: its descriptor has another file by now, which is
 * not identified yet. STREAM_RESOLVING: a thread is identifying this file. 0: neither. */
enum { STREAM_CHANGED = 1, STREAM_RESOLVING };

/* Stores the name of a standard stream (<STDIN> and so on). Returns 1, or 0 if the stream is
 * none of the three. */
static int standard_name(const FILE *file, struct posix_name *name) {
  const char *text = file == stdin    ? "<STDIN>"
                     : file == stdout ? "<STDOUT>"
                     : file == stderr ? "<STDERR>"
                                      : NULL;
  if (!text) return 0;
  size_t length = strlen(text);
  *name = posix_named(text, (uint32_t)length, darshan_hash(text, length, 0));
  return 1;
}

int stdio_prepare(void) {
  struct stdio_state *stdio = &stdio_state;
  segments_prepare(&stdio->streams, sizeof(struct stdio_stream), SEGMENTS_PAGE);
  segments_prepare(&stdio->aux, sizeof(struct stdio_aux), SEGMENTS_PAGE);
  store_beside(&darshan_store, STORE_STDIO, &stdio->aux);
  if (segments_have(&stdio->streams, 3) < 0) return -1;
  if (!module_is_on(DARSHAN_MOD_STDIO)) return 0;
  stdio_quick_prepare();
  FILE *const files[] = {stdin, stdout, stderr};
  for (uint32_t i = 0; i < 3; i++) {
    struct stdio_stream *stream = stdio_stream_at(i + 1);
    struct posix_name name = {0};
    standard_name(files[i], &name);
    *stream = (struct stdio_stream){.file = files[i], .name = name.text, .standard = 1, .born = 1};
    stream->changed = STREAM_CHANGED; /* the new file is identified when the stream is used */
    stream->number = i + 1;
    stream->id = name.id;
    stream->name_length = name.length;
    stdio_remember(stream);
    darshan_hot.fds[i].stream = stream;
  }
  stdio->used_streams = 3;
  fds_state.highest = 2;
  return 0;
}

struct stdio_stream *stdio_search(FILE *file, struct stdio_stream *first) {
  while (first && first->file != file)
    first = first->same_fd;
  return first;
}

int stdio_stream_name(FILE *file, struct posix_name *name) {
  const struct stdio_stream *stream = stdio_stream_of(file);
  if (!stream || stream->standard || stream->born) return 0;
  *name = posix_named(stream->name, stream->name_length, stream->id);
  if (LIKELY(!STDIO_PEEK(stream->changed) && !STDIO_PEEK(stream->numberless))) return 1;
  /* The stream's own state does not show yet which file its descriptor has now. */
  const struct posix_file *posix = posix_file_of(stream_fd(file));
  if (!posix) return 0;
  *name = posix_named(posix->name, posix->name_length, posix->id);
  return 1;
}

void stdio_number_closed(struct stdio_stream *stream) {
  for (; stream; stream = stream->same_fd)
    STDIO_POKE(stream->numberless, 1);
}

int stdio_name_at(int fd, struct posix_name *name) {
  /* Returns 0 also if the stream's descriptor was closed or has another file by now. */
  const struct fd_entry *entry = fd_entry(fd);
  const struct stdio_stream *stream = entry ? STDIO_PEEK(entry->stream) : NULL;
  if (!stream || stream == FD_FOLDER || stream->standard || stream->born) return 0;
  if (STDIO_PEEK(stream->numberless) || STDIO_PEEK(stream->changed)) return 0;
  *name = posix_named(stream->name, stream->name_length, stream->id);
  return 1;
}

/* Returns 1 if the record has counted an open, 0 for a new record. */
static int stdio_was_used(const struct darshan_stdio_record *record) {
  return record->counters[STDIO_OPENS] != 0;
}

/* Stores the name of a standard stream that the process inherited: the path if it is a recorded
 * regular file, otherwise the stream's name (<STDIN> and so on). Returns 1. After this the caller
 * calls posix_name_done. */
static int identify_born(struct stdio_stream *stream, struct posix_name *name) {
  struct fd_facts facts;
  int fd = stream_fd(stream->file);
  if (fd_look(fd, &facts) < 0 || !facts.is_regular ||
      !posix_name_behind(name, DARSHAN_MOD_STDIO, fd, &facts))
    return standard_name(stream->file, name);
  long flags = SYS3(SYS_fcntl, fd, F_GETFL, 0);
  stream->appends = flags >= 0 && (flags & O_APPEND);
  return 1;
}

/* Replaces *name, the stream's former name, by the name of its current file or standard stream.
 * Returns 1, or 0 if the file is not recorded. After a result of 1 the caller calls
 * posix_name_done. */
static int identify(struct stdio_stream *stream, struct posix_name *name) {
  if (stream->born) return identify_born(stream, name);
  const struct posix_file *posix = posix_file_of(stream_fd(stream->file));
  if (!posix) return standard_name(stream->file, name);
  if (posix->id == stream->id) return 1;
  name->text = posix->name;
  name->length = posix->name_length;
  name->id = posix->id;
  if (posix->overflow) name->id = darshan_hash(posix->name, posix->name_length, 0);
  return name->text[0] != '/' ||
         /* a path */ posix_name_of(name, DARSHAN_MOD_STDIO, AT_FDCWD, posix->name);
}

/* Returns the number of the record of this name, and makes the record if necessary. If there is no
 * space for it, returns that of a group's record, whose name then replaces *name. Returns 0 if
 * there is no space at all. *below: receives the number of the STDIO_EXT record. */
static uint32_t record_of(struct posix_name *name, uint32_t *below) {
  struct record_store *store = &darshan_store;
  struct store_entry *entry = NULL;
  record_make_room(STORE_STDIO_EXT);
  if (!store_lock_for(store, STORE_STDIO)) return 0;
  uint32_t number = store_record_of(store, STORE_STDIO, name->text, name->length, name->id, &entry);
  if (number) {
    stdio_state.overflow_streams += number == store_fill(store, STORE_STDIO).overflow;
    name->text = entry->name;
    name->length = entry->name_length;
    name->id = entry->id;
  }
  *below = store_record_number(store, STORE_STDIO_EXT, number ? entry : NULL);
  store_unlock_for(store, STORE_STDIO);
  return number;
}

/* Gives a stream the STDIO record `number`, whose name is `name`. below: number of its STDIO_EXT
 * record. given: 1 if the stream's descriptor has got another file. Returns 1, or 0 if the stream's
 * former record cannot be locked. Not inlined, so that its frame is not on the stack during the
 * lookup of the record, which needs most stack.
 *
 * Other threads may be in a call on this stream. They hold the lock of its former record, or check
 * the record again after they have locked it (stdio_lock). */
static __attribute__((noinline)) int assign(struct stdio_stream *stream,
                                            const struct posix_name *name, uint32_t number,
                                            uint32_t below, int given) {
  struct stdio_aux *last = stream->aux, *aux = stdio_aux_of(number);
  struct darshan_stdio_record *record = store_record(&darshan_store, STORE_STDIO, number);
  if (!stdio_was_used(record))
    aux->watched = layers_state.active | sites_watch() | training_watched;
  aux->below = below;
  if (last && !spin_lock(SPIN_RECORD, &last->lock)) return 0;
  if (given && name->id != stream->id) {
    const struct posix_file *posix = posix_file_of(stream_fd(stream->file));
    stream->standard = posix == NULL && !stream->born;
    stream->offset = stream->born ? POSIX_ADRIFT : posix ? posix_place_of(posix) : 0;
  }
  stream->name = name->text;
  stream->name_length = name->length;
  stream->id = name->id;
  stream->record = record;
  /* Counts the open that the runtime did not see. A file that another process has opened was not
   * opened here. */
  if ((stream->standard || (given && !stream->born)) && record->counters[STDIO_OPENS] == 0)
    record->counters[STDIO_OPENS] = 1;
  __atomic_store_n(&stream->aux, aux, __ATOMIC_RELEASE);
  uint8_t resolving = STREAM_RESOLVING;
  if (!given || __atomic_compare_exchange_n(&stream->changed, &resolving, 0, 0, __ATOMIC_ACQ_REL,
                                            __ATOMIC_RELAXED))
    __atomic_store_n(&stream->known, 1, __ATOMIC_RELEASE);
  if (last) spin_unlock(&last->lock);
  return 1;
}

int stdio_was_never_a_file(struct stdio_stream *stream) {
  struct fd_facts facts;
  if (!stream->born || (fd_look(stream_fd(stream->file), &facts) == 0 && facts.is_regular))
    return 0;
  STDIO_POKE(stream->changed, 0);
  return 1;
}

int stdio_materialise(struct stdio_stream *stream) {
  struct posix_name name = posix_named(stream->name, stream->name_length, stream->id);
  int given = STDIO_PEEK(stream->changed) != 0;
  if (given) __atomic_store_n(&stream->changed, STREAM_RESOLVING, __ATOMIC_SEQ_CST);
  if (given && !identify(stream, &name)) return 0;
  uint32_t below = 0, number = record_of(&name, &below);
  int made = number != 0 && assign(stream, &name, number, below, given);
  posix_name_done(&name);
  return made;
}

/* Adds to the stream's record the bytes that inlined macros of <stdio.h> moved, and the time of
 * quick calls. */
static void settle_all(struct stdio_stream *stream) {
  stdio_settle(stream);
  stdio_quick_settle(stream);
}

void stdio_descriptor_changed(int fd) {
  const struct posix_file *posix = posix_file_of(fd);
  const struct fd_entry *entry = fd_entry(fd);
  struct stdio_stream *stream = entry ? entry->stream : NULL;
  if (stream == FD_FOLDER) return;
  for (; stream; stream = stream->same_fd) {
    if (!stream->file || (posix && posix->id == stream->id && !stream->changed)) continue;
    /* Bytes that inlined macros of <stdio.h> have moved so far belong to the former file. */
    if (STDIO_PEEK(stream->known) && STDIO_PEEK(stream->owner) == &darshan_guard)
      settle_all(stream);
    stream->born = stream->appends = 0;
    __atomic_store_n(&stream->changed, STREAM_CHANGED, __ATOMIC_SEQ_CST);
    __atomic_store_n(&stream->known, 0, __ATOMIC_RELEASE);
  }
}

struct stdio_stream *stdio_follow(FILE *file, const struct posix_name *name) {
  struct stdio_state *stdio = &stdio_state;
  int fd = stream_fd(file);
  if (!fd_can_follow(fd) || !runtime_enter()) return NULL;
  if (!spin_lock(SPIN_RECORD, &stdio->lock)) {
    runtime_leave();
    return NULL;
  }
  uint32_t number = stdio->free_stream;
  if (number)
    stdio->free_stream = stdio_stream_at(number)->next_free;
  else if (stdio->used_streams < STDIO_STREAMS &&
           segments_have(&stdio->streams, stdio->used_streams + 1) == 0)
    number = ++stdio->used_streams;
  struct stdio_stream *stream = NULL;
  if (number) {
    stream = stdio_stream_at(number);
    *stream =
        (struct stdio_stream){.file = file, .name = name->text, .id = name->id, .number = number};
    stream->name_length = name->length;
    stdio_remember(stream);
    /* Another stream of this descriptor may still be open. */
    const struct fd_entry *entry = fd_entry(fd);
    if (entry && entry->stream != FD_FOLDER) {
      stream->same_fd = entry->stream;
      if (entry->stream && entry->stream->file == file) /* the runtime did not see its close */
        stream->same_fd = entry->stream->same_fd;
    }
    fd_set_stream(fd, stream);
  } else {
    runtime_table_full();
  }
  spin_unlock(&stdio->lock);
  runtime_leave();
  /* Locks the record now, because the name may be in a buffer of the caller: stdio_lock stores it
   * with the record. */
  if (!stream) return NULL;
  if (stdio_lock(stream))
    stdio_unlock(stream);
  else
    stream->name_length = 0;
  return stream;
}

int stdio_release(FILE *file, struct stdio_stream *last) {
  struct stdio_state *stdio = &stdio_state;
  if (!fd_may_change()) return 0;
  if (UNLIKELY(file && stream_fd(file) < 0)) stdio_cookie_closing(file);
  struct stdio_stream *stream = stdio_stream_of(file);
  int known = 0;
  if (stream) settle_all(stream);
  /* Makes the record before the FILE is closed. */
  if (stream && stdio_lock(stream)) {
    known = 1;
    stdio_unlock(stream);
  }
  int fd = file ? stream_fd(file) : -1;
  if (!stream || !record_lock(&stdio->lock)) {
    if (fd >= 0) fd_dropped(fd); /* libc closes the descriptor internally, without a wrapper */
    return 0;
  }
  *last = *stream;
  struct stdio_stream **link = &fd_entry(fd)->stream;
  while (*link != stream && *link != NULL)
    link = &(*link)->same_fd;
  if (*link == stream) __atomic_store_n(link, stream->same_fd, __ATOMIC_RELEASE);
  stream->file = NULL;
  stream->next_free = stdio->free_stream;
  stdio->free_stream = stream->number;
  record_unlock(&stdio->lock);
  fd_dropped(fd);
  return known;
}

void stdio_finish(void) {
  stdio_print_left();
  for (uint32_t i = 1; i <= stdio_state.used_streams; i++) {
    struct stdio_stream *stream = stdio_stream_at(i);
    if (stream->file) settle_all(stream);
  }
}

/* Called in a forked child: removes the records from all streams. The streams stay open, but their
 * records belong to the parent. */
void stdio_forked(void) {
  struct stdio_state *stdio = &stdio_state;
  stdio->lock = 0;
  stdio->overflow_streams = 0;
  for (uint32_t i = 1; i <= stdio->used_streams; i++) {
    struct stdio_stream *stream = stdio_stream_at(i);
    stream->known = 0;
    stream->record = NULL;
    stream->aux = NULL;
    memset(stream->quick, 0, sizeof(stream->quick));
    if (stream->file) stdio_remember(stream); /* earlier bytes belong to the parent */
  }
  segments_clear(&stdio->aux);
}

uint64_t stdio_streams_in_overflow(void) {
  return stdio_state.overflow_streams;
}

void stdio_ended(void) {
  heatmap_settle(&(struct heatmap_source){
      .layer = HEATMAP_STDIO,
      .module = STORE_STDIO,
      .locks = &stdio_state.aux,
      .spans = &stdio_state.aux,
      .span = offsetof(struct stdio_aux, span),
      .booked = offsetof(struct stdio_aux, booked),
      .read = STDIO_BYTES_READ,
      .written = STDIO_BYTES_WRITTEN,
  });
}

/* Unlocks the stream, counts the call for its call site, ends the update and notifies the training
 * module. Returns the modules that watch the stream (WATCHED_BY_). Not inlined, so that its frame
 * is gone when the layers module, which needs much of the caller's stack, is notified. */
static __attribute__((noinline)) uint32_t tell_and_leave(struct stdio_stream *stream,
                                                         enum site_kind kind, int64_t bytes_read,
                                                         int64_t bytes_written, uint64_t t1,
                                                         uint64_t t2) {
  uint32_t watched = stream->aux->watched;
  const struct darshan_stdio_record *record = stream->record;
  struct site_call call = {.kind = kind,
                           .id = record ? record->base.id : stream->id,
                           .bytes = {bytes_read, bytes_written},
                           .offset = SITE_NO_PLACE,
                           .t1 = t1,
                           .t2 = t2};
  spin_unlock(&stream->aux->lock);
  if ((watched & WATCHED_BY_SITES) && !layers_inside()) sites_count_inside(&call);
  runtime_leave();
  if (watched & WATCHED_BY_TRAINING) training_called(kind, bytes_read, t1, t2);
  return watched;
}

__attribute__((noinline)) void stdio_tell_and_leave(struct stdio_stream *stream,
                                                    enum site_kind kind, int64_t bytes_read,
                                                    int64_t bytes_written, uint64_t t1,
                                                    uint64_t t2) {
  uint32_t watched = tell_and_leave(stream, kind, bytes_read, bytes_written, t1, t2);
  if (watched & WATCHED_BY_LAYERS) layers_stdio_slow(bytes_read, bytes_written, t2 - t1);
}
