/* Opens and closes frames of calls of upper layers, and adds them to the records (layers.h). */
#include "layers.h"

#include <stddef.h>
#include <string.h>

#include "../../counting/size-bins.h"
#include "../../door/door.h"
#include "../sites/sites.h"
#include "modules/layers/records.h"
#include "record-id.h"

struct layers_state layers_state;

/* Numbers of counters and of times per operation in a LAYERS record: the calls or their time, then
 * those of layer_count or layer_time. They are adjacent, in this order. */
enum { PER_OPERATION = 1 + BELOW_COUNTS, TIMES = 1 + BELOW_TIMES };
static_assert(BELOW_MPIIO_BYTES_WRITTEN == BELOW_MPIIO_BYTES_READ + 1, "pairs");
static_assert(BELOW_STDIO_BYTES_WRITTEN == BELOW_STDIO_BYTES_READ + 1, "pairs");
static_assert(BELOW_POSIX_WRITES == BELOW_POSIX_READS + 1, "pairs");
static_assert(BELOW_POSIX_BYTES_WRITTEN == BELOW_POSIX_BYTES_READ + 1, "pairs");
static_assert(LAYERS_READ_CALLS == LAYERS_OPEN_CALLS + PER_OPERATION, "order");
static_assert(LAYERS_OPEN_POSIX_READS == LAYERS_OPEN_CALLS + 1, "order");
static_assert(LAYERS_OPEN_STDIO_CALLS == LAYERS_OPEN_CALLS + 1 + BELOW_STDIO_CALLS, "order");
static_assert(LAYERS_OPEN_COMM_CALLS == LAYERS_OPEN_CALLS + 1 + BELOW_COMM_CALLS, "order");
static_assert(LAYERS_DISTINCT_BYTES_WRITTEN == LAYERS_DISTINCT_BYTES_READ + 1, "pairs");
static_assert(LAYERS_META_CALLS == LAYERS_OPEN_CALLS + LAYER_META * PER_OPERATION, "order");
static_assert(LAYERS_F_META_TIME == LAYERS_F_OPEN_TIME + TIMES * LAYER_META, "order");
static_assert(LAYERS_F_OPEN_COMM_TIME == LAYERS_F_OPEN_TIME + 1 + BELOW_COMM, "order");
/* Bins per size histogram. The counters are followed by the sizes of reads, then of writes, per
 * operation. */
enum { BINS = 10 };
static_assert(LAYERS_OPEN_SIZE_POSIX_WRITE_0_100 == LAYERS_OPEN_SIZE_POSIX_READ_0_100 + BINS,
              "order");
static_assert(LAYERS_META_SIZE_POSIX_READ_0_100 ==
                  LAYERS_OPEN_SIZE_POSIX_READ_0_100 + 2 * BINS * LAYER_META,
              "order");

/* Returns the element with the lock of the LAYERS record of this number, and prepares it at the
 * first call; NULL for 0. The caller holds the store's lock. */
static struct layer_part *part_of(uint32_t number) {
  struct record_store *store = &darshan_store;
  if (!number) return NULL;
  struct layer_part *part = segments_at(&layers_state.parts, number);
  if (!part->record) {
    struct darshan_layers_record *record = store_record(store, STORE_LAYERS, number);
    record->counters[LAYERS_DISTINCT_RAW_BYTES_READ] = -1;
    record->counters[LAYERS_DISTINCT_RAW_BYTES_WRITTEN] = -1;
    part->record = record;
  }
  return part;
}

int layer_attach(struct layer_state *state, uint64_t id, const char *name, size_t length,
                 int upper_module) {
  struct record_store *store = &darshan_store;
  if (state->attached) return state->part ? 0 : -1;
  if (!store_lock_for(store, STORE_LAYERS)) return -1;
  if (!state->attached) {
    struct store_entry *entry = store_enter(store, id, name, length);
    state->part = part_of(store_record_number(store, STORE_LAYERS, entry));
    int64_t *upper = state->part ? &state->part->record->counters[LAYERS_UPPER_MODULE] : NULL;
    if (upper && *upper < upper_module) *upper = upper_module;
    state->attached = 1;
  }
  store_unlock(store);
  return state->part ? 0 : -1;
}

