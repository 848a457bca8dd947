/* Locks of one 32-bit word for short critical sections. The word is the owner's thread id. If a
 * lock is taken, its owner decides what happens:
 *
 *   this thread: the frame that took the lock was abandoned (siglongjmp out of a handler),
 *     because a holder has GUARD_BUSY set and a handler's event does not come this far.
 *     The thread takes the lock again.
 *   a thread that is gone (cancelled during an update): this thread takes the lock.
 *   a living thread: its lock is never stolen. If it has no processor or waits for a page,
 *     this thread waits, ten seconds at most. If it sleeps, is stopped or computes for long,
 *     it is in a handler of the application, which may wait for this thread: after some 50 ms
 *     spin_lock stops trying and the event is dropped, to avoid a hang or inconsistent tables.
 *
 * So a critical section may end at any instruction, and the next holder finds the structure in that
 * state. Code that changes a structure writes the new part completely and publishes it by the last
 * store; an unpublished part is written again or stays unused. */
#ifndef DARSHAN_SPIN_H
#define DARSHAN_SPIN_H

#include "guard.h"
#include "sys/sys.h"

/* The levels of locks, in the order in which one thread may take several. */
enum spin_level {
  SPIN_RECORD, /* a record, or a table of a module */
  SPIN_TABLE,  /* a table that is used while a record is locked */
  SPIN_STORE,  /* records and names */
  SPIN_LEVELS
};

struct spin_thread {
  int token; /* the thread's id; 0: not read yet */
  /* The lock of each level that this thread took last, written before it is taken, so that the
   * locks of an abandoned frame can be released. */
  int *held[SPIN_LEVELS];
};
extern __thread struct spin_thread darshan_spin GUARD_TLS;

/* Number of events dropped because a lock was not available. */
extern uint64_t darshan_spin_lost __attribute__((visibility("hidden")));

/* Token of the thread that holds locks with all signals blocked, 0 if none. It is not in a handler,
 * so other threads wait for it even if it sleeps. */
extern int darshan_spin_steady __attribute__((visibility("hidden")));

/* Returns this thread's id, or another number that identifies the thread if its id is not
 * available. */
int spin_token_slow(void);
static inline int spin_token(void) {
  return LIKELY(darshan_spin.token != 0) ? darshan_spin.token : spin_token_slow();
}
/* Returns 1 if the thread of this token has ended, otherwise 0. */
int spin_is_gone(int token);

/* The slow path of spin_lock, called if the lock is taken or this thread has no token yet. Returns
 * 1 if this thread has the lock now, 0 if the owner lives and does not continue. */
int spin_wait(int *lock);
/* Releases this thread's locks after the frames that took them were abandoned. */
void spin_release_left(void);
/* Called in the child after fork: its thread has another id. */
void spin_forked(void);

/* Takes the lock. Returns 1 if this thread now has the lock. Returns 0 if the lock is not
 * available: the caller must not access the data that the lock protects, and drops the event. */
__attribute__((warn_unused_result)) static inline int spin_lock(enum spin_level level, int *lock) {
  int nobody = 0, token = darshan_spin.token;
  darshan_spin.held[level] = lock;
  COMPILER_FENCE();
  if (LIKELY(token != 0 && __atomic_compare_exchange_n(lock, &nobody, token, 0, __ATOMIC_ACQUIRE,
                                                       __ATOMIC_RELAXED)))
    return 1;
  return spin_wait(lock);
}

static inline void spin_unlock(int *lock) {
  __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

/* Takes a lock that is also used outside of updates: signals are delayed while it is held. Returns
 * 1, or 0 if the lock is not available. The caller passes *begun to spin_unlock_alone. */
__attribute__((warn_unused_result)) static inline int spin_lock_alone(enum spin_level level,
                                                                      int *lock, int *begun) {
  *begun = guard_begin();
  if (LIKELY(spin_lock(level, lock))) return 1;
  guard_end(*begun);
  return 0;
}
static inline void spin_unlock_alone(int *lock, int begun) {
  spin_unlock(lock);
  guard_end(begun);
}

#endif
