/* A lock of one word for short stretches.  It holds its owner's thread id, so that
 * whoever finds it taken knows by whom:
 *
 *   by this very thread: the frame that took it was left (siglongjmp out of a
 *     handler), since whoever holds a lock has GUARD_BUSY set and a handler's
 *     event does not come this far.  It is taken again.
 *   by a thread that is gone (cancelled at the worst moment): it is taken over.
 *   by a living thread: it is never stolen.  One that has no processor, or waits
 *     for a page, is waited for.  One that sleeps, is stopped or computes for long
 *     is in a handler of the program's, which may even wait for us: after some 50 ms
 *     spin_lock gives up, and the event is counted as lost.  That is better than a
 *     hang and better than broken tables.
 *
 * So a stretch under a lock may end at any instruction, and the next to hold the
 * lock finds what is left.  Who changes a structure writes the new thing completely
 * and publishes it by the last store; what was begun and not published is done
 * again, or stays unused. */
#ifndef DARSHAN_SPIN_H
#define DARSHAN_SPIN_H

#include "guard.h"
#include "sys.h"

/* In the order in which one thread may hold several. */
enum spin_level {
  SPIN_RECORD, /* a record, or a table of a module */
  SPIN_TABLE,  /* a table that is used with a record's lock held */
  SPIN_STORE,  /* records and names */
  SPIN_LEVELS
};

struct spin_thread {
  int token; /* the thread's id; 0: not asked for yet */
  /* Where this thread took a lock last, written before it is taken: what a frame
   * held that was left can be given back. */
  int *held[SPIN_LEVELS];
};
extern __thread struct spin_thread darshan_spin GUARD_TLS;

/* Events that were lost because a lock could not be had. */
extern uint64_t darshan_spin_lost __attribute__((visibility("hidden")));

/* Who holds locks with all signals blocked, and so is in no handler: it is waited for
 * even if it sleeps.  0: nobody. */
extern int darshan_spin_steady __attribute__((visibility("hidden")));

/* This thread's id, or what tells it from others where ids cannot be asked for. */
int spin_token_slow(void);
static inline int spin_token(void) {
  return LIKELY(darshan_spin.token != 0) ? darshan_spin.token : spin_token_slow();
}
/* 1: the thread of this token does not live any more. */
int spin_is_gone(int token);

/* The slow path; 1: taken, 0: its owner lives and does not go on. */
int spin_wait(int *lock);
/* Gives back what this thread holds, when the frames that took it are gone. */
void spin_release_left(void);
/* In a forked child, whose thread has another id. */
void spin_forked(void);

/* 1: taken; 0: it could not be had, and nothing that it guards may be touched. */
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

/* The same for a lock that is also taken beside updates: signals wait meanwhile.  begun is
 * for spin_unlock_alone. */
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
