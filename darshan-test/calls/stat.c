/* stat, lstat, fstat, fstatat, statx, their old entry points, and access.
 * Only regular files count as POSIX_STATS. */
#include "calls.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

OPTIONAL_SYMBOL extern int __xstat(int, const char *, struct stat *);
OPTIONAL_SYMBOL extern int __xstat64(int, const char *, struct stat64 *);
OPTIONAL_SYMBOL extern int __lxstat(int, const char *, struct stat *);
OPTIONAL_SYMBOL extern int __lxstat64(int, const char *, struct stat64 *);
OPTIONAL_SYMBOL extern int __fxstat(int, int, struct stat *);
OPTIONAL_SYMBOL extern int __fxstat64(int, int, struct stat64 *);
OPTIONAL_SYMBOL extern int __fxstatat(int, int, const char *, struct stat *, int);
OPTIONAL_SYMBOL extern int __fxstatat64(int, int, const char *, struct stat64 *, int);

#if defined(__x86_64__)
enum { STAT_VERSION = 1 };
#else
enum { STAT_VERSION = 0 };
#endif

/* path is a file, a link to it, a folder and a missing name, one after another. through_link: the
 * call follows the link. */
#define STAT_CASE(name, through_link, call)                                                        \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    struct stat st;                                                                                \
    const char *path = in_dir("file"), *link = in_dir("link");                                     \
    raw_file(path, 1234);                                                                          \
    CHECK(SYS3(SYS_symlinkat, "file", AT_FDCWD, link) == 0);                                       \
    CHECK(C(call) == 0 && st.st_size == 1234);                                                     \
    model_stat(path);                                                                              \
    CHECK(C(call) == 0);                                                                           \
    model_stat(path);                                                                              \
    path = link;                                                                                   \
    CHECK(C(call) == 0);                                                                           \
    if (through_link) model_stat(link);                                                            \
    path = test_dir;                                                                               \
    CHECK(C(call) == 0);                                                                           \
    model_ext(path, "POSIX_EXT_FOLDER_STATS", 1);                                                  \
    path = in_dir("missing");                                                                      \
    CHECK(C(call) == -1 && errno == ENOENT);                                                       \
    model_miss(path);                                                                              \
  }

STAT_CASE(stat, true, stat(path, &st))
STAT_CASE(stat64, true, stat64(path, (struct stat64 *)&st))
STAT_CASE(lstat, false, lstat(path, &st))
STAT_CASE(lstat64, false, lstat64(path, (struct stat64 *)&st))
STAT_CASE(__xstat, true, __xstat(STAT_VERSION, path, &st))
STAT_CASE(__xstat64, true, __xstat64(STAT_VERSION, path, (struct stat64 *)&st))
STAT_CASE(__lxstat, false, __lxstat(STAT_VERSION, path, &st))
STAT_CASE(__lxstat64, false, __lxstat64(STAT_VERSION, path, (struct stat64 *)&st))

/* fd is an open file, a closed descriptor and an open folder, one after another. */
#define FSTAT_CASE(name, call)                                                                     \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    struct stat st;                                                                                \
    const char *path = in_dir("file");                                                             \
    raw_file(path, 1234);                                                                          \
    int fd = C(open(path, O_RDONLY));                                                              \
    model_open(path, 0);                                                                           \
    CHECK(C(call) == 0 && st.st_size == 1234);                                                     \
    model_stat(path);                                                                              \
    CHECK(C(close(fd)) == 0);                                                                      \
    model_close(path);                                                                             \
    CHECK(C(call) == -1 && errno == EBADF);                                                        \
    fd = raw_open(test_dir, O_RDONLY | O_DIRECTORY);                                               \
    CHECK(C(call) == 0);                                                                           \
  }

FSTAT_CASE(fstat, fstat(fd, &st))
FSTAT_CASE(fstat64, fstat64(fd, (struct stat64 *)&st))
FSTAT_CASE(__fxstat, __fxstat(STAT_VERSION, fd, &st))
FSTAT_CASE(__fxstat64, __fxstat64(STAT_VERSION, fd, (struct stat64 *)&st))

