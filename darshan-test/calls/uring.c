/* Cases for liburing's functions and for operations in a ring. uring-standin.c replaces the
 * library; the rings are the kernel's. */
#include "calls.h"

#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "uring-standin.h"

enum { BYTES = 1000, FIRST = 8 /* registered files */ };

static struct uring ring;
static int fd;

static void check_ring(int result) {
  if (result == -ENOSYS || result == -EPERM) skip("the kernel forbids io_uring here");
  CHECK(result >= 0);
  expect_sum("POSIX_EXT_URING_RINGS", 1);
}

static void begin(void) {
  raw_file(in_dir("file"), 20000);
  fd = C(open(in_dir("file"), O_RDWR));
  CHECK(fd >= 0);
  model_open(in_dir("file"), 0);
  check_ring(C(io_uring_queue_init(8, &ring, 0)));
}

/* Fills the next entry, like the inlined part of the library, and returns it. */
static struct uring_entry *make(int operation, int file, const void *address, unsigned n,
                                long offset) {
  unsigned mask = *(unsigned *)(void *)ring.submission.mask;
  struct uring_entry *entry =
      (struct uring_entry *)(void *)ring.submission.queue + (ring.submission.end++ & mask);
  *entry = (struct uring_entry){.operation = (uint8_t)operation,
                                .fd = file,
                                .offset = (uint64_t)offset,
                                .address = (uintptr_t)address,
                                .length = n,
                                .user_data = ring.submission.end};
  return entry;
}

static void make_write(void) {
  make(URING_WRITE, fd, buffer, BYTES, 4096);
}

/* Waits for the next result and returns it, without calling a function of the library. */
static int taken(void) {
  unsigned *head = (unsigned *)(void *)ring.completion.head;
  unsigned mask = *(unsigned *)(void *)ring.completion.mask;
  while (__atomic_load_n((unsigned *)(void *)ring.completion.tail, __ATOMIC_ACQUIRE) == *head)
    SYS2(SYS_nanosleep, (&(struct timespec){0, 100000}), NULL);
  int result = ((struct uring_result *)(void *)ring.completion.results)[*head & mask].result;
  __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
  return result;
}

static void expect_write(void) {
  CHECK(taken() == BYTES);
  model_ext(in_dir("file"), "POSIX_EXT_URING_SUBMITS", 1);
  model_pwrite(in_dir("file"), 4096, BYTES, buffer);
}

/* Moves entries into the ring without telling the kernel, as io_uring_get_cqe may. Returns their
 * number. */
static unsigned flush(void) {
  unsigned *tail = (unsigned *)(void *)ring.submission.tail;
  unsigned *array = (unsigned *)(void *)ring.submission.array;
  unsigned mask = *(unsigned *)(void *)ring.submission.mask, n = 0;
  for (; ring.submission.first != ring.submission.end; ring.submission.first++, n++)
    array[(*tail + n) & mask] = ring.submission.first & mask;
  __atomic_store_n(tail, *tail + n, __ATOMIC_RELEASE);
  return n;
}

/* Calls that submit the entries and wait for them. */
#define SUBMIT_CASE(name, call, expected)                                                          \
  CASE(name) {                                                                                     \
    void *result = NULL;                                                                           \
    (void)result;                                                                                  \
    begin();                                                                                       \
    make_write();                                                                                  \
    CHECK(C(call) == (expected));                                                                  \
    expect_write();                                                                                \
  }
SUBMIT_CASE(io_uring_submit, io_uring_submit(&ring), 1)
SUBMIT_CASE(io_uring_submit_and_wait, io_uring_submit_and_wait(&ring, 1), 1)
SUBMIT_CASE(io_uring_submit_and_wait_timeout,
            io_uring_submit_and_wait_timeout(&ring, &result, 1, NULL, NULL), 1)
SUBMIT_CASE(io_uring_submit_and_wait_min_timeout,
            io_uring_submit_and_wait_min_timeout(&ring, &result, 1, NULL, 0, NULL), 1)
