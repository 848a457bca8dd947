/* Cases for rename, unlink, link, mkdir and the working folder. */
#include "calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Creates a file with a POSIX record and closes it. */
static void known_file(const char *path) {
  int fd = C(open(path, O_CREAT | O_RDWR, 0644));
  CHECK(fd >= 0);
  model_open(path, 0644);
  CHECK(C(close(fd)) == 0);
  model_close(path);
}

/* Renames a file with a record, a file without a record, and a missing file. */
#define RENAME_CASE(name, call)                                                                    \
  CASE(name) {                                                                                     \
    const char *from = in_dir("from"), *to = in_dir("to");                                         \
    known_file(from);                                                                              \
    CHECK(C(call) == 0 && raw_size(to) == 0 && raw_size(from) == -1);                              \
    model_rename(from, to);                                                                        \
    from = in_dir("unknown"), to = in_dir("elsewhere");                                            \
    raw_file(from, 1);                                                                             \
    CHECK(C(call) == 0);                                                                           \
    model_rename(from, to);                                                                        \
    from = in_dir("missing");                                                                      \
    CHECK(C(call) == -1 && errno == ENOENT);                                                       \
    model_ext(from, "POSIX_EXT_FAILURES", 1);                                                      \
  }
RENAME_CASE(rename, rename(from, to))
RENAME_CASE(renameat, renameat(AT_FDCWD, from, AT_FDCWD, to))
RENAME_CASE(renameat2, renameat2(AT_FDCWD, from, AT_FDCWD, to, 0))

SCENARIO(rename_below_folders) {
  int dir = C(open(test_dir, O_RDONLY | O_DIRECTORY));
  model_open(test_dir, 0);
  known_file(in_dir("from"));
  CHECK(C(renameat(dir, "from", AT_FDCWD, "to")) == 0);
  model_rename(in_dir("from"), in_dir("to"));
}

/* A file that is renamed while it is open keeps the record of its old name. If two files are
 * renamed to the same name, the log has the first of them as its source. */
SCENARIO(rename_while_open) {
  const char *a = in_dir("a"), *b = in_dir("b"), *c = in_dir("c");
  int fd = C(open(a, O_CREAT | O_RDWR, 0644));
  model_open(a, 0644);
  CHECK(C(rename(a, b)) == 0);
  model_rename(a, b);
  CHECK(C(write(fd, buffer, 100)) == 100);
  model_write(a, 100, buffer);
  known_file(c);
  CHECK(C(rename(c, b)) == 0);
  model_rename(c, b);
}

SCENARIO(rename_exchange) {
  const char *a = in_dir("a"), *b = in_dir("b");
  known_file(a);
  known_file(b);
  CHECK(C(renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE)) == 0);
  model_rename(a, b);
  model_rename(b, a);
}

/* Removes a file with a record, a file without a record, and a missing file. */
#define UNLINK_CASE(name, call)                                                                    \
  CASE(name) {                                                                                     \
    const char *path = in_dir("known");                                                            \
    known_file(path);                                                                              \
    CHECK(C(call) == 0 && raw_size(path) == -1);                                                   \
    model_ext(path, "POSIX_EXT_UNLINKS", 1);                                                       \
    path = in_dir("unknown");                                                                      \
    raw_file(path, 1);                                                                             \
    CHECK(C(call) == 0 && raw_size(path) == -1);                                                   \
    model_ext(path, "POSIX_EXT_UNLINKS", 1);                                                       \
    CHECK(C(call) == -1 && errno == ENOENT);                                                       \
    model_ext(path, "POSIX_EXT_FAILURES", 1);                                                      \
  }
UNLINK_CASE(unlink, unlink(path))
UNLINK_CASE(unlinkat, unlinkat(AT_FDCWD, path, 0))

/* Removes a file, then an empty folder. */
CASE(remove) {
  const char *path = in_dir("known");
  known_file(path);
  CHECK(C(remove(path)) == 0 && raw_size(path) == -1);
  model_ext(path, "POSIX_EXT_UNLINKS", 1);
  path = in_dir("folder");
  CHECK(sys_mkdir(path, 0755) == 0);
  CHECK(C(remove(path)) == 0);
  model_ext(path, "POSIX_EXT_RMDIRS", 1);
  CHECK(C(remove(path)) == -1 && errno == ENOENT);
  model_ext(path, "POSIX_EXT_FAILURES", 1);
}

CASE(rmdir) {
  const char *path = in_dir("folder");
  CHECK(sys_mkdir(path, 0755) == 0);
  CHECK(C(rmdir(path)) == 0);
  model_ext(path, "POSIX_EXT_RMDIRS", 1);
  CHECK(C(rmdir(path)) == -1 && errno == ENOENT);
  model_ext(path, "POSIX_EXT_FAILURES", 1);
}

