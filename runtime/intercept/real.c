/* Finds the real functions with the dynamic loader, or in the program itself. */
#include "real.h"

#include <errno.h>

#include "loader/libc-direct.h"
#include "loader/linked.h"
#include "loader/loader.h"
#include "stack.h"

#if defined(__x86_64__)
#define OLDEST_LIBC "GLIBC_2.2.5"
#else
#define OLDEST_LIBC "GLIBC_2.17"
#endif

static long missing(void) {
  errno = ENOSYS;
  return -1;
}

static void *next_symbol(const char *name) {
  void *found = linked_function(name);
  if (found || !loader_is_there()) return found;
  found = straight_next(name);
  if (!found) found = loader_symbol(RTLD_NEXT, name);
  if (!found) found = libc_old_symbol(name, OLDEST_LIBC);
  return found;
}

/* Argument and result of answer, which runs on a stack of the runtime. */
struct question {
  const char *name; /* of the function */
  void *found;      /* NULL: none */
};

static void answer(void *question_) {
  struct question *question = question_;
  question->found = next_symbol(question->name);
}

/* Looks up the real function of a wrapper, stores it in the slot and returns it. If there is none,
 * uses `missing`, which fails with ENOSYS. Called at the first use of the slot, not earlier,
 * because a library that is loaded later may define a function that libc lacks (libaio,
 * liburing). */
void *real_resolve(void **slot, const char *name) {
  int saved = errno;
  struct question question = {name, NULL};
  stack_run_anyway(answer, &question);
  errno = saved;
  if (!question.found) question.found = (void *)&missing;
  __atomic_store_n(slot, question.found, __ATOMIC_RELEASE);
  return question.found;
}

void *real_of_libc(void **slot, const char *name) {
  void *found = straight_function(name);
  if (!found) found = __atomic_load_n(slot, __ATOMIC_RELAXED);
  return found ? found : real_resolve(slot, name);
}

void real_prepare(void **slot, const char *name) {
  int saved = errno;
  void *found = next_symbol(name);
  errno = saved;
  if (found) __atomic_store_n(slot, found, __ATOMIC_RELEASE);
}
