/* Finds new processes by listed files, and reads the journals of known processes (followed.h). */
#define _GNU_SOURCE
#include "followed.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "followed-process.h"

enum {
  FILES_MOST = 1 << 17,           /* largest number of files in the table */
  FILES_OF_USER = FILES_MOST / 4, /* of one user */
  SPARE_DESCRIPTORS = 64,         /* descriptors that journals leave for other files */
  FORGOTTEN_AFTER = 60, /* a file without an open journal is forgotten after this many seconds */
  LISTINGS = 3,         /* ... and this many listings that do not have it */
  ALIVE_AFTER =
      30,         /* seconds without a change after which it is checked whether the process lives */
  LARGE = 1 << 20 /* bytes from which on a journal is not read in each look */
};
/* Large journals (of processes with more than some 1,400 files) together use 1/200 of a core. */
static const double large_per_second = 12e6; /* bytes per second; reading 2.4 GB takes a second */

const char *const export_skipped_names[SKIPPED_REASONS] = {"unreadable", "dead", "limit"};

/* --- new files --------------------------------------------------------------------------- */

/* Sets the job of a process. Without a scheduler the job id is the pid of a process: this process,
 * its parent, or another known process. The processes then have the job "none". Ranks of an
 * MPI job always have the job id. */
static void set_job(struct followed *followed, struct followed_process *process) {
  const struct darshan_job_region *region = &process->journal->tally.job;
  int64_t job = region->job.jobid;
  process->has_job = job != process->pid || region->job.nprocs > 1;
  for (int i = 0; i < region->num_metadata; i++)
    if (strcmp(region->metadata[i].key, "fork_parent") == 0 &&
        strtoll(region->metadata[i].value, NULL, 10) == job && region->job.nprocs <= 1)
      process->has_job = 0;
  for (size_t i = 0; process->has_job && region->job.nprocs <= 1 && i < followed->count; i++) {
    const struct followed_process *one = followed->all[i];
    if (one->user == process->user && one->pid == job && !one->has_job && one->identity)
      process->has_job = 0;
  }
  if (process->has_job)
    snprintf(process->journal->job_id, sizeof(process->journal->job_id), "%" PRId64, job);
  else
    strcpy(process->journal->job_id, "none");
}

/* Stores what the journal says about its process. */
static void read_owner(struct open_journal *journal) {
  const struct darshan_job_region *job = &journal->tally.job;
  journal->traces.start_ns = alive_time(job->job.start_time_sec, job->job.start_time_nsec);
  for (int i = 0; i < job->num_metadata; i++)
    if (strcmp(job->metadata[i].key, OWNER_KEY) == 0)
      alive_read_owner(&journal->traces, job->metadata[i].value);
}

/* Opens a listed file, unless it is a link or has been replaced. O_NONBLOCK: a lease that its owner
 * holds must not delay this process. Returns a descriptor, or -1. */
static int open_file(const struct followed_file *file) {
  struct stat status;
  int fd = openat(file->folder, file->length ? RUN_PACK : file->name,
                  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return -1;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_ino == file->inode &&
      status.st_dev == file->device)
    return fd;
  close(fd);
  return -1;
}

/* Transfers the counted numbers of an earlier file of the same process, and ends that file: it was
 * a copy that has been rewritten, or the journal that became a part. Returns 1, or 0 if the earlier
 * file was already read to its end. */
static int take_over(struct followed *followed, struct followed_process *process,
                     struct followed_process *older) {
  struct tally *now = &process->journal->tally;
  if (!older->journal) return 0;
  struct tally *before = &older->journal->tally;
  for (int i = 0; i < before->num_places; i++)
    for (int j = 0; j < now->num_places; j++)
      if (strcmp(before->places[i].mount, now->places[j].mount) == 0) {
        now->places[j].counted = before->places[i].counted;
        now->places[j].sum = before->places[i].sum;
        before->places[i].sum = NULL;
      }
  process->has_job = older->has_job;
  memcpy(process->journal->job_id, older->journal->job_id, sizeof(older->journal->job_id));
  process_end(followed, older);
  return 1;
}

