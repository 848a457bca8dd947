/* Prepares the folders of log and journal for a change of the root directory or mount namespace. */
#include "confine.h"

#include <string.h>

#include "../../intercept/stack.h"
#include "../../job/runtime.h"
#include "../../records/after-chroot.h"
#include "../life.h"

/* Makes the folder of the log now, because its parents cannot be reached later, and opens the
 * folders of log and journal. Runs on a stack of the runtime. */
static void hold(void *unused) {
  const struct darshan_config *config = &darshan_config;
  char partial[DARSHAN_PATH_ROOM];
  (void)unused;
  if (job_state.text_length == 0) runtime_describe_job(1);
  struct darshan_log_identity identity = runtime_identity();
  if (darshan_partial_path(partial, sizeof(partial), config, &identity))
    darshan_make_folders(partial, darshan_dated_levels(config));
  const char *log = config->logfile ? config->logfile : config->logpath;
  const char *slash = config->logfile ? strrchr(log, '/') : NULL;
  struct outside_folder of_log = {log, slash ? (size_t)(slash - log) : strlen(log)};
  struct outside_folder of_journal = {config->mmap_logpath, strlen(config->mmap_logpath)};
  outside_hold(of_log, of_journal);
}

void root_is_changing(void) {
  if (outside_is_ready() || !darshan_hot.fd_limit || !fd_may_change() || !process_is_ours()) return;
  /* Makes the journal, because its folder cannot be reached later. */
  if (runtime_enter()) runtime_leave();
  stack_run_anyway(hold, NULL);
}

void root_changed(int result) {
  if (outside_is_ready() && fd_may_change() && process_is_ours()) outside_changed(result);
}
