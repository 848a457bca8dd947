#include "daemon.h"

#include "../job/runtime.h"
#include "../log/write.h"
#include "../names/folder.h"
#include "end.h"
#include "run.h"

static __thread int in_daemon; /* this thread is in the call */

void daemon_begins(void) {
  in_daemon = 1;
}

/* Whether there is a child libc does not say: if not, daemon comes back. */
void daemon_forked(void) {
  if (!in_daemon || !darshan_hot.fd_limit) return;
  runtime_pause();
  run_left();
  log_say_problems();
}

void daemon_became(int result) {
  in_daemon = 0;
  if (result != 0) {
    runtime_exec_failed();
    return;
  }
  folder_changed();
}
