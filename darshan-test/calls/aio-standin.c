/* A stand-in for libaio: it has the same names and conventions, and calls the kernel directly. */
#define _GNU_SOURCE
#include <linux/aio_abi.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "intercept/sys/sys.h"

int io_setup(int max, aio_context_t *context) {
  return (int)SYS2(SYS_io_setup, max, context);
}

int io_destroy(aio_context_t context) {
  return (int)SYS1(SYS_io_destroy, context);
}

int io_submit(aio_context_t context, long n, struct iocb **requests) {
  return (int)SYS3(SYS_io_submit, context, n, requests);
}

int io_cancel(aio_context_t context, struct iocb *request, struct io_event *event) {
  return (int)SYS3(SYS_io_cancel, context, request, event);
}

int io_getevents(aio_context_t context, long min, long max, struct io_event *events,
                 struct timespec *timeout) {
  return (int)sys_call(SYS_io_getevents, (long)context, min, max, (long)events, (long)timeout, 0);
}

int io_pgetevents(aio_context_t context, long min, long max, struct io_event *events,
                  struct timespec *timeout, sigset_t *mask) {
  struct {
    const sigset_t *mask;
    size_t size;
  } signals = {mask, 8};
  return (int)sys_call(SYS_io_pgetevents, (long)context, min, max, (long)events, (long)timeout,
                       (long)&signals);
}
