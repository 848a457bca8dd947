/* Counts starts of processes for the stack that started them, so that a finding about processes can
 * name a line. A start is not I/O: its time is not counted, nor are the gaps around it, in which a
 * program mostly waits for its child. */
#include <pthread.h>

#include "../../door/door.h"
#include "../layers/layers.h"
#include "sites-state.h"

void sites_count_start(void) {
  uint64_t now;
  if (layers_inside() || !runtime_enter()) return;
  now = ticks_now();
  site_thread.last_end = 0; /* no gap before the start, and none after it */
  sites_count_inside(
      &(struct site_call){.kind = SITE_OTHER, .offset = SITE_NO_PLACE, .t1 = now, .t2 = now});
  site_thread.last_end = 0;
  runtime_leave();
}

/* Number of children by fork that the process has not waited for yet. */
static unsigned forks;

void sites_count_wait(void) {
  if (!python_is_here()) return;
  unsigned waited = __atomic_load_n(&forks, __ATOMIC_RELAXED);
  if (waited > 0)
    __atomic_store_n(&forks, waited - 1, __ATOMIC_RELAXED);
  else
    sites_count_start();
}

/* Counts the start of a process by fork. Registered with pthread_atfork, so it runs in the parent,
 * within fork(). The runtime does not wrap fork, so the call site's name begins with "fork" in
 * place of a wrapper's name. */
static void forked(void) {
  if (!sites_on) return;
  __atomic_add_fetch(&forks, 1, __ATOMIC_RELAXED);
  site_thread.forks = 1;
  sites_count_start();
  site_thread.forks = 0;
}

static void forget(void) { /* in the child, which has no children yet */
  forks = 0;
}

void sites_watch_forks(void) {
  pthread_atfork(NULL, forked, forget);
}
