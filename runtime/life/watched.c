#include "watched.h"

#include <elf.h>
#include <libc-mark.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "../door/door.h"
#include "../intercept/sys.h"
#include "../job/run-state.h"
#include "../job/text.h"
#include "../names/path-buffers.h"

#define OUR_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)

/* The process that has asked for a lock.  A child has none of its parent's, nor has that of a
 * vfork, whose descriptors are its own. */
static pid_t has_locks;

void runtime_locks(void) {
  __atomic_store_n(&has_locks, sys_getpid(), __ATOMIC_RELAXED);
}

/* Has anybody a lock of fcntl on this file?  If it is this process, to close any descriptor
 * of the file would end it.  Only who has asked for one looks: to read the list takes 10 ms,
 * in which nobody on the machine gets a lock.  bytes: room to read in. */
static int is_locked(const struct stat *st, char *bytes) {
  pid_t asked = __atomic_load_n(&has_locks, __ATOMIC_RELAXED);
  if (!asked || asked != sys_getpid()) return 0;
  enum { NUMBER = 24, ROOM = DARSHAN_PATH_ROOM - 1 };
  char number[NUMBER];
  struct darshan_text text = darshan_text_in(number, NUMBER);
  darshan_text_bytes(&text, ":", 1);
  darshan_text_unsigned(&text, st->st_ino);
  darshan_text_bytes(&text, " ", 1);
  int fd = sys_open("/proc/locks", O_RDONLY, 0), found = 0;
  if (fd < 0) return 0;
  size_t kept = 0;
  for (ssize_t n; !found && (n = sys_read(fd, bytes + kept, ROOM - kept)) > 0;) {
    size_t end = kept + (size_t)n;
    bytes[end] = '\0';
    found = strstr(bytes, number) != NULL;
    kept = end < NUMBER ? end : NUMBER; /* a number may be cut */
    memmove(bytes, bytes + end - kept, kept);
  }
  sys_close(fd);
  return found;
}

/* The first bytes of a file, with a NUL behind; how many, 0: it cannot be looked at. */
static size_t first_bytes(const char *path, char *bytes) {
  int fd = sys_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
  if (fd < 0) return 0;
  ssize_t n = sys_pread(fd, bytes, DARSHAN_PATH_ROOM - 1, 0);
  sys_close(fd);
  if (n <= 0) return 0;
  bytes[n] = '\0';
  return (size_t)n;
}

/* The interpreter of a script, moved to the start of its bytes; 0: it is none. */
static int is_script(char *bytes, size_t n) {
  if (n < 3 || memcmp(bytes, "#!", 2) != 0) return 0;
  char *name = bytes + 2 + strspn(bytes + 2, " \t");
  name[strcspn(name, " \t\r\n")] = '\0';
  memmove(bytes, name, strlen(name) + 1);
  return 1;
}

/* Does the file name a loader, and that of our C library?  Without one it is linked statically. */
static int is_for_loader(const char *bytes, size_t n) {
  ElfW(Ehdr) head;
  ElfW(Phdr) row;
  memcpy(&head, bytes, sizeof(head));
  for (size_t i = 0; i < head.e_phnum; i++) {
    size_t at = head.e_phoff + i * sizeof(row);
    if (at > n || n - at < sizeof(row)) return 1;
    memcpy(&row, bytes + at, sizeof(row));
    if (row.p_type == PT_INTERP)
      return row.p_offset >= n || strstr(bytes + row.p_offset, LIBC_LOADER_NAME) != NULL;
  }
  return 0;
}

static int has_loader(const char *bytes, size_t n) {
  ElfW(Ehdr) head;
  ElfW(Phdr) row;
  memcpy(&head, bytes, sizeof(head));
  for (size_t i = 0; i < head.e_phnum; i++) {
    size_t at = head.e_phoff + i * sizeof(row);
    if (at > n || n - at < sizeof(row)) return 0;
    memcpy(&row, bytes + at, sizeof(row));
    if (row.p_type == PT_INTERP) return 1;
  }
  return 0;
}

