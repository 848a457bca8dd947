/* Uses files and streams in a program that is linked with musl. test_musl.py has the expected
 * log. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINES = 3000, THREADS = 3 };

/* Reads a few bytes of a file; the function of a thread. */
static void *reads(void *unused) {
  char bytes[5];
  int fd = open("numbers", O_RDONLY);
  if (read(fd, bytes, sizeof bytes) != sizeof bytes) _exit(3);
  close(fd);
  return unused;
}

/* Writes lines to a stream, and reads them in several ways. Returns the number of lines that were
 * read. */
static int streams(void) {
  char line[80];
  int first, second, n = 0;
  FILE *file = fopen("numbers", "w");
  for (int i = 0; i < LINES; i++)
    fprintf(file, "%d %d\n", i, i * 2);
  fclose(file);
  file = fopen("numbers", "r");
  while (fscanf(file, "%d %d", &first, &second) == 2)
    n++;
  rewind(file);
  if (!fgets(line, sizeof line, file) || fgetc(file) == EOF) return -1;
  ungetc('x', file);
  if (fgetc(file) != 'x') return -1;
  fclose(file);
  return n;
}

int main(void) {
  pthread_t threads[THREADS];
  jmp_buf here;
  if (streams() != LINES) return 4;
  int fd = open("bytes", O_CREAT | O_RDWR, 0644);
  if (write(fd, "hello", 5) != 5 || pwrite(fd, "yy", 2, 100) != 2) return 5;
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, reads, NULL);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  if (setjmp(here) == 0) longjmp(here, 1);
  int status = 0;
  pid_t child = fork();
  if (child == 0) _exit(write(fd, "child", 5) == 5 ? 7 : 1);
  if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7) return 6;
  close(fd);
  puts("done");
  return 0;
}