/* Names relative to folders; AT_EMPTY_PATH queries the descriptor. */
#define STATAT_CASE(name, size, call)                                                              \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    struct stat st;                                                                                \
    struct statx stx;                                                                              \
    (void)st, (void)stx;                                                                           \
    const char *path = "file", *full = in_dir("file");                                             \
    raw_file(full, 1234);                                                                          \
    CHECK(SYS3(SYS_symlinkat, "file", AT_FDCWD, in_dir("link")) == 0);                             \
    int at = AT_FDCWD, flags = 0;                                                                  \
    CHECK(C(call) == 0 && (size) == 1234);                                                         \
    model_stat(full);                                                                              \
    at = C(open(test_dir, O_RDONLY | O_DIRECTORY));                                                \
    model_open(test_dir, 0);                                                                       \
    CHECK(C(call) == 0);                                                                           \
    model_stat(full);                                                                              \
    path = "link", flags = AT_SYMLINK_NOFOLLOW;                                                    \
    CHECK(C(call) == 0);                                                                           \
    flags = 0;                                                                                     \
    CHECK(C(call) == 0);                                                                           \
    model_stat(in_dir("link"));                                                                    \
    path = "missing";                                                                              \
    CHECK(C(call) == -1 && errno == ENOENT);                                                       \
    model_miss(in_dir("missing"));                                                                 \
    at = C(open(full, O_RDONLY));                                                                  \
    model_open(full, 0);                                                                           \
    path = "", flags = AT_EMPTY_PATH;                                                              \
    CHECK(C(call) == 0 && (size) == 1234);                                                         \
    model_stat(full);                                                                              \
  }

STATAT_CASE(fstatat, st.st_size, fstatat(at, path, &st, flags))
STATAT_CASE(fstatat64, st.st_size, fstatat64(at, path, (struct stat64 *)&st, flags))
STATAT_CASE(__fxstatat, st.st_size, __fxstatat(STAT_VERSION, at, path, &st, flags))
STATAT_CASE(__fxstatat64, st.st_size,
            __fxstatat64(STAT_VERSION, at, path, (struct stat64 *)&st, flags))
STATAT_CASE(statx, stx.stx_size, statx(at, path, flags, STATX_BASIC_STATS, &stx))

OPTIONAL_SYMBOL extern int eaccess(const char *, int);

#define ACCESS_CASE(name, call)                                                                    \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("known");                                                            \
    int fd = C(open(path, O_CREAT | O_RDWR, 0644));                                                \
    CHECK(fd >= 0);                                                                                \
    model_open(path, 0644);                                                                        \
    CHECK(C(call) == 0);                                                                           \
    model_ext(path, "POSIX_EXT_ACCESSES", 1);                                                      \
    path = in_dir("unknown");                                                                      \
    raw_file(path, 1);                                                                             \
    CHECK(C(call) == 0);                                                                           \
    model_ext(path, "POSIX_EXT_ACCESSES", 1);                                                      \
    path = in_dir("missing");                                                                      \
    CHECK(C(call) == -1 && errno == ENOENT);                                                       \
    model_ext(path, "POSIX_EXT_ACCESSES", 1);                                                      \
    model_miss(path);                                                                              \
  }
ACCESS_CASE(access, access(path, R_OK))
ACCESS_CASE(faccessat, faccessat(AT_FDCWD, path, R_OK, 0))
ACCESS_CASE(eaccess, eaccess(path, R_OK))
ACCESS_CASE(euidaccess, euidaccess(path, R_OK))

static const char *volatile null; /* the compiler does not see that it is NULL */

/* Resolves a link, a file that is no link, and a missing name. */
#define READLINK_CASE(name, call)                                                                  \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    char text[64];                                                                                 \
    const char *path = in_dir("link");                                                             \
    CHECK(SYS3(SYS_symlinkat, "file", AT_FDCWD, path) == 0);                                       \
    CHECK(C(call) == 4 && memcmp(text, "file", 4) == 0);                                           \
    model_ext(path, "POSIX_EXT_RESOLVES", 1);                                                      \
    path = in_dir("file");                                                                         \
    raw_file(path, 1);                                                                             \
    CHECK(C(call) == -1 && errno == EINVAL);                                                       \
    model_ext(path, "POSIX_EXT_RESOLVES", 1);                                                      \
    path = in_dir("missing");                                                                      \
    CHECK(C(call) == -1 && errno == ENOENT);                                                       \
    model_miss(path);                                                                              \
    path = null;                                                                                   \
    CHECK(C(call) == -1 && errno == EFAULT);                                                       \
  }
