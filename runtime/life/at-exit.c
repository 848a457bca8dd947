/* libc calls what was registered for exit in reverse order.  In a process with a
 * loader its destructors are one such registration, made when main is about to
 * be called: what a constructor has registered before comes after all of them.
 * This library's constructor is the first, so what it registers is the last of
 * all, but for the end of stdio.  In a static program destructors come first in
 * the list; there our own, which is the last of them, registers what libc then
 * calls after it. */
#include "at-exit.h"

#include <errno.h>
#include <libc-exit.h>

#include "../intercept/loader.h"
#include "../job/modules.h"
#include "end.h"
#include "run.h"

static int arranged; /* exit comes to finish by itself */

static void finish(void *unused) {
  int saved = errno;
  (void)unused;
  modules_exiting();
  runtime_finish();
  errno = saved;
}

/* Here libc leaves streams alone. */
static void finish_quickly(void *unused) {
  int saved = errno;
  (void)unused;
  runtime_finish();
  errno = saved;
}

/* Of those of exit only on_exit's know how the process was asked to end. */
static void finish_with(int status, void *unused) {
  run_note_status(status);
  finish(unused);
}

void last_arrange(void) {
  libc_at_quick_exit(finish_quickly);
  if (loader_is_there()) arranged = libc_at_exit(finish_with);
}

void last_destructor(void) {
  if (arranged) return;
  if (loader_is_there() || !libc_after_destructors(finish)) finish(NULL);
}
