/* The table of processes whose journals are read, and the sums to which each process belongs
 * (followed-process.h). */
#define _GNU_SOURCE
#include "followed-process.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
  BILLION = 1000000000,
  CHAINS = FOLLOWED_CHAINS,
  RETRIES = 6 /* tries for a file that cannot be read, after 1, 2, 4 ... seconds */
};

/* --- the table --------------------------------------------------------------------------- */

/* Returns a hash of two numbers. */
static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = (a ^ (b << 32 | b >> 32)) * UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ x >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
  return x ^ x >> 32;
}

static uint64_t identity_of(uid_t uid, int64_t pid, int64_t start_ns) {
  uint64_t identity = mix(mix((uint64_t)pid, uid), (uint64_t)start_ns);
  return identity ? identity : 1;
}

static struct followed_process **inode_chain(const struct followed *followed, dev_t device,
                                             ino_t inode) {
  return &followed->by_inode[mix(inode, device) % CHAINS];
}

static void link_inode(struct followed *followed, struct followed_process *process) {
  struct followed_process **head = inode_chain(followed, process->device, process->inode);
  process->next_inode = *head;
  *head = process;
}

static void unlink_inode(struct followed *followed, struct followed_process *process) {
  struct followed_process **at = inode_chain(followed, process->device, process->inode);
  while (*at && *at != process)
    at = &(*at)->next_inode;
  if (*at) *at = process->next_inode;
}

static void unlink_identity(struct followed *followed, struct followed_process *process) {
  struct followed_process **at = &followed->by_identity[process->identity % CHAINS];
  while (*at && *at != process)
    at = &(*at)->next_identity;
  if (*at) *at = process->next_identity;
}

struct followed_process *process_identify(struct followed *followed,
                                          struct followed_process *process, int64_t pid,
                                          int64_t start_ns) {
  uint64_t identity = identity_of(process->user->uid, pid, start_ns);
  struct followed_process **head = &followed->by_identity[identity % CHAINS], *older = *head;
  while (older && (older->identity != identity || older->user != process->user))
    older = older->next_identity;
  if (older) {
    unlink_identity(followed, older);
    older->identity = 0;
  }
  process->identity = identity;
  process->next_identity = *head;
  *head = process;
  return older;
}

/* Returns the process of a listed file; NULL if it is new. An open journal is recognized by its
 * inode, even if it was renamed; any other file by its inode and its name. */
struct followed_process *process_of_file(const struct followed *followed,
                                         const struct followed_file *file, uint64_t name) {
  ino_t inode = file->inode + file->at; /* gives each part in a packed file its own number */
  struct followed_process *one = *inode_chain(followed, file->device, inode);
  while (one && (one->inode != inode || one->device != file->device ||
                 (!one->journal && one->name != name)))
    one = one->next_inode;
  return one;
}

struct followed_process *process_new(struct followed *followed, struct user *user,
                                     const struct followed_file *file, uint64_t name) {
  struct followed_process **all =
      realloc(followed->all, (followed->count + 1) * sizeof(struct followed_process *));
  if (all) followed->all = all;
  struct followed_process *process = all ? calloc(1, sizeof(*process)) : NULL;
  if (!process) return NULL;
  process->device = file->device;
  process->inode = file->inode + file->at;
  process->name = name;
  process->user = user;
  process->changed = followed->now;
  link_inode(followed, process);
  followed->all[followed->count++] = process;
  user->known++;
  return process;
}

/* --- sums to which a process belongs
 * ----------------------------------------------------------- */

/* Returns the sum for a process on a file system; NULL if out of memory. The first call for this
 * process and file system increases the sum's number of processes. */