int layers_prepare(void) {
  segments_prepare(&layers_state.parts, sizeof(struct layer_part), SEGMENTS_PAGE);
  store_beside(&darshan_store, STORE_LAYERS, &layers_state.parts);
  return 0;
}

void layers_forked(void) {
  struct layers_state *layers = &layers_state;
  layers->active = 0;
  layers->application = (struct layer_state){0};
  segments_clear(&layers->parts);
  if (darshan_inside.layers) darshan_inside.layers->depth = 0;
}

/* Number of unused frame lists that are stored for reuse. One more, which this thread used last, is
 * in `spare`; the others belonged to stacks that continued in other threads. */
enum { SPARE_LAYERS = 64 };
static __thread struct layer_thread *spare __attribute__((tls_model("initial-exec")));
static struct layer_thread *more_spare[SPARE_LAYERS];

/* Returns memory for the frames of a stack: a spare list or a new one; NULL if out of memory. Takes
 * the thread's spare list before it does anything else: a signal handler may run after any
 * instruction, and the thread may continue on another stack. */
static struct layer_thread *frames_to_use(void) {
  struct layer_thread *frames = spare;
  spare = NULL;
  for (int i = 0; !frames && i < SPARE_LAYERS; i++)
    if (__atomic_load_n(&more_spare[i], __ATOMIC_RELAXED))
      frames = __atomic_exchange_n(&more_spare[i], NULL, __ATOMIC_ACQUIRE);
  if (!frames) frames = runtime_module_memory(sizeof(struct layer_thread));
  return frames;
}

/* Stores an unused list in more_spare for reuse by any thread. If more_spare is full, the list is
 * never used again. */
__attribute__((noinline)) static void more_are_spare(struct layer_thread *frames) {
  for (int i = 0; i < SPARE_LAYERS; i++) {
    struct layer_thread *none = NULL;
    if (__atomic_compare_exchange_n(&more_spare[i], &none, frames, 0, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED))
      return;
  }
}

static struct layer_thread *this_stack(void) {
  if (!darshan_inside.layers) darshan_inside.layers = frames_to_use();
  return darshan_inside.layers;
}

struct layer_frame *layer_current(void) {
  struct layer_thread *thread = darshan_inside.layers;
  return layers_inside() ? &thread->frames[thread->depth - 1] : NULL;
}

struct layer_frame *layer_current_above(const char *stack) {
  while (layers_inside() && layer_current()->stack < stack)
    darshan_inside.layers->depth--;
  return layer_current();
}

__attribute__((noinline)) static void clean(struct layer_frame *frame) {
  memset(frame, 0, offsetof(struct layer_frame, state));
}

/* Opens and returns the next frame, for a call of an upper layer, of a list that is not full.
 * stack: address in the caller's stack. state: of the called object; NULL: not known yet. */
static inline struct layer_frame *next_frame(struct layer_thread *thread, const char *stack,
                                             enum layer_operation operation,
                                             struct layer_state *state) {
  struct layer_frame *frame = &thread->frames[thread->depth];
  if (UNLIKELY(frame->sums.told)) clean(frame);
  frame->sums.nested_ticks = 0;
  frame->sums.operation = operation;
  frame->state = state;
  frame->stack = stack;
  frame->of = thread;
  frame->level = thread->depth;
  thread->depth++;
  return frame;
}

/* Slow path of layer_push, for a nested call and for the first call of the process or of this
 * stack. stack: address of layer_push's stack frame. Returns the new frame, or NULL if no frame is
 * free. */
__attribute__((noinline)) static struct layer_frame *
push_inner(const char *stack, enum layer_operation operation, struct layer_state *state) {
  struct layer_thread *thread = this_stack();
  if (UNLIKELY(!layers_state.active)) layers_activate();
  if (!thread) return NULL;
  layer_current_above(stack);
  return thread->depth == LAYER_DEPTH ? NULL : next_frame(thread, stack, operation, state);
}

