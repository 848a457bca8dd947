/* Cases for the file that a descriptor refers to: close, dup, fcntl, fileno, and all calls that
 * create a descriptor. The runtime may still have a file for the number of the new descriptor,
 * because the file was closed by a call that it did not see. */
#include "calls.h"

#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>
#include <utmp.h>

OPTIONAL_SYMBOL extern int __close(int);
OPTIONAL_SYMBOL extern int __dup2(int, int);
OPTIONAL_SYMBOL extern int __fcntl(int, int, ...);

static int new_file(const char *path) {
  int fd = C(open(path, O_CREAT | O_RDWR, 0644));
  CHECK(fd >= 0);
  model_open(path, 0644);
  return fd;
}

/* Opens a file under this descriptor number by a call that the runtime does not see. Bytes written
 * to it belong to that file. */
static void reuse(int number) {
  int fd = raw_open(in_dir("unseen"), O_CREAT | O_RDWR);
  if (fd != number) CHECK(SYS3(SYS_dup3, fd, number, 0) == number);
  write_unseen(number, in_dir("unseen"));
}

#define CLOSE_CASE(name, call)                                                                     \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    int fd = new_file(path);                                                                       \
    CHECK(C(write(fd, buffer, 10)) == 10);                                                         \
    model_write(path, 10, buffer);                                                                 \
    int old = fd;                                                                                  \
    CV(call);                                                                                      \
    model_close(path);                                                                             \
    reuse(old);                                                                                    \
  }
CLOSE_CASE(close, CHECK(close(fd) == 0); fd = -1; CHECK(close(fd) == -1 && errno == EBADF))
CLOSE_CASE(__close, CHECK(__close(fd) == 0))
CLOSE_CASE(close_range, CHECK(close_range((unsigned)fd, ~0u, 0) == 0))
CLOSE_CASE(closefrom, closefrom(fd))

/* With CLOSE_RANGE_CLOEXEC, close_range closes nothing before the next exec. */
SCENARIO(close_range_on_exec) {
  const char *path = in_dir("file");
  int fd = new_file(path);
  if (C(close_range((unsigned)fd, (unsigned)fd, CLOSE_RANGE_CLOEXEC)) == -1) {
    skip("this kernel has no CLOSE_RANGE_CLOEXEC");
  }
  CHECK(C(write(fd, buffer, 10)) == 10);
  model_write(path, 10, buffer);
}

/* One file with two descriptors: both count, also after the first is closed. */
#define DUP_CASE(name, call)                                                                       \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    int fd = new_file(path);                                                                       \
    int copy = C(call);                                                                            \
    CHECK(copy >= 0 && copy != fd);                                                                \
    model_dup(path);                                                                               \
    CHECK(C(write(copy, buffer, 100)) == 100);                                                     \
    model_write(path, 100, buffer);                                                                \
    CHECK(C(close(fd)) == 0);                                                                      \
    model_close(path);                                                                             \
    CHECK(C(pwrite(copy, buffer, 50, 4096)) == 50);                                                \
    model_pwrite(path, 4096, 50, buffer);                                                          \
    fd = -1;                                                                                       \
    CHECK(C(call) == -1 && errno == EBADF);                                                        \
  }
DUP_CASE(dup, dup(fd))
DUP_CASE(dup2, dup2(fd, 100))
DUP_CASE(__dup2, __dup2(fd, 100))
DUP_CASE(dup3, dup3(fd, 100, O_CLOEXEC))

/* After dup2 or dup3, the target refers to the source's file, even if the runtime did not see how
 * the source was opened. */
#define DUP_OVER_SCENARIO(name, call)                                                              \
  SCENARIO(name) {                                                                                 \
    int target = new_file(in_dir("file"));                                                         \
    int source = raw_open(in_dir("unseen"), O_CREAT | O_RDWR);                                     \
    CHECK(C(call) == target);                                                                      \
    write_unseen(target, in_dir("unseen"));                                                        \
    model_dup(in_dir("unseen"));                                                                   \
    CHECK(raw_size(in_dir("unseen")) == 700);                                                      \
  }
DUP_OVER_SCENARIO(dup2_over_a_file, dup2(source, target))
DUP_OVER_SCENARIO(dup3_over_a_file, dup3(source, target, 0))

#define FCNTL_CASE(name)                                                                           \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    int fd = new_file(path);                                                                       \
    int first = C(name(fd, F_DUPFD, 50)), second = C(name(fd, F_DUPFD_CLOEXEC, 60));               \
    CHECK(first == 50 && second == 60);                                                            \
    model_dup(path);                                                                               \
    model_dup(path);                                                                               \
    CHECK(C(write(first, buffer, 100)) == 100);                                                    \
    model_write(path, 100, buffer);                                                                \
    CHECK(C(write(second, buffer, 100)) == 100);                                                   \
    model_write(path, 100, buffer);                                                                \
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};                                 \
    CHECK(C(name(fd, F_SETLK, &lock)) == 0);                                                       \
    model_ext(path, "POSIX_EXT_LOCKS", 1);                                                         \
    lock.l_type = F_UNLCK;                                                                         \
    CHECK(C(name(fd, F_SETLKW, &lock)) == 0);                                                      \
    model_ext(path, "POSIX_EXT_LOCKS", 1);                                                         \
    CHECK(C(name(fd, F_GETFL)) >= 0);                                                              \
    CHECK(C(name(fd, F_SETFD, FD_CLOEXEC)) == 0);                                                  \
    CHECK(C(name(-1, F_DUPFD, 0)) == -1 && errno == EBADF);                                        \
  }
