/* Compares the job records, metadata and mount tables of two logs (differences.h). */
#include "differences.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Prints one line of log `which`: "- key value" for 0, "+ key value" for 1. */
static void print(struct output *out, int which, const char *key, const char *value) {
  output_text(out, which ? "+ " : "- ");
  output_text(out, key);
  output_text(out, " ");
  output_foreign(out, value);
  output_text(out, "\n");
}

/* texts, numbers and run_times print two lines, one for each log, if the values differ. They return
 * 1 for a difference, otherwise 0. */
static int texts(struct output *out, const char *key, const char *first, const char *second) {
  if (strcmp(first, second) == 0) return 0;
  print(out, 0, key, first);
  print(out, 1, key, second);
  return 1;
}

static int numbers(struct output *out, const char *key, int64_t first, int64_t second) {
  char values[2][32];
  snprintf(values[0], sizeof(values[0]), "%" PRId64, first);
  snprintf(values[1], sizeof(values[1]), "%" PRId64, second);
  return texts(out, key, values[0], values[1]);
}

static int run_times(const struct diff_options *options, const struct darshan_info *const info[2],
                     struct output *out) {
  double first = info[0]->run_time, second = info[1]->run_time, gap = fabs(first - second);
  char values[2][64];
  if (gap <= options->seconds || gap <= options->relative * fmax(fabs(first), fabs(second)))
    return 0;
  snprintf(values[0], sizeof(values[0]), "%.4f", first);
  snprintf(values[1], sizeof(values[1]), "%.4f", second);
  return texts(out, "run_time", values[0], values[1]);
}

/* Returns the value of a key in the metadata; NULL if the log lacks the key. */
static const char *metadata_of(const struct darshan_info *info, const char *key) {
  for (int i = 0; i < info->num_metadata; i++)
    if (strcmp(info->metadata[i].key, key) == 0) return info->metadata[i].value;
  return NULL;
}

/* Prints the metadata of log `which` that the other log lacks or has with another value. Returns
 * the number of lines. */
static int metadata(const struct darshan_info *const info[2], int which, struct output *out) {
  int differences = 0;
  for (int i = 0; i < info[which]->num_metadata; i++) {
    const struct darshan_metadata *line = &info[which]->metadata[i];
    const char *other = metadata_of(info[!which], line->key);
    if (other && strcmp(other, line->value) == 0) continue;
    char text[DARSHAN_JOB_METADATA_LEN + 8];
    snprintf(text, sizeof(text), "%s = %s", line->key, line->value);
    print(out, which, "metadata", text);
    differences++;
  }
  return differences;
}

static bool has_mount(const struct darshan_info *info, const struct darshan_mount *mount) {
  for (int i = 0; i < info->num_mounts; i++)
    if (strcmp(info->mounts[i].path, mount->path) == 0 &&
        strcmp(info->mounts[i].type, mount->type) == 0)
      return true;
  return false;
}

/* Prints the mount points of log `which` that the other log lacks or has with another type. Returns
 * the number of lines. */
static int mounts(const struct darshan_info *const info[2], int which, struct output *out) {
  int differences = 0;
  for (int i = 0; i < info[which]->num_mounts; i++) {
    const struct darshan_mount *mount = &info[which]->mounts[i];
    if (has_mount(info[!which], mount)) continue;
    output_text(out, which ? "+ " : "- ");
    output_text(out, "mount entry\t");
    output_foreign(out, mount->path);
    output_text(out, "\t");
    output_foreign(out, mount->type);
    output_text(out, "\n");
    differences++;
  }
  return differences;
}

int job_fields_compare(const struct diff_options *options, const struct darshan_info *const info[2],
                       struct output *out) {
  const struct darshan_job *first = &info[0]->job, *second = &info[1]->job;
  int differences = texts(out, "exe", info[0]->exe, info[1]->exe);
  differences += numbers(out, "uid", first->uid, second->uid);
  differences += numbers(out, "jobid", first->jobid, second->jobid);
  differences += numbers(out, "start_time", first->start_time_sec, second->start_time_sec);
  differences += numbers(out, "end_time", first->end_time_sec, second->end_time_sec);
  differences += numbers(out, "nprocs", first->nprocs, second->nprocs);
  differences += run_times(options, info, out);
  for (int which = 0; which < 2; which++)
    differences += metadata(info, which, out);
  for (int which = 0; which < 2; which++)
    differences += mounts(info, which, out);
  return differences;
}
