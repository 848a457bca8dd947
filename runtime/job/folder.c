#include "folder.h"

#include <sched.h>

#include "../intercept/spin.h"
#include "../intercept/sys.h"
#include "names.h"
#include "runtime.h"

/* The child of a vfork has a folder of its own, and our memory. */
static int is_trusted(const struct folder_state *folder) {
  return !__atomic_load_n(&folder->untrusted, __ATOMIC_ACQUIRE) && !(darshan_guard & GUARD_VFORK);
}

/* With the lock held.  A change in between is seen by the next. */
static void ask(struct folder_state *folder) {
  uint32_t changes = __atomic_load_n(&folder->changes, __ATOMIC_ACQUIRE);
  if (folder->length && folder->seen == changes && is_trusted(folder)) return;
  folder->length = 0;
  folder->seen = changes;
  ssize_t got = sys_getcwd(folder->path, sizeof(folder->path));
  /* Without it the name would be another file's: only what is said twice is believed. */
  if (got < 0) got = sys_getcwd(folder->path, sizeof(folder->path));
  /* "(unreachable)...": it lies outside of the root */
  if (got > 1 && folder->path[0] == '/') folder->length = (uint32_t)got - 1;
}

size_t folder_clean_path(char *out, size_t room, const char *path) {
  struct folder_state *folder = &darshan_rt.folder;
  size_t length = 0;
  if (!spin_lock(SPIN_TABLE, &folder->lock)) return 0;
  ask(folder);
  if (folder->length) length = darshan_clean_path(out, room, folder->path, folder->length, path);
  if (!is_trusted(folder)) folder->length = 0; /* nobody else's */
  spin_unlock(&folder->lock);
  return length;
}

void folder_learn(void) {
  if (!spin_lock(SPIN_TABLE, &darshan_rt.folder.lock)) return;
  ask(&darshan_rt.folder);
  spin_unlock(&darshan_rt.folder.lock);
}

void folder_changed(void) {
  __atomic_add_fetch(&darshan_rt.folder.changes, 1, __ATOMIC_ACQ_REL);
}

void folder_distrust(void) {
  __atomic_add_fetch(&darshan_rt.folder.untrusted, 1, __ATOMIC_ACQ_REL);
}

void folder_trust_again(void) {
  folder_changed();
  __atomic_sub_fetch(&darshan_rt.folder.untrusted, 1, __ATOMIC_ACQ_REL);
}

void folder_unshared(int flags) {
  folder_changed();
  if (flags & (CLONE_FS | CLONE_NEWNS | CLONE_NEWUSER)) folder_distrust();
}

void folder_forked(void) {
  darshan_rt.folder.lock = 0;
}