FCNTL_CASE(fcntl)
FCNTL_CASE(fcntl64)
FCNTL_CASE(__fcntl)

/* Arguments: a call that locks, one that releases, one that fails. */
#define LOCK_CASE(name, lock, unlock, fails)                                                       \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    raw_file(path, 10);                                                                            \
    int fd = C(open(path, O_RDWR));                                                                \
    model_open(path, 0);                                                                           \
    CHECK(C(lock) == 0);                                                                           \
    model_ext(path, "POSIX_EXT_LOCKS", 1);                                                         \
    CHECK(C(unlock) == 0);                                                                         \
    model_ext(path, "POSIX_EXT_LOCKS", 1);                                                         \
    CHECK(C(fails) == -1 && errno == EBADF);                                                       \
  }
LOCK_CASE(flock, flock(fd, LOCK_EX), flock(fd, LOCK_UN), flock(-1, LOCK_SH))
LOCK_CASE(lockf, lockf(fd, F_LOCK, 0), lockf(fd, F_ULOCK, 0) | lockf(fd, F_TEST, 0),
          lockf(-1, F_TLOCK, 0))
LOCK_CASE(lockf64, lockf64(fd, F_TLOCK, 5), lockf64(fd, F_ULOCK, 5), lockf64(-1, F_LOCK, 0))

/* The descriptor of a stream: its bytes are POSIX bytes until fclose. */
#define FILENO_CASE(name)                                                                          \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    FILE *stream = C(fopen(path, "w"));                                                            \
    CHECK(stream != NULL);                                                                         \
    model_fopen(path);                                                                             \
    int fd = C(name(stream));                                                                      \
    CHECK(fd >= 0);                                                                                \
    model_fileno(path);                                                                            \
    CHECK(C(write(fd, buffer, 100)) == 100);                                                       \
    model_write(path, 100, buffer);                                                                \
    CHECK(C(fclose(stream)) == 0);                                                                 \
    reuse(fd);                                                                                     \
  }
FILENO_CASE(fileno)
FILENO_CASE(fileno_unlocked)

/* A file is closed unseen, and call creates a descriptor that gets its number. Every kind of
 * descriptor can be duplicated; a stale entry would count the duplicate for the file. */
#define STALE_CASE(name, prepared, call)                                                           \
  CASE(name) {                                                                                     \
    int server = prepared, ends[2] = {-1, -1};                                                     \
    int stale = new_file(in_dir("file")), spare = new_file(in_dir("second"));                      \
    (void)server, (void)ends;                                                                      \
    sys_close(stale);                                                                              \
    sys_close(spare);                                                                              \
    int fd = call;                                                                                 \
    permitted(fd);                                                                                 \
    CHECK(fd == stale);                                                                            \
    CHECK(C(dup(fd)) >= 0);                                                                        \
    if (ends[1] >= 0) {                                                                            \
      CHECK(ends[1] == spare);                                                                     \
      CHECK(C(write(ends[1], buffer, 700)) == 700);                                                \
    }                                                                                              \
  }
STALE_CASE(pipe, -1, C(pipe(ends)) == 0 ? ends[0] : -1)
STALE_CASE(pipe2, -1, C(pipe2(ends, O_CLOEXEC)) == 0 ? ends[0] : -1)
STALE_CASE(socket, -1, C(socket(AF_UNIX, SOCK_STREAM, 0)))
STALE_CASE(socketpair, -1, C(socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) == 0 ? ends[0] : -1)
STALE_CASE(eventfd, -1, C(eventfd(0, 0)))
STALE_CASE(epoll_create, -1, C(epoll_create(1)))
STALE_CASE(epoll_create1, -1, C(epoll_create1(0)))
STALE_CASE(inotify_init, -1, C(inotify_init()))
STALE_CASE(inotify_init1, -1, C(inotify_init1(0)))
STALE_CASE(timerfd_create, -1, C(timerfd_create(CLOCK_MONOTONIC, 0)))

STALE_CASE(pidfd_open, -1, C(pidfd_open(getpid(), 0)))
STALE_CASE(open_tree, -1, C(open_tree(AT_FDCWD, test_dir, OPEN_TREE_CLOEXEC)))
STALE_CASE(posix_openpt, -1, C(posix_openpt(O_RDWR | O_NOCTTY)))
STALE_CASE(getpt, -1, C(getpt()))
STALE_CASE(openpty, -1, C(openpty(&ends[0], &ends[1], NULL, NULL, NULL)) == 0 ? ends[0] : -1)