/* Reads the job and the owner of a file that was opened for a process, and stores its pid. Returns
 * 0, or -1 with the reason in *reason if the file must not be counted. */
static int begin(struct followed *followed, struct followed_process *process,
                 const struct followed_file *file, enum export_skipped *reason) {
  struct darshan_error error = {""};
  struct open_journal *journal = process->journal;
  int fd = journal->live.file.fd;
  *reason = SKIPPED_UNREADABLE;
  if (darshan_live_open(&journal->live, fd, file->at, file->length, &error) != 0 ||
      tally_begin(&journal->tally, &journal->live, &error) != 0)
    return -1;
  read_owner(journal);
  process->pid = file->is_part ? file->pid : journal->traces.pid;
  if (process->pid <= 0 || journal->traces.start_ns <= 0) return -1;
  *reason = SKIPPED_DEAD;
  return !file->is_part && alive_process(&followed->here, &journal->traces,
                                         followed->here.now_ns) == ALIVE_NOT
             ? -1
             : 0;
}

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Opens a file that is new or is tried again, and begins to count its process. */
static void open_process(struct followed *followed, struct followed_process *process,
                         const struct followed_file *file) {
  enum export_skipped reason = SKIPPED_LIMIT;
  int fd = -1;
  process->user->opened++;
  if (followed->held < followed->held_most && process->user->held < (followed->held_most + 1) / 2 &&
      (process->journal = calloc(1, sizeof(*process->journal))))
    fd = open_file(file);
  if (!process->journal) {
    process_skip(followed, process, reason);
    return;
  }
  process->journal->live.file.fd = fd;
  followed->held += fd >= 0;
  process->user->held += fd >= 0;
  if (fd < 0) reason = SKIPPED_UNREADABLE;
  if (fd < 0 || begin(followed, process, file, &reason) != 0) {
    process_skip(followed, process, reason);
    return;
  }
  set_job(followed, process);
  double before = processor_seconds();
  int failed = process_look(followed, process) != 0;
  process->user->opened_bytes += process->cost;
  if (process->cost > LARGE) followed->large_cost += processor_seconds() - before;
  if (failed) {
    process_skip(followed, process, SKIPPED_UNREADABLE);
    return;
  }
  struct followed_process *older =
      process_identify(followed, process, process->pid,
                       file->is_part ? file->start_ns : process->journal->traces.start_ns);
  int was_open = !older || take_over(followed, process, older);
  if (was_open) process_count(followed, process);
  if (file->is_part || !was_open) process_end(followed, process);
}

/* Checks the status of a listed file. Returns 0 and its owner, or -1 if the file must not be read:
 * it is not regular, has been replaced, or belongs to another user. */
static int may_be_read(const struct followed_file *file, uid_t *owner) {
  struct file_status status;
  const char *name = file->length ? RUN_PACK : file->name;
  if (file_status(file->folder, name, &status) != 0 || !S_ISREG(status.mode) ||
      status.inode != file->inode || status.device != file->device)
    return -1;
  if (file->only_own && status.owner != geteuid()) return -1;
  *owner = status.owner;
  return 0;
}

void followed_found(struct followed *followed, const struct followed_file *file) {
  uint64_t name = darshan_id_of_name(file->name, strlen(file->name));
  struct followed_process *process = process_of_file(followed, file, name);
  uid_t owner;
  if (process) {
    process->listed = followed->now;
    process->listing = followed->listing;
    int is_due = !process->journal && process->tries > 0 && followed->now >= process->retry;
    if (is_due && users_may_open(process->user, followed->now))
      open_process(followed, process, file);
    return;
  }
  if (may_be_read(file, &owner) != 0) return;
  struct user *user = users_get(&followed->users, owner);
  if (!user || followed->count >= FILES_MOST || user->known >= FILES_OF_USER) {
    followed->skipped[SKIPPED_LIMIT]++;
    return;
  }
  if (!users_may_open(user, followed->now)) return; /* the file is opened in a later look */
  process = process_new(followed, user, file, name);
  if (!process) return;
  process->listed = followed->now;
  process->listing = followed->listing;
  open_process(followed, process, file);
}

