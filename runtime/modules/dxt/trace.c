/* Adds transfers to traces as packed segments (pack.h). */
#include "dxt.h"

#include <pthread.h>
#include <string.h>

#include "../../door/door.h"
#include "../../intercept/memory.h"
#include "../../intercept/sys/sys.h"
#include "base-record.h"
#include "pack.h"
#include "records.h"

struct dxt_state dxt_state;

enum {
  FIRST_CHUNK =
      256, /* bytes; each further chunk of a trace is twice as large as the previous one */
  LARGEST_CHUNK = 64 << 10,
  SMALLEST_CHUNK = 128, /* a smaller rest of the memory stays unused */
  KIB = 1024
};

static const struct {
  int module_id;
  enum store_module counters;
} kinds[DXT_MODULES] = {
    [DXT_POSIX] = {DARSHAN_MOD_DXT_POSIX, STORE_POSIX},
    [DXT_MPIIO] = {DARSHAN_MOD_DXT_MPIIO, STORE_MPIIO},
};

/* Returns the value of pthread_self, without calling it, because another library may define it. */
static uint64_t own_thread(void) {
#if defined(__x86_64__)
  uint64_t self;
  __asm__("mov %%fs:0, %0" : "=r"(self)); /* the thread control block begins with its own address */
  return self;
#else
  return (uint64_t)(uintptr_t)pthread_self();
#endif
}

int dxt_prepare(void) {
  dxt_state.threads = trace_threads_are_asked();
  for (int i = 0; i < DXT_MODULES; i++) {
    struct dxt_recorder *recorder = &dxt_state.recorders[i];
    if (!module_is_on(kinds[i].module_id)) continue;
    recorder->on = 1;
    recorder->room = (uint64_t)module_limit(kinds[i].module_id) * KIB;
    segments_prepare(&recorder->traces, sizeof(struct dxt_trace), SEGMENTS_PAGE);
    store_beside(&darshan_store, kinds[i].counters, &recorder->traces);
  }
  return 0;
}

void dxt_forked(void) {
  for (int i = 0; i < DXT_MODULES; i++) {
    struct dxt_recorder *recorder = &dxt_state.recorders[i];
    if (!recorder->on) continue;
    segments_clear(&recorder->traces);
    recorder->used = 0;
    recorder->dropped = 0;
  }
}

/* Returns the memory for chunks, which is allocated at the first call; NULL if out of memory. */
static char *memory_of(struct dxt_recorder *recorder) {
  char *none = NULL, *there = __atomic_load_n(&recorder->memory, __ATOMIC_ACQUIRE);
  if (there) return there;
  char *memory = private_memory(recorder->room + PACKED_SLACK);
  runtime_has_traces();
  if (!memory || __atomic_compare_exchange_n(&recorder->memory, &none, memory, 0, __ATOMIC_ACQ_REL,
                                             __ATOMIC_ACQUIRE))
    return memory;
  sys_munmap(memory, recorder->room + PACKED_SLACK);
  return none;
}

/* Returns a new chunk that takes `wanted` bytes of the memory, or all remaining bytes if these are
 * fewer; NULL if fewer than SMALLEST_CHUNK remain or out of memory. Threads may call it at the same
 * time. */
static struct dxt_chunk *take_chunk(struct dxt_recorder *recorder, uint64_t wanted) {
  uint64_t used = __atomic_load_n(&recorder->used, __ATOMIC_RELAXED), size;
  char *memory = memory_of(recorder);
  if (!memory) return NULL;
  do {
    uint64_t left = recorder->room - used;
    size = (wanted < left ? wanted : left) & ~UINT64_C(7);
    if (size < SMALLEST_CHUNK) return NULL;
  } while (!__atomic_compare_exchange_n(&recorder->used, &used, used + size, 1, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  struct dxt_chunk *chunk = (struct dxt_chunk *)(void *)(memory + used);
  chunk->next = NULL;
  chunk->used = 0;
  chunk->room = (uint32_t)(size - sizeof(*chunk));
  return chunk;
}

/* Appends a chunk to the trace, twice as large as the last one, at most LARGEST_CHUNK. Returns 1,
 * or 0 if the memory is full. */
static int add_chunk(struct dxt_recorder *recorder, struct dxt_trace *trace) {
  struct dxt_chunk *last = trace->last;
  uint64_t wanted = FIRST_CHUNK;
  if (last) {
    last->used = (uint32_t)(trace->next - last->bytes);
    wanted = 2 * (last->room + sizeof(*last));
  }
  struct dxt_chunk *chunk =
      take_chunk(recorder, wanted < LARGEST_CHUNK ? wanted : (uint64_t)LARGEST_CHUNK);
  if (!chunk) return 0;
  if (last)
    last->next = chunk;
  else
    trace->first = chunk;
  trace->last = chunk;
  trace->next = chunk->bytes;
  trace->end = chunk->bytes + chunk->room;
  return 1;
}

/* Decides, once per record, whether the record's transfers are traced (trace->decision). A record
 * with an excluded name is not traced. A record that files share is not traced, because their
 * segments could not be distinguished; unless it is that of program files, the module is marked as
 * incomplete. */
static void decide(enum dxt_module module, uint32_t number, struct dxt_trace *trace) {
  const struct record_store *store = &darshan_store;
  const struct darshan_base_record *base = store_record(store, kinds[module].counters, number);
  const struct store_entry *entry = store_find(store, base->id);
  const struct darshan_group_record *group =
      entry && entry->record[STORE_GROUP]
          ? store_record(store, STORE_GROUP, entry->record[STORE_GROUP])
          : NULL;
  if (group && group->counters[GROUP_KIND] == GROUP_TREE)
    trace->decision = DXT_NOT_TRACED; /* program files are not data */
  else if (group)
    dxt_state.recorders[module].dropped = 1;
  else if (entry && !name_is_excluded(kinds[module].module_id, entry->name, entry->name_length))
    trace->decision = DXT_TRACED;
  if (trace->decision == DXT_UNDECIDED) trace->decision = DXT_NOT_TRACED;
}

/* Converts seconds to units of 2^-21 s (pack.h), rounded; 0 for a negative time. */
static uint64_t units_of(double seconds) {
  return seconds > 0 ? (uint64_t)(int64_t)(seconds * DXT_UNITS_PER_SECOND + 0.5) : 0;
}

void dxt_append(enum dxt_module module, uint32_t number, int writes, int64_t bytes, int64_t offset,
                uint64_t t1, uint64_t t2) {
  struct dxt_recorder *recorder = &dxt_state.recorders[module];
  struct dxt_trace *trace = segments_at(&recorder->traces, number);
  if (UNLIKELY(trace->decision != DXT_TRACED)) {
    if (trace->decision == DXT_UNDECIDED) decide(module, number, trace);
    if (trace->decision != DXT_TRACED) return;
  }
  if (UNLIKELY(trace->end - trace->next < PACKED_MAX + PACKED_SLACK) &&
      !add_chunk(recorder, trace)) {
    __atomic_store_n(&recorder->dropped, 1, __ATOMIC_RELAXED);
    return;
  }
  struct clock_span at = ticks_span(t1, t2);
  uint64_t start = units_of(at.start), end = units_of(at.end);
  struct dxt_packed segment = {writes, offset, bytes, start, end > start ? end - start : 0, 0};
  trace->next = dxt_pack(trace->next, &trace->previous, &segment);
  if (UNLIKELY(dxt_state.threads))
    trace->next = dxt_pack_thread(trace->next, &trace->previous, own_thread());
  trace->count[writes]++;
}
