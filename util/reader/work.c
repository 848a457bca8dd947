/* Computes the working time of a run's processes: their run time without the time in which they
 * waited.
 * A shell that waits for a program loses nothing while the program reads. Neither does a process
 * that sleeps or waits for a thread, a socket or a lock. The I/O share is a share of this time, so
 * that the shells around a program do not dilute it.
 *
 * If the log has the kernel's account of a process (USAGE), waiting is the time in which it was not
 * on a processor, not ready to run, not in recorded I/O and not in a page fault that reads.
 * Otherwise it is the time in which children of the process ran. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reader.h"
#include "records.h"

enum { KILLED = 2, STILL_RAN = 3 }; /* values of PROCESS_ENDED */
static const double longest = 1e9;  /* seconds; a larger time is corrupt */
static const int64_t most =
    1 << 20; /* largest number of processes of a rank; a larger number is corrupt */

/* A PROCESS record: `count` processes that the log combines under one rank, mostly one. */
struct worker {
  int64_t rank, parent; /* parent: index in the array of workers; -1: no parent. take() stores its
                           rank first, and find_parents replaces it by the index */
  double start, end;    /* first start, last end; seconds since the start of the log */
  double lived, io;     /* run time and time in I/O, sums over the processes; seconds */
  int64_t count;
  int elsewhere; /* 1: the processes are ranks of an MPI job, whose I/O is in another log */
  int helps;     /* 1: the parent does not wait for this worker */
  int64_t told;  /* number of processes that its USAGE records cover */
  int cut;       /* 1: killed or still running, so its last program has no USAGE record */
  double user, system, other; /* seconds on a processor in user and in kernel mode; other: ready to
                                 run, and in page faults */
};

static double smaller(double a, double b) {
  return a < b ? a : b;
}
static double larger(double a, double b) {
  return a > b ? a : b;
}

/* Returns a time of the log limited to 0 up to `longest`; 0 if it is not finite. */
static double seconds(double value) {
  if (!isfinite(value) || value < 0) return 0;
  return value < longest ? value : longest;
}

/* Returns 1 for the tracker process of Python's multiprocessing, which runs as long as the program;
 * otherwise 0. */
static int is_helper(const darshan_log *log, uint64_t id) {
  const char *name = darshan_log_name(log, id);
  return name && strstr(name, "from multiprocessing.") && strstr(name, "_tracker import");
}

/* Fills a worker from a PROCESS record. Values outside of their range are limited. */
static void take(struct worker *worker, const struct darshan_process_record *record,
                 const darshan_log *log) {
  const int64_t *counters = record->counters;
  const double *times = record->fcounters;
  double run = darshan_log_info(log)->run_time;
  double last = run > 0 && run < longest ? run : longest;
  int64_t count = counters[PROCESS_COUNT];
  worker->rank = record->base.rank;
  worker->parent = counters[PROCESS_PARENT_RANK];
  worker->count = count < 1 ? 1 : count < most ? count : most;
  worker->cut = counters[PROCESS_ENDED] == KILLED || counters[PROCESS_ENDED] == STILL_RAN;
  worker->elsewhere = counters[PROCESS_JOB_RANKS] > 0;
  worker->helps = is_helper(log, record->base.id);
  worker->start = smaller(seconds(times[PROCESS_F_START_TIMESTAMP]), last);
  worker->end = smaller(seconds(times[PROCESS_F_END_TIMESTAMP]), last);
  if (counters[PROCESS_ENDED] == STILL_RAN && last < longest) worker->end = last;
  if (worker->end < worker->start) worker->end = worker->start;
  worker->io = seconds(times[PROCESS_F_READ_TIME]) + seconds(times[PROCESS_F_WRITE_TIME]) +
               seconds(times[PROCESS_F_META_TIME]);
}