struct layer_frame *layer_push(enum layer_operation operation, struct layer_state *state) {
  const char *stack = __builtin_frame_address(0);
  if (UNLIKELY(darshan_inside.layers || !layers_state.active))
    return push_inner(stack, operation, state);
  struct layer_thread *thread = spare;
  spare = NULL; /* taken at once, as in frames_to_use */
  if (UNLIKELY(!thread)) return push_inner(stack, operation, state);
  darshan_inside.layers = thread;
  return next_frame(thread, stack, operation, state);
}

struct darshan_layers_record *layer_lock(struct layer_state *state) {
  return state->part && record_lock(&state->part->lock) ? state->part->record : NULL;
}

void layer_unlock(struct layer_state *state) {
  record_unlock(&state->part->lock);
}

struct layer_state *layers_application(void) {
  static const char name[] = "<application>";
  struct layer_state *state = &layers_state.application;
  if (!state->attached && runtime_enter()) {
    layer_attach(state, darshan_hash(name, sizeof(name) - 1, 0), name, sizeof(name) - 1, 0);
    runtime_leave();
  }
  return state;
}

static void add_sizes(int64_t *counters, const uint32_t sizes[BINS]) {
  for (int bin = 0; bin < BINS; bin++)
    counters[bin] += sizes[bin];
}

/* Adds the calls, bytes, sizes and times of lower layers to the counters of the operation in the
 * record. tick: seconds per tick. The caller holds the record's lock. Not inlined, because most
 * metadata calls do not call a lower layer. */
__attribute__((noinline)) static void add_below(struct darshan_layers_record *record,
                                                const struct layer_sums *sums, double tick) {
  int64_t *counters = &record->counters[LAYERS_OPEN_CALLS + sums->operation * PER_OPERATION];
  int64_t *sizes =
      &record->counters[LAYERS_OPEN_SIZE_POSIX_READ_0_100 + 2 * BINS * sums->operation];
  double *times = &record->fcounters[LAYERS_F_OPEN_TIME + TIMES * sums->operation];
  for (int i = 0; i < BELOW_COUNTS; i++)
    counters[1 + i] += sums->counts[i];
  if (sums->counts[BELOW_POSIX_READS]) add_sizes(sizes, sums->sizes[0]);
  if (sums->counts[BELOW_POSIX_WRITES]) add_sizes(sizes + BINS, sums->sizes[1]);
  if (sums->counts[BELOW_MPIIO_CALLS]) {
    add_sizes(&record->counters[LAYERS_SIZE_MPIIO_READ_0_100], sums->mpiio_sizes[0]);
    add_sizes(&record->counters[LAYERS_SIZE_MPIIO_WRITE_0_100], sums->mpiio_sizes[1]);
  }
  for (int i = 0; i < BELOW_TIMES; i++)
    times[1 + i] += (double)(int64_t)sums->ticks[i] * tick;
}

/* Adds a call of `ticks` ticks, and what lower layers did within it, to the record. The caller
 * holds the record's lock. */
static inline void add_sums(struct darshan_layers_record *record, const struct layer_sums *sums,
                            uint64_t ticks) {
  double tick = clock_tick(&darshan_hot.clock);
  record->counters[LAYERS_OPEN_CALLS + sums->operation * PER_OPERATION]++;
  record->fcounters[LAYERS_F_OPEN_TIME + TIMES * sums->operation] +=
      (double)(int64_t)(ticks - sums->nested_ticks) * tick;
  if (sums->told) add_below(record, sums, tick);
}

/* Adds a piece to the record's set of bytes that were read or written, with the file's number in
 * the upper 20 bits and the offset in the lower ones. Adds the number of new bytes to
 * LAYERS_DISTINCT_BYTES_READ or _WRITTEN. The caller holds the record's lock. */
