/* Wrappers of clone, whose children may share the memory or descriptors of this process. */
#include <sched.h>
#include <signal.h>
#include <stdarg.h>

#include "../intercept/sys/sys.h"
#include "../intercept/wrap.h"
#include "../job/runtime.h"
#include "../names/folder.h"
#include "life.h"
#include "run/run.h"

enum sharing {
  NOTHING_SHARED = 0,
  FOLDER_APART = 1, /* the child has its own working folder */
  MARKED = 2,       /* the parent waits, and both use the same thread-local storage */
  TO_BE_ASKED = 4,  /* only its process id distinguishes the child from its parent, so each event
                       compares it */
  FILES_APART = 8   /* with TO_BE_ASKED: the child has its own descriptors */
};

/* Returns how the child shares with this process: a sum of the flags above. Returns NOTHING_SHARED
 * for a thread, for a child with its own memory, and while the process does not record. A child
 * that shares memory and descriptors is treated like a thread, apart from its working folder,
 * unless it runs at the same time as its parent on the same thread-local storage. */
static unsigned what_is_shared(int flags) {
  int waits = flags & CLONE_VFORK, storage_apart = flags & CLONE_SETTLS;
  unsigned folder = flags & CLONE_FS ? NOTHING_SHARED : FOLDER_APART;
  if (!(flags & CLONE_VM) || (flags & CLONE_THREAD) || !darshan_hot.fd_limit) return NOTHING_SHARED;
  if ((flags & CLONE_FILES) && (waits || storage_apart)) return folder;
  if (waits && !storage_apart) return MARKED;
  return folder | TO_BE_ASKED | (flags & CLONE_FILES ? 0 : FILES_APART);
}

/* Notes what the child shares (the result of what_is_shared). While a process that shares the
 * memory runs at the same time, every event compares the process id. This ends when end_sharing has
 * been called as often as share; it never ends if a child does not make its parent wait, because
 * the runtime does not see the child's end. */
static void share(unsigned sharing) {
  uint32_t recording = RUNTIME_RECORDING;
  if (sharing & FOLDER_APART) folder_distrust();
  if (sharing & MARKED) darshan_guard |= GUARD_VFORK;
  if (sharing & FILES_APART) __atomic_add_fetch(&process_state.apart, 1, __ATOMIC_SEQ_CST);
  if (!(sharing & TO_BE_ASKED)) return;
  __atomic_add_fetch(&process_state.sharers, 1, __ATOMIC_SEQ_CST);
  __atomic_compare_exchange_n(runtime_phase_word(), &recording, RUNTIME_SHARED, 0, __ATOMIC_SEQ_CST,
                              __ATOMIC_RELAXED);
}

static void end_sharing(unsigned sharing) {
  uint32_t shared = RUNTIME_SHARED;
  if (sharing & FOLDER_APART) folder_trust_again();
  if (sharing & MARKED) darshan_guard &= ~(uintptr_t)GUARD_VFORK;
  if (sharing & FILES_APART) __atomic_sub_fetch(&process_state.apart, 1, __ATOMIC_SEQ_CST);
  if ((sharing & TO_BE_ASKED) &&
      __atomic_sub_fetch(&process_state.sharers, 1, __ATOMIC_SEQ_CST) == 0)
    __atomic_compare_exchange_n(runtime_phase_word(), &shared, RUNTIME_RECORDING, 0,
                                __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

typedef int clone_function(int (*)(void *), void *, int, void *, ...);
typedef int clone_body(void *);

/* Arguments of run_apart, which calls the function of a child that has its own memory. When the
 * function returns, libc ends the child by a call that no wrapper sees, so run_apart writes the
 * log. */
struct start {
  clone_body *body;
  void *argument;
};
static int run_apart(void *start_) { /* start_ is the child's copy */
  const struct start start = *(const struct start *)start_;
  int status = start.body(start.argument);
  runtime_finish();
  return status;
}

/* Returns 1 if the child needs run_apart: it has its own memory, and it uses the runtime's
 * thread-local storage. Otherwise returns 0. Thread-local storage that the application made
 * (CLONE_SETTLS) may lack the runtime's variables. */
static int ends_unseen(clone_body *body, int flags) {
  return body && !(flags & (CLONE_VM | CLONE_SETTLS)) && darshan_hot.fd_limit;
}

static int clone_with(clone_function *real, clone_body *body, void *stack, int flags,
                      void *argument, va_list list) {
  pid_t *parent_tid = va_arg(list, pid_t *);
  void *storage = va_arg(list, void *);
  pid_t *child_tid = va_arg(list, pid_t *);
  unsigned sharing = what_is_shared(flags);
  if (darshan_guard & GUARD_VFORK) sharing &= ~(unsigned)MARKED; /* it is marked already */
  share(sharing);
  struct start start = {body, argument};
  if (!(flags & CLONE_VM)) runtime_forking(); /* clone runs no atfork handler */
  if (ends_unseen(body, flags)) body = run_apart, argument = &start;
  int r = real(body, stack, flags, argument, parent_tid, storage, child_tid);
  if (!(flags & CLONE_VM)) run_has_forked(r);
  if (r < 0 || (flags & CLONE_VFORK) || sharing == MARKED) end_sharing(sharing);
  return r;
}

/* The wrapper of clone and of the older name __clone. */
#define CLONE(name)                                                                                \
  clone_function *real_##name __attribute__((visibility("hidden")));                               \
  EXPORT int wrap_##name(clone_body *body, void *stack, int flags, void *argument,                 \
                         ...) __asm__(SYMBOL(name));                                               \
  int wrap_##name(clone_body *body, void *stack, int flags, void *argument, ...) {                 \
    va_list list;                                                                                  \
    va_start(list, argument);                                                                      \
    int r = clone_with(&REAL(name), body, stack, flags, argument, list);                           \
    va_end(list);                                                                                  \
    return r;                                                                                      \
  }
CLONE(clone)
CLONE(__clone)
