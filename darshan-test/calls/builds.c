/* Reads and writes in many forms: builds FOLDER. test_builds.py compiles it in several ways. The
 * bytes in the log must be the same, whatever calls a compiler makes of this source. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[4096];

static const char *in(const char *folder, const char *name) {
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) exit(2);
  return path;
}

static void expect(int condition) {
  if (!condition) exit(1);
}

/* Reads with a buffer size that the compiler knows and a length that it does not know. */
static void descriptor_io(const char *folder, volatile size_t n) {
  char data[1000];
  struct stat st;
  volatile int flags = O_RDWR;
  memset(data, 'x', sizeof data);
  int fd = open(in(folder, "descriptor"), O_CREAT | O_RDWR, 0644);
  expect(fd >= 0 && write(fd, data, sizeof data) == sizeof data && close(fd) == 0);
  fd = open(path, flags);
  for (int i = 0; i < 10; i++)
    expect(read(fd, data, n) == (ssize_t)n);
  for (int i = 0; i < 10; i++)
    expect(pread(fd, data, n, i) == (ssize_t)n);
  expect(fstat(fd, &st) == 0 && st.st_size == 1000 && close(fd) == 0);
  expect(stat(path, &st) == 0 && lstat(path, &st) == 0);
}

static void formatted_output(const char *folder, int number) {
  FILE *stream = fopen(in(folder, "formatted"), "w");
  expect(stream != NULL);
  for (int i = 0; i < 10; i++)
    expect(fprintf(stream, "%d %s\n", number, "letters") == 10);
  fprintf(stream, "constant\n");
  fprintf(stream, "%s", "a string");
  fputs("puts\n", stream);
  putc('c', stream);
  fputc('c', stream);
  expect(fclose(stream) == 0);
}

static void single_characters(const char *folder) {
  FILE *stream = fopen(in(folder, "characters"), "w");
  expect(stream != NULL);
  for (int i = 0; i < 20000; i++)
    putc_unlocked('x', stream);
  expect(fclose(stream) == 0);
  stream = fopen(path, "r");
  int n = 0;
  while (n < 15000 && getc_unlocked(stream) == 'x')
    n++;
  expect(n == 15000 && fclose(stream) == 0);
}

static void lines_and_numbers(const char *folder, volatile size_t n) {
  char line[100], *long_line = NULL, data[100];
  size_t room = 0;
  int number = 0;
  FILE *stream = fopen(in(folder, "lines"), "w+");
  expect(stream != NULL);
  for (int i = 0; i < 20; i++)
    fwrite("12 a line\n", 10, 1, stream);
  rewind(stream);
  expect(fgets(line, (int)n, stream) == line);
  expect(fscanf(stream, "%d", &number) == 1 && number == 12);
  expect(getline(&long_line, &room, stream) == 8);
  expect(fread(data, 1, n, stream) == n);
  free(long_line);
  expect(fclose(stream) == 0);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  descriptor_io(argv[1], 50);
  formatted_output(argv[1], 1);
  single_characters(argv[1]);
  lines_and_numbers(argv[1], 50);
  printf("%d\n", argc);
  puts("end");
  return 0;
}
