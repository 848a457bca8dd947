/* Computes the I/O share of the run time, over several logs (io-share.h). */
#include "io-share.h"

#include <math.h>
#include <string.h>

#include "records.h"

/* Returns the value, or 0 if it is negative (unknown), infinite or NaN. */
static double seconds(double value) {
  return isfinite(value) && value > 0 ? value : 0;
}

/* Returns how often the process waited in open of a named pipe, from a record of POSIX_EXT or
 * STDIO_EXT. */
static int64_t pipe_opens(const void *record, int module) {
  if (module == DARSHAN_MOD_STDIO_EXT)
    return ((const struct darshan_stdio_ext_record *)record)->counters[STDIO_EXT_FIFO_OPENS];
  return ((const struct darshan_posix_ext_record *)record)->counters[POSIX_EXT_FIFO_OPENS];
}

/* Adds the ids of named pipes in the records of a module. Returns 0, or -1 with an error. */
static int add_pipes(struct log_shares *sums, darshan_log *log, int module,
                     struct darshan_error *error) {
  darshan_records *records = darshan_records_open(log, module, error);
  const void *record;
  size_t size;
  int more = -1, is_new;
  while (records && (more = darshan_records_next(records, &record, &size, error)) > 0)
    if (pipe_opens(record, module) > 0)
      id_table_get(&sums->pipes, ((const struct darshan_base_record *)record)->id, &is_new);
  if (records) darshan_records_close(records);
  return more;
}

/* Returns the seconds of POSIX calls within reads and writes of GDS, and within waits for its
 * batches, according to a LAYERS record; 0 for records of other modules. */
static double below_gds(const struct darshan_layers_record *record) {
  if (record->counters[LAYERS_UPPER_MODULE] != DARSHAN_MOD_GDS) return 0;
  return seconds(record->fcounters[LAYERS_F_READ_POSIX_TIME]) +
         seconds(record->fcounters[LAYERS_F_WRITE_POSIX_TIME]) +
         seconds(record->fcounters[LAYERS_F_META_POSIX_TIME]);
}

static double in_gds(const struct darshan_gds_record *record) {
  return seconds(record->fcounters[GDS_F_READ_TIME]) + seconds(record->fcounters[GDS_F_WRITE_TIME]);
}

/* Adds the time of transfers between files and the memory of a GPU, without the POSIX calls within
 * them. Returns 0, or a negative number if the records are damaged. */
static int add_gpu_direct(struct log_shares *sums, darshan_log *log, struct darshan_error *error) {
  static const int modules[] = {DARSHAN_MOD_GDS, DARSHAN_MOD_LAYERS};
  double own = 0;
  int more = 0;
  for (int i = 0; i < 2 && more >= 0; i++) {
    darshan_records *records = darshan_records_open(log, modules[i], error);
    const void *record;
    size_t size;
    while (records && (more = darshan_records_next(records, &record, &size, error)) > 0)
      own += modules[i] == DARSHAN_MOD_GDS ? in_gds(record) : -below_gds(record);
    if (records) darshan_records_close(records);
  }
  sums->files += seconds(own);
  return more;
}

int log_shares_begin(struct log_shares *sums, darshan_log *log, struct darshan_error *error) {
  const struct darshan_info *info = darshan_log_info(log);
  int failed = 0;
  memset(sums, 0, sizeof(*sums));
  id_table_init(&sums->pipes, 1);
  for (int i = 0; i < info->num_modules; i++) {
    int id = info->modules[i].id;
    if (id == DARSHAN_MOD_GDS && info->modules[i].length && add_gpu_direct(sums, log, error) < 0)
      failed = -1;
    if (!info->modules[i].length || (id != DARSHAN_MOD_POSIX_EXT && id != DARSHAN_MOD_STDIO_EXT))
      continue;
    if (add_pipes(sums, log, id, error) < 0) failed = -1;
  }
  return failed;
}

void log_shares_record(struct log_shares *sums, const struct darshan_merge_plan *plan,
                       const void *record, int elsewhere) {
  const double *fcounters = darshan_record_fcounters(plan, record);
  uint64_t id = ((const struct darshan_base_record *)record)->id;
  const int times[] = {plan->read_time, plan->write_time, plan->meta_time};
  if (elsewhere) return;
  double *sum = id_table_find(&sums->pipes, id) ? &sums->in_pipes : &sums->layer;
  for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
    if (times[i] >= 0) *sum += seconds(fcounters[times[i]]);
}

void log_shares_end_module(struct log_shares *sums, int is_bottom) {
  if (is_bottom) sums->files += sums->layer;
  if (sums->layer > sums->tallest) sums->tallest = sums->layer;
  sums->layer = 0;
}

void log_shares_beside(struct log_shares *sums, double time) {
  sums->files += seconds(time);
}

void log_shares_own(struct log_shares *sums, double time) {
  sums->own += seconds(time);
}

/* Returns the working time of a log in seconds: the sum of the run times of its processes. If the
 * log does not distinguish its processes, each counts with the run time of the log. io: seconds in
 * I/O, for the log of a single process. */
static double work_of(darshan_log *log, double io) {
  const struct darshan_info *info = darshan_log_info(log);
  struct darshan_error error = {""};
  double work;
  if (darshan_log_work(log, io, &work, &error) > 0 && work > 0) return work;
  return seconds(info->run_time) * (double)(info->job.nprocs > 0 ? info->job.nprocs : 1);
}

void log_shares_end(struct log_shares *sums, darshan_log *log, struct shares *all) {
  double above = sums->files + sums->own;
  if (sums->own <= 0 && sums->tallest > sums->files) above = sums->tallest;
  all->files += sums->files;
  all->all += above;
  all->pipes += sums->in_pipes;
  all->work += work_of(log, sums->files);
  id_table_free(&sums->pipes);
}
