/* Writes the job region of the new log (convert.h). */
#include "convert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/job/text/text.h"
#include "output.h"

enum { TEXT_ROOM = DARSHAN_JOB_REGION_MAX - (int)sizeof(struct darshan_job) };

/* Appends "key=value\n" to the metadata. Returns 0, or -1 if it does not fit; the metadata are then
 * unchanged. */
static int add_line(char *metadata, const char *key, const char *value) {
  size_t used = strlen(metadata), room = DARSHAN_JOB_METADATA_LEN - used;
  int n = snprintf(metadata + used, room, "%s=%s\n", key, value);
  if ((size_t)n < room) return 0;
  metadata[used] = '\0';
  return -1;
}

/* Adds the lines of an annotation to the metadata. Returns 0, or -1 after a message. A line without
 * '=' gets the key "annotation", because PyDarshan cannot read a line without a key. */
static int annotate(char *metadata, const char *annotation) {
  char *copy = strdup(annotation), *next = NULL;
  int result = copy ? 0 : convert_say("cannot add the annotation %s: out of memory", annotation);
  for (char *line = result ? NULL : strtok_r(copy, "\t\n", &next); line && result == 0;
       line = strtok_r(NULL, "\t\n", &next)) {
    char *value = strchr(line, '=');
    darshan_utf8_make_clean(line, strlen(line));
    if (value) *value++ = '\0';
    if (add_line(metadata, value ? line : "annotation", value ? value : line) < 0)
      result = convert_say("cannot add the annotation %s: a log has at most %d bytes of metadata",
                           annotation, DARSHAN_JOB_METADATA_LEN - 1);
  }
  free(copy);
  return result;
}

/* Writes the metadata of the new log: the old lines, anonymized if requested, then the annotation.
 * metadata: DARSHAN_JOB_METADATA_LEN zeroed bytes. Returns 0, or -1 after a message. */
static int add_metadata(const struct convert_options *options, const struct darshan_info *info,
                        char *metadata) {
  for (int i = 0; i < info->num_metadata && !options->reset_metadata; i++) {
    const struct darshan_metadata *line = &info->metadata[i];
    char hidden[DARSHAN_JOB_METADATA_LEN];
    const char *value =
        hide_metadata(&options->hiding, line->key, line->value, hidden, sizeof(hidden));
    if (add_line(metadata, line->key, value) < 0)
      return convert_say("cannot copy the metadata of %s: a log has at most %d bytes of metadata",
                         options->in, DARSHAN_JOB_METADATA_LEN - 1);
  }
  return options->annotation ? annotate(metadata, options->annotation) : 0;
}

/* Writes the command line and a NUL into the `room` bytes at out. If it does not fit, cuts it and
 * ends it with "<TRUNCATED>", like the runtime. */
static void put_exe(char *out, size_t room, const char *exe) {
  static const char mark[] = "<TRUNCATED>";
  snprintf(out, room, "%s", exe);
  if (strlen(exe) >= room && room > sizeof(mark))
    memcpy(out + room - sizeof(mark), mark, sizeof(mark));
}

/* Writes the command line and the mount table, with the longest path first, to out, which has
 * TEXT_ROOM bytes. Omits mounts that do not fit. Returns the number of bytes, with the final
 * NUL. */
static size_t put_text(const struct convert_options *options, const struct darshan_info *info,
                       char *out) {
  char mounts[TEXT_ROOM], hidden[HIDDEN_MAX], exe[HIDDEN_MAX];
  size_t used = 0;
  mounts[0] = '\0';
  for (int i = 0; i < info->num_mounts; i++) {
    const char *path = info->mounts[i].path;
    if (options->hiding.strong) hide_mount(&options->hiding, path, hidden);
    int n = snprintf(mounts + used, sizeof(mounts) - used, "\n%s\t%s", info->mounts[i].type,
                     options->hiding.strong ? hidden : path);
    if ((size_t)n >= sizeof(mounts) - used)
      mounts[used] = '\0'; /* a later, shorter entry may fit */
    used = strlen(mounts);
  }
  if (options->hiding.exe) hide_exe(&options->hiding, info->exe, exe);
  put_exe(out, TEXT_ROOM - used, options->hiding.exe ? exe : info->exe);
  return (size_t)(stpcpy(out + strlen(out), mounts) - out) + 1;
}

/* Gives the new log the run time of the old log. Formats before 3.41 have whole seconds, and their
 * run time includes the last second, so the end moves by nearly a second. */
static void keep_run_time(struct darshan_job *job, double run_time) {
  int64_t seconds = job->end_time_sec - job->start_time_sec;
  if (job->end_time_nsec == 0 && job->start_time_nsec == 0 && run_time > (double)seconds + 0.5)
    job->end_time_nsec = 999999999;
}

long job_region(const struct convert_options *options, const struct darshan_info *info, char *out) {
  struct darshan_job job = info->job;
  memset(job.metadata, 0, sizeof(job.metadata));
  if (add_metadata(options, info, job.metadata) < 0) return -1;
  keep_run_time(&job, info->run_time);
  hide_job(&options->hiding, &job);
  memcpy(out, &job, sizeof(job));
  return (long)(sizeof(job) + put_text(options, info, out + sizeof(job)));
}
