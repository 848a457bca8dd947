/* Ends recording at exit. libc calls exit handlers in reverse order of their registration. In a
 * process with a loader, all destructors are one handler, registered just before main: a handler
 * that a constructor registered earlier runs after all of them. This library's constructor is the
 * first, so its handler runs last, before libc closes stdio. In a static program destructors run
 * before the handlers. There the destructor of this library is the last one, and registers a
 * handler that libc calls afterwards. */
#include "life.h"

#include <errno.h>
#include <libc-process.h>

#include "../intercept/loader/loader.h"
#include "../job/modules.h"
#include "run/run.h"

static int arranged; /* the handler is registered with exit */

static void finish(void *unused) {
  int saved = errno;
  (void)unused;
  modules_exiting();
  runtime_finish();
  errno = saved;
}

/* Handler of at_quick_exit: finishes the recording. No bytes of streams are written after
 * this, because quick_exit flushes no stream. */
static void finish_quickly(void *unused) {
  int saved = errno;
  (void)unused;
  runtime_finish();
  errno = saved;
}

/* Stores the exit status for the log, and finishes the recording. Registered with on_exit, because
 * handlers of atexit do not get the status. */
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
