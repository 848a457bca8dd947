/* Predicts whether an exec succeeds, and has the wrappers of execl, execlp and execle. */
#include "exec.h"

#include <alloca.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "../../intercept/sys/sys.h"
#include "../../intercept/wrap.h"
#include "../../job/run-state.h"
#include "../../job/text/text.h"
#include "../../names/path-buffers.h"
#include "unwatched.h"

enum { NOT_THERE = -2, BAD_ADDRESS = -14, NOT_A_FOLDER = -20, TOO_LONG = -36, LOOPS = -40 };

/* Returns 1 if this result of faccessat means that an exec of the path fails, otherwise 0. With
 * BAD_ADDRESS, the path is not mapped and must not be read. Other errors do not predict the result
 * of exec, which uses the rights of the effective user and may find another file; may_work checks
 * whether any user may execute the file. */
static int is_absent(long result) {
  return result == NOT_THERE || result == BAD_ADDRESS || result == NOT_A_FOLDER ||
         result == TOO_LONG || result == LOOPS;
}

/* file_look.refuses (1: the loader refuses this library) of the program that this thread is about
 * to start. */
static __thread int it_refuses;

static void forget(void) {
  it_refuses = 0;
  unwatched_note("", RUN_WATCHED);
}

/* Returns EXEC_WATCHED or EXEC_UNWATCHED for the program that an exec will start; EXEC_WATCHED if
 * this process belongs to no run. Remembers, for the run's event file, why the program will leave
 * no records. name: the file's name in that row; it differs from path if path is below
 * /proc/self/fd. */
static enum exec_kind kind_of(const char *path, const char *name) {
  struct file_look look = file_look(path);
  it_refuses = look.refuses;
  if (!run_state.folder[0]) return EXEC_WATCHED;
  unwatched_note(name, look.why);
  return look.why == RUN_WATCHED || look.why == RUN_GO ? EXEC_WATCHED : EXEC_UNWATCHED;
}

char *const *exec_environment(char *const *envp) {
  return it_refuses ? environment_without_us(envp) : envp;
}

static int may_work(const char *path) {
  struct stat st;
  if (!sys_may(SYS_faccessat)) return instead_of_access_to_run(path);
  if (is_absent(sys_faccess(path, X_OK))) return 0;
  if (SYS4(SYS_newfstatat, AT_FDCWD, path, &st, 0) < 0) return 1;
  return S_ISREG(st.st_mode) && (st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH));
}

enum exec_kind exec_may_work(const char *path) {
  return may_work(path) ? kind_of(path, path) : EXEC_FAILS;
}

/* Returns the current PATH, or "/bin:/usr/bin" if it is not set.  Does not call getenv, because
 * this may run in a child of fork. */
static const char *search_path(void) {
  for (char **e = __environ; e && *e; e++)
    if (strncmp(*e, "PATH=", 5) == 0) return *e + 5;
  return "/bin:/usr/bin";
}

/* Searches the folders of PATH for the file. Returns 1 and stores the path in candidate (a path
 * buffer) if a folder has it, else 0. */
static int is_in_folders(char *candidate, const char *file) {
  size_t length = strlen(file);
  const char *folder = search_path();
  for (;;) {
    size_t n = strcspn(folder, ":");
    if (n + length + 2 <= DARSHAN_PATH_ROOM) {
      memcpy(candidate, folder, n);
      if (n) candidate[n++] = '/';
      memcpy(candidate + n, file, length + 1);
      if (may_work(candidate)) return 1;
    }
    folder += strcspn(folder, ":");
    if (*folder++ == '\0') return 0;
  }
}

enum exec_kind exec_in_path(const char *file) {
  if (strchr(file, '/')) return exec_may_work(file);
  struct path_buffer *candidate = path_buffer_take();
  int found = candidate && is_in_folders(candidate->bytes, file);
  enum exec_kind kind = found ? kind_of(candidate->bytes, candidate->bytes) : EXEC_FAILS;
  path_buffer_give(candidate);
  return kind;
}

/* Writes the name in /proc of a descriptor, or of a path below it. Returns 0, or -1 if the name is
 * longer than a path buffer. */
static int name_at(char *out, int dirfd, const char *below) {
  struct darshan_text text = darshan_text_in(out, DARSHAN_PATH_ROOM);
  darshan_text_add(&text, "/proc/self/fd/");
  darshan_text_signed(&text, dirfd);
  if (below[0]) darshan_text_add(&text, "/");
  darshan_text_add(&text, below);
  return darshan_text_length(&text) ? 0 : -1;
}

static enum exec_kind kind_at(int dirfd, const char *below, char *path, char *target) {
  if (name_at(path, dirfd, below) < 0) return EXEC_WATCHED;
  long n = SYS4(SYS_readlinkat, AT_FDCWD, path, target, DARSHAN_PATH_ROOM - 1);
  target[n > 0 ? n : 0] = '\0';
  return kind_of(path, n > 0 ? target : path);
}

enum exec_kind exec_at(int dirfd, const char *path, int flags) {
  forget();
  if (SYS3(SYS_faccessat, dirfd, path, F_OK) == BAD_ADDRESS) return EXEC_FAILS;
  if (dirfd == AT_FDCWD || path[0] == '/') return kind_of(path, path);
  if (!path[0] && !(flags & AT_EMPTY_PATH)) return EXEC_FAILS;
  struct path_buffer *name = path_buffer_take(), *target = path_buffer_take();
  enum exec_kind kind = EXEC_WATCHED;
  if (name && target) kind = kind_at(dirfd, path, name->bytes, target->bytes);
  path_buffer_give(target);
  path_buffer_give(name);
  return kind;
}

/* The wrapper of execl calls the wrapper of execv, with its arguments in an array; execlp calls
 * execvp, and execle calls execve. */
int wrap_execv(const char *path, char *const *argv) __asm__(SYMBOL(execv));
int wrap_execvp(const char *file, char *const *argv) __asm__(SYMBOL(execvp));
int wrap_execve(const char *path, char *const *argv, char *const *envp) __asm__(SYMBOL(execve));

#define COLLECT(first)                                                                             \
  va_list list;                                                                                    \
  size_t n = first ? 1 : 0;                                                                        \
  va_start(list, first);                                                                           \
  while (first && va_arg(list, char *))                                                            \
    n++;                                                                                           \
  va_end(list);                                                                                    \
  char **argv = alloca((n + 1) * sizeof(char *));                                                  \
  argv[0] = (char *)first;                                                                         \
  va_start(list, first);                                                                           \
  for (size_t i = 1; i <= n; i++)                                                                  \
  argv[i] = va_arg(list, char *)

EXPORT int wrap_execl(const char *path, const char *first, ...) __asm__(SYMBOL(execl));
int wrap_execl(const char *path, const char *first, ...) {
  COLLECT(first);
  va_end(list);
  return wrap_execv(path, argv);
}

EXPORT int wrap_execlp(const char *file, const char *first, ...) __asm__(SYMBOL(execlp));
int wrap_execlp(const char *file, const char *first, ...) {
  COLLECT(first);
  va_end(list);
  return wrap_execvp(file, argv);
}

EXPORT int wrap_execle(const char *path, const char *first, ...) __asm__(SYMBOL(execle));
int wrap_execle(const char *path, const char *first, ...) {
  COLLECT(first);
  char *const *envp = va_arg(list, char *const *);
  va_end(list);
  return wrap_execve(path, argv, envp);
}
