/* The programs of the fault tests, one mode each. Their reads and writes are fixed, so each run of
 * a mode has the same counters. A program that sees a failure itself ends with a status that says
 * where. Before a regular end, it prints "end". */
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif
#ifdef WITH_DAOS
#include "../daos/daos.h"
#endif

enum { GROWTH_FILES = 300, THREADS = 4, ROUNDS = 10 };
/* The path of this program. */
static const char *self;
extern char **environ;

/* Ends the process with this status if something is not right. */
static void must(int right, int status) {
  if (!right) _exit(status);
}

/* Creates a file, writes a text to it `rounds` times, reads it once, and closes the file. */
static void use(const char *name, int rounds) {
  static const char text[] = "0123456789";
  char back[sizeof(text)] = "";
  ssize_t length = sizeof(text) - 1;
  int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  must(fd >= 0, 10);
  for (int i = 0; i < rounds; i++)
    must(write(fd, text, (size_t)length) == length, 11);
  must(pread(fd, back, (size_t)length, 0) == length && !strcmp(text, back), 12);
  must(close(fd) == 0, 13);
}

/* Does no I/O. */
static void nothing(void) {}
/* Uses one file. */
static void first(void) {
  use("first", 3);
}
/* Uses more files than the runtime's first tables have room for. */
static void growth(void) {
  char name[32];
  for (int i = 0; i < GROWTH_FILES; i++) {
    snprintf(name, sizeof(name), "growth-%d", i);
    use(name, 1);
  }
}
/* Writes and reads a stream, line by line. */
static void streams(void) {
  char line[100];
  FILE *file = fopen("stream", "w+");
  must(file != NULL, 20);
  for (int i = 0; i < 1000; i++)
    must(fprintf(file, "%d\n", i) > 0, 21);
  rewind(file);
  for (int i = 0; i < 500; i++)
    must(fgets(line, sizeof(line), file) != NULL && atoi(line) == i, 22);
  must(fclose(file) == 0, 23);
}
/* Uses names that change: a current folder, a file that is renamed, a copied descriptor, and a file
 * that is removed. */
static void names(void) {
  must(mkdir("folder", 0700) == 0 && chdir("folder") == 0, 30);
  use("inside", 2);
  must(rename("inside", "../renamed") == 0 && chdir("..") == 0, 31);
  must(rmdir("folder") == 0, 32);
  int fd = open("renamed", O_RDWR), other = dup(fd);
  must(fd >= 0 && other >= 0 && write(other, "x", 1) == 1, 33);
  must(close(fd) == 0 && close(other) == 0 && unlink("renamed") == 0, 34);
}
/* Waits for a child, which must end with 0. */
static void wait_for(pid_t child) {
  int status;
  must(child > 0 && waitpid(child, &status, 0) == child && status == 0, 40);
}
/* Uses files before a fork, and in both processes after it. */
static void forks(void) {
  use("before", 2);
  pid_t child = fork();
  if (child == 0) {
    use("child", 3);
    exit(0);
  }
  use("parent", 1);
  wait_for(child);
}
/* Uses files before and after it starts a program by posix_spawn. */
static void spawn(void) {
  char *argv[] = {(char *)self, (char *)"first", NULL};
  pid_t child = -1;
  use("before", 2);
  must(posix_spawn(&child, self, NULL, NULL, argv, environ) == 0, 41);
  wait_for(child);
  use("behind", 2);
}
/* Uses files before and after it starts a program by vfork and exec. */
static void vforks(void) {
  use("before", 2);
  pid_t child = vfork();
  if (child == 0) {
    execl(self, self, "first", NULL);
    _exit(1);
  }
  wait_for(child);
}
/* Uses a file, and becomes another program. */
static void exec(void) {
  use("before", 2);
  execl(self, self, "streams", NULL);
  must(0, 42);
}
/* Uses files before and after an exec that fails. */
static void exec_fails(void) {
  use("before", 2);
  must(execl("no-such-program", "no-such-program", NULL) < 0, 43);
  use("before", 4);
  use("behind", 4);
}
/* Uses a file again and again; the function of a thread. */
static void *thread(void *name) {
  for (int i = 0; i < ROUNDS; i++)
    use(name, 2);
  return NULL;
}
/* Uses files in several threads at once. */
static void threads(void) {
  static const char *const name[THREADS] = {"one", "two", "three", "four"};
  pthread_t id[THREADS];
  for (int i = 0; i < THREADS; i++)
    must(pthread_create(&id[i], NULL, thread, (void *)name[i]) == 0, 50);
  for (int i = 0; i < THREADS; i++)
    must(pthread_join(id[i], NULL) == 0, 51);
}
/* Forks two children while other threads are in the middle of I/O calls. */
static void fork_threads(void) {
  static const char *const name[THREADS] = {"one", "two", "three", "four"};
  pthread_t id[THREADS];
  use("before", 1);
  for (int i = 0; i < THREADS; i++)
    must(pthread_create(&id[i], NULL, thread, (void *)name[i]) == 0, 50);
  for (int i = 0; i < 2; i++) {
    pid_t child = fork();
    if (child == 0) {
      use("child", 3);
      _exit(0);
    }
    wait_for(child);
  }
  for (int i = 0; i < THREADS; i++)
    must(pthread_join(id[i], NULL) == 0, 51);
}
/* Traces more transfers than the initial capacity of a trace, for files and for a stream. */
static void traces(void) {
  use("first", 3);
  use("many", 3000);
  streams();
}
/* Uses a file, and ends by _exit. */
static void ends_at_once(void) {
  use("first", 3);
  (void)!write(1, "end\n", 4);
  _exit(7);
}
/* Uses a file at the process's end. */
static void last(void) {
  use("last", 3);
}
/* Uses files, the last one while quick_exit runs. */
static void ends_quickly(void) {
  must(at_quick_exit(last) == 0, 52);
  use("first", 3);
  (void)!write(1, "end\n", 4);
  quick_exit(7);
}
/* Uses files, the last one while exit runs. */
static void ends(void) {
  must(atexit(last) == 0, 53);
  use("first", 3);
  exit(7);
}