static void note_extent(struct layer_part *part, const struct layer_piece *piece) {
  struct layer_extents **extents = &part->extents[piece->writes];
  *extents = extents_with_room(*extents);
  if (!*extents) return;
  uint64_t error = (*extents)->error;
  uint64_t start = (uint64_t)piece->file << 44 | (uint64_t)piece->offset;
  part->record->counters[LAYERS_DISTINCT_BYTES_READ + piece->writes] +=
      extents_add(*extents, start, (uint64_t)piece->bytes);
  part->record->counters[LAYERS_DISTINCT_ERROR] += (int64_t)((*extents)->error - error);
}

/* Adds the pieces of a frame (ranges of files that were read or written) to the sets of the record
 * (note_extent) and removes them from the frame. Bytes of the frame that are in no piece count as
 * distinct bytes, and as an error of the same size. The caller holds the record's lock. */
static void note_pieces(struct layer_part *part, struct layer_frame *frame) {
  for (uint32_t i = 0; i < frame->pieces; i++)
    note_extent(part, &frame->piece[i]);
  for (int i = 0; i < 2; i++) {
    part->record->counters[LAYERS_DISTINCT_BYTES_READ + i] += frame->bytes_without_piece[i];
    part->record->counters[LAYERS_DISTINCT_ERROR] += frame->bytes_without_piece[i];
    frame->bytes_without_piece[i] = 0;
  }
  frame->pieces = 0;
}

/* Adds the pieces of a frame (ranges of files that were read or written) to the LAYERS record now,
 * because the list of pieces is full. Does nothing if the record is not known yet or cannot be
 * locked. */
static void drain(struct layer_frame *frame) {
  struct layer_state *state = frame->state;
  if (!state || !layer_lock(state)) return;
  note_pieces(state->part, frame);
  layer_unlock(state);
}

/* Adds a piece to the frame, or to the last piece if it continues that. If all pieces are used and
 * cannot be added to the record now, only its bytes are stored. */
static void keep_piece(struct layer_frame *frame, const struct layer_piece *piece) {
  struct layer_piece *last = frame->pieces ? &frame->piece[frame->pieces - 1] : NULL;
  if (last && last->file == piece->file && last->writes == piece->writes &&
      last->offset + last->bytes == piece->offset) {
    last->bytes += piece->bytes;
    return;
  }
  if (frame->pieces == LAYER_PIECES) drain(frame);
  if (frame->pieces < LAYER_PIECES)
    frame->piece[frame->pieces++] = *piece;
  else
    frame->bytes_without_piece[piece->writes] += piece->bytes;
}

/* Closes the frame, and all frames within it, which longjmp abandoned. The time from t1 to t2
 * (ticks) then does not count as own time of the enclosing frame. */
static inline void leave(struct layer_frame *frame, uint64_t t1, uint64_t t2) {
  struct layer_thread *thread = frame->of;
  thread->depth = frame->level; /* drops frames above, which longjmp abandoned */
  if (frame->level > 0) frame[-1].sums.nested_ticks += t2 - t1;
  ticks_passed(t2);
}

/* Stores the frame list of this stack for reuse, if its outermost call has been added to its
 * record. Otherwise does nothing. */
static inline void done_with(struct layer_thread *thread) {
  if (thread->depth > 0 || thread != darshan_inside.layers) return;
  darshan_inside.layers = NULL;
  if (LIKELY(!spare))
    spare = thread;
  else
    more_are_spare(thread);
}

/* Returns the state to which a call's time is attributed: that of the object or, if it has no
 * record, that of the application. */
static struct layer_state *charged(struct layer_state *state) {
  return state && state->part ? state : layers_application();
}

/* Adds the calls, times and pieces of a frame to the record of `part`. The call lasted from t1 to
 * t2. The caller has locked the record. */
static inline void book(struct layer_part *part, struct layer_frame *frame, uint64_t t1,
                        uint64_t t2) {
  add_sums(part->record, &frame->sums, t2 - t1);
  if (frame->sums.told) note_pieces(part, frame);
}

