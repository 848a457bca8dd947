/* Cases for calls that list directories. */
#include "calls.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder_with_files(int files) {
  const char *path = in_dir("folder");
  CHECK(sys_mkdir(path, 0755) == 0);
  for (int i = 0; i < files; i++)
    raw_file(in_dir((const char *[]){"folder/a", "folder/b", "folder/c"}[i]), 1);
  return path;
}

CASE(opendir) {
  const char *path = folder_with_files(1);
  DIR *dir = C(opendir(path));
  CHECK(dir != NULL);
  DIR *again = C(opendir(path));
  CHECK(again != NULL && closedir(again) == 0);
  model_ext(path, "POSIX_EXT_DIR_OPENS", 2);
  model_ext(path, "POSIX_EXT_DIR_REOPENS", 1);
  CHECK(C(opendir(in_dir("missing"))) == NULL && errno == ENOENT);
  expect_any(OTHER_PATHS, "POSIX_EXT_MISSES"); /* the rules count opens of files */
  /* The folder's descriptor serves as base for relative names. */
  int fd = C(openat(dirfd(dir), "b", O_CREAT | O_RDWR, 0644));
  CHECK(fd >= 0 && raw_size(in_dir("folder/b")) == 0);
  model_open(in_dir("folder/b"), 0644);
}

CASE(fdopendir) {
  int fd = raw_open(folder_with_files(1), O_RDONLY | O_DIRECTORY);
  DIR *dir = C(fdopendir(fd));
  CHECK(dir != NULL);
  expect_sum("POSIX_EXT_DIR_OPENS", 1);
  CHECK(C(fdopendir(-1)) == NULL && errno == EBADF);
  CHECK(closedir(dir) == 0);
}

/* The descriptor is free after closedir; its number goes to another file. */
CASE(closedir) {
  const char *path = folder_with_files(1);
  int old = C(open(path, O_RDONLY | O_DIRECTORY));
  CHECK(old >= 0);
  model_open(path, 0);
  DIR *dir = C(fdopendir(old));
  CHECK(dir != NULL);
  expect_sum("POSIX_EXT_DIR_OPENS", 1);
  CHECK(C(closedir(dir)) == 0);
  int fd = raw_open(in_dir("unseen"), O_CREAT | O_RDWR);
  CHECK(fd == old);
  write_unseen(fd, in_dir("unseen"));
}

#define READDIR_CASE(name)                                                                         \
  CASE(name) {                                                                                     \
    const char *path = folder_with_files(3);                                                       \
    DIR *dir = C(opendir(path));                                                                   \
    CHECK(dir != NULL);                                                                            \
    model_ext(path, "POSIX_EXT_DIR_OPENS", 1);                                                     \
    int entries = 0;                                                                               \
    while (C(name(dir)))                                                                           \
      entries++;                                                                                   \
    CHECK(entries == 5); /* with . and .. */                                                       \
    model_ext(path, "POSIX_EXT_DIR_ENTRIES", entries);                                             \
    CHECK(C(closedir(dir)) == 0);                                                                  \
  }
READDIR_CASE(readdir)
READDIR_CASE(readdir64)