/* A program of Go has the note of its build id among its notes. */
static int is_go(const char *bytes, size_t n) {
  ElfW(Ehdr) head;
  ElfW(Phdr) row;
  ElfW(Nhdr) note;
  static const char go[4] = "Go";
  memcpy(&head, bytes, sizeof(head));
  for (size_t i = 0; i < head.e_phnum; i++) {
    size_t at = head.e_phoff + i * sizeof(row);
    if (at > n || n - at < sizeof(row)) return 0;
    memcpy(&row, bytes + at, sizeof(row));
    if (row.p_type != PT_NOTE || row.p_offset >= n) continue;
    size_t end = row.p_filesz < n - row.p_offset ? row.p_offset + row.p_filesz : n;
    for (at = row.p_offset; end - at > sizeof(note) + sizeof(go);) {
      memcpy(&note, bytes + at, sizeof(note));
      at += sizeof(note);
      if (note.n_namesz == sizeof(go) && memcmp(bytes + at, go, sizeof(go)) == 0) return 1;
      size_t room = ((size_t)note.n_namesz + 3) / 4 * 4 + ((size_t)note.n_descsz + 3) / 4 * 4;
      if (room > end - at) break;
      at += room;
    }
  }
  return 0;
}

static enum run_unwatched look(const char *path, char *bytes, char *room) {
  struct stat st;
  if (SYS4(SYS_newfstatat, AT_FDCWD, path, &st, 0) < 0 || is_locked(&st, room)) return RUN_WATCHED;
  size_t n = first_bytes(path, bytes);
  if (is_script(bytes, n)) {
    if (SYS4(SYS_newfstatat, AT_FDCWD, bytes, &st, 0) < 0 || is_locked(&st, room))
      return RUN_WATCHED;
    n = first_bytes(bytes, bytes);
  }
  if (st.st_mode & (S_ISUID | S_ISGID)) return RUN_RIGHTS;
  if (n < sizeof(ElfW(Ehdr)) || memcmp(bytes, ELFMAG, SELFMAG) != 0) return RUN_WATCHED;
  if (bytes[EI_CLASS] != OUR_CLASS) return RUN_OTHER_LIBC;
  if (!is_for_loader(bytes, n)) return has_loader(bytes, n) ? RUN_OTHER_LIBC : RUN_STATIC;
  return is_go(bytes, n) ? RUN_GO : RUN_WATCHED;
}

enum run_unwatched file_unwatched(const char *path) {
  struct path_buffer *bytes = path_buffer_take(), *room = path_buffer_take();
  enum run_unwatched why = bytes && room ? look(path, bytes->bytes, room->bytes) : RUN_WATCHED;
  path_buffer_give(room);
  path_buffer_give(bytes);
  return why;
}

static int populate(const void *address) {
  enum { POPULATE_READ = 22 };
  uintptr_t size = getauxval(AT_PAGESZ);
  return sys_madvise((void *)((uintptr_t)address & ~(size - 1)), size, POPULATE_READ);
}

/* May memory of the program be read here?  The kernel answers an exec with EFAULT where not.
 * A page that may not be read is not allowed (EINVAL), and so is the question itself before
 * Linux 5.14, even about a page that can: then it is taken for yes. */
static int is_there(const void *address, uintptr_t *known) {
  enum { NO_MEMORY = -12, BAD_ADDRESS = -14, NOT_ALLOWED = -22 };
  uintptr_t page = (uintptr_t)address & ~(uintptr_t)(getauxval(AT_PAGESZ) - 1);
  if (page == *known) return 1;
  int answer = populate(address);
  if (answer == NO_MEMORY || answer == BAD_ADDRESS) return 0;
  if (answer == NOT_ALLOWED && populate(known) == 0) return 0;
  *known = page;
  return 1;
}

int environment_is_watched(char *const *envp) {
  static const char preload[] = "LD_PRELOAD=", run[] = "DARSHAN_ENABLE_NONMPI=";
  int by_preload = 0, knows_run = 0;
  uintptr_t list = 1, string = 1; /* no page */
  for (; envp; envp++) {
    if (!is_there(envp, &list)) return 0;
    if (!*envp) break;
    if (!is_there(*envp, &string)) return 0;
    if (strncmp(*envp, preload, sizeof(preload) - 1) == 0)
      by_preload = strstr(*envp, "libdarshan") != NULL;
    else if (strncmp(*envp, run, sizeof(run) - 1) == 0)
      knows_run = run_is_found_by(*envp + sizeof(run) - 1);
  }
  return knows_run && (by_preload || sys_faccess("/etc/ld.so.preload", F_OK) == 0);
}