SUBMIT_CASE(io_uring_submit_and_wait_reg, io_uring_submit_and_wait_reg(&ring, &result, 1, 0), 1)
SUBMIT_CASE(io_uring_submit_and_get_events, io_uring_submit_and_get_events(&ring), 1)
SUBMIT_CASE(io_uring_wait_cqes, io_uring_wait_cqes(&ring, &result, 1, NULL, NULL), 0)
SUBMIT_CASE(io_uring_wait_cqes_min_timeout,
            io_uring_wait_cqes_min_timeout(&ring, &result, 1, NULL, 0, NULL), 0)
SUBMIT_CASE(io_uring_wait_cqe_timeout, io_uring_wait_cqe_timeout(&ring, &result, NULL), 0)
SUBMIT_CASE(__io_uring_get_cqe, __io_uring_get_cqe(&ring, &result, flush(), 1, NULL), 1)
SUBMIT_CASE(io_uring_enter, io_uring_enter((unsigned)ring.fd, flush(), 1, 1, NULL), 1)
SUBMIT_CASE(io_uring_enter2, io_uring_enter2((unsigned)ring.fd, flush(), 1, 1, NULL, 8), 1)

/* Calls that only inspect the ring. */
#define LOOK_CASE(name, call)                                                                      \
  CASE(name) {                                                                                     \
    struct epoll_event event;                                                                      \
    void *results[1];                                                                              \
    (void)event, (void)results;                                                                    \
    begin();                                                                                       \
    make_write();                                                                                  \
    CHECK(C(io_uring_submit(&ring)) == 1);                                                         \
    C(call);                                                                                       \
    expect_write();                                                                                \
  }
LOOK_CASE(io_uring_get_events, io_uring_get_events(&ring))
LOOK_CASE(io_uring_peek_batch_cqe, io_uring_peek_batch_cqe(&ring, results, 1))
LOOK_CASE(__io_uring_sqring_wait, __io_uring_sqring_wait(&ring))
LOOK_CASE(epoll_wait, epoll_wait(-1, &event, 1, 0))
LOOK_CASE(epoll_pwait, epoll_pwait(-1, &event, 1, 0, NULL))

extern int epoll_pwait2(int number, struct epoll_event *events, int n, const struct timespec *time,
                        const sigset_t *mask) OPTIONAL_SYMBOL;
CASE(epoll_pwait2) {
  struct epoll_event event;
  need("epoll_pwait2");
  begin();
  make_write();
  CHECK(C(io_uring_submit(&ring)) == 1);
  C(epoll_pwait2(-1, &event, 1, &(struct timespec){0, 0}, NULL));
  expect_write();
}

#define MAKING_CASE(name, call)                                                                    \
  CASE(name) {                                                                                     \
    struct uring_setup setup = {.flags = 0};                                                       \
    (void)setup;                                                                                   \
    check_ring(C(call));                                                                           \
  }
MAKING_CASE(io_uring_queue_init, io_uring_queue_init(8, &ring, 0))
MAKING_CASE(io_uring_queue_init_params, io_uring_queue_init_params(8, &ring, &setup))
MAKING_CASE(io_uring_queue_init_mem, io_uring_queue_init_mem(8, &ring, &setup, buffer, 4096))
MAKING_CASE(io_uring_setup, io_uring_setup(8, &setup))

CASE(io_uring_queue_exit) {
  begin();
  make_write();
  CHECK(C(io_uring_submit(&ring)) == 1);
  expect_write();
  CV(io_uring_queue_exit(&ring));
  check_ring(C(io_uring_queue_init(8, &ring, 0)));
  make_write();
  CHECK(C(io_uring_submit_and_wait(&ring, 1)) == 1);
  expect_write();
}

/* Writes to a registered file. place: its index in the table of registered files. */
static void write_registered(int place) {
  make(URING_WRITE, place, buffer, BYTES, 4096)->flags = ENTRY_FIXED_FILE;
  CHECK(C(io_uring_submit_and_wait(&ring, 1)) == 1);
  expect_write();
}
#define FILES_CASE(name, call)                                                                     \
  CASE(name) {                                                                                     \
    begin();                                                                                       \
    int fds[] = {-1, fd};                                                                          \
    CHECK(C(call) == 0);                                                                           \
    write_registered(1);                                                                           \
  }
