/* Mistakes in C that users often ask about, with their fixes: usual CASE [cured]. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "case.h"

static char room[16 << 20];

static int made(const char *name) {
  int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644); /* blame: replaced-each */
  must(fd >= 0, name);
  return fd;
}

static FILE *opened(const char *name, const char *mode) {
  FILE *file = fopen(name, mode);
  must(file != NULL, name);
  return file;
}

/* Stores a matrix by rows, and computes it by columns. */
static void matrix_by_columns(bool cured) {
  enum { SIDE = 60 };
  static double matrix[SIDE][SIDE];
  FILE *file = opened("matrix", "w");
  for (int column = 0; column < SIDE; column++)
    for (int row = 0; row < SIDE; row++) {
      matrix[row][column] = row + column;
      if (cured) continue;
      /* blame: matrix-by-columns */
      fseek(file, (row * SIDE + column) * (long)sizeof(double), SEEK_SET);
      fwrite(&matrix[row][column], sizeof(double), 1, file);
    }
  if (cured) fwrite(matrix, sizeof(matrix), 1, file);
  fclose(file);
}

/* Uses a buffer of only 64 bytes. */
static void small_buffer(bool cured) {
  static char buffer[64];
  FILE *file = opened("values", "w");
  if (!cured) setvbuf(file, buffer, _IOFBF, sizeof(buffer));
  for (int i = 0; i < 20000; i++)
    fprintf(file, "%08d\n", i); /* blame: small-buffer */
  fclose(file);
}

/* Writes each number by dprintf, which has no buffer; cured: by a stream. */
static void value_by_dprintf(bool cured) {
  if (cured) {
    FILE *file = opened("values", "w");
    for (int i = 0; i < 4000; i++)
      fprintf(file, "%d\n", i);
    fclose(file);
    return;
  }
  int fd = made("values");
  for (int i = 0; i < 4000; i++)
    must(dprintf(fd, "%d\n", i) > 0, "values"); /* blame: value-by-dprintf */
  close(fd);
}

/* Reads the index at the file's start again for each record. */
static void index_each(bool cured) {
  int fd = open("input", O_RDONLY);
  must(fd >= 0, "input");
  if (cured) must(read(fd, room, sizeof room) == 8 << 20, "input");
  for (int i = 0; i < 2000 && !cured; i++) {
    must(pread(fd, room, 4096, 0) == 4096, "index"); /* blame: index-each */
    /* blame: index-each */
    must(pread(fd, room + 4096, 2000, 8192 + i * 4000) == 2000, "record");
  }
  close(fd);
}

/* Replaces a small state atomically, many times a second. */
static void replaced_each(bool cured) {
  for (int step = 0; step < 400; step++) {
    if (cured && step % 40) continue;
    int fd = made("state.new");
    /* blame: replaced-each */
    must(write(fd, room, 2000) == 2000 && close(fd) == 0, "state.new");
    must(rename("state.new", "state") == 0, "rename"); /* blame: replaced-each */
  }
}

/* Overwrites the last progress line. */
static void line_over_line(bool cured) {
  int fd = made("progress");
  for (int i = 0; i < 3000; i++) {
    if (cured && i % 300) continue;
    must(ftruncate(fd, 0) == 0, "ftruncate");
    must(pwrite(fd, room, 40, 0) == 40, "progress"); /* blame: line-over-line */
  }
  close(fd);
}

/* Queries the file's size before each block. */
static void size_before_each(bool cured) {
  struct stat st;
  int fd = open("input", O_RDONLY);
  must(fd >= 0 && fstat(fd, &st) == 0, "input");
  for (off_t at = 0; at < st.st_size; at += 4 << 10) {
    if (!cured) must(stat("input", &st) == 0, "input"); /* blame: size-before-each */
    if (at % (1 << 20) == 0) must(pread(fd, room, 1 << 20, at) > 0, "input");
  }
  close(fd);
}

/* Reads, changes and writes back each record of a stream; cured: all records at once. */
static void records_of_a_stream(bool cured) {
  enum { RECORDS = 2500, SIZE = 80 };
  FILE *file = opened("input", "r+");
  if (cured) {
    must(fread(room, SIZE, RECORDS, file) == RECORDS, "input");
    for (int i = 0; i < RECORDS; i++)
      room[i * SIZE]++;
    rewind(file);
    must(fwrite(room, SIZE, RECORDS, file) == RECORDS, "input");
  }
  for (int i = 0; i < RECORDS && !cured; i++) {
    must(fread(room, SIZE, 1, file) == 1, "input");
    room[0]++;
    fseek(file, -SIZE, SEEK_CUR); /* blame: records-of-a-stream */
    must(fwrite(room, SIZE, 1, file) == 1, "input");
    fseek(file, 0, SEEK_CUR); /* blame: records-of-a-stream */
  }
  fclose(file);
}

int main(int argc, char **argv) {
  static const struct Case cases[] = {
      {"matrix-by-columns", matrix_by_columns},
      {"small-buffer", small_buffer},
      {"value-by-dprintf", value_by_dprintf},
      {"index-each", index_each},
      {"replaced-each", replaced_each},
      {"line-over-line", line_over_line},
      {"size-before-each", size_before_each},
      {"records-of-a-stream", records_of_a_stream},
      {NULL, NULL},
  };
  return run_case(argc, argv, cases);
}
