/* Writes the log of a process that becomes a daemon, before its parent ends. */
#include "life.h"

#include "../job/runtime.h"
#include "../log/write.h"
#include "../names/folder.h"
#include "run/run.h"

static __thread int in_daemon; /* 1: this thread is in a call of daemon */

void daemon_begins(void) {
  in_daemon = 1;
}

/* Writes the log of the process that called daemon, and its last row of the run. libc does not
 * report whether the fork succeeded. If it failed, daemon returns in the parent, and daemon_became
 * resumes recording. */
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