FILES_CASE(io_uring_register_files, io_uring_register_files(&ring, fds, 2))
FILES_CASE(io_uring_register_files_tags, io_uring_register_files_tags(&ring, fds, NULL, 2))
FILES_CASE(io_uring_register, io_uring_register((unsigned)ring.fd, REGISTER_FILES, fds, 2))
#define UPDATE_CASE(name, call)                                                                    \
  CASE(name) {                                                                                     \
    begin();                                                                                       \
    int none[] = {-1, -1, -1};                                                                     \
    CHECK(C(io_uring_register_files(&ring, none, 3)) == 0);                                        \
    CHECK(C(call) == 1);                                                                           \
    write_registered(2);                                                                           \
  }
UPDATE_CASE(io_uring_register_files_update, io_uring_register_files_update(&ring, 2, &fd, 1))
UPDATE_CASE(io_uring_register_files_update_tag,
            io_uring_register_files_update_tag(&ring, 2, &fd, NULL, 1))

/* Several operations in one submission, one after the other. */
SCENARIO(ring_operations) {
  enum { LINKED = 1 << 2, DATA_ONLY = 1, MODE = 0600, N = 5 };
  static char path[4096];
  begin();
  strcpy(path, in_dir("made"));
  make(URING_OPENAT, AT_FDCWD, path, MODE, 0)->operation_flags = O_CREAT | O_RDWR;
  CHECK(C(io_uring_submit_and_wait(&ring, 1)) == 1);
  memset(path, '?', sizeof(path) - 1); /* the program may reuse its memory */
  int made = taken();
  CHECK(made >= 0);
  model_open(in_dir("made"), MODE);
  make(URING_WRITE, made, buffer, BYTES, 0)->flags = LINKED;
  make(URING_READ, made, buffer, 100, 50)->flags = LINKED;
  make(URING_FSYNC, made, NULL, 0, 0)->flags = LINKED;
  make(URING_FSYNC, made, NULL, 0, 0)->operation_flags = DATA_ONLY;
  CHECK(C(io_uring_submit_and_wait(&ring, N - 1)) == N - 1);
  model_pwrite(in_dir("made"), 0, BYTES, buffer);
  model_pread(in_dir("made"), 50, 100, buffer);
  expect(in_dir("made"), "POSIX_FSYNCS", 1);
  expect(in_dir("made"), "POSIX_FDSYNCS", 1);
  CHECK(taken() == BYTES && taken() == 100 && taken() == 0 && taken() == 0);
  make(URING_CLOSE, made, NULL, 0, 0);
  CHECK(C(io_uring_submit_and_wait(&ring, 1)) == 1);
  CHECK(taken() == 0);
  model_ext(in_dir("made"), "POSIX_EXT_URING_SUBMITS", N);
}

/* Requests that the kernel received without a visible call are not counted, but reported. */
SCENARIO(ring_unseen) {
  enum { N = 3 };
  begin();
  for (int i = 0; i < N; i++) {
    make_write();
    CHECK(sys_call(SYS_io_uring_enter, ring.fd, flush(), 1, 1, 0, 8) == 1);
    CHECK(taken() == BYTES);
  }
  expect_sum("POSIX_EXT_URING_UNSEEN", N);
  make_write();
  CHECK(C(io_uring_submit(&ring)) == 1);
  expect_write();
}

/* A request fails, and another request has the same user data. */
SCENARIO(ring_same_user_data) {
  enum { LINKED = 1 << 2 }; /* flag: in this order */
  struct uring_entry *entry;
  begin();
  for (int i = 0; i < 3; i++) {
    int operation = i == 1 ? 0 /* no operation */ : URING_WRITE;
    entry = make(operation, i == 1 ? -1 : fd, buffer, 10 + 10 * (unsigned)i, 5 * i);
    entry->user_data = 0;
    entry->flags = LINKED;
  }
  make(URING_READ, fd, (void *)8, 30, 0);
  CHECK(C(io_uring_submit_and_wait(&ring, 4)) == 4);
  model_ext(in_dir("file"), "POSIX_EXT_URING_SUBMITS", 3);
  model_pwrite(in_dir("file"), 0, 10, buffer);
  model_pwrite(in_dir("file"), 10, 30, buffer);
  CHECK(taken() == 10 && taken() == 0 && taken() == 30 && taken() == -EFAULT);
}
