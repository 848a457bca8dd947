/* Locks that are not free: who holds them, and what is to be done. */
#include "spin.h"

#include <time.h>

__thread struct spin_thread darshan_spin;
uint64_t darshan_spin_lost;

enum {
  NOT_A_THREAD_ID = 1 << 29, /* the thread's id could not be asked for */
  STALLED = 1 << 30,         /* its owner did not go on for long: nobody waits so long again */
  GONE = -3                  /* -ESRCH */
};
enum { PAUSES = 64, YIELDS = 256 };
/* How long is waited for a thread that lives.  Nothing slow is done under a lock:
 * this is for one that was stopped, or whose page the kernel cannot bring. */
#define PATIENCE_NS UINT64_C(10000000000)
#define NAP_NS 200000

static void pause_a_moment(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* By the kernel: behind a filter the processor's counter may be forbidden, too. */
static uint64_t now(void) {
  struct timespec time = {0, 0};
  SYS2(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Where no system call may be made, the address of the thread's own storage names
 * it among the living, but cannot tell of the dead. */
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

static int take_from(int *lock, int from, int token) {
  return __atomic_compare_exchange_n(lock, &from, token, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* The holder may have lost its processor: after a while, let it run; after a longer
 * while, do not use it up by asking. */
static void wait_a_turn(unsigned turn) {
  static const struct timespec nap = {0, NAP_NS};
  if (turn % PAUSES != 0)
    pause_a_moment();
  else if (turn < PAUSES * YIELDS || SYS2(SYS_nanosleep, &nap, NULL) == -1 /* EPERM */)
    SYS1(SYS_sched_yield, 0);
}

int spin_wait(int *lock) {
  int token = spin_token();
  uint64_t start = 0;
  for (unsigned turn = 1;; turn++) {
    int found = __atomic_load_n(lock, __ATOMIC_RELAXED), owner = found & ~STALLED;
    if ((owner == 0 || owner == token) && take_from(lock, found, token)) return 1;
    wait_a_turn(turn);
    if (turn % (PAUSES * YIELDS) != 0) continue;
    if (spin_is_gone(owner) && take_from(lock, found, token)) return 1;
    if (!start) start = now();
    if (!(found & STALLED) && now() - start < PATIENCE_NS) continue;
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
}
