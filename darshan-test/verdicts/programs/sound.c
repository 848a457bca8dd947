/* Healthy programs in C, from manuals: sound CASE. */
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "case.h"

enum { MIB = 1 << 20 };
static char room[8 * MIB];

static int made(const char *name) {
  int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
  must(fd >= 0, name);
  return fd;
}

/* Copies some of the lines of a file to another file. cured: unused. */
static void filter(bool cured) {
  (void)cured;
  static char line[1024];
  FILE *from = fopen("input", "r"), *to = fopen("odd", "w");
  must(from && to, "input");
  while (fgets(line, sizeof line, from))
    if (line[6] & 1) fputs(line, to);
  must(fclose(from) == 0 && fclose(to) == 0, "odd");
}

static long long bytes;

static int add(const char *path, const struct stat *st, int kind, struct FTW *where) {
  (void)path, (void)where;
  if (kind == FTW_F) bytes += st->st_size;
  return 0;
}

/* Walks a tree and adds up the sizes of its files, then does other work. cured: unused. */
static void tree(bool cured) {
  (void)cured;
  must(nftw(".", add, 16, FTW_PHYS) == 0 && bytes > MIB, "tree");
  usleep(900000);
}

static void *slice(void *number) {
  long n = (long)(size_t)number;
  int fd = open("volume", O_WRONLY);
  for (long i = 0; i < 6; i++)
    must(pwrite(fd, room, MIB, (n * 6 + i) * MIB) == MIB, "volume");
  close(fd);
  return NULL;
}

/* Four threads write a slice each. cured: unused. */
static void slices(bool cured) {
  (void)cured;
  pthread_t threads[4];
  close(made("volume"));
  for (size_t i = 0; i < 4; i++)
    must(pthread_create(&threads[i], NULL, slice, (void *)i) == 0, "thread");
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
}

/* Copies a file by sendfile. cured: unused. */
static void send_file(bool cured) {
  (void)cured;
  int from = open("input", O_RDONLY), to = made("copy");
  while (sendfile(to, from, NULL, 4 * MIB) > 0)
    continue;
  close(from);
  close(to);
}

/* Writes five checkpoints to three files in turn, each with a header, and works before each. cured:
 * unused. */
static void ring(bool cured) {
  (void)cured;
  char name[32];
  for (int step = 0; step < 5; step++) {
    usleep(500000);
    snprintf(name, sizeof name, "checkpoint.%d", step % 3);
    FILE *file = fopen(name, "w");
    must(file && fwrite(room, 64, 1, file) == 1 && fwrite(room, sizeof room, 1, file) == 1, name);
    must(fclose(file) == 0, name);
  }
}

/* Writes 64 blocks of 256 KiB into a sparse file of 16 GiB. cured: unused. */
static void sparse(bool cured) {
  (void)cured;
  int fd = made("sparse");
  must(ftruncate(fd, (off_t)1 << 34) == 0, "sparse");
  for (off_t i = 0; i < 64; i++)
    must(pwrite(fd, room, 256 << 10, i << 28) == 256 << 10, "sparse");
  close(fd);
}

/* Writes 300 bytes to a log and reads them by a second descriptor, twenty times. cured: unused. */
static void follow(bool cured) {
  (void)cured;
  int out = made("log"), in = open("log", O_RDONLY);
  for (int i = 0; i < 20; i++) {
    must(write(out, room, 300) == 300, "log");
    usleep(20000);
    while (read(in, room, 4096) > 0)
      continue;
  }
  close(in);
  close(out);
}

/* Copies a file in blocks, and syncs the copy once. cured: unused. */
static void copy_durable(bool cured) {
  (void)cured;
  int from = open("input", O_RDONLY), to = made("copy");
  for (ssize_t n; (n = read(from, room, MIB)) > 0;)
    must(write(to, room, (size_t)n) == n, "copy");
  must(fsync(to) == 0, "copy");
  close(from);
  close(to);
}

/* Writes a file in blocks, then overwrites it, as a second run would. cured: unused. */
static void overwritten(bool cured) {
  (void)cured;
  int fd = made("heat.bin");
  for (int i = 0; i < 512; i++)
    must(write(fd, room, 128 << 10) == 128 << 10, "heat.bin");
  must(close(fd) == 0 && (fd = made("heat.bin")) >= 0, "heat.bin");
  for (int i = 0; i < 512; i++)
    must(write(fd, room, 128 << 10) == 128 << 10, "heat.bin");
  close(fd);
}

int main(int argc, char **argv) {
  static const struct Case cases[] = {
      {"filter", filter},
      {"tree", tree},
      {"slices", slices},
      {"send-file", send_file},
      {"ring", ring},
      {"sparse", sparse},
      {"follow", follow},
      {"copy-durable", copy_durable},
      {"overwritten", overwritten},
      {NULL, NULL},
  };
  return run_case(argc, argv, cases);
}