/* Adds the kernel's account of one program (a USAGE record) to its worker. */
static void add_usage(struct worker *worker, const struct darshan_usage_record *usage) {
  static const double of_a_fault = 0.01; /* upper bound in seconds, for a rotating disk */
  const double *times = usage->fcounters;
  int64_t faults = usage->counters[USAGE_MAJOR_FAULTS];
  double waited = faults > 0 ? (double)faults * of_a_fault : 0;
  worker->told += usage->counters[USAGE_PROCESSES];
  worker->user += seconds(times[USAGE_F_USER_TIME]);
  worker->system += seconds(times[USAGE_F_SYSTEM_TIME]);
  worker->other +=
      seconds(times[USAGE_F_RUNNABLE_TIME]) + smaller(seconds(times[USAGE_F_BLOCKED_TIME]), waited);
}

/* Returns the working time in seconds of a process with USAGE. The waiting time is subtracted only
 * if it is a large part of the run time, because the kernel's account has gaps. */
static double accounted(const struct worker *worker) {
  static const double rest = 0.1; /* part of the run time that may be missing from the account */
  double work = worker->user + larger(worker->system, worker->io) + worker->other;
  return work > (1 - rest) * worker->lived ? worker->lived : work;
}

/* Returns 1 if the USAGE records cover all processes of the worker, so that accounted() is valid;
 * otherwise 0. */
static int is_accounted(const struct worker *worker) {
  return !worker->cut && worker->told >= worker->count && worker->user + worker->system > 0;
}

static int by_rank(const void *a, const void *b) {
  const struct worker *left = a, *right = b;
  return (left->rank > right->rank) - (left->rank < right->rank);
}

/* Compares two children by parent, then by start, for qsort. */
static int by_parent(const void *a, const void *b) {
  const struct worker *left = *(struct worker *const *)a, *right = *(struct worker *const *)b;
  if (left->parent != right->parent) return left->parent < right->parent ? -1 : 1;
  return (left->start > right->start) - (left->start < right->start);
}

/* Replaces each worker's parent rank by the index of that rank's worker; -1 if there is none. The
 * workers are sorted by rank. */
static void find_parents(struct worker *workers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct worker key = {.rank = workers[i].parent};
    const struct worker *parent =
        key.rank < 0 ? NULL : bsearch(&key, workers, count, sizeof(key), by_rank);
    workers[i].parent = parent && parent != &workers[i] ? parent - workers : -1;
  }
}

/* Sets each worker's `lived`, the sum of its processes' run times. The log lacks the single run
 * times of a rank with several processes. Their average is then assumed to equal the average of
 * single processes without children, within the limits that start and end give. */
static void find_lives(struct worker *workers, size_t count) {
  double sum = 0;
  size_t known = 0;
  char *has_child = calloc(count, 1);
  for (size_t i = 0; has_child && i < count; i++)
    if (workers[i].parent >= 0) has_child[workers[i].parent] = 1;
  for (size_t i = 0; i < count; i++) {
    if (workers[i].count > 1 || workers[i].elsewhere || (has_child && has_child[i])) continue;
    sum += workers[i].end - workers[i].start;
    known++;
  }
  free(has_child);
  for (size_t i = 0; i < count; i++) {
    double span = workers[i].end - workers[i].start, number = (double)workers[i].count;
    double guess = known ? number * sum / (double)known : span;
    workers[i].lived = span;
    if (workers[i].count > 1) workers[i].lived = smaller(larger(guess, span), number * span);
  }
}

/* Returns the seconds until `end` in which children of a parent ran; seconds in which two ran count
 * once. For a rank of several processes adds the sum of their run times, because it is not known
 * when they ran. *next: index of the parent's first child; on return, of the next parent's. */
static double waited(struct worker *const *order, size_t count, size_t *next, double end) {
  int64_t parent = order[*next]->parent;
  double covered = 0, several = 0, until = 0;
  for (; *next < count && order[*next]->parent == parent; ++*next) {
    const struct worker *child = order[*next];
    if (child->helps) continue;
    if (child->count > 1 && !child->elsewhere) {
      several += child->lived; /* the processes may have run one after another, with gaps */
      continue;
    }
    double first = larger(child->start, until), last = smaller(child->end, end);
    if (last <= first) continue;
    covered += last - first;
    until = last;
  }
  return covered + several;
}