OPTIONAL_SYMBOL extern ssize_t __readlink_chk(const char *, char *, size_t, size_t);
OPTIONAL_SYMBOL extern ssize_t __readlinkat_chk(int, const char *, char *, size_t, size_t);
READLINK_CASE(readlink, readlink(path, text, sizeof(text)))
READLINK_CASE(readlinkat, readlinkat(AT_FDCWD, path, text, sizeof(text)))
READLINK_CASE(__readlink_chk, __readlink_chk(path, text, sizeof(text), sizeof(text)))
READLINK_CASE(__readlinkat_chk, __readlinkat_chk(AT_FDCWD, path, text, sizeof(text), sizeof(text)))

#define REALPATH_CASE(name, call)                                                                  \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    char text[PATH_MAX];                                                                           \
    (void)text;                                                                                    \
    const char *path = in_dir("link");                                                             \
    raw_file(in_dir("file"), 1);                                                                   \
    CHECK(SYS3(SYS_symlinkat, "file", AT_FDCWD, path) == 0);                                       \
    char *found = C(call);                                                                         \
    CHECK(found &&strcmp(strrchr(found, '/'), "/file") == 0);                                      \
    if (found != text) free(found);                                                                \
    model_ext(path, "POSIX_EXT_RESOLVES", 1);                                                      \
    path = in_dir("missing");                                                                      \
    CHECK(C(call) == NULL && errno == ENOENT);                                                     \
    model_miss(path);                                                                              \
    path = null;                                                                                   \
    CHECK(C(call) == NULL && errno == EINVAL);                                                     \
  }
OPTIONAL_SYMBOL extern char *__realpath_chk(const char *, char *, size_t);
OPTIONAL_SYMBOL extern char *canonicalize_file_name(const char *);
REALPATH_CASE(realpath, realpath(path, text))
REALPATH_CASE(__realpath_chk, __realpath_chk(path, text, sizeof(text)))
REALPATH_CASE(canonicalize_file_name, canonicalize_file_name(path))

/* Queries of a folder count in the record of other paths; those of system folders do not. */
SCENARIO(stat_of_folders) {
  struct stat st;
  const char *path = in_dir("folder");
  CHECK(sys_mkdir(path, 0755) == 0);
  CHECK(C(stat(path, &st)) == 0 && S_ISDIR(st.st_mode));
  CHECK(C(lstat(path, &st)) == 0 && S_ISDIR(st.st_mode));
  CHECK(C(fstatat(AT_FDCWD, "folder", &st, 0)) == 0 && S_ISDIR(st.st_mode));
  model_ext(path, "POSIX_EXT_FOLDER_STATS", 3);
  CHECK(C(stat("/usr/bin", &st)) == 0); /* excluded */
  CHECK(C(stat(in_dir("folder/none"), &st)) == -1 && errno == ENOENT);
  model_miss(in_dir("folder/none"));
}

/* A few look-ups of folders do not give a process a record; more than 15 look-ups are counted. */
SCENARIO(few_stats_of_folders) {
  struct stat st;
  for (int i = 0; i < 15; i++)
    CHECK(C(stat(test_dir, &st)) == 0);
}

SCENARIO(many_stats_of_folders) {
  struct stat st;
  for (int i = 0; i < 20; i++)
    CHECK(C(stat(test_dir, &st)) == 0);
  model_ext(test_dir, "POSIX_EXT_FOLDER_STATS", 20);
}

SCENARIO(stats_of_folders_before_a_file) {
  struct stat st;
  const char *path = in_dir("file");
  for (int i = 0; i < 5; i++)
    CHECK(C(stat(test_dir, &st)) == 0);
  int fd = C(open(path, O_CREAT | O_RDWR, 0644));
  model_open(path, 0644);
  CHECK(C(close(fd)) == 0);
  model_close(path);
  model_ext(test_dir, "POSIX_EXT_FOLDER_STATS", 5);
}
