/* Cases for calls of libaio. aio-standin.c replaces the library, so the test does not need it; the
 * asynchronous I/O is the kernel's own. */
#include "calls.h"

#include <linux/aio_abi.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

/* Declares the functions as the library does: errors are negative error numbers. */
extern int io_setup(int max, aio_context_t *context);
extern int io_destroy(aio_context_t context);
extern int io_submit(aio_context_t context, long n, struct iocb **requests);
extern int io_cancel(aio_context_t context, struct iocb *request, struct io_event *event);
extern int io_getevents(aio_context_t context, long min, long max, struct io_event *events,
                        struct timespec *timeout);
extern int io_pgetevents(aio_context_t context, long min, long max, struct io_event *events,
                         struct timespec *timeout, sigset_t *mask);

static aio_context_t context_or_skip(void) {
  aio_context_t context = 0;
  int result = C(io_setup(8, &context));
  if (result == -ENOSYS) skip("this kernel has no asynchronous I/O");
  CHECK(result == 0);
  return context;
}

static struct iocb request(int fd, int operation, long offset, long n) {
  struct iocb request = {.aio_fildes = (uint32_t)fd,
                         .aio_lio_opcode = (uint16_t)operation,
                         .aio_buf = (uintptr_t)buffer,
                         .aio_nbytes = (uint64_t)n,
                         .aio_offset = offset};
  return request;
}

/* Submits a write and a read; the caller collects both. */
static void submit_two(aio_context_t context, const char *path) {
  static struct iocb write, read;
  raw_file(path, 20000);
  int fd = C(open(path, O_RDWR));
  CHECK(fd >= 0);
  model_open(path, 0);
  write = request(fd, IOCB_CMD_PWRITE, 0, 1000);
  read = request(fd, IOCB_CMD_PREAD, 4096, 500);
  struct iocb *list[] = {&write, &read};
  CHECK(C(io_submit(context, 2, list)) == 2);
  model_ext(path, "POSIX_EXT_KAIO_SUBMITS", 2);
}

static void completed(const char *path) {
  model_pwrite(path, 0, 1000, buffer);
  model_pread(path, 4096, 500, buffer);
}

CASE(io_submit) {
  aio_context_t context = context_or_skip();
  struct io_event events[2];
  submit_two(context, in_dir("file"));
  CHECK(C(io_getevents(context, 2, 2, events, NULL)) == 2);
  completed(in_dir("file"));
  CHECK(C(io_submit(0, 1, &(struct iocb *){NULL})) < 0);
}

CASE(io_getevents) {
  aio_context_t context = context_or_skip();
  struct io_event events[4];
  submit_two(context, in_dir("file"));
  CHECK(C(io_getevents(context, 1, 1, events, NULL)) == 1);
  CHECK(C(io_getevents(context, 1, 1, events, NULL)) == 1);
  completed(in_dir("file"));
  /* The kernel chooses the order of the two. */
  expect_any(in_dir("file"), "POSIX_RW_SWITCHES");
  CHECK(C(io_getevents(context, 0, 4, events, &(struct timespec){0, 0})) == 0);
}

CASE(io_pgetevents) {
  aio_context_t context = context_or_skip();
  struct io_event events[2];
  submit_two(context, in_dir("file"));
  CHECK(C(io_pgetevents(context, 2, 2, events, NULL, NULL)) == 2);
  completed(in_dir("file"));
}

CASE(io_setup) {
  aio_context_t context = context_or_skip();
  CHECK(context != 0);
  CHECK(C(io_setup(-1, &context)) < 0);
}

CASE(io_destroy) {
  aio_context_t context = context_or_skip();
  CHECK(C(io_destroy(context)) == 0);
  CHECK(C(io_destroy(context)) < 0);
}

/* There is nothing to cancel: the call fails, and the runtime counts no completion. */
CASE(io_cancel) {
  aio_context_t context = context_or_skip();
  struct io_event events[2];
  submit_two(context, in_dir("file"));
  CHECK(C(io_getevents(context, 2, 2, events, NULL)) == 2);
  completed(in_dir("file"));
  struct iocb never = request(0, IOCB_CMD_PREAD, 0, 1);
  CHECK(C(io_cancel(context, &never, events)) < 0);
}
