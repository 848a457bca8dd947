/* Transfers more than 2 GiB in one call, without the memory or the disk space. The buffer is only
 * reserved, and this program defines the system's reads and writes for the MPI library, which only
 * pretend to transfer. The lines of program.h are written to FOLDER/trace.0. Usage: large
 * FOLDER. */
#include <aio.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MIB = 1 << 20, PIECES = 2200, KERNEL_MOST = 0x7ffff000 };
#define ROOM ((size_t)6 << 30)

static char *data;
static FILE *lines;
/* Whether transfers only pretend. */
static int pretending;

/* Returns the result of a transfer of n bytes that did not happen: n, but at most the kernel's
 * maximum per call (KERNEL_MOST). */
static ssize_t pretend(size_t n) {
  return n < KERNEL_MOST ? (ssize_t)n : KERNEL_MOST;
}
/* Returns the result of a transfer of several parts that only pretends. */
static ssize_t pretend_all(const struct iovec *parts, int count) {
  size_t n = 0;
  for (int i = 0; i < count; i++)
    n += parts[i].iov_len;
  return pretend(n);
}
#define ONE(name, call, pointer)                                                                   \
  ssize_t name(int fd, pointer bytes, size_t n, off_t at) {                                        \
    return pretending ? pretend(n) : syscall(call, fd, bytes, n, at);                              \
  }
#define SEVERAL(name, call)                                                                        \
  ssize_t name(int fd, const struct iovec *parts, int count, off_t at) {                           \
    return pretending ? pretend_all(parts, count) : syscall(call, fd, parts, count, at, 0);        \
  }
ONE(pread, SYS_pread64, void *)
ONE(pread64, SYS_pread64, void *)
ONE(pwrite, SYS_pwrite64, const void *)
ONE(pwrite64, SYS_pwrite64, const void *)
SEVERAL(preadv, SYS_preadv)
SEVERAL(preadv64, SYS_preadv)
SEVERAL(pwritev, SYS_pwritev)
SEVERAL(pwritev64, SYS_pwritev)

/* Only the MPI library calls these functions. */
int aio_read(struct aiocb *call) {
  (void)call;
  return 0;
}
int aio_write(struct aiocb *call) {
  (void)call;
  return 0;
}
int aio_suspend(const struct aiocb *const calls[], int count, const struct timespec *limit) {
  (void)calls, (void)count, (void)limit;
  return 0;
}
int aio_error(const struct aiocb *call) {
  (void)call;
  return 0;
}
ssize_t aio_return(struct aiocb *call) {
  return pretend(call->aio_nbytes);
}

static void check(int result, const char *call) {
  if (result == MPI_SUCCESS) return;
  fprintf(stderr, "%s failed: %d\n", call, result);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
/* Ends the job if an MPI call failed. call: for the message. */
#define CHECK(call) check((call), #call)

/* The data of one transfer: `count` elements of a type. */
struct piece {
  const char *name;
  long long count;
  MPI_Datatype type;
};

/* Writes a line about a transfer. function: of MPI. kind: "INDEP" or "NB". status: of the
 * transfer. */
static void note(const struct piece *piece, const char *function, int writes, const char *kind,
                 MPI_Status *status) {
  MPI_Count size, done;
  CHECK(MPI_Type_size_x(piece->type, &size));
  CHECK(MPI_Get_elements_x(status, MPI_BYTE, &done));
  fprintf(lines, "%s-%s transfer %d %s EXPLICIT %lld %lld 0\n", piece->name, function, writes, kind,
          piece->count * (long long)size, (long long)done);
}

/* Creates a file for one function with MPI_COMM_SELF, and writes to `lines` the expected counters
 * of its open. */
static MPI_File open_file(const struct piece *piece, const char *function) {
  char name[128];
  MPI_File fh;
  snprintf(name, sizeof(name), "%s-%s", piece->name, function);
  CHECK(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &fh));
  fprintf(lines, "%s open 1 9 0\n", name);
  return fh;
}

#define AT_ONCE(f, writes)                                                                         \
  static void try_##f(const struct piece *piece) {                                                 \
    MPI_Status status;                                                                             \
    MPI_File fh = open_file(piece, #f);                                                            \
    pretending = 1;                                                                                \
    CHECK(f(fh, 0, data, piece->count, piece->type, &status));                                     \
    pretending = 0;                                                                                \
    note(piece, #f, writes, "INDEP", &status);                                                     \
    CHECK(MPI_File_close(&fh));                                                                    \
  }
#define LATER(f, writes)                                                                           \
  static void try_##f(const struct piece *piece) {                                                 \
    MPI_Status status;                                                                             \
    MPI_Request request;                                                                           \
    MPI_File fh = open_file(piece, #f);                                                            \
    pretending = 1;                                                                                \
    CHECK(f(fh, 0, data, piece->count, piece->type, &request));                                    \
    CHECK(MPI_Wait(&request, &status));                                                            \
    pretending = 0;                                                                                \
    note(piece, #f, writes, "NB", &status);                                                        \
    fprintf(lines, "%s-%s ext NB_WAITS 1\n%s-%s most 1\n", piece->name, #f, piece->name, #f);      \
    CHECK(MPI_File_close(&fh));                                                                    \
  }
AT_ONCE(MPI_File_read_at, 0)
AT_ONCE(MPI_File_write_at, 1)
LATER(MPI_File_iread_at, 0)
LATER(MPI_File_iwrite_at, 1)
#if MPI_VERSION >= 4
AT_ONCE(MPI_File_read_at_c, 0)
AT_ONCE(MPI_File_write_at_c, 1)
LATER(MPI_File_iread_at_c, 0)
LATER(MPI_File_iwrite_at_c, 1)
#endif

/* Transfers with each function. */
static void try_all(const struct piece *piece) {
  try_MPI_File_read_at(piece);
  try_MPI_File_write_at(piece);
  try_MPI_File_iread_at(piece);
  try_MPI_File_iwrite_at(piece);
#if MPI_VERSION >= 4
  try_MPI_File_read_at_c(piece);
  try_MPI_File_write_at_c(piece);
  try_MPI_File_iread_at_c(piece);
  try_MPI_File_iwrite_at_c(piece);
#endif
}

int main(int argc, char **argv) {
  MPI_Datatype mib, two;
  MPI_Init(&argc, &argv);
  data =
      mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (argc != 2 || chdir(argv[1]) != 0 || !(lines = fopen("trace.0", "w")) || data == MAP_FAILED) {
    fprintf(stderr, "usage: program FOLDER\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  setvbuf(lines, NULL, _IOLBF, 0); /* if a call hangs, the lines show which */
  CHECK(MPI_Type_contiguous(MIB, MPI_BYTE, &mib));
  CHECK(MPI_Type_commit(&mib));
  CHECK(MPI_Type_contiguous(PIECES, mib, &two));
  CHECK(MPI_Type_commit(&two));
  try_all(&(struct piece){"pieces", PIECES, mib}); /* the product exceeds an int */
  try_all(&(struct piece){"type", 2, two});        /* the size of the type exceeds it */
  CHECK(MPI_Type_free(&two));
  CHECK(MPI_Type_free(&mib));
  fclose(lines);
  MPI_Finalize();
  return 0;
}