static struct sum *sum_of(struct followed *followed, const struct followed_process *process,
                          struct tally_place *place) {
  const struct darshan_job *job = &process->journal->tally.job.job;
  struct timespec wall;
  clock_gettime(CLOCK_REALTIME, &wall);
  int64_t now_ns = (int64_t)wall.tv_sec * BILLION + wall.tv_nsec;
  int64_t start_ns = alive_time(job->start_time_sec, job->start_time_nsec);
  if (start_ns < followed->here.boot_ns || start_ns > now_ns) start_ns = now_ns;
  char clean[SUM_LABELS][SUM_LABEL_ROOM];
  const char *label[SUM_LABELS] = {process->journal->job_id, process->user->name, place->mount,
                                   place->type};
  for (int i = 0; i < SUM_LABELS; i++)
    label[i] = sum_label_clean(clean[i], label[i]);
  struct sum *sum = place->sum;
  if (sum) return sum;
  sum = sums_get(&followed->sums, process->user->uid, label, start_ns, followed->now);
  if (sum) sum->processes++;
  place->sum = sum;
  return sum;
}

static int is_zero(const struct values *values) {
  for (int i = 0; i < EXPORT_VALUES; i++)
    if (values->value[i] > 0) return 0;
  return 1;
}

void process_count(struct followed *followed, struct followed_process *process) {
  struct tally *tally = &process->journal->tally;
  for (int i = 0; i < tally->num_places; i++) {
    struct tally_place *place = &tally->places[i];
    if (is_zero(&place->now) || memcmp(&place->now, &place->counted, sizeof(place->now)) == 0)
      continue;
    process->changed = followed->now;
    struct sum *sum = sum_of(followed, process, place);
    if (sum) sums_add(&followed->sums, sum, &place->now, &place->counted);
  }
}

/* Removes a process from the numbers of processes of its sums. */
static void leave_sums(struct followed *followed, struct tally *tally) {
  for (int i = 0; i < tally->num_places; i++) {
    struct sum *sum = tally->places[i].sum;
    if (sum && --sum->processes == 0) sum->idle_since = followed->now;
    if (sum) sum->changed = followed->sums.look;
  }
}

/* Closes the journal of a process. The process stays in the table, so that its numbers are not
 * counted a second time. */
void process_end(struct followed *followed, struct followed_process *process) {
  struct open_journal *journal = process->journal;
  if (!journal) return;
  leave_sums(followed, &journal->tally);
  tally_free(&journal->tally);
  if (journal->live.file.fd >= 0) {
    close(journal->live.file.fd);
    followed->held--;
    process->user->held--;
  }
  free(journal);
  process->journal = NULL;
  process->listed = followed->now;
  process->listing = followed->listing;
}

void process_forget(struct followed *followed, size_t number) {
  struct followed_process *process = followed->all[number];
  process_end(followed, process);
  unlink_inode(followed, process);
  if (process->identity) unlink_identity(followed, process);
  process->user->known--;
  free(process);
  followed->all[number] = followed->all[--followed->count];
}

void process_skip(struct followed *followed, struct followed_process *process,
                  enum export_skipped reason) {
  process_end(followed, process);
  if (process->tries < RETRIES) {
    process->retry = followed->now + (1 << process->tries++);
    if (process->tries == 1) followed->skipped[reason]++;
  } else {
    process->retry = HUGE_VAL;
  }
}

int process_look(struct followed *followed, struct followed_process *process) {
  struct darshan_error error = {""};
  struct open_journal *journal = process->journal;
  uint64_t before = journal->live.bytes_read;
  const struct darshan_job *job = &journal->tally.job.job;
  struct timespec wall;
  clock_gettime(CLOCK_REALTIME, &wall);
  /* The start is a value that the process itself wrote. So it is limited to the time since the
   * machine started. */
  int64_t start_ns = alive_time(job->start_time_sec, job->start_time_nsec);
  int64_t since_ns = start_ns > followed->here.boot_ns ? start_ns : followed->here.boot_ns;
  double elapsed = (double)wall.tv_sec - (double)since_ns / BILLION;
  int result = tally_look(&journal->tally, &journal->live, &followed->room,
                          elapsed > 0 ? elapsed : 0, &error);
  process->cost = journal->live.bytes_read - before;
  return result;
}