SCENARIO(unlinkat_folder) {
  const char *path = in_dir("folder");
  CHECK(sys_mkdir(path, 0755) == 0);
  CHECK(C(unlinkat(AT_FDCWD, "folder", AT_REMOVEDIR)) == 0);
  model_ext(path, "POSIX_EXT_RMDIRS", 1);
}

/* The name that a link is counted for, old or new, is unspecified. */
#define LINK_CASE(name, call)                                                                      \
  CASE(name) {                                                                                     \
    const char *from = in_dir("known"), *to = in_dir("link");                                      \
    known_file(from);                                                                              \
    CHECK(C(call) == 0 && raw_size(to) == 0);                                                      \
    expect_sum("POSIX_EXT_LINKS", 1);                                                              \
    CHECK(C(call) == -1 && errno == EEXIST);                                                       \
    model_ext(to, "POSIX_EXT_FAILURES", 1);                                                        \
  }
LINK_CASE(link, link(from, to))
LINK_CASE(linkat, linkat(AT_FDCWD, from, AT_FDCWD, to, 0))
LINK_CASE(symlink, symlink(from, to))
LINK_CASE(symlinkat, symlinkat(from, AT_FDCWD, to))

#define MKDIR_CASE(name, call)                                                                     \
  CASE(name) {                                                                                     \
    const char *path = in_dir("folder");                                                           \
    CHECK(C(call) == 0);                                                                           \
    model_ext(path, "POSIX_EXT_MKDIRS", 1);                                                        \
    CHECK(C(call) == -1 && errno == EEXIST);                                                       \
    model_ext(path, "POSIX_EXT_FAILURES", 1);                                                      \
  }
MKDIR_CASE(mkdir, mkdir(path, 0755))
MKDIR_CASE(mkdirat, mkdirat(AT_FDCWD, path, 0755))

CASE(mkdtemp) {
  char template[512];
  strcpy(template, in_dir("folder-XXXXXX"));
  CHECK(C(mkdtemp(template)) == template);
  model_ext(template, "POSIX_EXT_MKDIRS", 1);
  strcpy(template, in_dir("no-x"));
  CHECK(C(mkdtemp(template)) == NULL && errno == EINVAL);
}

/* Relative names are resolved in the current working folder. A name keeps its dot-dot, because the
 * meaning depends on symbolic links. */
#define CHDIR_CASE(name, call)                                                                     \
  CASE(name) {                                                                                     \
    const char *path = in_dir("folder");                                                           \
    CHECK(sys_mkdir(path, 0755) == 0);                                                             \
    CHECK(sys_mkdir(in_dir("folder/below"), 0755) == 0);                                           \
    int dir = raw_open(path, O_RDONLY | O_DIRECTORY);                                              \
    CHECK(C(open("before", O_CREAT | O_WRONLY, 0600)) >= 0);                                       \
    model_open(in_dir("before"), 0600);                                                            \
    CHECK(C(call) == 0);                                                                           \
    int fd = C(open("inside", O_CREAT | O_WRONLY, 0600));                                          \
    model_open(in_dir("folder/inside"), 0600);                                                     \
    CHECK(fd >= 0 && raw_size(in_dir("folder/inside")) == 0);                                      \
    fd = C(open("./below/..//../after", O_CREAT | O_WRONLY, 0600));                                \
    model_open(in_dir("folder/below/../../after"), 0600);                                          \
    CHECK(fd >= 0 && raw_size(in_dir("folder/below/../../after")) == 0);                           \
    path = in_dir("missing");                                                                      \
    sys_close(dir);                                                                                \
    CHECK(C(call) == -1);                                                                          \
    fd = C(open("still-inside", O_CREAT | O_WRONLY, 0600));                                        \
    model_open(in_dir("folder/still-inside"), 0600);                                               \
  }
CHDIR_CASE(chdir, chdir(path))
CHDIR_CASE(fchdir, fchdir(dir))

/* Recorded names are those below the new root. The case returns to the old root by direct system
 * calls, so that the log is written to its folder. */
CASE(chroot) {
  int root = raw_open("/", O_RDONLY | O_DIRECTORY);
  int fd = C(open("before", O_CREAT | O_WRONLY, 0600));
  CHECK(fd >= 0);
  model_open(in_dir("before"), 0600);
  CHECK(C(chroot(in_dir("missing"))) == -1);
  if (C(chroot(test_dir)) == -1) skip("only root can change the root");
  fd = C(open("relative", O_CREAT | O_WRONLY, 0600));
  CHECK(fd >= 0);
  CHECK(SYS1(SYS_fchdir, root) == 0 && SYS1(SYS_chroot, ".") == 0);
  CHECK(SYS1(SYS_chdir, test_dir) == 0);
  model_open("/relative", 0600);
}
