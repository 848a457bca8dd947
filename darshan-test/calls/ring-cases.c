/* Operations of liburing other than plain reads and writes, one case per run; test_rings.py
 * compares each with the log. Exit status 77: the kernel does not support the operation. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { ROOM = 1 << 16, SAME = 7 /* SAME: user data of all requests of a case */ };
static char buffer[ROOM];
static struct io_uring ring;

static void check(int holds, int line) {
  if (holds) return;
  fprintf(stderr, "line %d: not as expected\n", line);
  exit(1);
}
#define CHECK(what) check((what), __LINE__)

static struct io_uring_sqe *entry(void) {
  return io_uring_get_sqe(&ring);
}

static struct io_uring_sqe *last(struct io_uring_sqe *entry, unsigned flags) {
  entry->flags |= (uint8_t)flags;
  entry->user_data = SAME;
  return entry;
}

/* Waits for the next completion and returns its result. */
static int result(void) {
  struct io_uring_cqe *cqe;
  CHECK(io_uring_wait_cqe(&ring, &cqe) == 0);
  int value = cqe->res;
  io_uring_cqe_seen(&ring, cqe);
  return value;
}

static int has(int operation) {
  struct io_uring_probe *probe = io_uring_get_probe_ring(&ring);
  int found = probe && io_uring_opcode_supported(probe, operation);
  io_uring_free_probe(probe);
  return found;
}

/* Submits a multishot poll and a later read with the same user data. */
static void poll_multishot(void) {
  int file = open("a", O_RDWR), event = eventfd(0, 0);
  uint64_t one = 1;
  struct io_uring_sqe *sqe = entry();
  io_uring_prep_poll_multishot(sqe, event, POLLIN);
  last(sqe, 0);
  CHECK(io_uring_submit(&ring) == 1);
  for (int i = 0; i < 3; i++) {
    sqe = entry();
    io_uring_prep_read(sqe, file, buffer, 1000, 1000 * i);
    last(sqe, 0);
    CHECK(write(event, &one, sizeof(one)) == sizeof(one));
    CHECK(io_uring_submit_and_wait(&ring, 2) == 1);
    int first = result(), second = result();
    CHECK((first == 1000) + (second == 1000) == 1);
    CHECK(read(event, &one, sizeof(one)) == sizeof(one));
  }
}

/* Submits a poll and then a read with the same user data. The poll completes before the read is
 * submitted. */
static void poll_once(void) {
  int file = open("a", O_RDWR), event = eventfd(0, 0);
  uint64_t one = 1;
  struct io_uring_sqe *sqe = entry();
  io_uring_prep_poll_add(sqe, event, POLLIN);
  last(sqe, 0);
  CHECK(io_uring_submit(&ring) == 1);
  CHECK(write(event, &one, sizeof(one)) == sizeof(one));
  while (io_uring_cq_ready(&ring) == 0) /* checks without a system call */
    ;
  sqe = entry();
  io_uring_prep_read(sqe, file, buffer, 1000, 0);
  last(sqe, 0);
  CHECK(io_uring_submit_and_wait(&ring, 2) == 1);
  int first = result(), second = result();
  CHECK(first == POLLIN && second == 1000);
}

static void accept_multishot(void) {
  int file = open("a", O_RDWR), server = socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
  CHECK(bind(server, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(server, 8) == 0);
  struct io_uring_sqe *sqe = entry();
  io_uring_prep_multishot_accept(sqe, server, NULL, NULL, 0);
  last(sqe, 0);
  CHECK(io_uring_submit(&ring) == 1);
  for (int i = 0; i < 3; i++) {
    sqe = entry();
    io_uring_prep_read(sqe, file, buffer, 1000, 1000 * i);
    last(sqe, 0);
    CHECK(connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof(address)) ==
          0);
    CHECK(io_uring_submit_and_wait(&ring, 2) == 1);
    int first = result(), second = result();
    CHECK((first == 1000) + (second == 1000) == 1);
  }
}

/* Opens, uses and closes a file in one submission, in a slot that another file had before. */
static void direct_chain(void) {
  if (io_uring_register_files_sparse(&ring, 4) != 0) exit(77);
  for (int i = 0; i < 4; i++) {
    struct io_uring_sqe *sqe = entry();
    io_uring_prep_openat_direct(sqe, AT_FDCWD, i % 2 ? "b" : "a", O_RDWR, 0, 1);
    last(sqe, IOSQE_IO_LINK);
    sqe = entry();
    if (i % 2)
      io_uring_prep_write(sqe, 1, buffer, 500, 0);
    else
      io_uring_prep_read(sqe, 1, buffer, 1000, 0);
    last(sqe, IOSQE_IO_LINK | IOSQE_FIXED_FILE);
    sqe = entry();
    io_uring_prep_close_direct(sqe, 1);
    last(sqe, i < 2 ? IOSQE_IO_LINK : 0);
    if (i < 2) continue; /* three files in one submission */
    CHECK(io_uring_submit_and_wait(&ring, i == 2 ? 9 : 3) == (i == 2 ? 9 : 3));
    for (int n = 0; n < (i == 2 ? 9 : 3); n++)
      CHECK(result() >= 0);
  }
}

