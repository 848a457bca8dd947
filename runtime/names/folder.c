#include "folder.h"

#include <sched.h>

#include "../intercept/guard.h"
#include "../intercept/spin.h"
#include "../intercept/sys.h"
#include "paths.h"

static struct folder_state {
  int lock;
  int begun;          /* of who has the lock, for spin_unlock_alone */
  uint32_t length;    /* 0: never asked for */
  uint32_t changes;   /* how often it may have changed */
  uint32_t seen;      /* ... when it was asked for */
  uint32_t untrusted; /* by how many reasons what is remembered cannot be used */
  char path[4096];
} folder_state;

/* The child of a vfork has a folder of its own, and our memory. */
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
  struct folder_state *folder = &folder_state;
  size_t length = 0;
  if (!lock(folder)) return 0;
  ask(folder);
  length = folder->length
               ? darshan_clean_path(out, room, folder->path, folder->length, path)
               : darshan_clean_path(out, room, FOLDER_UNKNOWN, sizeof(FOLDER_UNKNOWN) - 1, path);
  if (!is_trusted(folder)) folder->length = 0; /* nobody else's */
  unlock(folder);
  return length;
}

void folder_learn(void) {
  if (!lock(&folder_state)) return;
  ask(&folder_state);
  unlock(&folder_state);
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
