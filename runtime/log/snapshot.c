/* Decides when a snapshot is due, and writes it (without-journal.h). */
#include "without-journal.h"

#include <string.h>

#include "../intercept/stack.h"
#include "../intercept/sys/sys.h"
#include "../job/runtime.h"
#include "../records/after-chroot.h"

enum { SHARE = 100 }; /* snapshots take at most 1/SHARE of the time */

SELDOM static struct {
  pid_t pid; /* the process that began snapshots; a forked child begins its own */
  int due, taken;
  uint64_t next_ns; /* time of the next snapshot on the monotonic clock */
  char path[DARSHAN_PATH_ROOM], partial[DARSHAN_PATH_ROOM];
} snapshot;

static int is_on(void) {
  return snapshot.pid != 0 && snapshot.pid == process_state.pid && !sys_gate_is_shut();
}

void snapshot_begin(void) {
  static const char ending[] = ".partial";
  size_t length = strlen(darshan_store.journal.path);
  if (is_on()) snapshot_remove();
  if (length == 0 || length + sizeof(ending) > sizeof(snapshot.path)) return;
  memcpy(snapshot.path, darshan_store.journal.path, length + 1);
  memcpy(snapshot.partial, snapshot.path, length);
  memcpy(snapshot.partial + length, ending, sizeof(ending));
  snapshot.due = snapshot.taken = 0;
  snapshot.next_ns = 0;
  snapshot.pid = process_state.pid;
  if (!darshan_hot.clock.counter_trusted) darshan_hot.clock.refit_at = 0;
}

void snapshot_look(void) {
  uint32_t recording = RUNTIME_RECORDING;
  if (!is_on() || clock_ns(CLOCK_MONOTONIC) < snapshot.next_ns) return;
  __atomic_store_n(&snapshot.due, 1, __ATOMIC_RELAXED);
  __atomic_compare_exchange_n(runtime_phase_word(), &recording, RUNTIME_SHARED, 0, __ATOMIC_SEQ_CST,
                              __ATOMIC_RELAXED);
}

/* Resets the phase so that events take their fast path again, unless another process shares this
 * memory. */
static void be_quick(void) {
  uint32_t shared = RUNTIME_SHARED, recording = RUNTIME_RECORDING;
  if (__atomic_load_n(&process_state.sharers, __ATOMIC_SEQ_CST) != 0) return;
  __atomic_compare_exchange_n(runtime_phase_word(), &shared, RUNTIME_RECORDING, 0, __ATOMIC_SEQ_CST,
                              __ATOMIC_RELAXED);
  if (__atomic_load_n(&process_state.sharers, __ATOMIC_SEQ_CST) != 0)
    __atomic_compare_exchange_n(runtime_phase_word(), &recording, RUNTIME_SHARED, 0,
                                __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

/* Writes the records under the partial name and renames the file. Returns 0 or a negative value.
 * After a change of the root directory it writes nothing, because the stored paths may be wrong
 * there. */
static int write_file(void) {
  if (outside_is_active()) return -1;
  sys_unlink(snapshot.partial); /* removes a stale file, or a file that another user placed there */
  int fd = sys_open(snapshot.partial, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (fd < 0) return -1;
  int result = store_snapshot(&darshan_store, fd);
  if (sys_close(fd) < 0) result = -1;
  if (result == 0) result = sys_rename(snapshot.partial, snapshot.path);
  if (result < 0) sys_unlink(snapshot.partial);
  if (result == 0) snapshot.taken = 1;
  return result;
}

static void take(void *result) {
  uint64_t begun = clock_ns(CLOCK_MONOTONIC);
  *(int *)result = write_file();
  uint64_t now = clock_ns(CLOCK_MONOTONIC), pause = (now - begun) * SHARE;
  snapshot.next_ns = now + (pause < NS_PER_SECOND ? NS_PER_SECOND : pause);
}

void snapshot_take(void) {
  int result;
  if (!is_on() || !__atomic_exchange_n(&snapshot.due, 0, __ATOMIC_ACQ_REL)) return;
  stack_run(take, &result);
  be_quick();
}

int snapshot_last(void) {
  return is_on() ? write_file() : -1;
}

const char *snapshot_path(void) {
  return snapshot.path;
}

void snapshot_remove(void) {
  if (!is_on() || !snapshot.taken) return;
  if (!outside_is_active()) sys_unlink(snapshot.path);
  snapshot.taken = 0;
}
