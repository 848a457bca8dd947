/* The slow path of locks: waits for the owner of a lock, or decides that the owner will not
 * continue. */
#include "spin.h"

#include <fcntl.h>
#include <time.h>

__thread struct spin_thread darshan_spin;
uint64_t darshan_spin_lost;
int darshan_spin_steady;

enum {
  NOT_A_THREAD_ID = 1 << 29, /* the token is not a thread id, because that is not available */
  STALLED = 1 << 30,         /* flag: the owner did not continue, so the next wait is short */
  GONE = -3                  /* -ESRCH */
};
enum { PAUSES = 64, YIELDS = 256, NAPS_TO_A_LOOK = 32 };
/* Limit of the wait for an owner that has no processor or waits for a page, and will continue. */
#define PATIENCE_NS UINT64_C(10000000000)
#define NAP_NS 200000
/* Checks of an owner, about a second of turns, where a filter forbids to ask for the time and for
 * what the owner does: it may be in a handler that waits for this thread. */
enum { CHECKS_WITHOUT_CLOCK = 20000 };
/* An owner holds a lock for a few hundred nanoseconds. An owner that has used more processor time
 * than LONGEST_STRETCH_NS is in a handler of the application. An owner that sleeps at LOOKS checks
 * in a row was stopped, or is in a handler that waits, perhaps for this thread. */
#define LONGEST_STRETCH_NS UINT64_C(50000000)
enum { LOOKS = 6 };

static void pause_a_moment(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Returns CLOCK_MONOTONIC in nanoseconds. Uses a system call, because a filter may also forbid
 * reading the processor's counter. */
static uint64_t now(void) {
  struct timespec time = {0, 0};
  SYS2(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Makes and returns the token of this thread: its thread id. If no system call is allowed, the
 * token is made of the address of the thread's own storage; this distinguishes living threads, but
 * cannot show that a thread is gone. */
int spin_token_slow(void) {
  if (!darshan_spin.token) {
    long id = SYS1(SYS_gettid, 0);
    darshan_spin.token =
        id > 0 && id < NOT_A_THREAD_ID
            ? (int)id
            : (int)(((uintptr_t)&darshan_spin >> 6 & (NOT_A_THREAD_ID - 1)) | NOT_A_THREAD_ID);
  }
  return darshan_spin.token;
}

int spin_is_gone(int owner) {
  if (owner & NOT_A_THREAD_ID) return 0;
  return SYS3(SYS_tgkill, sys_getpid(), owner, 0) == GONE;
}

/* Returns the processor time that a thread of this process has used, in ns; 0 if its clock cannot
 * be read, for example because the thread has ended. */
static uint64_t time_of(int owner) {
  enum { THREADS_OWN = 6 }; /* number of the per-thread clock in Linux's clock ids */
  struct timespec time = {0, 0};
  if (SYS2(SYS_clock_gettime, (long)(~(unsigned)owner << 3 | THREADS_OWN), &time) != 0) return 0;
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Returns 1 if the thread sleeps or is stopped, according to the state letter after the name in
 * parentheses in its stat file; 0 for R (it has or waits for a processor) and D (it waits for a
 * page), and if the file cannot be read. */
static int is_asleep(int owner) {
  char path[40] = "/proc/self/task/", line[64];
  size_t at = 16;
  for (int digits = 1000000000; digits > 0; digits /= 10)
    if (owner >= digits || digits == 1) path[at++] = (char)('0' + owner / digits % 10);
  for (const char *end = "/stat"; *end; end++)
    path[at++] = *end;
  int fd = sys_open(path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return 0;
  ssize_t n = sys_read(fd, line, sizeof(line));
  sys_close(fd);
  while (n > 2 && line[n - 3] != ')')
    n--;
  return n > 2 && (line[n - 1] == 'S' || line[n - 1] == 'T' || line[n - 1] == 't');
}

/* Observations of an owner while this thread waits for it. */
struct watch {
  int owner;
  unsigned asleep; /* number of checks in a row at which the owner slept */
  /* Start of the wait, without a clock the number of checks; the owner's processor time at that
   * time. In ns. */
  uint64_t since, used_at;
};

/* Returns 1 if the owner does not work under the lock, because it sleeps at several checks in a
 * row, or has used much processor time since: it is in a handler or stopped. Otherwise returns 0.
 * Updates the observations of this owner. */
static int is_elsewhere(struct watch *watch, int owner) {
  if (owner & NOT_A_THREAD_ID) return 0;
  uint64_t used = time_of(owner);
  if (watch->owner != owner) *watch = (struct watch){owner, 0, watch->since, used};
  watch->asleep = is_asleep(owner) ? watch->asleep + 1 : 0;
  return watch->asleep >= LOOKS || (watch->used_at && used - watch->used_at > LONGEST_STRETCH_NS);
}

static int take_from(int *lock, int from, int token) {
  return __atomic_compare_exchange_n(lock, &from, token, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Waits briefly for a lock's owner, which may have lost its processor. Pauses or yields in the
 * first turns. Later turns sleep, so that this thread does not use up the processor. */
static void wait_a_turn(unsigned turn) {
  static const struct timespec nap = {0, NAP_NS};
  if (turn % PAUSES != 0)
    pause_a_moment();
  else if (turn < PAUSES * YIELDS || SYS2(SYS_nanosleep, &nap, NULL) == -1 /* EPERM */)
    SYS1(SYS_sched_yield, 0);
}

static int is_worth_waiting(struct watch *watch, int owner) {
  uint64_t time = now();
  if (time == 0) return ++watch->since < CHECKS_WITHOUT_CLOCK;
  if (!watch->since) watch->since = time;
  if (time - watch->since >= PATIENCE_NS) return 0;
  return owner == __atomic_load_n(&darshan_spin_steady, __ATOMIC_RELAXED) ||
         !is_elsewhere(watch, owner);
}

int spin_wait(int *lock) {
  int token = spin_token();
  struct watch watch = {0, 0, 0, 0};
  for (unsigned turn = 1;; turn++) {
    int found = __atomic_load_n(lock, __ATOMIC_RELAXED), owner = found & ~STALLED;
    if ((owner == 0 || owner == token) && take_from(lock, found, token)) return 1;
    wait_a_turn(turn);
    if (turn < PAUSES * YIELDS || turn % (PAUSES * NAPS_TO_A_LOOK) != 0) continue;
    if (spin_is_gone(owner) && take_from(lock, found, token)) return 1;
    if (!(found & STALLED) && is_worth_waiting(&watch, owner)) continue;
    take_from(lock, owner, owner | STALLED);
    __atomic_add_fetch(&darshan_spin_lost, 1, __ATOMIC_RELAXED);
    return 0;
  }
}

void spin_release_left(void) {
  for (int level = SPIN_LEVELS; level-- > 0;) {
    int *lock = darshan_spin.held[level];
    if (!lock || !darshan_spin.token) continue;
    if ((__atomic_load_n(lock, __ATOMIC_RELAXED) & ~STALLED) == darshan_spin.token)
      spin_unlock(lock);
  }
}

void spin_forked(void) {
  darshan_spin = (struct spin_thread){0, {NULL}};
  darshan_spin_steady = 0; /* the token is that of a thread of the parent process */
}
