/* Combines parts while a run continues, if the run has more processes than a log has ranks
 * (merge-run.h). The parts of ended processes that will share a rank become one part. The file
 * `folded` lists the new part and the parts that it replaces. As soon as the new part has its name,
 * it contains the records of the replaced parts. */
#include "merge-run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../content.h"
#include "../metadata.h"
#include "records/combine.h"

enum { ENOUGH = 64 /* parts */, BILLION = 1000000000 };
static const char folded_name[] = "folded";

/* The state of a fold: the first four members for all ranks, the others for one new part. */
struct fold {
  struct run_folder *folder;
  struct run_tree *tree;
  struct combined combined; /* records of the new part */
  struct part part;         /* records of the part that is read now */
  struct bytes list;        /* name of the new part, then names of the parts that it contains */
  struct run_part *stands;  /* part that began first; the new part gets its pid and start */
  int64_t start_ns, end_ns; /* start and end of all parts, on the run's clock */
  struct darshan_job job;   /* job record of `stands` */
  struct dropped dropped;   /* dropped events of all parts */
  int count, failed, known; /* number of parts; 1: out of memory; 1: `job` is set */
  int stuck;                /* 1: the previous fold is unfinished, so no other fold begins */
};

/* --- which parts ------------------------------------------------------------------------ */

/* Returns 1 if the process has ended, so that it writes no further parts; otherwise 0. */
static int is_over(const struct run_process *process) {
  return process->finished && process->how != PROCESS_STILL_RAN;
}

