/* Prepares the runtime for a seccomp filter of the application, and shuts the system call gate. */
#include "confine.h"

#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>

#include "../../intercept/sys/sys.h"
#include "../../job/runtime.h"
#include "../../names/folder.h"

/* The option of prctl for syscall user dispatch (Linux 5.11), which makes calls from code
 * outside the application's range raise SIGSYS. */
enum { USER_DISPATCH = 59, DISPATCH_ON = 1 };

static int asked_of_prctl(long option, long value) {
  if (option == USER_DISPATCH) return value == DISPATCH_ON ? FILTER_CALLS | FILTER_DISPATCH : 0;
  if (option == PR_SET_TSC) return value == PR_TSC_SIGSEGV ? FILTER_COUNTER : 0;
  if (option != PR_SET_SECCOMP) return 0;
  return value == SECCOMP_MODE_STRICT ? FILTER_CALLS | FILTER_COUNTER : FILTER_CALLS;
}

int filter_is_asked(long number, long a, long b) {
  if (number == SYS_prctl) return asked_of_prctl(a, b);
  if (number != SYS_seccomp) return 0;
  return a == SECCOMP_SET_MODE_STRICT   ? FILTER_CALLS | FILTER_COUNTER
         : a == SECCOMP_SET_MODE_FILTER ? FILTER_CALLS
                                        : 0;
}

/* Returns 1 if the call's result means that the filter is installed: 0, or the descriptor of a
 * listener that the flags request. Without a listener, a positive result of
 * SECCOMP_FILTER_FLAG_TSYNC is the id of the thread that prevented the filter. */
int filter_is_there(long number, long flags, long result) {
  int listener = number == SYS_seccomp && (flags & SECCOMP_FILTER_FLAG_NEW_LISTENER);
  return result == 0 || (listener && result > 0);
}

/* Makes space for records and an overflow record, for the modules that any application may use
 * later, and for the modules that this application has used. */
static void make_room(void) {
  static const unsigned always = 1u << STORE_POSIX | 1u << STORE_STDIO | 1u << STORE_POSIX_EXT;
  struct record_store *store = &darshan_store;
  for (unsigned i = 0; i < STORE_MODULES; i++) {
    if (!(always >> i & 1) && store->regions[i].count == 0) continue;
    store_make_room(store, (enum store_module)i);
    store_set_aside(store, (enum store_module)i);
  }
}

static int counter_is_gone; /* 1: the processor's counter can never be read again */

void filter_coming(int forbids) {
  int shuts = forbids & FILTER_CALLS, shut = 0, first = !sys_gate_is_shut();
  if (!fd_may_change()) fd_vfork_caged(1);
  if (darshan_hot.fd_limit && !sys_gate_is_shut() && !counter_is_gone)
    clock_settle(&darshan_hot.clock, !shuts, !(forbids & FILTER_COUNTER));
  if (darshan_hot.fd_limit && runtime_enter()) {
    folder_learn();
    make_room();
    if (!sys_gate_is_shut()) filter_find_functions();
    /* Moves all records from private memory to the journal before the gate shuts, because later the
     * runtime cannot move them. */
    if (shuts) shut = store_bring_back(&darshan_store, sys_gate_try_shut);
    runtime_leave();
  }
  if (shuts && !shut) sys_gate_shut();
  if (shuts && first) sys_gate_settle();
}

/* Stores in the journal's metadata, as the reason why there is no log, that a filter or a dispatch
 * was installed. forbids: a sum of FILTER_ flags. */
static void note_filter(int forbids) {
  struct darshan_job *job = &job_state.job;
  size_t used = strlen(job->metadata), room = sizeof(job->metadata);
  if (forbids & FILTER_DISPATCH)
    darshan_metadata_add(job->metadata, room, used, "syscall_user_dispatch", "installed");
  else
    darshan_metadata_add(job->metadata, room, used, "seccomp", "installed");
  if (!store_lock(&darshan_store)) return;
  store_set_job(&darshan_store, job, NULL, 0);
  store_unlock(&darshan_store);
}

void filter_answered(int forbids, int is_there) {
  if (!is_there) {
    fd_vfork_caged(0);
    if (forbids & FILTER_CALLS) sys_gate_reopen();
    if (darshan_hot.fd_limit && !sys_gate_is_shut() && !counter_is_gone)
      clock_unsettle(&darshan_hot.clock);
    return;
  }
  if (forbids & FILTER_COUNTER) counter_is_gone = 1;
  if ((forbids & FILTER_CALLS) && darshan_hot.fd_limit && runtime_enter()) {
    note_filter(forbids);
    runtime_leave();
  }
}

void filter_look(void) {
  if (sys_may(SYS_getpid)) return;
  const struct darshan_words *more = &darshan_config.filter_calls;
  for (int i = 0; i < more->count; i++)
    if (!sys_gate_allow(more->word[i]))
      darshan_message_add(&darshan_problems, "DARSHAN_FILTER_CALLS",
                          "names a system call that the runtime does not use", more->word[i],
                          strlen(more->word[i]));
}

void filter_trust(void) {
  if (!sys_gate_is_shut()) sys_gate_allow("*");
}
