/* The common part of the programs that make one call: preparation, signal handler, and the calls
 * after the tested one. */
#include "target.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../harm/raw-handler.h"

int data_fd = -1;
static int action;
static const struct kind *kind;
static sigjmp_buf back;

/* Stops here: 1 before the call, 2 behind it. */
#define MARK(n) __asm__ volatile("int3" : : "a"(n) : "memory")

enum { HANDLER_AT = 5000, CHILD_AT = 6000, AFTER_AT = 8000 };

long must(long result) {
  if (result < 0) _exit(99);
  return result;
}

static void block_at(int fd, char letter, size_t n, off_t at) {
  char block[BLOCK];
  memset(block, letter, sizeof(block));
  must(pwrite(fd, block, n, at));
}

/* Does the I/O of a handler. It opens a file first if the program has not opened one yet. */
static void handler_io(void) {
  int fd = data_fd >= 0 ? data_fd : (int)must(open("data", O_RDWR | O_CREAT, 0600));
  block_at(fd, 'h', 50, HANDLER_AT);
  if (fd != data_fd) must(close(fd));
}

static void fork_here(void) {
  pid_t child = (pid_t)must(fork());
  if (child == 0) {
    for (int i = 0; i < 3; i++)
      block_at(data_fd < 0 ? (int)must(open("data", O_RDWR | O_CREAT, 0600)) : data_fd, 'c', 10,
               CHILD_AT + 10 * i);
    int fd = (int)must(open("child", O_WRONLY | O_CREAT, 0600));
    must(write(fd, "by the child", 12));
    must(close(fd));
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    ;
  if (status != 0) _exit(98);
}

static void handler(int signal) {
  (void)signal;
  switch (action) {
  case ACTION_IO:
    handler_io();
    break;
  case ACTION_JUMP:
    siglongjmp(back, 1);
  case ACTION_EXIT:
    _exit(STATUS_OF_EXIT);
  case ACTION_FORK:
    fork_here();
    break;
  case ACTION_CANCEL:
    pthread_cancel(pthread_self());
  }
}

static void the_call(void) {
  MARK(1);
  kind->call();
  MARK(2);
}

static void *thread(void *unused) {
  int before;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
  the_call();
  pthread_setcanceltype(before, &before);
  return unused;
}

/* Makes some calls of each interface, on old and new files. */
static void calls_after(void) {
  char piece[64], name[16];
  struct stat st;
  for (int i = 0; i < AFTER; i++) {
    switch (i % 5) {
    case 0:
    case 1:
      block_at(data_fd, (char)('A' + i % 26), 10, AFTER_AT + 10 * i);
      break;
    case 2:
      must(pread(data_fd, piece, 20, 10 * i));
      break;
    case 3:
      must(stat("data", &st));
      break;
    default:
      snprintf(name, sizeof(name), "after%d", i % 20);
      int fd = (int)must(open(name, O_RDWR | O_CREAT, 0600));
      must(write(fd, name, 6));
      must(close(fd));
    }
  }
  FILE *stream = fopen("stream", "w");
  if (!stream || fputs("afterwards", stream) < 0 || fclose(stream) != 0) _exit(97);
}

/* Makes calls from a deeper stack frame than that of the tested call, as a program may do. */
__attribute__((noinline)) static void calls_from_deep_down(void) {
  volatile char frame[4096];
  frame[0] = frame[sizeof(frame) - 1] = 0;
  calls_after();
  frame[1] = frame[0];
}

static void open_data(void) {
  data_fd = (int)must(open("data", O_RDWR | O_CREAT, 0600));
  for (int i = 0; i < BEFORE; i++)
    block_at(data_fd, 'b', BLOCK, BLOCK * i);
}

/* Installs the handler through libc or with a direct system call. Returns 0 or -1. With a direct
 * system call the runtime cannot defer the signal until the call is counted, so the handler runs in
 * the middle of the call. */
static int set_handler(void) {
  struct sigaction act = {.sa_handler = handler};
  return getenv("INTERRUPT_RAW") ? raw_handler(SIGUSR1, handler) : sigaction(SIGUSR1, &act, NULL);
}

int main(int argc, char **argv) {
  pthread_t other;
  if (argc != 3) return 96;
  for (kind = target_kinds; kind->name && strcmp(kind->name, argv[1]) != 0;)
    kind++;
  if (!kind->name) return 95;
  action = argv[2][0];
  if (set_handler() != 0) return 93;
  target_begin();
  if (!kind->first) open_data();
  if (kind->prepare) kind->prepare();
  if (action == ACTION_CANCEL) {
    if (pthread_create(&other, NULL, thread, NULL) != 0) return 94;
    pthread_join(other, NULL);
  } else if (sigsetjmp(back, 1) == 0) {
    the_call();
  }
  if (kind->first) open_data();
  calls_from_deep_down();
  target_end();
  return 0;
}