/* Standard input is a recorded file until the child has a terminal. */
static void follow_standard_input(void) {
  int fd = new_file(in_dir("file"));
  CHECK(C(dup2(fd, 0)) == 0);
  model_dup(in_dir("file"));
}
CASE(forkpty) {
  int terminal;
  follow_standard_input();
  pid_t child = forkpty(&terminal, NULL, NULL, NULL);
  if (child == 0) _exit(write(0, buffer, 700) != 700);
  while (sys_read(terminal, buffer, 700) > 0)
    ;
  reap(child, 0);
  CHECK(C(write(0, buffer, 10)) == 10);
  model_write(in_dir("file"), 10, buffer);
}
CASE(login_tty) {
  int ends[2];
  follow_standard_input();
  CHECK(openpty(&ends[0], &ends[1], NULL, NULL, NULL) == 0);
  pid_t child = fork();
  if (child == 0) _exit(login_tty(ends[1]) != 0 || write(0, buffer, 700) != 700);
  reap(child, 0);
  CHECK(C(login_tty(-1)) == -1);
}

static int new_signalfd(void) {
  sigset_t set;
  sigemptyset(&set);
  return C(signalfd(-1, &set, 0));
}
STALE_CASE(signalfd, -1, new_signalfd())

/* Returns a listening socket with a waiting client, both with high descriptor numbers. */
static int listener(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  socklen_t length = sizeof address;
  int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK(bind(server, (void *)&address, sizeof(sa_family_t)) == 0 && listen(server, 1) == 0);
  CHECK(getsockname(server, (void *)&address, &length) == 0);
  CHECK(connect(client, (void *)&address, length) == 0);
  CHECK(SYS3(SYS_dup3, client, 201, 0) == 201 && SYS3(SYS_dup3, server, 200, 0) == 200);
  sys_close(client);
  sys_close(server);
  return 200;
}
STALE_CASE(accept, listener(), C(accept(server, NULL, NULL)))
STALE_CASE(accept4, listener(), C(accept4(server, NULL, NULL, SOCK_CLOEXEC)))

/* A message with a descriptor, which the process sends to itself. The descriptor is of a file of
 * seven bytes that was opened unseen; the received one gets the number of a descriptor that was
 * closed unseen, and counts for the file's name. */
struct letter {
  struct mmsghdr message;
  struct iovec byte;
  union {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int))];
  } control;
};
static void prepare(struct letter *letter) {
  letter->byte = (struct iovec){buffer, 1};
  letter->message.msg_hdr = (struct msghdr){.msg_iov = &letter->byte,
                                            .msg_iovlen = 1,
                                            .msg_control = &letter->control,
                                            .msg_controllen = sizeof letter->control};
}
static void stale_file(void) {
  sys_close(new_file(in_dir("stale")));
}
static int unseen_with_seven(const char *path) {
  int fd = raw_open(path, O_CREAT | O_RDWR);
  CHECK(sys_write(fd, buffer, 7) == 7);
  return fd;
}
static void count_from_seven(int fd, const char *path) {
  CHECK(fd >= 0);
  model_arrived(path);
  CHECK(C(write(fd, buffer, 100)) == 100);
  model_write(path, 100, buffer);
  CHECK(C(write(fd, buffer, 3)) == 3);
  model_write(path, 3, buffer);
  CHECK(C(pread(fd, buffer, 5, 2)) == 5);
  model_pread(path, 2, 5, buffer);
}
#define MESSAGE_CASE(name, good, bad)                                                              \
  CASE(name) {                                                                                     \
    struct letter sent = {0}, got = {0};                                                           \
    int ends[2], fd = unseen_with_seven(in_dir("file"));                                           \
    CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);                                          \
    prepare(&sent), prepare(&got);                                                                 \
    sent.control.head = (struct cmsghdr){CMSG_LEN(sizeof fd), SOL_SOCKET, SCM_RIGHTS};             \
    memcpy(CMSG_DATA(&sent.control.head), &fd, sizeof fd);                                         \
    CHECK(sendmsg(ends[0], &sent.message.msg_hdr, 0) == 1);                                        \
    stale_file();                                                                                  \
    CHECK(C(good) == 1);                                                                           \
    CHECK(C(bad) == -1 && errno == EBADF);                                                         \
    memcpy(&fd, CMSG_DATA(&got.control.head), sizeof fd);                                          \
    count_from_seven(fd, in_dir("file"));                                                          \
  }
MESSAGE_CASE(recvmsg, recvmsg(ends[1], &got.message.msg_hdr, 0),
             recvmsg(-1, &got.message.msg_hdr, 0))
MESSAGE_CASE(recvmmsg, recvmmsg(ends[1], &got.message, 1, 0, NULL),
             recvmmsg(-1, &got.message, 1, 0, NULL))

CASE(pidfd_getfd) {
  need("pidfd_getfd");
  const char *path = in_dir("file");
  int fd = unseen_with_seven(path), pidfd = (int)SYS2(SYS_pidfd_open, sys_getpid(), 0);
  CHECK(pidfd >= 0);
  stale_file();
  int none = C(pidfd_getfd(pidfd, 999, 0));
  permitted(none);
  CHECK(none == -1 && errno == EBADF);
  count_from_seven(C(pidfd_getfd(pidfd, fd, 0)), path);
}