/* Submits an open into a slot that fails, so the slot keeps its file. */
static void direct_failed(void) {
  int fds[] = {open("a", O_RDWR)};
  CHECK(io_uring_register_files(&ring, fds, 1) == 0);
  struct io_uring_sqe *sqe = entry();
  io_uring_prep_openat_direct(sqe, AT_FDCWD, "none", O_RDWR, 0, 0);
  last(sqe, 0);
  CHECK(io_uring_submit_and_wait(&ring, 1) == 1 && result() == -ENOENT);
  sqe = entry();
  io_uring_prep_read(sqe, 0, buffer, 1000, 0);
  last(sqe, IOSQE_FIXED_FILE);
  CHECK(io_uring_submit_and_wait(&ring, 1) == 1 && result() == 1000);
}

/* Opens a file into a slot that the kernel chooses. */
static void direct_any(void) {
  if (io_uring_register_files_sparse(&ring, 4) != 0) exit(77);
  struct io_uring_sqe *sqe = entry();
  io_uring_prep_openat_direct(sqe, AT_FDCWD, "a", O_RDWR, 0, 0);
  sqe->file_index = UINT32_MAX;
  last(sqe, 0);
  CHECK(io_uring_submit_and_wait(&ring, 1) == 1);
  int slot = result();
  if (slot < 0) exit(77);
  sqe = entry();
  io_uring_prep_read(sqe, slot, buffer, 1000, 0);
  last(sqe, IOSQE_FIXED_FILE);
  CHECK(io_uring_submit_and_wait(&ring, 1) == 1 && result() == 1000);
  sqe = entry();
  io_uring_prep_close_direct(sqe, (unsigned)slot);
  last(sqe, 0);
  CHECK(io_uring_submit_and_wait(&ring, 1) == 1 && result() == 0);
}

/* Splices from an offset of one file through a pipe to an offset of another file. */
static void splice_both(void) {
  int a = open("a", O_RDWR), b = open("b", O_RDWR), ends[2];
  CHECK(pipe(ends) == 0);
  struct io_uring_sqe *sqe = entry();
  io_uring_prep_splice(sqe, a, 4096, ends[1], -1, 3000, 0);
  last(sqe, IOSQE_IO_LINK);
  sqe = entry();
  io_uring_prep_splice(sqe, ends[0], -1, b, 100, 3000, 0);
  last(sqe, 0);
  CHECK(io_uring_submit_and_wait(&ring, 2) == 2);
  CHECK(result() == 3000 && result() == 3000);
}

static void splice_fixed(void) {
  int fds[] = {open("a", O_RDWR)}, ends[2];
  CHECK(pipe(ends) == 0 && io_uring_register_files(&ring, fds, 1) == 0);
  struct io_uring_sqe *sqe = entry();
  io_uring_prep_splice(sqe, 0, 4096, ends[1], -1, 3000, SPLICE_F_FD_IN_FIXED);
  last(sqe, 0);
  CHECK(io_uring_submit_and_wait(&ring, 1) == 1 && result() == 3000);
}

static void fixed_buffers(void) {
  struct iovec iov = {buffer, ROOM};
  int a = open("a", O_RDWR), b = open("b", O_RDWR);
  CHECK(io_uring_register_buffers(&ring, &iov, 1) == 0);
  struct io_uring_sqe *sqe = entry();
  io_uring_prep_read_fixed(sqe, a, buffer + 64, 1000, 2000, 0);
  last(sqe, IOSQE_IO_LINK);
  sqe = entry();
  io_uring_prep_write_fixed(sqe, b, buffer + 64, 500, 0, 0);
  last(sqe, 0);
  CHECK(io_uring_submit_and_wait(&ring, 2) == 2);
  CHECK(result() == 1000 && result() == 500);
}

/* Submits a chain of requests that a short read breaks, so the following requests do not run. */
static void link_broken(void) {
  int a = open("a", O_RDWR), b = open("b", O_RDWR);
  struct io_uring_sqe *sqe = entry();
  io_uring_prep_read(sqe, a, buffer, 2000, 9000); /* the file has only 1000 there */
  last(sqe, IOSQE_IO_LINK);
  sqe = entry();
  io_uring_prep_write(sqe, b, buffer, 500, 0);
  last(sqe, IOSQE_IO_LINK);
  sqe = entry();
  io_uring_prep_close(sqe, b);
  last(sqe, 0);
  CHECK(io_uring_submit_and_wait(&ring, 3) == 3);
  CHECK(result() == 1000 && result() == -ECANCELED && result() == -ECANCELED);
  CHECK(pwrite(b, buffer, 500, 0) == 500); /* the descriptor is still open */
}