/* --- looks ------------------------------------------------------------------------------- */

int followed_init(struct followed *followed, size_t limit) {
  struct rlimit files;
  memset(followed, 0, sizeof(*followed));
  followed->sums.limit = limit;
  followed->by_inode = calloc(FOLLOWED_CHAINS, sizeof(struct followed_process *));
  followed->by_identity = calloc(FOLLOWED_CHAINS, sizeof(struct followed_process *));
  followed->held_most = 1024 - SPARE_DESCRIPTORS;
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max < FILES_MOST ? files.rlim_max : FILES_MOST;
    if (setrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur > 2 * SPARE_DESCRIPTORS)
      followed->held_most = files.rlim_cur - SPARE_DESCRIPTORS;
  }
  return followed->by_inode && followed->by_identity ? 0 : -1;
}

void followed_free(struct followed *followed) {
  while (followed->count > 0)
    process_forget(followed, followed->count - 1);
  free(followed->all);
  free(followed->by_inode);
  free(followed->by_identity);
  users_free(&followed->users);
  sums_free(&followed->sums);
  darshan_live_room_free(&followed->room);
}

void followed_begin_look(struct followed *followed, double now, int lists) {
  followed->now = now;
  followed->listing += lists != 0;
  followed->large_cost = 0;
  followed->sums.look++;
  alive_look_here(&followed->here);
}

/* Returns 1 if the process of a journal had ended before the last look at it began: its file was
 * removed; or the file has not changed for a long time, and the process does not exist. Otherwise
 * returns 0. */
static int has_ended(const struct followed *followed, const struct followed_process *process) {
  const struct stat *status = &process->journal->live.status;
  if (status->st_nlink == 0) return 1;
  if (followed->now - process->changed < ALIVE_AFTER) return 0;
  return alive_process(&followed->here, &process->journal->traces,
                       alive_time(status->st_mtim.tv_sec, 0)) == ALIVE_NOT;
}

/* Reads the journal of a process and adds its increase to the sums. Ends the process if it has
 * exited, skips it if the journal is damaged. */
static void read_one(struct followed *followed, struct followed_process *process) {
  if (process_look(followed, process) != 0) {
    process_skip(followed, process, SKIPPED_UNREADABLE);
    return;
  }
  process_count(followed, process);
  if (has_ended(followed, process)) process_end(followed, process);
}

/* Reads large journals in turn, as many as their part of the processor time allows, so that small
 * journals never wait for them. */
static void read_large(struct followed *followed) {
  double before = processor_seconds();
  uint64_t bytes = 0;
  if (followed->now < followed->large_until) return;
  for (size_t n = followed->count; n > 0 && (double)bytes < large_per_second; n--) {
    struct followed_process *process = followed->all[followed->next_large++ % followed->count];
    if (!process->journal || process->cost <= LARGE) continue;
    read_one(followed, process);
    bytes += process->cost;
  }
  followed->large_until = followed->now + (double)bytes / large_per_second;
  followed->large_cost += processor_seconds() - before;
}

void followed_read(struct followed *followed) {
  for (size_t i = followed->count; i-- > 0;) {
    struct followed_process *process = followed->all[i];
    if (!process->journal) {
      if (followed->now - process->listed > FORGOTTEN_AFTER &&
          followed->listing - process->listing >= LISTINGS)
        process_forget(followed, i);
    } else if (process->cost <= LARGE && users_may_read(process->user, followed->now)) {
      read_one(followed, process);
      process->user->bytes += process->cost;
    }
  }
  read_large(followed);
  sums_retire(&followed->sums, followed->now);
  users_end_look(&followed->users, followed->now);
}
