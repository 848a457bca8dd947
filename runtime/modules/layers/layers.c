#include "layers.h"

#include <stddef.h>
#include <string.h>

#include "../../intercept/spin.h"
#include "../../job/runtime.h"
#include "../../records/size-bins.h"
#include "record-id.h"

/* The counters of an operation stand together, in the order of its frame. */
enum { PER_OPERATION = LAYERS_READ_CALLS - LAYERS_OPEN_CALLS, BYTES = 4, STDIO = 6, TIMES = 3 };
static_assert(LAYERS_OPEN_POSIX_READS == LAYERS_OPEN_CALLS + 1, "order");
static_assert(LAYERS_OPEN_POSIX_BYTES_READ == LAYERS_OPEN_CALLS + BYTES, "order");
static_assert(LAYERS_DISTINCT_BYTES_WRITTEN == LAYERS_DISTINCT_BYTES_READ + 1, "pairs");
static_assert(LAYERS_META_CALLS == LAYERS_OPEN_CALLS + LAYER_META * PER_OPERATION, "order");
static_assert(LAYERS_OPEN_STDIO_CALLS == LAYERS_OPEN_CALLS + STDIO, "order");
static_assert(LAYERS_F_META_TIME == LAYERS_F_OPEN_TIME + TIMES * LAYER_META, "order");
/* ... and behind them, per operation, the sizes of reads, then of writes. */
enum { BINS = 10 };
static_assert(LAYERS_OPEN_SIZE_POSIX_WRITE_0_100 == LAYERS_OPEN_SIZE_POSIX_READ_0_100 + BINS,
              "order");
static_assert(LAYERS_META_SIZE_POSIX_READ_0_100 ==
                  LAYERS_OPEN_SIZE_POSIX_READ_0_100 + 2 * BINS * LAYER_META,
              "order");

__thread struct layer_thread *darshan_layers;

int layer_attach(struct layer_state *state, uint64_t id, const char *name, size_t length,
                 int upper_module) {
  struct record_store *store = &darshan_rt.store;
  if (state->attached) return state->record ? 0 : -1;
  store_lock(store);
  if (!state->attached) {
    struct store_entry *entry = store_enter(store, id, name, length);
    uint32_t number = 0;
    if (entry) {
      number = entry->record[STORE_LAYERS];
      if (!number) number = store_new_record(store, STORE_LAYERS, entry);
    }
    if (!number) number = store_overflow_record(store, STORE_LAYERS);
    if (number) {
      state->record = store_record(store, STORE_LAYERS, number);
      state->record->counters[LAYERS_UPPER_MODULE] = upper_module;
      state->record->counters[LAYERS_DISTINCT_RAW_BYTES_READ] = -1;
      state->record->counters[LAYERS_DISTINCT_RAW_BYTES_WRITTEN] = -1;
    }
    state->attached = 1;
  }
  store_unlock(store);
  return state->record ? 0 : -1;
}

void layers_forked(void) {
  memset(&darshan_rt.layers, 0, sizeof(darshan_rt.layers));
  if (darshan_layers) darshan_layers->depth = 0;
}

static struct layer_thread *this_thread(void) {
  if (!darshan_layers) darshan_layers = journal_private_memory(sizeof(struct layer_thread));
  return darshan_layers;
}

struct layer_frame *layer_push(enum layer_operation operation, struct layer_state *state) {
  const char *stack = __builtin_frame_address(0);
  struct layer_thread *thread = this_thread();
  if (UNLIKELY(!darshan_rt.layers.active)) layers_activate();
  if (!thread) return NULL;
  /* Frames of calls that were left by longjmp lie below this one. */
  while (thread->depth && thread->frames[thread->depth - 1].stack < stack)
    thread->depth--;
  if (thread->depth == LAYER_DEPTH) return NULL;
  struct layer_frame *frame = &thread->frames[thread->depth];
  memset(frame, 0, offsetof(struct layer_frame, piece));
  frame->operation = operation;
  frame->state = state;
  frame->stack = stack;
  thread->depth++;
  return frame;
}

struct darshan_layers_record *layer_lock(struct layer_state *state) {
  if (!state->record || !runtime_enter()) return NULL;
  spin_lock(&state->lock);
  return state->record;
}

void layer_unlock(struct layer_state *state) {
  spin_unlock(&state->lock);
  runtime_leave();
}

struct layer_state *layers_application(void) {
  static const char name[] = "<application>";
  struct layer_state *state = &darshan_rt.layers.application;
  if (!state->attached && runtime_enter()) {
    layer_attach(state, darshan_hash(name, sizeof(name) - 1, 0), name, sizeof(name) - 1, 0);
    runtime_leave();
  }
  return state;
}

static void add_frame(struct darshan_layers_record *record, const struct layer_frame *frame,
                      uint64_t ticks) {
  int64_t *counters = &record->counters[LAYERS_OPEN_CALLS + frame->operation * PER_OPERATION];
  int64_t *sizes =
      &record->counters[LAYERS_OPEN_SIZE_POSIX_READ_0_100 + 2 * BINS * frame->operation];
  double *times = &record->fcounters[LAYERS_F_OPEN_TIME + TIMES * frame->operation];
  double tick = darshan_rt.clock.lines[darshan_rt.clock.current & 3].seconds_per_tick;
  counters[0]++;
  for (int i = 0; i < 3; i++)
    counters[1 + i] += frame->calls[i];
  for (int i = 0; i < 3; i++)
    counters[STDIO + i] += frame->stdio[i];
  for (int i = 0; i < 2; i++) {
    counters[BYTES + i] += frame->bytes[i];
    if (frame->calls[i] == 0) continue;
    for (int bin = 0; bin < BINS; bin++)
      sizes[i * BINS + bin] += frame->sizes[i][bin];
  }
  times[0] += (double)(int64_t)(ticks - frame->nested_ticks) * tick;
  times[1] += (double)frame->posix_ticks * tick;
  times[2] += (double)frame->stdio_ticks * tick;
}

