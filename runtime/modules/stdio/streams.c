/* From a FILE to its state and record. */
#include "stdio-module.h"

#include <string.h>

#include "record-id.h"
#include "streams.h"

int stdio_prepare(uint64_t records) {
  struct stdio_state *stdio = &darshan_rt.stdio;
  stdio->streams = journal_private_memory((STDIO_STREAMS + 1) * sizeof(struct stdio_stream));
  stdio->aux = journal_private_memory((records + 2) * sizeof(struct stdio_aux));
  if (!stdio->streams || !stdio->aux) return -1;
  if (!darshan_module_on(&darshan_rt.config, DARSHAN_MOD_STDIO)) return 0;
  static const char *const names[] = {"<STDIN>", "<STDOUT>", "<STDERR>"};
  FILE *const files[] = {stdin, stdout, stderr};
  for (uint32_t i = 0; i < 3; i++) {
    struct stdio_stream *stream = &stdio->streams[i + 1];
    size_t length = strlen(names[i]);
    *stream = (struct stdio_stream){.file = files[i], .name = names[i], .standard = 1};
    stream->id = darshan_hash(names[i], length, 0);
    stream->name_length = (uint32_t)length;
    stdio_remember(stream);
    darshan_rt.fds[i].stream = i + 1;
  }
  stdio->used_streams = 3;
  darshan_rt.highest_fd = 2;
  return 0;
}

struct stdio_stream *stdio_search(FILE *file, uint32_t first) {
  for (uint32_t i = first; i != 0; i = darshan_rt.stdio.streams[i].same_fd)
    if (darshan_rt.stdio.streams[i].file == file) return &darshan_rt.stdio.streams[i];
  return NULL;
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
  store_lock(store);
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
    stream->aux = &darshan_rt.stdio.aux[number];
    if (!stdio_was_used(record)) stream->aux->watched = darshan_rt.layers.active;
    if (stream->standard && record->counters[STDIO_OPENS] == 0) record->counters[STDIO_OPENS] = 1;
    __atomic_store_n(&stream->record, record, __ATOMIC_RELEASE);
  }
  store_unlock(store);
  return number != 0;
}

struct stdio_stream *stdio_follow(FILE *file, const struct posix_name *name) {
  struct stdio_state *stdio = &darshan_rt.stdio;
  uint32_t fd = (uint32_t)file->_fileno;
  if (fd >= darshan_rt.fd_limit || !runtime_enter()) return NULL;
  if (!spin_lock(SPIN_RECORD, &stdio->lock)) {
    runtime_leave();
    return NULL;
  }
  uint32_t number = stdio->free_stream;
  if (number)
    stdio->free_stream = stdio->streams[number].next_free;
  else if (stdio->used_streams < STDIO_STREAMS)
    number = ++stdio->used_streams;
  struct stdio_stream *stream = NULL;
  if (number) {
    stream = &stdio->streams[number];
    *stream = (struct stdio_stream){.file = file, .name = name->text, .id = name->id};
    stream->name_length = name->length;
    stdio_remember(stream);
    /* Another stream of this descriptor may live on. */
    uint32_t other = darshan_rt.fds[fd].stream;
    if (other != FD_FOLDER) stream->same_fd = other;
    fd_set_stream((int)fd, number);
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
  uint32_t number = (uint32_t)(stream - stdio->streams);
  uint32_t *link = &darshan_rt.fds[file->_fileno].stream;
  while (*link != number && *link != 0)
    link = &stdio->streams[*link].same_fd;
  if (*link == number) __atomic_store_n(link, stream->same_fd, __ATOMIC_RELEASE);
  stream->file = NULL;
  stream->next_free = stdio->free_stream;
  stdio->free_stream = number;
  record_unlock(&stdio->lock);
  return 1;
}

void stdio_finish(void) {
  for (uint32_t i = 1; i <= darshan_rt.stdio.used_streams; i++) {
    struct stdio_stream *stream = &darshan_rt.stdio.streams[i];
    if (stream->file) stdio_settle(stream);
  }
}

/* In the child of a fork: streams stay open, their records are the parent's. */
void stdio_forked(void) {
  struct stdio_state *stdio = &darshan_rt.stdio;
  stdio->lock = 0;
  for (uint32_t i = 1; i <= stdio->used_streams; i++) {
    stdio->streams[i].record = NULL;
    stdio->streams[i].aux = NULL;
    if (stdio->streams[i].name_length == sizeof(OVERFLOW_NAME) - 1 &&
        memcmp(stdio->streams[i].name, OVERFLOW_NAME, sizeof(OVERFLOW_NAME) - 1) == 0)
      stdio->streams[i].id = darshan_hash(OVERFLOW_NAME, sizeof(OVERFLOW_NAME) - 1, 0);
  }
  memset(stdio->aux, 0, (darshan_rt.store.regions[STORE_STDIO].limit + 2) * sizeof(*stdio->aux));
}