/* Counts an outermost call in the SITES record of its call site (sites.h). The bytes are those that
 * the call reported (layer_moved); otherwise those that it requested from MPI-IO; otherwise those
 * that POSIX and STDIO moved. part: of the called object; NULL: it has no record. */
static __attribute__((noinline)) void count_site(const struct layer_frame *frame,
                                                 const struct layer_part *part, uint64_t t1,
                                                 uint64_t t2) {
  static const uint8_t kinds[LAYER_OPERATIONS] = {SITE_OPEN,  SITE_READ,  SITE_WRITE, SITE_SYNC,
                                                  SITE_CLOSE, SITE_OTHER, SITE_OTHER};
  const int64_t *counts = frame->sums.counts;
  const struct darshan_layers_record *record = part ? part->record : NULL;
  struct site_call call = {
      .kind = kinds[frame->sums.operation],
      .id = record ? record->base.id
                   : 0, /* 0: a signal handler has forked, and the child has no records */
      .offset = SITE_NO_PLACE,
      .t1 = t1,
      .t2 = t2};
  int told = frame->sums.told, by_mpiio = told && counts[BELOW_MPIIO_CALLS];
  for (int writes = 0; writes < 2 && told; writes++) {
    call.bytes[writes] = by_mpiio ? counts[BELOW_MPIIO_BYTES_READ + writes]
                                  : counts[BELOW_POSIX_BYTES_READ + writes] +
                                        counts[BELOW_STDIO_BYTES_READ + writes];
    if (frame->reported) call.bytes[writes] = frame->moved[writes];
  }
  if (!runtime_enter()) return;
  sites_count_inside(&call);
  runtime_leave();
}

/* Counts the call for its call site if call sites are counted and it is an outermost one (level 0).
 * part: as in count_site. */
static inline void tell_sites(const struct layer_frame *frame, const struct layer_part *part,
                              uint32_t level, uint64_t t1, uint64_t t2) {
  if (UNLIKELY(sites_on) && level == 0) count_site(frame, part, t1, t2);
}

void layer_pop(struct layer_frame *frame, struct layer_state *state, uint64_t t1, uint64_t t2) {
  if (!frame) return;
  const struct layer_part *own = state ? state->part : NULL;
  leave(frame, t1, t2);
  state = charged(state);
  if (layer_lock(state)) {
    book(state->part, frame, t1, t2);
    layer_unlock(state);
  }
  tell_sites(frame, own, frame->level, t1, t2);
  done_with(frame->of);
}

void layer_pop_inside(struct layer_frame *frame, struct layer_part *part, uint64_t t1,
                      uint64_t t2) {
  leave(frame, t1, t2);
  if (LIKELY(spin_lock(SPIN_RECORD, &part->lock))) {
    book(part, frame, t1, t2);
    spin_unlock(&part->lock);
  }
}

void layer_popped_inside(struct layer_frame *frame, const struct layer_part *part, uint64_t t1,
                         uint64_t t2) {
  tell_sites(frame, part, frame->level, t1, t2);
  done_with(frame->of);
}

void layer_share(struct layer_frame *frame, struct layer_state *state, uint64_t weight, uint64_t of,
                 uint64_t t1, uint64_t t2) {
  if (!frame) return;
  struct layer_thread *thread = frame->of;
  struct layer_frame *part =
      &thread->frames[thread->depth]; /* the frame after the innermost, or the extra one */
  layer_take(part, frame, weight, of);
  if (weight >= of) leave(frame, t2, t2); /* for the last part: all time is distributed already */
  if (frame > thread->frames) frame[-1].sums.nested_ticks += t2 - t1;
  tell_sites(part, state ? state->part : NULL, frame->level, t1, t2);
  state = charged(state);
  struct darshan_layers_record *record = layer_lock(state);
  if (!record) return;
  int64_t *counters = record->counters;
  int64_t distinct = counters[LAYERS_DISTINCT_BYTES_READ] + counters[LAYERS_DISTINCT_BYTES_WRITTEN];
  int64_t unsure = counters[LAYERS_DISTINCT_ERROR];
  add_sums(record, &part->sums, t2 - t1);
  note_pieces(state->part, part);
  distinct =
      counters[LAYERS_DISTINCT_BYTES_READ] + counters[LAYERS_DISTINCT_BYTES_WRITTEN] - distinct;
  /* These bytes cannot be assigned to a record, so all of them count as an error. */
  if (unsure + distinct > counters[LAYERS_DISTINCT_ERROR])
    counters[LAYERS_DISTINCT_ERROR] = unsure + distinct;
  layer_unlock(state);
}

