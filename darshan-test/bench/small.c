/* A small process: small idle|one|many FOLDER. idle does nothing, one writes a file, many writes a
 * thousand files. With a third argument it then prints its resident memory in KiB: the total, the
 * part in mappings of libdarshan.so, and the part that is not mapped from a file. */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void write_file(const char *folder, int number) {
  char path[4096];
  snprintf(path, sizeof(path), "%s/file-%d", folder, number);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || write(fd, path, 100) != 100 || close(fd) != 0) err(1, "%s", path);
}

/* Prints the resident memory from /proc/self/smaps, as the file's head says. Reads with read(2)
 * before any output, so that the measurement allocates nothing. */
static void print_resident(void) {
  static char text[1 << 20];
  size_t length = 0;
  ssize_t got;
  int fd = open("/proc/self/smaps", O_RDONLY);
  while (fd >= 0 && (got = read(fd, text + length, sizeof(text) - 1 - length)) > 0)
    length += (size_t)got;
  close(fd);
  long all = 0, library = 0, anonymous = 0, kib;
  int ours = 0;
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    if (strchr(line, '-') && strchr(line, '-') < strchr(line, ' '))
      ours = strstr(line, "libdarshan.so") != NULL;
    if (sscanf(line, "Anonymous: %ld", &kib) == 1) anonymous += kib;
    if (sscanf(line, "Rss: %ld", &kib) != 1) continue;
    all += kib;
    library += ours ? kib : 0;
  }
  printf("%ld %ld %ld\n", all, library, anonymous);
}

int main(int argc, char **argv) {
  if (argc < 3) errx(2, "usage: small idle|one|many FOLDER [resident]");
  int files = strcmp(argv[1], "many") == 0 ? 1000 : strcmp(argv[1], "one") == 0;
  for (int i = 0; i < files; i++)
    write_file(argv[2], i);
  if (argc > 3) print_resident();
  return 0;
}