#ifdef WITH_MPI
/* Uses a file of each rank, the first of them before MPI_Init, a file of both ranks, and a file by
 * MPI-IO. */
static void mpi(void) {
  int rank;
  char name[32];
  MPI_File file;
  const char *mpich = getenv("PMI_RANK"), *openmpi = getenv("OMPI_COMM_WORLD_RANK");
  snprintf(name, sizeof(name), "early-%s", mpich ? mpich : openmpi ? openmpi : "");
  use(name, 1);
  must(MPI_Init(NULL, NULL) == MPI_SUCCESS, 70);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof(name), "own-%d", rank);
  use(name, 2);
  int fd = open("shared", O_RDWR | O_CREAT, 0600);
  must(fd >= 0 && pwrite(fd, "0123456789", 10, 10 * rank) == 10 && close(fd) == 0, 71);
  must(MPI_File_open(MPI_COMM_WORLD, "together", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                     &file) == MPI_SUCCESS,
       72);
  MPI_File_write_at(file, 8 * rank, "12345678", 8, MPI_BYTE, MPI_STATUS_IGNORE);
  must(MPI_File_close(&file) == MPI_SUCCESS, 73);
  must(MPI_Finalize() == MPI_SUCCESS, 74);
}
#endif

#ifdef WITH_MPI
/* Sends messages and makes collective calls of MPI, one of them nonblocking, and uses a file of
 * each rank. */
static void talk(void) {
  int rank, one = 1, sum = 0, other, counts[2] = {1, 1}, places[2] = {0, 1}, out[2] = {1, 2}, in[2];
  MPI_Request request;
  must(MPI_Init(NULL, NULL) == MPI_SUCCESS, 70);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 3; i++) {
    must(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == 0 && sum == 2, 75);
    MPI_Sendrecv(&one, 1, MPI_INT, 1 - rank, 3, &other, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  MPI_Ialltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD,
                 &request);
  must(MPI_Wait(&request, MPI_STATUS_IGNORE) == 0 && in[1 - rank] == rank + 1, 76);
  use(rank ? "second" : "first", 2);
  must(MPI_Finalize() == MPI_SUCCESS, 74);
}
#endif

#ifdef WITH_DAOS
/* Uses two files of DAOS' file system (libdfs), and a key of a key-value object (libdaos). */
static void daos(void) {
  daos_handle_t pool, container, values;
  dfs_t *dfs;
  dfs_obj_t *file;
  char bytes[] = "0123456789";
  d_iov_t iov = {bytes, 10, 10};
  d_sg_list_t list = {1, 0, &iov};
  daos_size_t moved;
  must(daos_init() == 0 && daos_pool_connect2("a pool", NULL, 0, &pool, NULL, NULL) == 0, 80);
  must(daos_cont_open2(pool, "a container", 0, &container, NULL, NULL) == 0, 81);
  must(dfs_mount(pool, container, 0, &dfs) == 0, 82);
  for (int i = 0; i < 2; i++) {
    must(dfs_open(dfs, NULL, i ? "b" : "a", S_IFREG | 0644, 0, 0, 4096, NULL, &file) == 0, 83);
    must(dfs_write(dfs, file, &list, 0, NULL) == 0, 84);
    must(dfs_read(dfs, file, &list, 0, &moved, NULL) == 0 && moved == 10, 85);
    must(dfs_release(file) == 0, 86);
  }
  must(daos_kv_open(container, (daos_obj_id_t){8, 3}, 2, &values, NULL) == 0, 87);
  must(daos_kv_put(values, DAOS_TX_NONE, 0, "key", 10, bytes, NULL) == 0, 88);
  must(daos_kv_close(values, NULL) == 0, 89);
}
#endif

static const struct {
  const char *name;
  void (*run)(void);
} modes[] = {
    {"start", nothing},
    {"first", first},
    {"streams", streams},
    {"names", names},
    {"forks", forks},
    {"spawn", spawn},
    {"vforks", vforks},
    {"exec", exec},
    {"exec-fails", exec_fails},
    {"exit", ends},
    {"exit-now", ends_at_once},
    {"quick-exit", ends_quickly},
    {"threads", threads},
    {"growth", growth},
    {"traces", traces},
    {"fork-threads", fork_threads},
#ifdef WITH_MPI
    {"mpi", mpi},
    {"talk", talk},
#endif
#ifdef WITH_DAOS
    {"daos", daos},
#endif
};

int main(int argc, char **argv) {
  self = argv[0];
  for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++)
    if (strcmp(modes[i].name, argv[1]) == 0) {
      modes[i].run();
      return write(1, "end\n", 4) == 4 ? 0 : 60;
    }
  return 2;
}
