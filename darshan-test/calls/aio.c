/* Cases for POSIX asynchronous I/O, which is counted when aio_return is called. */
#include "calls.h"

#include <aio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static struct aiocb request(int fd, long offset, long n) {
  struct aiocb request = {.aio_fildes = fd,
                          .aio_buf = buffer + 4096,
                          .aio_offset = offset,
                          .aio_nbytes = (size_t)n,
                          .aio_sigevent.sigev_notify = SIGEV_NONE};
  return request;
}

/* Waits for the operation without a call that is counted. */
static void await(const struct aiocb *control) {
  while (*(volatile const int *)&control->__error_code == EINPROGRESS)
    SYS2(SYS_nanosleep, (&(struct timespec){0, 100000}), NULL);
}

/* The variants for large files have the layout of the plain functions. */
#define AIO_CASE(name, type, model)                                                                \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    int fd = open_file(path, 20000);                                                               \
    static const long offsets[] = {0, 1000, 5000};                                                 \
    for (int i = 0; i < 3; i++) {                                                                  \
      struct aiocb control = request(fd, offsets[i], 1000);                                        \
      CHECK(C(name((type *)&control)) == 0);                                                       \
      model_ext(path, "POSIX_EXT_AIO_SUBMITS", 1);                                                 \
      await(&control);                                                                             \
      CHECK(C(aio_return(&control)) == 1000);                                                      \
      model(path, offsets[i], 1000, buffer + 4096);                                                \
    }                                                                                              \
  }
AIO_CASE(aio_read, struct aiocb, model_pread)
AIO_CASE(aio_read64, struct aiocb64, model_pread)
AIO_CASE(aio_write, struct aiocb, model_pwrite)
AIO_CASE(aio_write64, struct aiocb64, model_pwrite)

/* A read counts the bytes up to the end of the file. A request that fails counts as submitted, but
 * transfers nothing. */
#define AIO_RETURN_CASE(name, type)                                                                \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    int fd = open_file(path, 500);                                                                 \
    struct aiocb control = request(fd, 200, 1000);                                                 \
    CHECK(C(aio_read(&control)) == 0);                                                             \
    model_ext(path, "POSIX_EXT_AIO_SUBMITS", 1);                                                   \
    await(&control);                                                                               \
    CHECK(C(name((type *)&control)) == 300);                                                       \
    model_pread(path, 200, 300, buffer);                                                           \
    int write_only = C(open(path, O_WRONLY));                                                      \
    model_open(path, 0);                                                                           \
    control = request(write_only, 0, 10);                                                          \
    CHECK(C(aio_read(&control)) == 0);                                                             \
    model_ext(path, "POSIX_EXT_AIO_SUBMITS", 1);                                                   \
    await(&control);                                                                               \
    CHECK(C(name((type *)&control)) == -1);                                                        \
  }
AIO_RETURN_CASE(aio_return, struct aiocb)
AIO_RETURN_CASE(aio_return64, struct aiocb64)

/* Calls that query or wait. The file that they are counted for is unspecified. */
#define AIO_WAIT_CASE(name, call)                                                                  \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    int fd = open_file(path, 20000);                                                               \
    struct aiocb control = request(fd, 0, 1000);                                                   \
    CHECK(C(aio_write(&control)) == 0);                                                            \
    model_ext(path, "POSIX_EXT_AIO_SUBMITS", 1);                                                   \
    await(&control);                                                                               \
    CHECK(C(call));                                                                                \
    expect_sum("POSIX_EXT_AIO_WAITS", 1);                                                          \
    CHECK(C(aio_return(&control)) == 1000);                                                        \
    model_pwrite(path, 0, 1000, buffer);                                                           \
  }
#define LIST ((const struct aiocb *const[]){NULL, &control})
#define LIST64 ((const struct aiocb64 *const *)LIST)
AIO_WAIT_CASE(aio_error, aio_error(&control) == 0)
AIO_WAIT_CASE(aio_error64, aio_error64((struct aiocb64 *)&control) == 0)
AIO_WAIT_CASE(aio_suspend, aio_suspend(LIST, 2, NULL) == 0)
AIO_WAIT_CASE(aio_suspend64, aio_suspend64(LIST64, 2, NULL) == 0)
AIO_WAIT_CASE(aio_cancel, aio_cancel(fd, &control) == AIO_ALLDONE)
AIO_WAIT_CASE(aio_cancel64, aio_cancel64(fd, (struct aiocb64 *)&control) == AIO_ALLDONE)

#define AIO_FSYNC_CASE(name, type)                                                                 \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    int fd = open_file(path, 20000);                                                               \
    struct aiocb control = request(fd, 0, 0);                                                      \
    CHECK(C(name(O_SYNC, (type *)&control)) == 0);                                                 \
    await(&control);                                                                               \
    CHECK(C(aio_return(&control)) == 0);                                                           \
    expect(path, "POSIX_FSYNCS", 1);                                                               \
    control = request(fd, 0, 0);                                                                   \
    CHECK(C(name(O_DSYNC, (type *)&control)) == 0);                                                \
    await(&control);                                                                               \
    CHECK(C(aio_return(&control)) == 0);                                                           \
    expect(path, "POSIX_FDSYNCS", 1);                                                              \
    expect_any(path, "POSIX_EXT_AIO_SUBMITS");                                                     \
    CHECK(C(name(12345, (type *)&control)) == -1 && errno == EINVAL);                              \
  }
AIO_FSYNC_CASE(aio_fsync, struct aiocb)
AIO_FSYNC_CASE(aio_fsync64, struct aiocb64)

/* Submits a list with an empty slot and a no-operation, which are not counted. */
#define LIO_CASE(name, type)                                                                       \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    int fd = open_file(path, 20000);                                                               \
    struct aiocb write = request(fd, 0, 1000), read = request(fd, 4096, 500), none = {0};          \
    write.aio_lio_opcode = LIO_WRITE, read.aio_lio_opcode = LIO_READ;                              \
    none.aio_lio_opcode = LIO_NOP;                                                                 \
    type *list[] = {(type *)&write, NULL, (type *)&none, (type *)&read};                           \
    CHECK(C(name(LIO_WAIT, list, 4, NULL)) == 0);                                                  \
    model_ext(path, "POSIX_EXT_AIO_SUBMITS", 2);                                                   \
    CHECK(C(aio_return(&write)) == 1000);                                                          \
    model_pwrite(path, 0, 1000, buffer);                                                           \
    CHECK(C(aio_return(&read)) == 500);                                                            \
    model_pread(path, 4096, 500, buffer);                                                          \
    CHECK(C(name(77, list, 4, NULL)) == -1 && errno == EINVAL);                                    \
  }
LIO_CASE(lio_listio, struct aiocb)
LIO_CASE(lio_listio64, struct aiocb64)
