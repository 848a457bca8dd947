/* Stores the path of the last folder that was used by its descriptor (descriptors.h). */
#include "descriptors.h"

#include <string.h>

#include "../counting/clock.h"
#include "../intercept/guard.h"
#include "../intercept/spin.h"
#include "folder.h"
#include "path-buffers.h"
#include "paths.h"

/* After USES uses of a stored path, the kernel is queried for the path again, because another
 * process may have renamed a folder above. If the folder itself is renamed, its facts change; they
 * are read again after LOOKS uses. */
enum { USES = 64, LOOKS = 16 };

int fd_folder_last = -1;
SELDOM static struct fd_folder {
  int lock;
  uint32_t uses, changes;
  uint32_t length;   /* length of the path; 0: the folder has no path */
  uint64_t followed; /* time of the last check, in ticks; 0: changes of the descriptor were not
                        visible then */
  struct fd_facts facts, now;
  char path[DARSHAN_PATH_ROOM];
} last;

static int is_remembered(int dirfd, uint32_t changes) {
  return __atomic_load_n(&fd_folder_last, __ATOMIC_RELAXED) == dirfd && last.changes == changes &&
         last.uses++ < USES;
}

/* Returns 1 if the stored path can be used without a check: the runtime has seen every change of
 * the descriptor since the last check, which was less than a millisecond and LOOKS uses ago. now:
 * the time in ticks, 0 if changes are not visible. Otherwise returns 0. */
static int needs_no_look(uint64_t now) {
  return now && last.followed && now - last.followed < CLOCK_SHORT && last.uses % LOOKS != 0;
}

/* Returns 1 if these facts are those of the folder whose path is stored, otherwise 0. */
static int is_last(const struct fd_facts *facts) {
  return facts->inode == last.facts.inode &&
         memcmp(facts->device, last.facts.device, sizeof(facts->device)) == 0 &&
         memcmp(facts->changed, last.facts.changed, sizeof(facts->changed)) == 0;
}

static size_t below(char *out, size_t room, const char *folder, size_t length, const char *path) {
  return length ? darshan_clean_path(out, room, folder, length, path)
                : darshan_clean_path(out, room, FOLDER_UNKNOWN, sizeof(FOLDER_UNKNOWN) - 1, path);
}

/* Writes the name of a path below a folder. Queries the folder's path, with which the name begins,
 * and does not store it. Returns the length, or 0 if there is no name. */
__attribute__((noinline)) static size_t ask(char *out, size_t room, int dirfd, const char *path) {
  static const struct fd_facts unknown = {.links = 1};
  return below(out, room, out, fd_name_by(out, room, dirfd, &unknown), path);
}

/* Makes `last` describe the folder of this descriptor. Reads the folder's path unless it is stored
 * already. changes: of working folders so far (folder_may_be_remembered). now: as for
 * fd_folder_clean_path. Returns 1, or 0 if dirfd is not an open descriptor. The caller holds
 * last.lock. */
static int look(int dirfd, uint32_t changes, uint64_t now) {
  int remembered = is_remembered(dirfd, changes);
  if (remembered && needs_no_look(now)) return 1;
  if (fd_look(dirfd, &last.now) < 0) return 0;
  last.followed = now;
  if (remembered && is_last(&last.now)) return 1;
  /* Stores the descriptor first, because it may be closed while the path is read. */
  __atomic_store_n(&fd_folder_last, dirfd, __ATOMIC_RELAXED);
  last.length = (uint32_t)fd_name_by(last.path, sizeof(last.path), dirfd, &last.now);
  last.changes = changes;
  last.facts = last.now;
  last.uses = 0;
  return 1;
}

size_t fd_folder_clean_path(char *out, size_t room, int dirfd, const char *path, uint64_t now) {
  uint32_t changes;
  int begun;
  if (!folder_may_be_remembered(&changes) || !spin_lock_alone(SPIN_TABLE, &last.lock, &begun))
    return ask(out, room, dirfd, path);
  int known = look(dirfd, changes, now);
  size_t length = known ? below(out, room, last.path, last.length, path) : 0;
  if (!known || !last.length) fd_folder_last = -1;
  spin_unlock_alone(&last.lock, begun);
  return known ? length : ask(out, room, dirfd, path);
}

void fd_folder_forked(void) {
  last.lock = 0;
  fd_folder_last = -1;
}