void layer_moved(struct layer_frame *frame, int64_t bytes_read, int64_t bytes_written) {
  if (!frame) return;
  frame->sums.told = frame->reported =
      1; /* `told`, so that the frame is cleared before its next use */
  frame->moved[0] = bytes_read;
  frame->moved[1] = bytes_written;
}

/* --- events of the lowest layers, POSIX and STDIO -------------------------------------- */

static void add_transfer(struct layer_sums *sums, int writes, int64_t bytes, uint64_t ticks) {
  sums->told = 1;
  sums->counts[BELOW_POSIX_READS + writes]++;
  sums->counts[BELOW_POSIX_BYTES_READ + writes] += bytes;
  sums->sizes[writes][size_bin(bytes)]++;
  sums->ticks[BELOW_POSIX] += ticks;
}

/* Adds calls that no upper layer made to the record of the application. */
static void add_to_application(const struct layer_sums *sums) {
  struct layer_state *state = layers_application();
  struct darshan_layers_record *record = layer_lock(state);
  if (!record) return;
  add_sums(record, sums, sums->ticks[BELOW_POSIX] + sums->ticks[BELOW_STDIO]);
  layer_unlock(state);
}

void layers_transfer_slow(uint32_t file, int writes, int64_t bytes, int64_t offset,
                          uint64_t ticks) {
  struct layer_frame *frame = layer_current();
  if (frame) {
    struct layer_piece piece = {file, (uint32_t)writes, offset, bytes};
    add_transfer(&frame->sums, writes, bytes, ticks);
    if (offset >= 0) keep_piece(frame, &piece);
    return;
  }
  struct layer_sums alone = {.operation = writes ? LAYER_WRITE : LAYER_READ};
  add_transfer(&alone, writes, bytes, ticks);
  add_to_application(&alone);
}

void layers_began_before(uint64_t ticks) {
  struct layer_frame *frame = layer_current();
  if (frame) frame->sums.ticks[BELOW_POSIX] -= ticks;
}

void layers_other_slow(uint64_t ticks) {
  struct layer_sums alone = {.operation = LAYER_META};
  struct layer_frame *frame = layer_current();
  struct layer_sums *sums = frame ? &frame->sums : &alone;
  sums->told = 1;
  sums->counts[BELOW_POSIX_OTHER]++;
  sums->ticks[BELOW_POSIX] += ticks;
  if (!frame) add_to_application(&alone);
}

void layers_stdio_slow(int64_t bytes_read, int64_t bytes_written, uint64_t ticks) {
  enum layer_operation operation = bytes_written ? LAYER_WRITE : LAYER_META;
  struct layer_sums alone = {.operation = !bytes_written && bytes_read ? LAYER_READ : operation};
  struct layer_frame *frame = layer_current();
  struct layer_sums *sums = frame ? &frame->sums : &alone;
  sums->told = 1;
  sums->counts[BELOW_STDIO_CALLS]++;
  sums->counts[BELOW_STDIO_BYTES_READ] += bytes_read;
  sums->counts[BELOW_STDIO_BYTES_WRITTEN] += bytes_written;
  sums->ticks[BELOW_STDIO] += ticks;
  if (!frame) add_to_application(&alone);
}

int layers_are_inside(void) {
  return layers_inside();
}

void layers_left(int (*is_left)(const void *jump, const char *frame), const void *jump) {
  while (layers_inside() && is_left(jump, layer_current()->stack))
    darshan_inside.layers->depth--;
}
