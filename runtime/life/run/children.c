/* The table of the journals of forked children (children.h). */
#include "children.h"

#include <string.h>
#include <sys/mman.h>

#include "../../intercept/sys/sys.h"
#include "../../job/run-state.h"
#include "../../job/runtime.h"
#include "../../log/save.h"
#include "../../records/after-chroot.h"

static struct child *children; /* shared with forked descendants; NULL: not mapped yet */

void children_prepare(void) {
  if (!darshan_hot.fd_limit || children || run_state.joined) return;
  void *memory = sys_mmap(NULL, CHILDREN * sizeof(struct child), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (!sys_failed(memory)) children = memory;
}

void children_add_self(void) {
  const struct journal *journal = &darshan_store.journal;
  size_t length = strlen(journal->path);
  if (!children || !journal->has_file || length >= CHILD_PATH_ROOM) return;
  for (int i = 0; i < CHILDREN; i++) {
    struct child *child = &children[i];
    int32_t nobody = 0;
    if (!__atomic_compare_exchange_n(&child->pid, &nobody, -1, 0, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
      continue;
    memcpy(child->path, journal->path, length + 1);
    child->dev = journal->dev;
    child->ino = journal->ino;
    child->names = pid_namespace();
    __atomic_store_n(&child->pid, (int32_t)process_state.pid, __ATOMIC_RELEASE);
    return;
  }
}

void children_remove_self(void) {
  for (int i = 0; children && process_state.fork_parent && i < CHILDREN; i++) {
    int32_t self = (int32_t)process_state.pid;
    __atomic_compare_exchange_n(&children[i].pid, &self, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  }
}

/* Adds a problem that names a child's journal, because the child may still live. A child that lives
 * removes its journal later. */
static void name_journal(const struct child *child) {
  struct stat st;
  if (outside_lstat(child->path, &st) == 0 && st.st_dev == child->dev && st.st_ino == child->ino)
    DARSHAN_MESSAGE(&darshan_problems,
                    "a child process in another PID namespace may still run; its records are in ",
                    child->path);
}

static int is_elsewhere(const struct child *child, ino_t *here) {
  if (*here == 0) *here = pid_namespace();
  return child->names && *here && child->names != *here;
}

void children_adopt(void) {
  ino_t here = 0;
  for (int i = 0; children && i < CHILDREN; i++) {
    struct child *child = &children[i];
    int32_t pid = __atomic_load_n(&child->pid, __ATOMIC_ACQUIRE);
    if (pid <= 0) continue;
    if (is_elsewhere(child, &here)) {
      name_journal(child);
      continue;
    }
    if (pid == process_state.pid || SYS2(SYS_kill, pid, 0) != -3 /* ESRCH: gone */) continue;
    if (!__atomic_compare_exchange_n(&child->pid, &pid, -1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      continue;
    log_adopt(child->path, child->dev, child->ino, pid, &darshan_config);
    __atomic_store_n(&child->pid, 0, __ATOMIC_RELEASE);
  }
}
