/* Programs without a problem, as users write them, written after the rules were finished. */
#include "case.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KIB = 1024, MIB = 1 << 20 };

static int opened(const char *name, int flags) {
  int fd = open(name, flags, 0644);
  must(fd >= 0, name);
  return fd;
}

static void *block_of(size_t size) {
  void *block = aligned_alloc(4096, size);
  must(block != NULL, "aligned_alloc");
  return memset(block, 7, size);
}

static void work(int milliseconds) {
  usleep((useconds_t)milliseconds * 1000);
}

/* Copies a file by copy_file_range. cured: unused. */
static void copy_range(bool cured) {
  (void)cured;
  int in = opened("input", O_RDONLY), out = opened("copy", O_CREAT | O_WRONLY);
  struct stat known;
  must(fstat(in, &known) == 0, "fstat");
  while (known.st_size > 0) {
    ssize_t moved = copy_file_range(in, NULL, out, NULL, 8 * MIB, 0);
    must(moved > 0, "copy_file_range");
    known.st_size -= moved;
  }
  must(close(in) == 0 && close(out) == 0, "close");
}

/* Writes large aligned blocks with O_DIRECT, if the file system permits it. cured: unused. */
static void direct_blocks(bool cured) {
  (void)cured;
  void *block = block_of(4 * MIB);
  int fd = open("direct", O_CREAT | O_WRONLY | O_DIRECT, 0644);
  if (fd < 0 && errno == EINVAL) fd = opened("direct", O_CREAT | O_WRONLY);
  for (int i = 0; i < 16; i++)
    must(pwrite(fd, block, 4 * MIB, (off_t)i * 4 * MIB) == 4 * MIB, "pwrite");
  must(close(fd) == 0, "close");
  free(block);
}

/* Allocates the space first, and then fills it from front to back. cured: unused. */
static void preallocated(bool cured) {
  (void)cured;
  void *block = block_of(MIB);
  int fd = opened("ahead", O_CREAT | O_WRONLY);
  must(posix_fallocate(fd, 0, 48 * MIB) == 0, "posix_fallocate");
  for (int i = 0; i < 48; i++)
    must(write(fd, block, MIB) == MIB, "write");
  must(fsync(fd) == 0 && close(fd) == 0, "close");
  free(block);
}

/* Writes and reads each block of a scratch file once, as for data larger than memory. cured:
 * unused. */
static void out_of_core(bool cured) {
  (void)cured;
  char *block = block_of(2 * MIB);
  int fd = opened("scratch", O_CREAT | O_RDWR);
  must(unlink("scratch") == 0, "unlink");
  for (int i = 0; i < 24; i++)
    must(pwrite(fd, block, 2 * MIB, (off_t)i * 2 * MIB) == 2 * MIB, "pwrite");
  for (int i = 0; i < 24; i++)
    must(pread(fd, block, 2 * MIB, (off_t)i * 2 * MIB) == 2 * MIB, "pread");
  must(close(fd) == 0, "close");
  free(block);
}

/* Reads each page of a database once when needed, and caches it. cured: unused. */
static void page_cache(bool cured) {
  (void)cured;
  static char pages[1024][4096];
  int fd = opened("input", O_RDONLY);
  for (unsigned i = 0; i < 4000; i++) {
    unsigned page = i * 389 % 1024;
    if (pages[page][4095] == 0)
      must(pread(fd, pages[page], 4096, (off_t)page * 4096) == 4096, "pread");
    if (i % 100 == 0) work(8);
  }
  must(close(fd) == 0, "close");
}

/* Appends a line now and then while working. cured: unused. */
static void appends(bool cured) {
  (void)cured;
  int fd = opened("log", O_CREAT | O_WRONLY | O_APPEND);
  for (int i = 0; i < 80; i++) {
    work(10);
    must(write(fd, "a step is done\n", 15) == 15, "write");
  }
  must(close(fd) == 0, "close");
}