/* Distinct bytes: the file in the upper bits, the offset in the lower.  With the
 * state's lock. */
static void note_extent(struct layer_state *state, const struct layer_piece *piece) {
  struct layer_extents **extents = &state->extents[piece->writes];
  if (!*extents) *extents = scratch_take(&darshan_rt.scratch, sizeof(struct layer_extents));
  if (!*extents) return;
  uint64_t error = (*extents)->error;
  uint64_t start = (uint64_t)piece->file << 44 | (uint64_t)piece->offset;
  state->record->counters[LAYERS_DISTINCT_BYTES_READ + piece->writes] +=
      extents_add(*extents, start, (uint64_t)piece->bytes);
  state->record->counters[LAYERS_DISTINCT_ERROR] += (int64_t)((*extents)->error - error);
}

/* Hands the pieces of a frame over, with the state's lock.  Bytes that found no
 * room in it count as distinct, and as an error of that size. */
static void note_pieces(struct layer_state *state, struct layer_frame *frame) {
  for (uint32_t i = 0; i < frame->pieces; i++)
    note_extent(state, &frame->piece[i]);
  for (int i = 0; i < 2; i++) {
    state->record->counters[LAYERS_DISTINCT_BYTES_READ + i] += frame->bytes_without_piece[i];
    state->record->counters[LAYERS_DISTINCT_ERROR] += frame->bytes_without_piece[i];
    frame->bytes_without_piece[i] = 0;
  }
  frame->pieces = 0;
}

/* Full: what the call is about may be known already. */
static void drain(struct layer_frame *frame) {
  struct layer_state *state = frame->state;
  if (!state || !layer_lock(state)) return;
  note_pieces(state, frame);
  layer_unlock(state);
}

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

void layer_pop(struct layer_frame *frame, struct layer_state *state, uint64_t t1, uint64_t t2) {
  struct layer_thread *thread = darshan_layers;
  if (!frame) return;
  uint32_t level = (uint32_t)(frame - thread->frames);
  thread->depth = level; /* frames above were left by longjmp */
  if (level > 0) thread->frames[level - 1].nested_ticks += t2 - t1;
  ticks_check(t2);
  /* A call that is about nothing we record is the application's. */
  if (!state || !state->record) state = layers_application();
  struct darshan_layers_record *record = layer_lock(state);
  if (!record) return;
  add_frame(record, frame, t2 - t1);
  note_pieces(state, frame);
  layer_unlock(state);
}

static struct layer_frame *current_frame(void) {
  return darshan_layers && darshan_layers->depth
             ? &darshan_layers->frames[darshan_layers->depth - 1]
             : NULL;
}

static void add_transfer(struct layer_frame *frame, int writes, int64_t bytes, uint64_t ticks) {
  frame->calls[writes]++;
  frame->bytes[writes] += bytes;
  frame->sizes[writes][size_bin(bytes)]++;
  frame->posix_ticks += ticks;
}

/* What no upper layer called: a frame of its own, without pieces. */
static void start_alone(struct layer_frame *frame, enum layer_operation operation) {
  memset(frame, 0, offsetof(struct layer_frame, piece));
  frame->operation = operation;
}

static void add_to_application(const struct layer_frame *frame) {
  struct layer_state *state = layers_application();
  struct darshan_layers_record *record = layer_lock(state);
  if (!record) return;
  add_frame(record, frame, frame->posix_ticks + frame->stdio_ticks);
  layer_unlock(state);
}

void layers_transfer_slow(uint32_t file, int writes, int64_t bytes, int64_t offset,
                          uint64_t ticks) {
  struct layer_frame alone, *frame = current_frame();
  if (frame) {
    struct layer_piece piece = {file, (uint32_t)writes, offset, bytes};
    add_transfer(frame, writes, bytes, ticks);
    if (offset >= 0) keep_piece(frame, &piece);
    return;
  }
  start_alone(&alone, writes ? LAYER_WRITE : LAYER_READ);
  add_transfer(&alone, writes, bytes, ticks);
  add_to_application(&alone);
}

void layers_other_slow(uint64_t ticks) {
  struct layer_frame alone, *frame = current_frame();
  if (!frame) start_alone(&alone, LAYER_META);
  struct layer_frame *target = frame ? frame : &alone;
  target->calls[2]++;
  target->posix_ticks += ticks;
  if (!frame) add_to_application(&alone);
}

void layers_stdio_slow(int64_t bytes_read, int64_t bytes_written, uint64_t ticks) {
  struct layer_frame alone, *frame = current_frame();
  if (!frame)
    start_alone(&alone, bytes_written ? LAYER_WRITE : bytes_read ? LAYER_READ : LAYER_META);
  struct layer_frame *target = frame ? frame : &alone;
  target->stdio[0]++;
  target->stdio[1] += bytes_read;
  target->stdio[2] += bytes_written;
  target->stdio_ticks += ticks;
  if (!frame) add_to_application(&alone);
}