/* Returns a socket of a TCP connection of this process to itself; the other end is in *peer. */
static int connection(int *peer) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof(address);
  int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(bind(server, (struct sockaddr *)&address, length) == 0 && listen(server, 1) == 0);
  CHECK(getsockname(server, (struct sockaddr *)&address, &length) == 0);
  CHECK(connect(client, (struct sockaddr *)&address, length) == 0);
  *peer = accept(server, NULL, NULL);
  CHECK(*peer >= 0 && close(server) == 0);
  return client;
}

/* Makes a zero-copy send, which has two results: one when the bytes are sent, and one when the
 * buffer is free. Both have the user data of reads of a file. */
static void send_zerocopy(void) {
  int file = open("a", O_RDWR), peer, out = connection(&peer);
  for (int i = 0; i < 3; i++) {
    struct io_uring_sqe *sqe = entry();
    io_uring_prep_read(sqe, file, buffer, 1000, 1000 * i);
    last(sqe, IOSQE_IO_LINK);
    sqe = entry();
    io_uring_prep_send_zc(sqe, out, buffer, 500, 0, 0);
    last(sqe, 0);
    CHECK(io_uring_submit_and_wait(&ring, 2) == 2);
    CHECK(result() == 1000 && result() == 500);
    CHECK(recv(peer, buffer, 500, MSG_WAITALL) == 500);
    CHECK(result() == 0);
  }
}

/* Copies a file through a connection into another file by one ring, whose results are taken in
 * batches. */
static void proxy(void) {
  int from = open("a", O_RDONLY), to = open("b", O_WRONLY), peer, out = connection(&peer);
  struct io_uring_cqe *results[4];
  for (int i = 0; i < 4; i++) {
    struct io_uring_sqe *sqe = entry();
    io_uring_prep_read(sqe, from, buffer, 500, 500 * i);
    last(sqe, IOSQE_IO_LINK);
    sqe = entry();
    io_uring_prep_send(sqe, out, buffer, 500, 0);
    last(sqe, IOSQE_IO_LINK);
    sqe = entry();
    io_uring_prep_recv(sqe, peer, buffer + 500, 500, MSG_WAITALL);
    last(sqe, IOSQE_IO_LINK);
    sqe = entry();
    io_uring_prep_write(sqe, to, buffer + 500, 500, 500 * i);
    last(sqe, 0);
    CHECK(io_uring_submit_and_wait(&ring, 4) == 4);
    CHECK(io_uring_peek_batch_cqe(&ring, results, 4) == 4);
    for (int k = 0; k < 4; k++)
      CHECK(results[k]->res == 500);
    io_uring_cq_advance(&ring, 4);
  }
}

/* Waits for requests with a timeout: one wait ends before the read of a pipe completes, another
 * returns the read of a file. */
static void timed_wait(void) {
  int file = open("a", O_RDONLY), ends[2];
  struct __kernel_timespec soon = {0, 10000000};
  struct io_uring_cqe *cqe;
  CHECK(pipe(ends) == 0);
  struct io_uring_sqe *sqe = entry();
  io_uring_prep_read(sqe, ends[0], buffer, 1000, 0);
  last(sqe, 0)->user_data = SAME + 1;
  CHECK(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &soon, NULL) <= 1);
  CHECK(io_uring_wait_cqe_timeout(&ring, &cqe, &soon) == -ETIME);
  sqe = entry();
  io_uring_prep_read(sqe, file, buffer, 1000, 0);
  last(sqe, 0);
  CHECK(io_uring_submit_and_wait_timeout(&ring, &cqe, 1, &soon, NULL) >= 0);
  CHECK(result() == 1000 && write(ends[1], buffer, 7) == 7 && result() == 7);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
    int needs;
  } cases[] = {
      {"poll-multishot", poll_multishot, IORING_OP_POLL_ADD},
      {"poll-once", poll_once, IORING_OP_POLL_ADD},
      {"accept-multishot", accept_multishot, IORING_OP_SOCKET},
      {"direct-chain", direct_chain, IORING_OP_OPENAT},
      {"direct-failed", direct_failed, IORING_OP_SOCKET},
      {"direct-any", direct_any, IORING_OP_SOCKET},
      {"splice", splice_both, IORING_OP_SPLICE},
      {"splice-fixed", splice_fixed, IORING_OP_SPLICE},
      {"fixed-buffers", fixed_buffers, IORING_OP_READ_FIXED},
      {"link-broken", link_broken, IORING_OP_READ},
      {"send-zerocopy", send_zerocopy, IORING_OP_SEND_ZC},
      {"proxy", proxy, IORING_OP_RECV},
      {"timed-wait", timed_wait, IORING_OP_READ},
  };
  if (argc != 2 || io_uring_queue_init(32, &ring, 0) < 0) return 2;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    if (strcmp(argv[1], cases[i].name) != 0) continue;
    if (!has(cases[i].needs)) return 77;
    cases[i].run();
    io_uring_queue_exit(&ring);
    return 0;
  }
  return 3;
}
