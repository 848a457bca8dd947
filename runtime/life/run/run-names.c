/* Names of inherited files, stored as symbolic links in the run directory (run.h). */
#include "run.h"

#include <string.h>

#include "../../job/run-state.h"
#include "../../job/runtime.h"
#include "../../job/text/text.h"
#include "../../names/descriptors.h"
#include "../../names/path-buffers.h"
#include "../../records/after-chroot.h"
#include "record-id.h"

enum { THE_RUN = 0, EXISTS = -17 /* EEXIST */ };

/* Returns a hash of the kernel's name, device and inode of a file: only the same file has all
 * three. */
static uint64_t key_of(const char *name, size_t length, const struct fd_facts *facts) {
  uint64_t device = (uint64_t)facts->device[0] << 32 | facts->device[1];
  return darshan_hash(name, length, facts->inode ^ device * UINT64_C(0x9E3779B97F4A7C15));
}

/* Writes the path of the link that stores the name of this key for the run (of is THE_RUN) or for
 * process `of`. out: DARSHAN_PATH_ROOM bytes. */
static void put_path(char *out, uint64_t key, pid_t of) {
  struct darshan_text text = darshan_text_in(out, DARSHAN_PATH_ROOM);
  darshan_text_add(&text, run_state.folder);
  darshan_text_add(&text, "/" RUN_NAME);
  darshan_text_unsigned(&text, key);
  if (of == THE_RUN) return;
  darshan_text_add(&text, ".");
  darshan_text_signed(&text, of);
}

/* Reads the name that is stored for a key and returns its length, or 0 if there is none. One buffer
 * holds path and result, because the kernel copies the path before it writes the result. */
static size_t said(char *out, uint64_t key, pid_t of) {
  put_path(out, key, of);
  ssize_t n = sys_readlink(out, out, DARSHAN_PATH_ROOM - 1);
  if (n <= 0 || n > DARSHAN_NAME_MAX || out[0] != '/') return 0;
  out[n] = '\0';
  return (size_t)n;
}

static int is_possible(void) {
  return run_state.joined && !outside_is_active() && !sys_gate_is_shut();
}

static size_t ask(char *out, uint64_t key) {
  if (said(out, key, THE_RUN) == 0) return 0;
  size_t length = said(out, key, sys_getpid());
  if (length == 0) length = said(out, key, (pid_t)SYS1(SYS_getppid, 0));
  return length ? length : said(out, key, THE_RUN);
}

size_t run_name_heard(char *name, size_t length, const struct fd_facts *facts) {
  struct path_buffer *buffer = is_possible() ? path_buffer_take() : NULL;
  if (!buffer) return length;
  size_t heard = ask(buffer->bytes, key_of(name, length, facts));
  if (heard) memcpy(name, buffer->bytes, heard + 1);
  path_buffer_give(buffer);
  return heard ? heard : length;
}

static int is_name(const char *text, size_t n, const char *name, size_t length) {
  return n == length && memcmp(text, name, n) == 0;
}

static long link_name(char *path, uint64_t key, pid_t of, const char *name) {
  put_path(path, key, of);
  return SYS3(SYS_symlinkat, name, AT_FDCWD, path);
}

/* Stores the name of a file. If the run has no name for the file, this name becomes the run's name,
 * unless it is the kernel's name. Otherwise, if it differs from the run's name, it is stored for
 * this process and its children. buffer: has the kernel's name (n bytes) at first, later the run's
 * name and paths. */
static void tell(char *buffer, const struct fd_facts *facts, const char *name, size_t length,
                 size_t n) {
  pid_t self = sys_getpid(); /* in a vfork child this is the child's pid, not process_state.pid */
  uint64_t key = key_of(buffer, n, facts);
  int is_the_systems = is_name(buffer, n, name, length);
  size_t heard = said(buffer, key, THE_RUN);
  if (heard == 0) {
    if (is_the_systems || link_name(buffer, key, THE_RUN, name) != EXISTS) return;
    heard = said(buffer, key, THE_RUN);
  }
  int is_the_runs = is_name(buffer, heard, name, length);
  put_path(buffer, key, self);
  sys_unlink(buffer); /* a link of an earlier process with this pid */
  if (!is_the_runs) link_name(buffer, key, self, name);
}

/* Returns 1 if /proc belongs to this process's PID namespace, 0 if its pids are those of another
 * namespace or it cannot be read. */
static int is_known_by_number(void) {
  char number[24], link[24];
  struct darshan_text text = darshan_text_in(number, sizeof(number));
  darshan_text_signed(&text, sys_getpid());
  ssize_t n = sys_readlink("/proc/self", link, sizeof(link));
  return n > 0 && (size_t)n == text.length && memcmp(link, number, (size_t)n) == 0;
}

/* Stores the name of an open file in the run directory, if it is a regular file. A vfork child may
 * have changed its descriptors, which the tables do not show because they describe those of the
 * parent. So the child reads the parent's descriptors in /proc. */
void run_name_tell(int fd, const char *name, size_t length) {
  struct fd_facts facts;
  pid_t owner = fd_may_change() ? 0 : process_state.pid;
  int may_ask = is_possible() && (owner == 0 || is_known_by_number());
  struct path_buffer *buffer = may_ask ? path_buffer_take() : NULL;
  if (!buffer) return;
  if (fd_look_in(owner, fd, &facts) == 0 && facts.is_regular) {
    size_t n = fd_file_name(buffer->bytes, DARSHAN_PATH_ROOM, owner, fd, &facts);
    if (n) tell(buffer->bytes, &facts, name, length, n);
  }
  path_buffer_give(buffer);
}
