/* Cases for mapped files, and for all calls that make data durable. */
#include "calls.h"

#include <sys/mman.h>
#include <unistd.h>

/* Expects that the case wrote `bytes` bytes through a shared mapping. Not every kernel reports the
 * written pages. */
static void expect_written(const char *path, long bytes) {
  expect_at_least(path, "POSIX_EXT_MMAP_TOUCHED", bytes);
  expect_at_least(path, "POSIX_EXT_MMAP_WRITABLE", bytes);
  expect_any(path, "POSIX_EXT_MMAP_DIRTY");
}

#define MMAP_CASE(name)                                                                            \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    int fd = open_file(path, 20000);                                                               \
    char *at = C(name(NULL, 20000, PROT_READ, MAP_SHARED, fd, 0));                                 \
    CHECK(at != MAP_FAILED && at[19999] == buffer[19999]);                                         \
    expect(path, "POSIX_MMAPS", 1);                                                                \
    model_ext(path, "POSIX_EXT_MMAP_BYTES", 20000);                                                \
    at = C(name(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 4096));                                    \
    CHECK(at != MAP_FAILED && at[0] == buffer[4096]);                                              \
    expect(path, "POSIX_MMAPS", 1);                                                                \
    model_ext(path, "POSIX_EXT_MMAP_BYTES", 4096);                                                 \
    expect_at_least(path, "POSIX_EXT_MMAP_TOUCHED", 4096 + 4096);                                  \
    /* These calls map no file. */                                                                 \
    CHECK(C(name(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) != MAP_FAILED);       \
    CHECK(C(name(NULL, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, fd, 0)) != MAP_FAILED);        \
    CHECK(C(name(NULL, 0, PROT_READ, MAP_SHARED, fd, 0)) == MAP_FAILED && errno == EINVAL);        \
  }
MMAP_CASE(mmap)
MMAP_CASE(mmap64)

