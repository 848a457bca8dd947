/* Notifies the modules sites, layers and training of events that were counted. A call within a call
 * of an upper layer belongs to the call site of the upper call. Calls on streams are not an upper
 * layer: no C library calls the POSIX functions by name, so a POSIX call within a stream call comes
 * from the program, in a signal handler or in a function of fopencookie. */
#include "../training/training.h"
#include "account.h"

/* Counts the call for its call site, unless its kind is SITE_NOTHING or it is within a call of an
 * upper layer, and ends the update. */
static inline ALWAYS_INLINE void count_and_leave(const struct site_call *call) {
  if (LIKELY(call->kind != SITE_NOTHING && !layers_inside())) sites_count_inside(call);
  runtime_leave();
}

__attribute__((noinline)) void posix_tell_site(enum site_kind kind, uint64_t t1, uint64_t t2) {
  struct site_call call = {.kind = kind, .offset = SITE_NO_PLACE, .t1 = t1, .t2 = t2};
  if (kind == SITE_NOTHING || layers_inside() || !runtime_enter()) return;
  count_and_leave(&call);
}

/* Returns the id of a file's record, which several files may share. The caller holds the record's
 * lock, because afterwards the state may belong to another file. */
static inline uint64_t id_of(const struct posix_file *file) {
  const struct darshan_posix_record *record = file->record;
  return record ? record->base.id : file->id; /* NULL if a handler forked during this call */
}

/* Each of the next functions unlocks the record and ends the update. The first two functions first
 * count the call for its call site; all three notify the training module. They return the duration
 * of the call in ticks. They are not inlined, so that their stack is free again when the layers
 * module, which needs much stack, is notified. */
static __attribute__((noinline)) uint64_t count_other(struct posix_file *file, enum site_kind kind,
                                                      uint64_t t1, uint64_t t2) {
  struct site_call call = {
      .kind = kind, .id = id_of(file), .offset = SITE_NO_PLACE, .t1 = t1, .t2 = t2};
  uint32_t watched = file->aux->watched;
  spin_unlock(&file->aux->lock);
  count_and_leave(&call);
  if (watched & WATCHED_BY_TRAINING) training_called(kind, 0, t1, t2);
  return t2 - t1;
}
static __attribute__((noinline)) uint64_t count_transfer(struct posix_file *file, int writes,
                                                         int64_t bytes, int64_t offset, uint64_t t1,
                                                         uint64_t t2) {
  struct site_call call = {.kind = writes ? SITE_WRITE : SITE_READ,
                           .file = posix_file_number(file),
                           .id = id_of(file),
                           .bytes = {writes ? 0 : bytes, writes ? bytes : 0},
                           .offset = offset,
                           .t1 = t1,
                           .t2 = t2};
  uint32_t watched = file->aux->watched;
  spin_unlock(&file->aux->lock);
  count_and_leave(&call);
  if (watched & WATCHED_BY_TRAINING) training_called(call.kind, call.bytes[0], call.t1, call.t2);
  return call.t2 - call.t1;
}
static __attribute__((noinline)) uint64_t only_leave(struct posix_file *file, enum site_kind kind,
                                                     int64_t bytes_read, uint64_t t1, uint64_t t2) {
  uint32_t watched = file->aux->watched;
  posix_unlock(file);
  if (watched & WATCHED_BY_TRAINING) training_called(kind, bytes_read, t1, t2);
  return t2 - t1;
}

__attribute__((noinline)) void
posix_tell_other_and_leave(struct posix_file *file, enum site_kind kind, uint64_t t1, uint64_t t2) {
  uint32_t watched = file->aux->watched;
  if (LIKELY(watched == WATCHED_BY_SITES)) {
    count_other(file, kind, t1, t2);
    return;
  }
  uint64_t ticks = watched & WATCHED_BY_SITES ? count_other(file, kind, t1, t2)
                                              : only_leave(file, kind, 0, t1, t2);
  if (watched & WATCHED_BY_LAYERS) layers_other_slow(ticks);
}

__attribute__((noinline)) void posix_tell_transfer_and_leave(struct posix_file *file, int writes,
                                                             int64_t bytes, int64_t offset,
                                                             uint64_t t1, uint64_t t2) {
  uint32_t watched = file->aux->watched;
  if (LIKELY(watched == WATCHED_BY_SITES)) {
    count_transfer(file, writes, bytes, offset, t1, t2);
    return;
  }
  uint64_t ticks = watched & WATCHED_BY_SITES ? count_transfer(file, writes, bytes, offset, t1, t2)
                                              : only_leave(file, writes ? SITE_WRITE : SITE_READ,
                                                           writes ? 0 : bytes, t1, t2);
  if (watched & WATCHED_BY_LAYERS)
    layers_transfer_slow(posix_file_number(file), writes, bytes, offset, ticks);
}