/* Returns the sum of the working times of all workers in seconds. The workers are sorted by rank.
 * Workers whose I/O is in another log do not count. */
static double work_of(struct worker *workers, size_t count) {
  double sum = 0;
  struct worker **order = malloc(count * sizeof(struct worker *));
  double *waits = calloc(count, sizeof(*waits));
  find_parents(workers, count);
  find_lives(workers, count);
  for (size_t i = 0; order && i < count; i++)
    order[i] = &workers[i];
  if (order) qsort(order, count, sizeof(struct worker *), by_parent);
  for (size_t i = 0; order && waits && i < count;) {
    int64_t parent = order[i]->parent;
    double time = waited(order, count, &i, parent < 0 ? longest : workers[parent].end);
    if (parent >= 0) waits[parent] = time;
  }
  for (size_t i = 0; i < count; i++) {
    if (workers[i].elsewhere) continue;
    double left = workers[i].lived - (waits ? waits[i] : 0);
    if (is_accounted(&workers[i])) left = accounted(&workers[i]);
    sum += larger(left, smaller(workers[i].io, workers[i].lived));
  }
  free(order);
  free(waits);
  return sum;
}

/* Reads all records of a module into one block (darshan_log_load). Returns their number; 0 if the
 * log has no data of this module; -1 with an error. */
static long load(darshan_log *log, int module, void **block, struct darshan_error *error) {
  const struct darshan_info *info = darshan_log_info(log);
  for (int i = 0; i < info->num_modules; i++)
    if (info->modules[i].id == module && info->modules[i].length)
      return darshan_log_load(log, module, block, error);
  return 0;
}

/* Sorts the workers by rank and adds the log's USAGE records to them. Returns 0, or -1 with an
 * error. */
static int add_usages(struct worker *workers, size_t count, darshan_log *log,
                      struct darshan_error *error) {
  void *block = NULL;
  long found = load(log, DARSHAN_MOD_USAGE, &block, error);
  const struct darshan_usage_record *usages = block;
  qsort(workers, count, sizeof(*workers), by_rank);
  for (long i = 0; i < found; i++) {
    const struct worker key = {.rank = usages[i].base.rank};
    struct worker *worker = bsearch(&key, workers, count, sizeof(key), by_rank);
    if (worker) add_usage(worker, &usages[i]);
  }
  darshan_block_free(block);
  return found < 0 ? -1 : 0;
}

/* Computes the working time for the log of one process, which has no PROCESS record. io: seconds in
 * I/O. Returns like darshan_log_work: 1; 0 if the log lacks the data or is of several processes; -1
 * with an error. */
static int work_of_one(darshan_log *log, double io, double *work, struct darshan_error *error) {
  const struct darshan_info *info = darshan_log_info(log);
  struct worker alone = {.count = 1, .lived = seconds(info->run_time), .io = io};
  if (info->job.nprocs > 1 || alone.lived <= 0) return 0;
  if (add_usages(&alone, 1, log, error) < 0) return -1;
  if (!is_accounted(&alone)) return 0;
  *work = accounted(&alone);
  return 1;
}

int darshan_log_work(darshan_log *log, double io, double *work, struct darshan_error *error) {
  void *block = NULL;
  long count = load(log, DARSHAN_MOD_PROCESS, &block, error);
  const struct darshan_process_record *records = block;
  int failed = 0;
  *work = 0;
  if (count < 0) return -1;
  if (count == 0) return work_of_one(log, seconds(io), work, error);
  struct worker *workers = calloc((size_t)count, sizeof(*workers));
  for (long i = 0; workers && i < count; i++)
    take(&workers[i], &records[i], log);
  darshan_block_free(block);
  if (!workers) {
    darshan_fail(error, "cannot compute the working time: out of memory");
    return -1;
  }
  failed = add_usages(workers, (size_t)count, log, error) < 0;
  if (!failed) *work = work_of(workers, (size_t)count);
  free(workers);
  return failed ? -1 : 1;
}