static int64_t later(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* Returns the start of a part's program in nanoseconds since the epoch, on the run's clock. */
static int64_t began(const struct fold *fold, const struct run_part *part) {
  const struct run_program *program = &fold->tree->programs[part->program];
  return part->start_ns + tree_behind(fold->tree, &fold->tree->processes[program->process]);
}

/* Counts the parts of a process and extends the end of the fold. Makes a part of the process
 * fold->stands if it began first; a journal cannot be that part. */
static void look_at(struct fold *fold, const struct run_process *process) {
  fold->end_ns = later(fold->end_ns, later(process->end_ns, process->reaped_ns));
  for (int i = process->first_part; i >= 0; i = fold->tree->parts[i].next) {
    struct run_part *part = &fold->tree->parts[i];
    if (part->left_out) continue;
    fold->count++;
    if (part->journal || tree_program(fold->tree, part->pid, part->start_ns) != part->program)
      continue; /* the new part would have the name of another program */
    if (fold->stands && began(fold, part) >= fold->start_ns) continue;
    fold->stands = part;
    fold->start_ns = began(fold, part);
  }
}

/* Returns the description of the new part. Its number is above the numbers of the program's other
 * parts. */
static struct run_part next_of(const struct fold *fold) {
  struct run_part part = {.pid = fold->stands->pid, .start_ns = fold->stands->start_ns, .next = -1};
  for (size_t i = 0; i < fold->tree->num_parts; i++) {
    const struct run_part *other = &fold->tree->parts[i];
    if (other->pid == part.pid && other->start_ns == part.start_ns && !other->journal &&
        other->number >= part.number)
      part.number = other->number + 1;
  }
  return part;
}

/* Appends the name of a part to fold->list. Returns 0, or -1 if out of memory. */
static int add_to_list(struct fold *fold, const struct run_part *part) {
  char name[NAME_MAX + 1];
  folder_part_name(part, name);
  return bytes_add(&fold->list, name, strlen(name) + 1);
}

/* --- one part ------------------------------------------------------------------------------- */

static void add_name(uint64_t id, const char *name, void *context) {
  struct fold *fold = context;
  if (combined_name(&fold->combined, id, name) < 0) fold->failed = 1;
}

/* Adds the records and names of a part to the new part. log: the part's log. ended: end of its
 * process, on the run's clock; 0: unknown. Leaves a part alone that is unreadable or of a
 * launcher's rank. */
static void take(struct fold *fold, const struct run_part *part, darshan_log *log, int64_t ended) {
  struct darshan_error error = {""};
  const struct darshan_job *job = &darshan_log_info(log)->job;
  struct launch launch;
  /* The merger needs each part of a launcher's ranks separately. */
  if (launch_read(&launch, darshan_log_info(log))) return;
  struct combine_clock clock = {
      .grid = heat_grid_of((double)(fold->end_ns - fold->start_ns) * 1e-9),
      .shift = (double)(began(fold, part) - fold->start_ns) * 1e-9,
      .end = (double)(later(ended, part_end_ns(job)) - fold->start_ns) * 1e-9};
  if (part_read(&fold->part, log, &error) < 0) return; /* the merger reports the error */
  if (part == fold->stands) {
    fold->job = *job;
    fold->known = 1;
  }
  dropped_add(&fold->dropped, darshan_log_info(log));
  darshan_log_each_name(log, add_name, fold);
  if (combined_add(&fold->combined, &fold->part, &clock) < 0 || add_to_list(fold, part) < 0)
    fold->failed = 1;
}

static void take_all(struct fold *fold, const struct run_process *process) {
  for (int i = process->first_part; i >= 0; i = fold->tree->parts[i].next) {
    struct darshan_error error = {""};
    if (fold->tree->parts[i].left_out) continue;
    darshan_log *log = folder_part_read(fold->folder, &fold->tree->parts[i], &error);
    if (!log) continue;
    take(fold, &fold->tree->parts[i], log, later(process->end_ns, process->reaped_ns));
    darshan_log_free(log);
  }
}

/* --- all parts ----------------------------------------------------------------------------- */

/* Writes the job region of the new part to `out`. Returns its length in bytes. */
static size_t job_of(const struct fold *fold, char *out) {
  char more[DARSHAN_JOB_METADATA_LEN] = "";
  struct darshan_error error = {""};
  struct darshan_job job = fold->job;
  int64_t end_ns = fold->stands->start_ns + fold->end_ns - fold->start_ns;
  job.start_time_sec = fold->stands->start_ns / BILLION;
  job.start_time_nsec = fold->stands->start_ns % BILLION;
  job.end_time_sec = end_ns / BILLION;
  job.end_time_nsec = end_ns % BILLION;
  dropped_tell(&fold->dropped, more, sizeof(more), 0);
  darshan_log *log = folder_part_read(fold->folder, fold->stands, &error);
  size_t length = journal_job(out, log, job, more, NULL, dropped_is_key);
  darshan_log_free(log);
  return length;
}

/* Writes the new part from `draft` and removes the parts that it replaces. First writes the file
 * `folded`, which lists the new part and the replaced parts, so that a later merger can finish. */
static void put(struct fold *fold, const struct log_draft *draft) {
  if (folder_put(fold->folder, folded_name, fold->list.at, fold->list.n) < 0) return;
  folder_put(fold->folder, fold->list.at, draft->bytes, draft->used);
  fold->stuck = fold_resume(fold->folder) < 0;
}

/* Makes the log of the new part, writes it, and removes the parts that it replaces; does nothing if
 * out of memory. */
static void write_part(struct fold *fold) {
  char job[DARSHAN_JOB_REGION_MAX];
  struct log_draft draft = {NULL, 0, 0};
  if (fold->failed || combined_finish(&fold->combined, 0) < 0) return;
  fold->combined.content.job = job;
  fold->combined.content.job_length = job_of(fold, job);
  if (log_compose(&draft, &fold->combined.content) == 0) put(fold, &draft);
  log_draft_drop(&draft);
}

/* Combines parts of a rank into one part. Returns 0 if the rank is done or has too few parts, 1 if
 * the caller must try again with another first part. */
static int fold_rank(struct fold *fold, const struct run_rank *rank) {
  const struct run_process *all = fold->tree->processes;
  combined_clear(&fold->combined);
  fold->list.n = 0;
  fold->stands = NULL;
  fold->dropped = (struct dropped){.count = 0};
  fold->start_ns = fold->end_ns = fold->count = fold->failed = fold->known = 0;
  for (int i = rank->first; i >= 0; i = all[i].next_of_rank)
    if (is_over(&all[i])) look_at(fold, &all[i]);
  if (fold->count < ENOUGH || !fold->stands) return 0;
  struct run_part new = next_of(fold);
  if (add_to_list(fold, &new) < 0) return 0;
  for (int i = rank->first; i >= 0; i = all[i].next_of_rank)
    if (is_over(&all[i])) take_all(fold, &all[i]);
  if (!fold->known) return fold->stands->left_out = 1; /* another part may give the name */
  write_part(fold);
  return 0;
}

void fold_ranks(struct run_folder *folder, struct run_tree *tree, const struct run_ranks *ranks) {
  static struct fold fold; /* static, because it is large and must be zeroed */
  fold.folder = folder;
  fold.tree = tree;
  for (int i = 0; i < ranks->count && !fold.stuck; i++)
    while (ranks->ranks[i].folded && fold_rank(&fold, &ranks->ranks[i]))
      ;
  combined_free(&fold.combined);
  part_free(&fold.part);
  bytes_free(&fold.list);
}

/* Removes the listed parts, except the first: the new part, which contains the records of the
 * others. Returns 0, or -1 if one of them cannot be removed. */
static int remove_sources(struct run_folder *folder, const char *list, size_t n) {
  size_t first = strlen(list) + 1;
  return first < n ? folder_drop_parts(folder, list + first, n - first) : 0;
}

int fold_resume(struct run_folder *folder) {
  size_t n;
  char *list;
  int got = folder_get(folder, folded_name, &list, &n);
  if (got <= 0) return got;
  int stands = !strchr(list, '/') && folder_has(folder, list);
  if (stands && remove_sources(folder, list, n) < 0 && remove_sources(folder, list, n) < 0) {
    folder->folded = list;
    folder->folded_length = n;
    return -1;
  }
  folder_unlink(folder, folded_name);
  free(list);
  return 0;
}