/* Reads a header with the amount of data, then the data. cured: unused. */
static void header_and_data(bool cured) {
  (void)cured;
  char *block = block_of(8 * MIB);
  for (int step = 0; step < 6; step++) {
    int fd = opened("input", O_RDONLY);
    must(read(fd, block, 512) == 512, "read");
    must(pread(fd, block, 8 * MIB, (off_t)step * 8 * MIB + 512) == 8 * MIB, "pread");
    must(close(fd) == 0, "close");
  }
  free(block);
}

/* Prints numbers to a stream and reads them again, with the usual buffers. cured: unused. */
static void numbers(bool cured) {
  (void)cured;
  FILE *file = fopen("numbers", "w");
  must(file != NULL, "fopen");
  for (int i = 0; i < 100000; i++)
    fprintf(file, "%d %g\n", i, i * 0.1);
  must(fclose(file) == 0, "fclose");
  file = fopen("numbers", "r");
  must(file != NULL, "fopen");
  int i;
  double value, sum = 0;
  while (fscanf(file, "%d %lf", &i, &value) == 2)
    sum += value;
  must(sum > 0 && fclose(file) == 0, "fclose");
}

/* Writes an image: a few words of text, then all rows with one call. cured: unused. */
static void image(bool cured) {
  (void)cured;
  char *rows = block_of(24 * MIB);
  FILE *file = fopen("image.ppm", "wb");
  must(file != NULL, "fopen");
  fprintf(file, "P6\n4096 2048\n255\n");
  must(fwrite(rows, MIB, 24, file) == 24 && fclose(file) == 0, "fwrite");
  free(rows);
}

/* Locks each record of a file for its write, as processes do that take turns. cured: unused. */
static void locked_records(bool cured) {
  (void)cured;
  char *record = block_of(512 * KIB);
  int fd = opened("shared", O_CREAT | O_RDWR);
  for (int i = 0; i < 40; i++) {
    struct flock range = {.l_type = F_WRLCK, .l_start = (off_t)i * 512 * KIB, .l_len = 512 * KIB};
    must(fcntl(fd, F_SETLKW, &range) == 0, "fcntl");
    must(pwrite(fd, record, 512 * KIB, range.l_start) == 512 * KIB, "pwrite");
    range.l_type = F_UNLCK;
    must(fcntl(fd, F_SETLK, &range) == 0, "fcntl");
  }
  must(close(fd) == 0, "close");
  free(record);
}

/* Determines the size of a file by seeking, then reads all of it. cured: unused. */
static void size_by_seek(bool cured) {
  (void)cured;
  FILE *file = fopen("input", "rb");
  must(file != NULL && fseek(file, 0, SEEK_END) == 0, "input");
  size_t size = (size_t)ftell(file);
  rewind(file);
  char *all = malloc(size);
  must(all && fread(all, 1, size, file) == size, "fread");
  free(all);
  fclose(file);
  work(200);
}

/* Writes few lines of a log with line buffering, so that a user can follow it. cured: unused. */
static void log_by_line(bool cured) {
  (void)cured;
  FILE *file = fopen("run.log", "w");
  must(file != NULL && setvbuf(file, NULL, _IOLBF, 0) == 0, "run.log");
  for (int i = 0; i < 50; i++) {
    work(15);
    fprintf(file, "step %d: residual %g\n", i, 1.0 / (i + 1));
  }
  fclose(file);
}

/* Counts the words of a stream, letter by letter. cured: unused. */
static void letters(bool cured) {
  (void)cured;
  FILE *file = fopen("input", "r");
  must(file != NULL, "input");
  size_t words = 0;
  for (int last = ' ', c; (c = getc(file)) != EOF; last = c)
    words += c != ' ' && last == ' ';
  must(words > 0 && fclose(file) == 0, "fclose");
}

static const struct Case cases[] = {
    {"copy-range", copy_range},
    {"direct-blocks", direct_blocks},
    {"preallocated", preallocated},
    {"out-of-core", out_of_core},
    {"page-cache", page_cache},
    {"appends", appends},
    {"header-and-data", header_and_data},
    {"numbers", numbers},
    {"image", image},
    {"locked-records", locked_records},
    {"size-by-seek", size_by_seek},
    {"log-by-line", log_by_line},
    {"letters", letters},
    {NULL, NULL},
};

int main(int argc, char **argv) {
  return run_case(argc, argv, cases);
}
