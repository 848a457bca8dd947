/* Reads everything in a log through the interface of libdarshan-util, in turn one record of each
 * module, and reads all returned memory. Exit status 1: the log is damaged or cannot be opened.
 * Aborts if the library breaks a promise. */
#include "darshan-logutils.h"

#include "describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Receives a sum of all bytes, so that the compiler does not leave out the reading. */
static volatile unsigned sink;

/* Reads each byte, so that a sanitizer notices memory that is not valid. */
static void touch(const void *bytes, size_t size) {
  const unsigned char *p = bytes;
  for (size_t i = 0; i < size; i++)
    sink += p[i];
}

/* Reads the job, its program, its run time and its mounts. */
static void touch_job(void *log) {
  struct darshan_job job;
  struct darshan_mnt_info *mounts;
  char exe[4096];
  double seconds;
  int count;
  if (darshan_log_get_job(log, &job) != 0 || darshan_log_get_exe(log, exe) != 0) abort();
  if (darshan_log_get_job_runtime(log, job, &seconds) != 0) abort();
  if (darshan_log_get_mounts(log, &mounts, &count) != 0) abort();
  touch(job.metadata, strlen(job.metadata));
  touch(exe, strlen(exe));
  touch(mounts, (size_t)count * sizeof(*mounts));
  darshan_free(mounts);
}

/* Reads all names, and again those of two ids, of which one exists. */
static void touch_names(void *log) {
  struct darshan_name_record *names, *some;
  int count, found;
  darshan_log_get_name_records(log, &names, &count);
  darshan_record_id ids[2] = {0, count > 0 ? names[count - 1].id : 0};
  darshan_log_get_filtered_name_records(log, &some, &found, ids, 2);
  if (count > 0 && found < 1) abort();
  for (int i = 0; i < found; i++)
    darshan_free(some[i].name);
  for (int i = 0; i < count; i++) {
    touch(names[i].name, strlen(names[i].name));
    darshan_free(names[i].name);
  }
  darshan_free(some);
  darshan_free(names);
}

/* Reads a record, with the lists that it refers to. */
static void touch_record(const struct darshan_module *module, const void *record) {
  size_t size = module->record_size;
  if (module->kind == DARSHAN_KIND_LUSTRE) {
    const struct darshan_lustre_record *lustre = record;
    touch(lustre->comps, (size_t)lustre->num_comps * sizeof(*lustre->comps));
    touch(lustre->ost_ids, (size_t)lustre->num_stripes * sizeof(*lustre->ost_ids));
    size = sizeof(*lustre);
  } else if (module->kind == DARSHAN_KIND_HEATMAP) {
    const struct darshan_heatmap_record *heat = record;
    touch(heat->write_bins, (size_t)heat->nbins * sizeof(*heat->write_bins));
    touch(heat->read_bins, (size_t)heat->nbins * sizeof(*heat->read_bins));
  } else if (module->kind == DARSHAN_KIND_DXT) {
    const struct dxt_file_record *dxt = record;
    size += (size_t)(dxt->write_count + dxt->read_count) * sizeof(segment_info);
  }
  touch(record, size);
}

/* Reads the sums of an accumulator, and frees it. */
static void touch_sums(darshan_accumulator sums) {
  struct darshan_derived_metrics metrics;
  if (darshan_accumulator_emit(sums, &metrics, NULL) != 0) abort();
  touch(&metrics, sizeof(metrics));
  darshan_accumulator_destroy(sums);
}

/* Reads one record of each module in turn until no module has more, and frees it. Returns 1 if a
 * read failed, otherwise 0. */
static int touch_records(void *log) {
  enum { MODULES_MAX = 64 };
  struct darshan_mod_info *modules;
  darshan_accumulator sums[MODULES_MAX] = {NULL};
  int count, left, broken = 0;
  int ended[MODULES_MAX] = {0};
  darshan_log_get_modules(log, &modules, &count);
  if (count > MODULES_MAX) abort();
  for (int i = 0; i < count; i++)
    darshan_accumulator_create(modules[i].idx, 4, &sums[i]);
  do {
    left = 0;
    for (int i = 0; i < count; i++) {
      if (ended[i]) continue;
      void *record = NULL;
      int got = darshan_log_get_record(log, modules[i].idx, &record);
      if (got < 0) broken = 1;
      if (got == 1) touch_record(darshan_module_by_id(modules[i].idx), record);
      if (got == 1 && sums[i]) darshan_accumulator_inject(sums[i], record, 1);
      ended[i] = got != 1;
      left += got == 1;
      darshan_free(record);
    }
  } while (left > 0);
  for (int i = 0; i < count; i++)
    if (sums[i]) touch_sums(sums[i]);
  darshan_free(modules);
  return broken;
}

int main(int argc, char **argv) {
  void *log = argc > 1 ? darshan_log_open(argv[1]) : NULL;
  if (!log) return 1;
  touch_job(log);
  touch_names(log);
  int broken = touch_records(log);
  darshan_log_close(log);
  return broken;
}
