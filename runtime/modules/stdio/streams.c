/* From a FILE to its state and record. */
#include "stdio-module.h"

#include <string.h>

#include "record-id.h"
#include "streams.h"

int stdio_prepare(void) {
  struct stdio_state *stdio = &darshan_rt.stdio;
  segments_prepare(&stdio->streams, sizeof(struct stdio_stream), JOURNAL_PAGE);
  segments_prepare(&stdio->aux, sizeof(struct stdio_aux), JOURNAL_PAGE);
  store_beside(&darshan_rt.store, STORE_STDIO, &stdio->aux);
  if (segments_have(&stdio->streams, 3) < 0) return -1;
  if (!darshan_module_on(&darshan_rt.config, DARSHAN_MOD_STDIO)) return 0;
  static const char *const names[] = {"<STDIN>", "<STDOUT>", "<STDERR>"};
  FILE *const files[] = {stdin, stdout, stderr};
  for (uint32_t i = 0; i < 3; i++) {
    struct stdio_stream *stream = stdio_stream_at(i + 1);
    size_t length = strlen(names[i]);
    *stream =
        (struct stdio_stream){.file = files[i], .name = names[i], .standard = 1, .number = i + 1};
    stream->id = darshan_hash(names[i], length, 0);
    stream->name_length = (uint32_t)length;
    stdio_remember(stream);
    darshan_rt.fds[i].stream = stream;
  }
  stdio->used_streams = 3;
  darshan_rt.highest_fd = 2;
  return 0;
}

struct stdio_stream *stdio_search(FILE *file, struct stdio_stream *first) {
  while (first && first->file != file)
    first = first->same_fd;
  return first;
}

int stdio_stream_name(FILE *file, struct posix_name *name) {
  const struct stdio_stream *stream = stdio_stream_of(file);
  if (!stream || stream->standard) return 0;
  name->text = stream->name;
  name->length = stream->name_length;
  name->id = stream->id;
  return 1;
}

/* A record that is new has counted nothing yet. */
static int stdio_was_used(const struct darshan_stdio_record *record) {
  return record->counters[STDIO_OPENS] != 0;
}

int stdio_materialise(struct stdio_stream *stream) {
  struct record_store *store = &darshan_rt.store;
  store_lock_for(store, STORE_STDIO);
  uint32_t number = 0;
  const struct store_region *region = &store->regions[STORE_STDIO];
  int room = stream->name_length && region->count - (region->overflow != 0) < region->limit;
  struct store_entry *entry = stream->name_length ? store_find(store, stream->id) : NULL;
  if (!entry && room) entry = store_enter(store, stream->id, stream->name, stream->name_length);
  if (entry) number = entry->record[STORE_STDIO];
  if (entry && !number) number = store_new_record(store, STORE_STDIO, entry);
  if (number)
    stream->name = entry->name;
  else {
    number = store_overflow_record(store, STORE_STDIO);
    if (number) store->regions[STORE_STDIO].refused++;
    stream->name = OVERFLOW_NAME;
    stream->name_length = sizeof(OVERFLOW_NAME) - 1;
  }
  if (number) {
    struct darshan_stdio_record *record = store_record(store, STORE_STDIO, number);
    stream->aux = stdio_aux_of(number);
    if (!stdio_was_used(record)) stream->aux->watched = darshan_rt.layers.active;
    if (stream->standard && record->counters[STDIO_OPENS] == 0) record->counters[STDIO_OPENS] = 1;
    __atomic_store_n(&stream->record, record, __ATOMIC_RELEASE);
  }
  store_unlock(store);
  return number != 0;
}

struct stdio_stream *stdio_follow(FILE *file, const struct posix_name *name) {
  struct stdio_state *stdio = &darshan_rt.stdio;
  int fd = file->_fileno;
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
    /* Another stream of this descriptor may live on. */
    const struct fd_entry *entry = fd_entry(fd);
    if (entry && entry->stream != FD_FOLDER) stream->same_fd = entry->stream;
    fd_set_stream(fd, stream);
  }
  spin_unlock(&stdio->lock);
  runtime_leave();
  /* The name may stand in a buffer of the caller: move it to the store. */
  if (stream && stdio_lock(stream)) stdio_unlock(stream);
  return stream;
}

int stdio_release(FILE *file, struct stdio_stream *last) {
  struct stdio_state *stdio = &darshan_rt.stdio;
  if (!fd_may_change()) return 0;
  if (UNLIKELY(file && file->_fileno < 0)) stdio_cookie_closing(file);
  struct stdio_stream *stream = stdio_stream_of(file);
  if (stream) stdio_settle(stream);
  if (file && file->_fileno >= 0) fd_dropped(file->_fileno); /* libc closes it inside */
  if (!stream || !record_lock(&stdio->lock)) return 0;
  *last = *stream;
  struct stdio_stream **link = &fd_entry(file->_fileno)->stream;
  while (*link != stream && *link != NULL)
    link = &(*link)->same_fd;
  if (*link == stream) __atomic_store_n(link, stream->same_fd, __ATOMIC_RELEASE);
  stream->file = NULL;
  stream->next_free = stdio->free_stream;
  stdio->free_stream = stream->number;
  record_unlock(&stdio->lock);
  return 1;
}

void stdio_finish(void) {
  for (uint32_t i = 1; i <= darshan_rt.stdio.used_streams; i++) {
    struct stdio_stream *stream = stdio_stream_at(i);
    if (stream->file) stdio_settle(stream);
  }
}

/* In the child of a fork: streams stay open, their records are the parent's. */
void stdio_forked(void) {
  struct stdio_state *stdio = &darshan_rt.stdio;
  stdio->lock = 0;
  for (uint32_t i = 1; i <= stdio->used_streams; i++) {
    struct stdio_stream *stream = stdio_stream_at(i);
    stream->record = NULL;
    stream->aux = NULL;
    if (stream->name_length == sizeof(OVERFLOW_NAME) - 1 &&
        memcmp(stream->name, OVERFLOW_NAME, sizeof(OVERFLOW_NAME) - 1) == 0)
      stream->id = darshan_hash(OVERFLOW_NAME, sizeof(OVERFLOW_NAME) - 1, 0);
  }
  segments_clear(&stdio->aux);
}
