/* Cases for copies inside the kernel, which count as a read from one file and a write to the other.
 * */
#include "calls.h"

#include <sys/sendfile.h>
#include <unistd.h>

struct copy {
  const char *from, *to;
  int in, out;
};

static struct copy two_files(long size) {
  struct copy copy = {in_dir("from"), in_dir("to"), -1, -1};
  raw_file(copy.from, size);
  copy.in = C(open(copy.from, O_RDONLY));
  copy.out = C(open(copy.to, O_CREAT | O_WRONLY, 0644));
  CHECK(copy.in >= 0 && copy.out >= 0);
  model_open(copy.from, 0);
  model_open(copy.to, 0644);
  return copy;
}

#define SENDFILE_CASE(name)                                                                        \
  CASE(name) {                                                                                     \
    struct copy copy = two_files(5000);                                                            \
    CHECK(C(name(copy.out, copy.in, NULL, 2000)) == 2000);                                         \
    model_read(copy.from, 2000, NULL);                                                             \
    model_write(copy.to, 2000, NULL);                                                              \
    off_t at = 1000;                                                                               \
    CHECK(C(name(copy.out, copy.in, &at, 9000)) == 4000 && at == 5000);                            \
    model_pread(copy.from, 1000, 4000, NULL);                                                      \
    model_write(copy.to, 4000, NULL);                                                              \
    model_ext(copy.from, "POSIX_EXT_SENDFILES", 2);                                                \
    model_ext(copy.to, "POSIX_EXT_SENDFILES", 2);                                                  \
    CHECK(C(name(-1, copy.in, NULL, 10)) == -1 && errno == EBADF);                                 \
    CHECK(raw_size(copy.to) == 6000);                                                              \
  }
SENDFILE_CASE(sendfile)
SENDFILE_CASE(sendfile64)

CASE(copy_file_range) {
  struct copy copy = two_files(5000);
  CHECK(C(copy_file_range(copy.in, NULL, copy.out, NULL, 2000, 0)) == 2000);
  model_read(copy.from, 2000, NULL);
  model_write(copy.to, 2000, NULL);
  off_t from = 100, to = 10000;
  CHECK(C(copy_file_range(copy.in, &from, copy.out, &to, 300, 0)) == 300);
  model_pread(copy.from, 100, 300, NULL);
  model_pwrite(copy.to, 10000, 300, NULL);
  model_ext(copy.from, "POSIX_EXT_COPY_RANGES", 2);
  model_ext(copy.to, "POSIX_EXT_COPY_RANGES", 2);
  CHECK(C(copy_file_range(-1, NULL, copy.out, NULL, 10, 0)) == -1 && errno == EBADF);
  CHECK(raw_size(copy.to) == 10300);
}

CASE(splice) {
  struct copy copy = two_files(5000);
  int ends[2];
  CHECK(SYS2(SYS_pipe2, ends, 0) == 0);
  CHECK(C(splice(copy.in, NULL, ends[1], NULL, 2000, 0)) == 2000);
  model_read(copy.from, 2000, NULL);
  loff_t to = 300;
  CHECK(C(splice(ends[0], NULL, copy.out, &to, 2000, 0)) == 2000);
  model_pwrite(copy.to, 300, 2000, NULL);
  model_ext(copy.from, "POSIX_EXT_SPLICES", 1);
  model_ext(copy.to, "POSIX_EXT_SPLICES", 1);
  CHECK(C(splice(-1, NULL, ends[1], NULL, 10, 0)) == -1 && errno == EBADF);
  CHECK(raw_size(copy.to) == 2300);
}
