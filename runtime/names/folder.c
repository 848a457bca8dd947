/* Stores the path of the working folder (folder.h). */
#include "folder.h"

#include <sched.h>

#include "../intercept/guard.h"
#include "../intercept/spin.h"
#include "../intercept/sys/sys.h"
#include "paths.h"

static struct folder_state {
  int lock;
  int begun;          /* the lock holder passes it to spin_unlock_alone */
  uint32_t length;    /* length of the path; 0: unknown */
  uint32_t changes;   /* number of times that the folder may have changed */
  uint32_t seen;      /* value of `changes` when the path was read */
  uint32_t untrusted; /* number of reasons not to use the stored path */
  char path[4096];
} folder_state;

/* Returns 1 if the path of the working folder may be stored: changes are visible, all threads have
 * the same folder, and this is not a vfork child, which has its own working folder but its parent's
 * memory. Otherwise returns 0. */
static int is_trusted(const struct folder_state *folder) {
  return !__atomic_load_n(&folder->untrusted, __ATOMIC_ACQUIRE) && !(darshan_guard & GUARD_VFORK);
}

__attribute__((noinline)) static int lock(struct folder_state *folder) {
  int begun;
  if (!spin_lock_alone(SPIN_TABLE, &folder->lock, &begun)) return 0;
  folder->begun = begun;
  return 1;
}

__attribute__((noinline)) static void unlock(struct folder_state *folder) {
  int begun = folder->begun;
  spin_unlock_alone(&folder->lock, begun);
}

/* Reads the path of the working folder unless the stored path is current. Sets length to 0 if the
 * path cannot be read. The caller holds folder->lock. If the folder changes meanwhile, the next
 * call reads the path again. */
static void ask(struct folder_state *folder) {
  uint32_t changes = __atomic_load_n(&folder->changes, __ATOMIC_ACQUIRE);
  if (folder->length && folder->seen == changes && is_trusted(folder)) return;
  folder->length = 0;
  folder->seen = changes;
  ssize_t got = sys_getcwd(folder->path, sizeof(folder->path));
  /* Retries once after an error: without the folder, the name would be that of another file. */
  if (got < 0) got = sys_getcwd(folder->path, sizeof(folder->path));
  /* Ignores "(unreachable)...", which means that the folder is outside the root directory. */
  if (got > 1 && folder->path[0] == '/') folder->length = (uint32_t)got - 1;
}

size_t folder_clean_path(char *out, size_t room, const char *path) {
  struct folder_state *folder = &folder_state;
  size_t length = 0;
  if (!lock(folder)) return 0;
  ask(folder);
  length = folder->length
               ? darshan_clean_path(out, room, folder->path, folder->length, path)
               : darshan_clean_path(out, room, FOLDER_UNKNOWN, sizeof(FOLDER_UNKNOWN) - 1, path);
  if (!is_trusted(folder)) folder->length = 0; /* the path must be read again for the next call */
  unlock(folder);
  return length;
}

void folder_learn(void) {
  if (!lock(&folder_state)) return;
  ask(&folder_state);
  unlock(&folder_state);
}

int folder_may_be_remembered(uint32_t *changes) {
  *changes = __atomic_load_n(&folder_state.changes, __ATOMIC_ACQUIRE);
  return is_trusted(&folder_state);
}

void folder_changed(void) {
  __atomic_add_fetch(&folder_state.changes, 1, __ATOMIC_ACQ_REL);
}

void folder_distrust(void) {
  __atomic_add_fetch(&folder_state.untrusted, 1, __ATOMIC_ACQ_REL);
}

void folder_trust_again(void) {
  folder_changed();
  __atomic_sub_fetch(&folder_state.untrusted, 1, __ATOMIC_ACQ_REL);
}

void folder_unshared(int flags) {
  folder_changed();
  if (flags & (CLONE_FS | CLONE_NEWNS | CLONE_NEWUSER)) folder_distrust();
}

void folder_forked(void) {
  folder_state.lock = 0;
}
