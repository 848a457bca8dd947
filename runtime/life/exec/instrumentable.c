/* Predicts whether a program will be instrumented, by its ELF headers or its script's
 * interpreter. */
#include "unwatched.h"

#include <elf.h>
#include <libc-loader.h>
#include <link.h>
#include <string.h>

#include "../../door/door.h"
#include "../../intercept/sys/sys.h"
#include "../../job/text/text.h"
#include "../../names/path-buffers.h"

#define OUR_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)
#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#endif

/* The pid of the process that requested an fcntl lock. Children do not inherit these locks, not
 * even a vfork child, which has its own descriptors. */
static pid_t has_locks;

void runtime_locks(void) {
  __atomic_store_n(&has_locks, sys_getpid(), __ATOMIC_RELAXED);
}

/* Returns 1 if this process has ever requested an fcntl lock, and any process has one on a file of
 * this inode: closing any descriptor of the file would release the lock of this process. Otherwise
 * returns 0. Only a process that requested a lock reads /proc/locks, because this takes 10 ms, and
 * meanwhile no process on the machine gets a lock. bytes: a path buffer. */
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
    kept = end < NUMBER ? end : NUMBER; /* the buffer's end may split a number */
    memmove(bytes, bytes + end - kept, kept);
  }
  sys_close(fd);
  return found;
}

/* Reads bytes of a file at an offset into a path buffer, as many as fit, and terminates them by
 * NUL. Returns their number; 0 if the file cannot be read. */
static size_t bytes_at(const char *path, uint64_t at, char *bytes) {
  int fd = sys_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
  if (fd < 0) return 0;
  ssize_t n = sys_pread(fd, bytes, DARSHAN_PATH_ROOM - 1, (off_t)at);
  sys_close(fd);
  if (n <= 0) return 0;
  bytes[n] = '\0';
  return (size_t)n;
}

/* Stores the interpreter of a script in name (a path buffer) and returns 1; returns 0 if the n
 * bytes do not begin a script. A NUL follows the bytes. */
static int is_script(const char *bytes, size_t n, char *name) {
  if (n < 3 || memcmp(bytes, "#!", 2) != 0) return 0;
  bytes += 2 + strspn(bytes + 2, " \t");
  size_t length = strcspn(bytes, " \t\r\n");
  memcpy(name, bytes, length);
  name[length] = '\0';
  return 1;
}

/* A program header, read from a 32-bit or 64-bit file. */
struct part {
  uint32_t type;
  uint64_t offset, size;
};
#define TAKE_PART(bits)                                                                            \
  do {                                                                                             \
    Elf##bits##_Ehdr head;                                                                         \
    Elf##bits##_Phdr row;                                                                          \
    memcpy(&head, bytes, sizeof(head));                                                            \
    uint64_t at = head.e_phoff + (uint64_t)i * sizeof(row);                                        \
    if (i >= head.e_phnum) return 0;                                                               \
    if (at > n || n - at < sizeof(row)) return -1;                                                 \
    memcpy(&row, bytes + at, sizeof(row));                                                         \
    *part = (struct part){row.p_type, row.p_offset, row.p_filesz};                                 \
  } while (0)

/* Reads the i-th program header from the first n bytes of an ELF file. Returns 1; 0 if there is no
 * such header; -1 if it is beyond the n bytes. */
static int take_part(struct part *part, const char *bytes, size_t n, unsigned i) {
  if (bytes[EI_CLASS] == ELFCLASS32)
    TAKE_PART(32);
  else
    TAKE_PART(64);
  return 1;
}

/* Returns 1 if the ELF notes include a Go build id, otherwise 0. */
static int is_go(const char *bytes, size_t n) {
  struct part part;
  ElfW(Nhdr) note;
  static const char go[4] = "Go";
  for (unsigned i = 0; take_part(&part, bytes, n, i) > 0; i++) {
    if (part.type != PT_NOTE || part.offset >= n) continue;
    size_t end = part.size < n - part.offset ? part.offset + part.size : n;
    for (size_t at = part.offset; end - at > sizeof(note) + sizeof(go);) {
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

/* Returns 1 if this loader belongs to the runtime's C library, judged by its name or link target.
 * Otherwise returns 0. */
static int is_our_loader(const char *name) {
  enum { LINK_ROOM = 256 };
  char target[LINK_ROOM];
  if (strstr(name, LIBC_LOADER_NAME)) return 1;
  long n = SYS4(SYS_readlinkat, AT_FDCWD, name, target, sizeof(target) - 1);
  target[n > 0 ? n : 0] = '\0';
  return strstr(target, &LIBC_LOADER_NAME[1]) != NULL;
}

/* Predicts whether the program of an ELF file will be instrumented, by the file's first n bytes.
 * Returns the prediction. A file without PT_INTERP is linked statically. */
static struct file_look look_at_program(const char *path, char *bytes, size_t n) {
  struct file_look look = {RUN_OTHER_LIBC, 0};
  struct part part = {.type = PT_NULL};
  Elf32_Ehdr head; /* the 64-bit header has the same first members */
  memcpy(&head, bytes, sizeof(head));
  int fits = bytes[EI_CLASS] == OUR_CLASS && head.e_machine == OUR_MACHINE, found = 1;
  enum run_unwatched why = fits && is_go(bytes, n) ? RUN_GO : RUN_WATCHED;
  for (unsigned i = 0; found > 0 && part.type != PT_INTERP; i++)
    found = take_part(&part, bytes, n, i);
  if (found > 0) {
    if (part.offset >= n && bytes_at(path, part.offset, bytes) > 0) part.offset = 0;
    look.refuses = !fits || (part.offset < n && !is_our_loader(bytes + part.offset));
    if (!look.refuses) look.why = why;
  } else if (fits) {
    look.why = found == 0 ? RUN_STATIC : why;
  }
  return look;
}

/* Predicts whether a program will be instrumented, by its file or, for a script, by the file of its
 * interpreter. Assumes that it will if the file is locked (is_locked) or cannot be read. bytes,
 * name: path buffers. */
static struct file_look look_at(const char *path, char *bytes, char *name) {
  enum { MOST_SCRIPTS = 5 }; /* the kernel's limit */
  struct file_look look = {RUN_WATCHED, 0};
  struct stat st;
  size_t n;
  for (int depth = 0;; depth++) {
    if (SYS4(SYS_newfstatat, AT_FDCWD, path, &st, 0) < 0 || is_locked(&st, bytes)) return look;
    n = bytes_at(path, 0, bytes);
    if (depth == MOST_SCRIPTS || !is_script(bytes, n, name)) break;
    path = name;
  }
  if (st.st_mode & (S_ISUID | S_ISGID))
    look.why = RUN_RIGHTS;
  else if (n >= sizeof(ElfW(Ehdr)) && memcmp(bytes, ELFMAG, SELFMAG) == 0)
    look = look_at_program(path, bytes, n);
  return look;
}

struct file_look file_look(const char *path) {
  struct path_buffer *bytes = path_buffer_take(), *name = path_buffer_take();
  struct file_look look = {RUN_WATCHED, 0};
  if (bytes && name) look = look_at(path, bytes->bytes, name->bytes);
  path_buffer_give(name);
  path_buffer_give(bytes);
  return look;
}
