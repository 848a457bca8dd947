/* Counts the work of processes that make batches: workers or, if there are none, the process
 * itself. */
#include <sys/resource.h>

#include "../../door/door.h"
#include "../../intercept/stack.h"
#include "../../intercept/sys/sys.h"
#include "../posix/posix-state.h"
#include "../process/usage.h"
#include "../stdio/stdio-state.h"
#include "training-records.h"
#include "training-time.h"

enum { BLOCK = 512 /* bytes of a block in struct rusage */ };

uint32_t training_watched;
__thread struct training_thread training_thread;

/* State of this process as a worker of a DataLoader. */
static struct {
  uint32_t record;       /* number of its record; NO_RECORD: it is not a worker */
  uint32_t epoch_record; /* number of the record of its epoch; NO_RECORD: none */
  int64_t epoch;         /* number of its epoch; 0: unknown */
  uint64_t end;          /* end of its last fetch, in ticks */
} worker;

void training_worker_forked(void) {
  if (worker.record)
    worker.record = worker.epoch_record = NO_RECORD; /* a needless write would
                                                       copy the page */
  training_thread.fetches = training_thread.transforms = 0;
  training_thread.sums = (struct training_sums){0};
}

uint64_t training_processor_time(void) {
  struct timespec now = {0, 0};
  SYS2(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* Returns the nanoseconds, since its start, in which this thread was ready to run but had no
 * processor; -1 if unknown. */
static int64_t ready_time(void) {
  int64_t ran, ready;
  return usage_read_schedstat("/proc/thread-self/schedstat", &ran, &ready) < 0 ? -1 : ready;
}

/* Stores the number of major page faults of this thread so far, and of the blocks of 512 bytes that
 * the kernel read from storage for it; 0 if the kernel does not report them. */
static void storage_used(int64_t *faults, int64_t *blocks) {
  struct rusage usage = {.ru_majflt = 0};
  SYS2(SYS_getrusage, RUSAGE_THREAD, &usage);
  *faults = usage.ru_majflt;
  *blocks = usage.ru_inblock;
}

/* --- calls on files ---------------------------------------------------------------------- */

/* Makes the first `posix` records of POSIX and the first `stdio` records of STDIO notify this
 * module. Later records notify this module from their start. */
static void watch_all(uint32_t posix, uint32_t stdio) {
  for (uint32_t i = 1; i <= posix; i++) {
    struct posix_aux *aux = segments_at(&posix_state.aux, i);
    if (!spin_lock(SPIN_RECORD, &aux->lock)) continue;
    aux->watched |= WATCHED_BY_TRAINING;
    spin_unlock(&aux->lock);
  }
  for (uint32_t i = 1; i <= stdio; i++) {
    struct stdio_aux *aux = segments_at(&stdio_state.aux, i);
    if (!spin_lock(SPIN_RECORD, &aux->lock)) continue;
    aux->watched |= WATCHED_BY_TRAINING;
    spin_unlock(&aux->lock);
  }
}

void training_watch(void) {
  struct record_store *store = &darshan_store;
  if (training_watched || !runtime_enter()) return;
  if (store_lock(store)) {
    __atomic_store_n(&training_watched, WATCHED_BY_TRAINING, __ATOMIC_RELAXED);
    uint32_t posix = store_fill(store, STORE_POSIX).count;
    uint32_t stdio = store_fill(store, STORE_STDIO).count;
    store_unlock(store);
    watch_all(posix, stdio);
  }
  runtime_leave();
}

void training_count_call(enum site_kind kind, int64_t bytes_read, uint64_t t1, uint64_t t2) {
  struct training_thread *thread = &training_thread;
  struct training_sums *sums = &thread->sums;
  uint64_t from = t1 > thread->last_end ? t1 : thread->last_end;
  /* Omits ticks that another event of the same call has counted. */
  uint64_t ticks = t2 > from ? t2 - from : 0;
  if (t2 > thread->last_end) thread->last_end = t2;
  sums->bytes_read += bytes_read;
  if (kind == SITE_READ || kind == SITE_SEEK)
    sums->read += ticks;
  else if (kind == SITE_WRITE || kind == SITE_SYNC)
    sums->write += ticks;
  else if (kind != SITE_NOTHING)
    sums->open += ticks;
  sums->opens += kind == SITE_OPEN && ticks > 0;
}

/* --- fetches ----------------------------------------------------------------------------- */

void training_add_fetches(struct darshan_training_record *record,
                          const struct training_sums *sums) {
  if (!record) return;
  int64_t *counters = record->counters;
  double *times = record->fcounters, tick = clock_tick(&darshan_hot.clock);
  double longest = (double)sums->longest * tick;
  counters[TRAINING_FETCHES] += sums->fetches;
  counters[TRAINING_FETCH_OPENS] += sums->opens;
  counters[TRAINING_FETCH_BYTES_READ] += sums->bytes_read;
  counters[TRAINING_FETCH_FAULTS] += sums->faults;
  counters[TRAINING_FETCH_STORAGE_READ] += sums->blocks * BLOCK;
  times[TRAINING_F_FETCH_TIME] += (double)sums->fetch * tick;
  if (longest > times[TRAINING_F_FETCH_LONGEST]) times[TRAINING_F_FETCH_LONGEST] = longest;
  times[TRAINING_F_FETCH_PROCESSOR_TIME] += (double)sums->processor / NS_PER_SECOND;
  if (sums->is_ready_unknown) times[TRAINING_F_FETCH_READY_TIME] = -1;
  if (times[TRAINING_F_FETCH_READY_TIME] >= 0)
    times[TRAINING_F_FETCH_READY_TIME] += (double)sums->ready / NS_PER_SECOND;
  times[TRAINING_F_FETCH_OPEN_TIME] += (double)sums->open * tick;
  times[TRAINING_F_FETCH_READ_TIME] += (double)sums->read * tick;
  times[TRAINING_F_FETCH_WRITE_TIME] += (double)sums->write * tick;
  times[TRAINING_F_COLLATE_TIME] += (double)sums->collate * tick;
  times[TRAINING_F_TRANSFORM_TIME] += (double)sums->transform * tick;
}

/* Returns the time in calls on files in these sums, in ticks. */
static uint64_t files_of(const struct training_sums *sums) {
  return sums->open + sums->read + sums->write;
}

void training_fetch_begins(struct training_fetch *fetch) {
  if (training_thread.fetches++) return;
  fetch->processor = training_processor_time();
  storage_used(&fetch->faults, &fetch->blocks);
  fetch->ready = ready_time();
  fetch->files = files_of(&training_thread.sums);
  fetch->t1 = ticks_now();
}

/* Adds the sums of this thread, with a fetch of this worker that ended at t2 (ticks), to the
 * worker's record, and the time since the previous fetch as idle time. Clears the sums. The caller
 * holds training_lock. */
static void worker_fetched(const struct training_fetch *fetch, uint64_t t2) {
  struct darshan_training_record *record = training_record_at(worker.record);
  if (record) {
    training_add_fetches(record, &training_thread.sums);
    if (fetch->t1 > worker.end)
      record->fcounters[TRAINING_F_IDLE_TIME] += clock_length(ticks_span(worker.end, fetch->t1));
    record->fcounters[TRAINING_F_END_TIMESTAMP] = ticks_span(fetch->t1, t2).end;
  }
  struct darshan_training_record *epoch = training_record_at(worker.epoch_record);
  if (epoch) {
    training_add_fetches(epoch, &training_thread.sums);
    epoch->fcounters[TRAINING_F_END_TIMESTAMP] = ticks_span(fetch->t1, t2).end;
  }
  worker.end = t2;
  training_thread.sums = (struct training_sums){0};
}

/* Adds a fetch that ended at t2 (ticks) to TRAINING_TIME. processor, ready: nanoseconds of the
 * fetch in which the thread ran, or was ready to run without a processor. If they exceed the time
 * outside of calls on files, the excess is assumed to be within these calls. The caller holds
 * training_lock. */
static void add_to_time(const struct training_fetch *fetch, uint64_t t2, int64_t processor,
                        int64_t ready) {
  int64_t files = training_nanoseconds(files_of(&training_thread.sums) - fetch->files);
  int64_t whole = training_nanoseconds(t2 - fetch->t1), room = whole > files ? whole - files : 0;
  if (processor > room) processor = room;
  if (ready > room - processor) ready = room - processor;
  training_time_add(TIME_OF_BATCHES, fetch->t1, t2, whole, files);
  training_time_add(TIME_ON_PROCESSORS, fetch->t1, t2, processor + ready, ready);
}

/* Makes the TRAINING_TIME records for a process that makes batches. worker: its number as a worker;
 * negative: it is not a worker. The caller holds no lock. */
static void begin_times(int64_t worker) {
  training_time_begin(TIME_OF_BATCHES, worker);
  training_time_begin(TIME_ON_PROCESSORS, worker);
}

void training_fetch_ends(const struct training_fetch *fetch, int gave) {
  struct training_sums *sums = &training_thread.sums;
  if (training_thread.fetches == 0 || --training_thread.fetches) return;
  uint64_t t2 = ticks_after(fetch->t1), ticks = t2 - fetch->t1;
  sums->fetches += gave;
  sums->fetch += ticks;
  if (ticks > sums->longest) sums->longest = ticks;
  uint64_t processor = training_processor_time() - fetch->processor;
  sums->processor += processor;
  int64_t faults, blocks;
  storage_used(&faults, &blocks);
  sums->faults += faults - fetch->faults;
  sums->blocks += blocks - fetch->blocks;
  int64_t now = ready_time(), ready = now < 0 || fetch->ready < 0 ? 0 : now - fetch->ready;
  if (now < 0 || fetch->ready < 0) sums->is_ready_unknown = 1;
  sums->ready += (uint64_t)ready;
  if (gave) begin_times(-1); /* those of a worker exist since its fetcher was made */
  if (!record_lock(&training_lock)) return;
  add_to_time(fetch, t2, (int64_t)processor, ready);
  if (worker.record) worker_fetched(fetch, t2);
  record_unlock(&training_lock);
}

/* --- a worker ---------------------------------------------------------------------------- */

/* Writes the name of a record of this worker, for example "worker 3 of LOADER" or, if rank is not
 * negative, "epoch 2 of worker 3 of rank 1 of LOADER". epoch: 0 for the record of the worker.
 * loader: the loader's id, written in hexadecimal. */
static void name_worker(struct site_name *name, int64_t epoch, int64_t number, int64_t rank,
                        uint64_t loader) {
  name->length = 0;
  name->is_full = 0;
  if (epoch) {
    site_name_add(name, "epoch ");
    site_name_add_number(name, (uint64_t)epoch);
    site_name_add(name, " of ");
  }
  site_name_add(name, "worker ");
  site_name_add_number(name, (uint64_t)number);
  if (rank >= 0) {
    site_name_add(name, " of rank ");
    site_name_add_number(name, (uint64_t)rank);
  }
  site_name_add(name, " of ");
  site_name_add_hex(name, loader);
}

/* Makes a record of this process as worker `number`, or finds it. kind: RECORD_OF_WORKER or
 * RECORD_OF_WORKERS_EPOCH. rank: of this process; negative: none. Returns the record's number, or
 * NO_RECORD if there is no space. The caller holds both locks. */
static uint32_t worker_record(enum training_kind kind, int64_t epoch, int64_t number,
                              int64_t rank) {
  static const struct training_settings unknown = {-1, -1, -1, -1};
  struct site_name name;
  int is_new;
  name_worker(&name, epoch, number, rank, training_thread.loader);
  uint32_t found = training_record_of(&name, &is_new);
  struct darshan_training_record *record = training_record_at(found);
  if (!record) runtime_table_full();
  if (!record || !is_new) return found;
  training_fill(record, kind, training_thread.loader, &unknown);
  record->counters[TRAINING_EPOCH] = epoch;
  record->counters[TRAINING_WORKER] = number;
  record->counters[TRAINING_RANK] = rank;
  uint64_t now = ticks_now();
  record->fcounters[TRAINING_F_START_TIMESTAMP] = ticks_span(now, now).start;
  return found;
}

/* Makes the record of a worker, if it has none, and that of its next epoch. Runs on a stack of the
 * runtime. */
static void begin_worker(void *number_) {
  int64_t number = *(const int64_t *)number_, rank = launched_rank();
  record_make_room(STORE_TRAINING);
  if (!record_lock(&training_lock)) return;
  if (store_lock(&darshan_store)) {
    if (!worker.record) {
      worker.end = ticks_now();
      worker.epoch = training_thread.epoch - 1; /* that before the first one */
      worker.record = worker_record(RECORD_OF_WORKER, 0, number, rank);
    }
    worker.epoch_record = NO_RECORD;
    if (worker.record && worker.epoch >= 0 && ++worker.epoch <= LONGEST_EPOCHS)
      worker.epoch_record = worker_record(RECORD_OF_WORKERS_EPOCH, worker.epoch, number, rank);
    store_unlock(&darshan_store);
  }
  record_unlock(&training_lock);
  begin_times(number);
}

void training_is_worker(int64_t number) {
  if (runtime_phase() != RUNTIME_FINISHED) stack_run(begin_worker, &number);
}
