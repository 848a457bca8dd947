/* libc calls what was registered for exit in reverse order.  In a process with a
 * loader its destructors are one such registration, made when main is about to
 * be called: what a constructor has registered before comes after all of them.
 * This library's constructor is the first, so what it registers is the last of
 * all, but for the end of stdio.  In a static program destructors come first in
 * the list; there our own, which is the last of them, registers what libc then
 * calls after it. */
#include "at-exit.h"

#include <errno.h>

#include "../intercept/loader.h"
#include "../job/modules.h"
#include "end.h"
#include "run.h"

extern int __cxa_atexit(void (*function)(void *), void *argument, void *library);
extern int on_exit(void (*function)(int status, void *argument), void *argument);
extern int __cxa_at_quick_exit(void (*function)(void *), void *library);

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
  __cxa_at_quick_exit(finish_quickly, NULL);
  if (loader_is_there()) arranged = on_exit(finish_with, NULL) == 0;
}

void last_destructor(void) {
  if (arranged) return;
  if (loader_is_there() || __cxa_atexit(finish, NULL, NULL) != 0) finish(NULL);
}
