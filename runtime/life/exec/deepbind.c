/* Counts the loaded libraries that were opened with RTLD_DEEPBIND: their calls bypass the
 * wrappers. */
#include "exec.h"

#include <dlfcn.h>
#include <string.h>

#include "../../door/door.h"
#include "../../intercept/guard.h"
#include "../../intercept/sys/sys.h"
#include "../../job/runtime.h"
#include "../../names/path-buffers.h"

enum { MOST = 256, NAME = 48 };

/* State of a slot: EMPTY; OPENING: a library is being opened, and may not be loaded yet; MISSING:
 * no mapping in /proc/self/maps was of the library, for example because dlopen failed; COUNTED: a
 * mapping was. A library counts only when /proc/self/maps has its inode. If the loader searches its
 * path for the library, the beginning of the file name must match ("libz.so.1" is mapped as
 * "libz.so.1.2.13"). */
enum library_state { EMPTY, OPENING, MISSING, COUNTED };
struct library_noted {
  uint64_t inode; /* 0: unknown, names are compared */
  char name[NAME];
  uint64_t found; /* the inode that was counted */
  int state;
};
SELDOM static struct library_noted libraries[MOST];
static unsigned taken; /* number of requested slots, including requests beyond the table's end */
static int is_pending; /* 1: a library is OPENING */

static int is_same(const struct library_noted *one, const struct library_noted *other) {
  return one->inode == other->inode && strcmp(one->name, other->name) == 0;
}

static int state_of(const struct library_noted *library) {
  return __atomic_load_n(&library->state, __ATOMIC_ACQUIRE);
}

static void set_state(struct library_noted *library, int state) {
  __atomic_store_n(&library->state, state, __ATOMIC_RELEASE);
}

static struct library_noted *place_of(const struct library_noted *wanted) {
  for (unsigned i = 0; i < MOST && state_of(&libraries[i]) != EMPTY; i++)
    if (is_same(&libraries[i], wanted)) return &libraries[i];
  if (__atomic_load_n(&taken, __ATOMIC_RELAXED) >= MOST) return NULL;
  unsigned place = __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
  if (place >= MOST) return NULL;
  libraries[place].inode = wanted->inode;
  memcpy(libraries[place].name, wanted->name, NAME);
  return &libraries[place];
}

void deepbind_note(const char *file, int flags) {
  struct library_noted wanted = {.inode = 0};
  struct stat st;
  if (!file || !file[0] || (flags & RTLD_NOLOAD)) return;
  const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
  if (slash && SYS4(SYS_newfstatat, AT_FDCWD, file, &st, 0) < 0) return;
  if (slash) wanted.inode = st.st_ino;
  memcpy(wanted.name, name, strnlen(name, NAME - 1));
  struct library_noted *library = place_of(&wanted);
  if (!library || state_of(library) == COUNTED) return;
  set_state(library, OPENING);
  __atomic_store_n(&is_pending, 1, __ATOMIC_RELEASE);
}

/* Returns 1 if the library was counted under another name, otherwise 0. */
static int is_counted(uint64_t inode) {
  for (unsigned i = 0; i < MOST && state_of(&libraries[i]) != EMPTY; i++)
    if (state_of(&libraries[i]) == COUNTED && libraries[i].found == inode) return 1;
  return 0;
}

/* Counts the library of a line of /proc/self/maps if it was noted and is not counted yet. line:
 * "from-to rwxp offset major:minor inode path", possibly truncated. */
static void take_mapping(const char *line) {
  enum { WORDS = 4 }; /* number of words before the inode */
  const char *slash = strrchr(line, '/'), *name = slash ? slash + 1 : "";
  uint64_t inode = 0;
  for (int words = 0; words < WORDS && *line; line++)
    words += *line == ' ';
  for (; *line >= '0' && *line <= '9'; line++)
    inode = 10 * inode + (uint64_t)(*line - '0');
  for (unsigned i = 0; inode && i < MOST && state_of(&libraries[i]) != EMPTY; i++) {
    struct library_noted *library = &libraries[i];
    if (state_of(library) != OPENING) continue;
    if (library->inode ? library->inode != inode
                       : strncmp(name, library->name, strlen(library->name)) != 0)
      continue;
    if (!is_counted(inode)) __atomic_add_fetch(&lost_state.by_deepbind, 1, __ATOMIC_RELAXED);
    library->found = inode;
    set_state(library, COUNTED);
  }
}

/* Passes each line of /proc/self/maps to take_mapping. bytes: a path buffer. If a line does not fit
 * into the buffer, only the end of the line is passed. */
static void read_mappings(int fd, char *bytes) {
  size_t kept = 0;
  for (ssize_t n; (n = sys_read(fd, bytes + kept, DARSHAN_PATH_ROOM - 1 - kept)) > 0;) {
    char *line = bytes;
    bytes[kept + (size_t)n] = '\0';
    for (char *end; (end = strchr(line, '\n')); line = end + 1) {
      *end = '\0';
      take_mapping(line);
    }
    kept = strlen(line);
    if (kept == DARSHAN_PATH_ROOM - 1) kept = 0;
    memmove(bytes, line, kept);
  }
}

void deepbind_look(void) {
  if (LIKELY(!__atomic_load_n(&is_pending, __ATOMIC_ACQUIRE)) || !fd_may_change()) return;
  __atomic_store_n(&is_pending, 0, __ATOMIC_RELAXED);
  struct path_buffer *buffer = path_buffer_take();
  int fd = buffer ? sys_open("/proc/self/maps", O_RDONLY, 0) : -1;
  if (fd >= 0) {
    read_mappings(fd, buffer->bytes);
    sys_close(fd);
  }
  path_buffer_give(buffer);
  for (unsigned i = 0; i < MOST && state_of(&libraries[i]) != EMPTY; i++)
    if (state_of(&libraries[i]) == OPENING) set_state(&libraries[i], MISSING);
}
