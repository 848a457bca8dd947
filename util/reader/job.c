/* Reads the job region: the job record, its metadata, the command line and the mount table. */
#include "bytes.h"
#include "reader.h"

#include <stdlib.h>
#include <string.h>

enum { FORMAT_NANOSECONDS = 341 };

/* Returns the file offset at which the job region ends. The header has no length for this region,
 * so it ends where the next region begins. */
static uint64_t region_end(const struct darshan_file *file, const struct darshan_frame *frame) {
  if (frame->header.names.off) return frame->header.names.off;
  for (int i = 0; i < DARSHAN_MAX_MODULES; i++)
    if (frame->header.modules[i].off) return frame->header.modules[i].off;
  return file->size;
}

double darshan_run_time(const struct darshan_frame *frame, const struct darshan_job *job) {
  if (frame->format < FORMAT_NANOSECONDS) /* whole seconds, of which the last one counts */
    return (double)job->end_time_sec - (double)job->start_time_sec + 1;
  return ((double)job->end_time_sec + (double)job->end_time_nsec / 1e9) -
         ((double)job->start_time_sec + (double)job->start_time_nsec / 1e9);
}

static void load_record(struct darshan_job_region *job, const struct darshan_frame *frame,
                        unsigned char *bytes) {
  struct darshan_job *now = &job->job;
  if (frame->format >= FORMAT_NANOSECONDS) {
    if (frame->swapped) darshan_swap_words(bytes, offsetof(struct darshan_job, metadata) / 8);
    memcpy(now, bytes, sizeof(*now));
    return;
  }
  struct darshan_job_old old;
  if (frame->swapped) darshan_swap_words(bytes, offsetof(struct darshan_job_old, metadata) / 8);
  memcpy(&old, bytes, sizeof(old));
  now->uid = old.uid;
  now->start_time_sec = old.start_time;
  now->end_time_sec = old.end_time;
  now->nprocs = old.nprocs;
  now->jobid = old.jobid;
  memcpy(now->metadata, old.metadata, sizeof(old.metadata));
}

/* Splits a copy of the metadata, which are lines of "key=value". Ignores lines without '='. Returns
 * 0, or -1 with an error if out of memory. */
static int parse_metadata(struct darshan_job_region *job, struct darshan_error *error) {
  memcpy(job->metadata_text, job->job.metadata, DARSHAN_JOB_METADATA_LEN);
  int lines = 1;
  for (const char *p = job->metadata_text; *p; p++)
    lines += *p == '\n';
  job->metadata = calloc((size_t)lines, sizeof(*job->metadata));
  if (!job->metadata) return darshan_fail(error, "cannot read the job region: out of memory");
  char *next = NULL;
  for (char *line = strtok_r(job->metadata_text, "\n", &next); line;
       line = strtok_r(NULL, "\n", &next)) {
    char *value = strchr(line, '=');
    if (!value) continue;
    *value = '\0';
    job->metadata[job->num_metadata++] = (struct darshan_metadata){line, value + 1};
  }
  return 0;
}

int darshan_job_read(struct darshan_job_region *job, const struct darshan_file *file,
                     const struct darshan_frame *frame, struct darshan_error *error) {
  uint64_t end = region_end(file, frame);
  if (end < frame->header_size || end > file->size)
    return darshan_fail(
        error,
        "the job region ends before its begin or outside of the file (damaged or truncated log?)");
  job->length = end - frame->header_size;
  unsigned char bytes[DARSHAN_JOB_REGION_MAX + 1];
  struct darshan_stream stream;
  struct darshan_region region = {frame->header_size, job->length};
  if (darshan_stream_open(&stream, file, region, frame->header.comp_type, error) != 0) return -1;
  size_t got = darshan_stream_read(&stream, bytes, sizeof(bytes));
  struct darshan_error failure = stream.failure;
  darshan_stream_close(&stream);
  if (failure.text[0])
    return darshan_fail(error, "cannot read the job region: %.200s", failure.text);
  if (got > DARSHAN_JOB_REGION_MAX)
    return darshan_fail(error, "the job region is larger than %d bytes", DARSHAN_JOB_REGION_MAX);
  size_t fixed = frame->format >= FORMAT_NANOSECONDS ? sizeof(struct darshan_job)
                                                     : sizeof(struct darshan_job_old);
  if (got <= fixed) return darshan_fail(error, "the job region is too short (%zu bytes)", got);
  load_record(job, frame, bytes);
  job->run_time = darshan_run_time(frame, &job->job);
  job->text = calloc(1, got - fixed + 1);
  if (!job->text) return darshan_fail(error, "cannot read the job region: out of memory");
  memcpy(job->text, bytes + fixed, got - fixed);
  return parse_metadata(job, error) != 0 ? -1 : darshan_mounts_parse(job, error);
}

void darshan_job_free(struct darshan_job_region *job) {
  free(job->text);
  free(job->tokens);
  free(job->metadata);
  free(job->mounts);
  free(job->mount_lengths);
}