CASE(msync) {
  const char *path = in_dir("file");
  int fd = open_file(path, 20000);
  char *at = C(mmap(NULL, 20000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  CHECK(at != MAP_FAILED);
  expect(path, "POSIX_MMAPS", 1);
  model_ext(path, "POSIX_EXT_MMAP_BYTES", 20000);
  at[5] = 'x';
  CHECK(C(msync(at, 8192, MS_SYNC)) == 0);
  model_ext(path, "POSIX_EXT_MSYNCS", 1);
  model_ext(path, "POSIX_EXT_MSYNC_BYTES", 8192);
  expect_positive(path, "POSIX_EXT_F_SYNC_TIME");
  expect_positive(path, "POSIX_F_WRITE_TIME");
  expect_written(path, 4096);
  CHECK(C(msync(at + 1, 8192, MS_SYNC)) == -1 && errno == EINVAL);
}

#define SYNC_CASE(name, counter)                                                                   \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    int fd = open_file(path, 20000);                                                               \
    CHECK(C(name(fd)) == 0);                                                                       \
    expect(path, counter, 1);                                                                      \
    expect_positive(path, "POSIX_F_WRITE_TIME");                                                   \
    expect_positive(path, "POSIX_EXT_F_FSYNC_TIME");                                               \
    CHECK(C(name(-1)) == -1 && errno == EBADF);                                                    \
  }
SYNC_CASE(fsync, "POSIX_FSYNCS")
SYNC_CASE(fdatasync, "POSIX_FDSYNCS")

CASE(sync_file_range) {
  const char *path = in_dir("file");
  int fd = open_file(path, 20000);
  CHECK(C(sync_file_range(fd, 0, 4096, SYNC_FILE_RANGE_WRITE)) == 0);
  model_ext(path, "POSIX_EXT_RANGE_SYNCS", 1);
  CHECK(C(sync_file_range(-1, 0, 4096, 0)) == -1 && errno == EBADF);
}

/* The counts of sync and syncfs are sums over all records, because these calls concern many files.
 * */
CASE(sync) {
  CV(sync());
  expect_sum("POSIX_EXT_SYNCS", 1);
}

CASE(syncfs) {
  int fd = open_file(in_dir("file"), 10);
  CHECK(C(syncfs(fd)) == 0);
  expect_sum("POSIX_EXT_SYNCS", 1);
  CHECK(C(syncfs(-1)) == -1 && errno == EBADF);
}

/* Creates a file of `size` bytes and maps its first `mapped` bytes shared and writable. Returns
 * their address. */
static char *mapped_file(const char *path, long size, long mapped) {
  int fd = open_file(path, 0);
  CHECK(C(ftruncate(fd, size)) == 0);
  model_ext(path, "POSIX_EXT_TRUNCATES", 1);
  char *at = C(mmap(NULL, (size_t)mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  CHECK(at != MAP_FAILED);
  expect(path, "POSIX_MMAPS", 1);
  model_ext(path, "POSIX_EXT_MMAP_BYTES", mapped);
  return at;
}

/* Every page of the mapped file is written; then the first, the last and a middle page are
 * unmapped. */
CASE(munmap) {
  const char *path = in_dir("file");
  long size = 16 * 4096;
  char *at = mapped_file(path, size, size);
  for (long i = 0; i < size; i += 4096)
    at[i] = 'x';
  CHECK(C(munmap(at, 4096)) == 0);
  CHECK(C(munmap(at + size - 4096, 4096)) == 0);
  CHECK(C(munmap(at + 8192, 4096)) == 0);
  model_ext(path, "POSIX_EXT_MMAP_TOUCHED", size);
  model_ext(path, "POSIX_EXT_MMAP_WRITABLE", size);
  expect_any(path, "POSIX_EXT_MMAP_DIRTY");
  CHECK(C(munmap(at + 1, 4096)) == -1 && errno == EINVAL);
  expect_positive(path, "POSIX_EXT_F_MAP_TIME");
}

CASE(mremap) {
  const char *path = in_dir("file");
  char *at = mapped_file(path, 16 * 4096, 8 * 4096);
  for (int i = 0; i < 8; i++)
    at[i * 4096] = 'x';
  at = C(mremap(at, 8 * 4096, 4 * 4096, 0)); /* four pages are unmapped */
  CHECK(at != MAP_FAILED && at[0] == 'x');
  at = C(mremap(at, 4 * 4096, 16 * 4096, MREMAP_MAYMOVE));
  CHECK(at != MAP_FAILED && at[0] == 'x');
  for (int i = 4; i < 16; i++)
    at[i * 4096] = 'y';
  CHECK(C(mremap(at + 1, 4096, 8192, 0)) == MAP_FAILED && errno == EINVAL);
  model_ext(path, "POSIX_EXT_MMAP_TOUCHED", 4 * 4096 + 16 * 4096);
  model_ext(path, "POSIX_EXT_MMAP_WRITABLE", 4 * 4096 + 16 * 4096);
  expect_any(path, "POSIX_EXT_MMAP_DIRTY");
}

CASE(madvise) {
  const char *path = in_dir("file");
  char *at = mapped_file(path, 8 * 4096, 8 * 4096);
  for (int i = 0; i < 8; i++)
    at[i * 4096] = 'x';
  CHECK(C(madvise(at + 4096, 4 * 4096, MADV_DONTNEED)) == 0);
  CHECK(C(madvise(at + 1, 4096, MADV_DONTNEED)) == -1 && errno == EINVAL);
  CHECK(C(madvise(at, 4096, MADV_NORMAL)) == 0);
  model_ext(path, "POSIX_EXT_MMAP_TOUCHED", 8 * 4096);
  model_ext(path, "POSIX_EXT_MMAP_WRITABLE", 8 * 4096);
  expect_any(path, "POSIX_EXT_MMAP_DIRTY");
}

/* After munmap, the address range belongs to no file: msync of an anonymous page that is mapped
 * there is not counted for the file. */
SCENARIO(munmap_and_again) {
  const char *path = in_dir("file");
  int fd = open_file(path, 4096);
  char *at = C(mmap(NULL, 4096, PROT_NONE, MAP_SHARED, fd, 0));
  CHECK(at != MAP_FAILED);
  expect(path, "POSIX_MMAPS", 1);
  model_ext(path, "POSIX_EXT_MMAP_BYTES", 4096);
  CHECK(C(munmap(at, 4096)) == 0);
  /* An anonymous page at the old address does not belong to the file. */
  char *again = mmap(at, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  CHECK(again == at);
  CHECK(C(msync(again, 4096, MS_SYNC)) == 0);
  model_ext(OTHER_PATHS, "POSIX_EXT_MSYNCS", 1);
  model_ext(OTHER_PATHS, "POSIX_EXT_MSYNC_BYTES", 4096);
}

/* The kernel maps all pages on request; the program touched two before. An emulator of another
 * processor may read from a page first: a read fault maps the pages around it, too. The mapping is
 * larger than that, so some pages always remain for the request. */
enum { LOCKED_BYTES = 64 * 4096 };
#define LOCK_CASE(name, call)                                                                      \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    int fd = open_file(path, 0);                                                                   \
    CHECK(C(ftruncate(fd, LOCKED_BYTES)) == 0);                                                    \
    model_ext(path, "POSIX_EXT_TRUNCATES", 1);                                                     \
    char *at = C(mmap(NULL, LOCKED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));             \
    CHECK(at != MAP_FAILED);                                                                       \
    expect(path, "POSIX_MMAPS", 1);                                                                \
    model_ext(path, "POSIX_EXT_MMAP_BYTES", LOCKED_BYTES);                                         \
    at[0] = at[4096] = 'x';                                                                        \
    if (C(call) != 0) skip("the kernel lets no memory be locked here");                            \
    expect_at_least(path, "POSIX_EXT_MMAP_TOUCHED", 2 * 4096);                                     \
    expect_at_least(path, "POSIX_EXT_MMAP_WRITABLE", 2 * 4096);                                    \
    expect_at_least(path, "POSIX_EXT_MMAP_POPULATED", 4096);                                       \
    expect_any(path, "POSIX_EXT_MMAP_DIRTY");                                                      \
  }
LOCK_CASE(mlock, mlock(at, LOCKED_BYTES))
LOCK_CASE(mlock2, mlock2(at, LOCKED_BYTES, 0))
LOCK_CASE(mlockall, mlockall(MCL_CURRENT))
