/* Makes one log of a job from the logs of its ranks, which a launcher started without MPI
 * (one-job.h). */
#include "one-job.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../journals.h"
#include "../target.h"

int merge_job_is_meant(char *const *paths, int count) {
  for (int i = 0; i < count; i++)
    if (job_logs_is_one(paths[i])) return 1;
  return 0;
}

/* --- one job -------------------------------------------------------------------------------- */

/* Prints which ranks of the launch have no log; nothing if all have one. */
static void say_ranks(const struct job_world *world) {
  char missing[256];
  int64_t size = job_world_size(world);
  int64_t count = ranks_missing(world->ranks, world->num_ranks, size, missing, sizeof(missing));
  if (count)
    merge_say("%zu of %" PRId64 " ranks of %s left a log; ranks without a log: %s",
              world->num_ranks, size, world->name, missing);
}

/* Removes the logs whose processes are all in the new log. Prints a message for each log that
 * cannot be removed. Keeps a skipped log, and a log with a process that is no rank of this job. */
static void remove_logs(const struct job_world *world) {
  for (size_t i = 0; i < world->num_logs; i++) {
    const struct job_log *log = world->logs[i];
    int is_all_in = !log->left_out;
    for (int64_t at = 0; at < log->num_units; at++)
      if (job_world_rank(world, log, at) < 0) is_all_in = 0;
    if (is_all_in && unlink(log->path) < 0)
      merge_say("cannot remove the log %s after the merge: %s", log->path, strerror(errno));
  }
}

/* Makes the log of one launch. Returns 0, or 1 after a message. */
static int make(const struct job_options *options, struct job_logs *logs, struct job_world *world) {
  static struct one_job job; /* static, because it is large and must be zeroed */
  static struct target target;
  memset(&job, 0, sizeof(job));
  target.through = NULL;
  job.world = world;
  job.logs = logs;
  job.keep_ranks = options->keep_ranks;
  job.end = options->end;
  job.folder = options->logs;
  if (!options->logs) {
    if (target_open(&target, options->output) < 0) return 1;
    job.output = target.path;
  }
  say_ranks(world);
  int made = one_job_make(&job) == 0;
  if (!made) merge_say_unwritten(options->logs ? options->logs : options->output);
  if (!options->logs && target_close(&target, made) < 0) made = 0;
  if (made && options->print && !target.through)
    printf("%s\n", options->logs ? job.final : options->output);
  one_job_free(&job);
  if (made && options->remove) remove_logs(world);
  return !made;
}

/* --- all jobs -------------------------------------------------------------------------------- */

/* Prints the names and ranks of the launches ("jobs" in the message), of which the user must choose
 * one. */
static void say_choice(const struct job_worlds *worlds) {
  char text[512] = "";
  size_t used = 0;
  for (size_t i = 0; i < worlds->count && used < sizeof(text); i++)
    used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s (%zu of %" PRId64 " ranks)",
                             i ? ", " : "", worlds->worlds[i].name, worlds->worlds[i].num_ranks,
                             job_world_size(&worlds->worlds[i]));
  merge_say("found logs of %zu jobs; choose one with --job, or make a log of each with --logs DIR: "
            "%s%s",
            worlds->count, text, used < sizeof(text) ? "" : "...");
}

/* Makes the logs of the requested launches. Returns the exit status: 0, or 1 after a message. */
static int make_all(const struct job_options *options, struct job_logs *logs,
                    struct job_worlds *worlds) {
  int result = 0, found = 0;
  if (worlds->count > 1 && !options->job && !options->logs) {
    say_choice(worlds);
    return 1;
  }
  for (size_t i = 0; i < worlds->count; i++) {
    if (options->job && strcmp(options->job, worlds->worlds[i].name) != 0) continue;
    found = 1;
    result |= make(options, logs, &worlds->worlds[i]);
  }
  if (!found && options->job)
    merge_say("cannot find a job %s in the logs", options->job);
  else if (!found)
    merge_say("cannot merge these logs: none of them names its rank");
  return found ? result : 1;
}

static int is_folder(const char *path) {
  struct stat st;
  if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return 1;
  merge_say("%s is not a folder", path);
  return 0;
}

int merge_job(const struct job_options *options, char *const *paths, int count) {
  struct job_logs logs = {.logs = NULL};
  struct job_worlds worlds = {.worlds = NULL};
  int result = options->logs && !is_folder(options->logs);
  for (int i = 0; result == 0 && i < count; i++)
    result = job_logs_add(&logs, paths[i]) < 0;
  if (result == 0) result = job_worlds_find(&worlds, &logs) < 0;
  if (result == 0) result = make_all(options, &logs, &worlds);
  job_worlds_free(&worlds);
  job_logs_free(&logs);
  return result;
}
