#include "children.h"

#include <string.h>
#include <sys/mman.h>

#include "../intercept/sys.h"
#include "../log/adopt.h"
#include "runtime.h"

void children_prepare(void) {
  if (!darshan_rt.fd_limit || darshan_rt.children) return;
  void *memory = sys_mmap(NULL, CHILDREN * sizeof(struct child), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (!sys_failed(memory)) darshan_rt.children = memory;
}

void children_add_self(void) {
  const struct journal *journal = &darshan_rt.store.journal;
  size_t length = strlen(journal->path);
  if (!darshan_rt.children || !journal->has_file || length >= CHILD_PATH_ROOM) return;
  for (int i = 0; i < CHILDREN; i++) {
    struct child *child = &darshan_rt.children[i];
    int32_t nobody = 0;
    if (!__atomic_compare_exchange_n(&child->pid, &nobody, -1, 0, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
      continue;
    memcpy(child->path, journal->path, length + 1);
    child->dev = journal->dev;
    child->ino = journal->ino;
    __atomic_store_n(&child->pid, (int32_t)darshan_rt.pid, __ATOMIC_RELEASE);
    return;
  }
}

void children_remove_self(void) {
  for (int i = 0; darshan_rt.children && darshan_rt.fork_parent && i < CHILDREN; i++) {
    int32_t self = (int32_t)darshan_rt.pid;
    __atomic_compare_exchange_n(&darshan_rt.children[i].pid, &self, 0, 0, __ATOMIC_ACQ_REL,
                                __ATOMIC_RELAXED);
  }
}

void children_adopt(void) {
  for (int i = 0; darshan_rt.children && i < CHILDREN; i++) {
    struct child *child = &darshan_rt.children[i];
    int32_t pid = __atomic_load_n(&child->pid, __ATOMIC_ACQUIRE);
    if (pid <= 0 || pid == darshan_rt.pid || SYS2(SYS_kill, pid, 0) != -3 /* ESRCH: gone */)
      continue;
    if (!__atomic_compare_exchange_n(&child->pid, &pid, -1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      continue;
    log_adopt(child->path, child->dev, child->ino, pid, &darshan_rt.config);
    __atomic_store_n(&child->pid, 0, __ATOMIC_RELEASE);
  }
}
