/* Scenarios for streams together with threads, child processes and other kinds of streams. */
#include "../calls.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static FILE *new_stream(const char *path, const char *mode) {
  FILE *stream = C(fopen(path, mode));
  CHECK(stream != NULL);
  model_fopen(path);
  return stream;
}

static void put(FILE *stream, const char *path, long n) {
  CHECK(C(fwrite(buffer, 1, (size_t)n, stream)) == (size_t)n);
  model_fwrite(path, n);
}

/* All threads open and close streams repeatedly, so FILE objects get the same addresses. */
enum { THREADS = 6, ROUNDS = 300 };
static const char *const names[THREADS] = {"0", "1", "2", "3", "4", "5"};

static void *open_and_close(void *argument) {
  const char *path = argument;
  long n = path[strlen(path) - 1] - '0' + 1;
  for (int i = 0; i < ROUNDS; i++) {
    FILE *stream = fopen(path, "w");
    CHECK(stream && fwrite(buffer, 1, (size_t)n, stream) == (size_t)n);
    CHECK(fprintf(stream, "%ld", n) == 1 && fclose(stream) == 0);
  }
  return NULL;
}

SCENARIO(threads_reusing_streams) {
  pthread_t threads[THREADS];
  for (int t = 0; t < THREADS; t++)
    CHECK(!pthread_create(&threads[t], NULL, open_and_close, (void *)in_dir(names[t])));
  for (int t = 0; t < THREADS; t++) {
    CHECK(pthread_join(threads[t], NULL) == 0);
    for (int i = 0; i < ROUNDS; i++) {
      model_fopen(in_dir(names[t]));
      model_fwrite(in_dir(names[t]), t + 1);
      model_fwrite(in_dir(names[t]), 1);
    }
  }
}

/* A child continues to write to its parent's stream. */
SCENARIO(stream_of_the_parent) {
  const char *path = in_dir("file");
  FILE *stream = new_stream(path, "w");
  put(stream, path, 100);
  CHECK(C(fflush(stream)) == 0);
  model_fflush(path);
  pid_t child = fork();
  if (child == 0) exit(fwrite(buffer, 1, 50, stream) == 50 && fclose(stream) == 0 ? 0 : 1);
  reap(child, 0);
  model_fwrite(path, 50);
  CHECK(raw_size(path) == 150);
}

/* Accepts all bytes and discards them; a callback of fopencookie. Returns n. */
static ssize_t discard(void *cookie, const char *data, size_t n) {
  (void)cookie, (void)data;
  return (ssize_t)n;
}

/* Bytes of pipes, memory streams and callbacks belong to no file. Their FILE object may later be
 * reused for a file. */
SCENARIO(streams_that_are_no_files) {
  const char *path = in_dir("file");
  char line[16];
  FILE *stream = popen("echo letters", "r");
  CHECK(stream && fgets(line, sizeof line, stream) && !strcmp(line, "letters\n"));
  CHECK(pclose(stream) == 0);
  stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = discard});
  CHECK(stream && fwrite(buffer, 1, 700, stream) == 700 && fclose(stream) == 0);
  stream = new_stream(path, "w");
  put(stream, path, 10);
  CHECK(fclose(stream) == 0);
  stream = fmemopen(line, sizeof line, "w");
  CHECK(stream && fputs("memory", stream) >= 0 && fclose(stream) == 0);
  CHECK(system("exit 3") == 3 << 8);
  expect_any(OTHER_PATHS, "POSIX_EXT_FOLDER_STATS"); /* of the shell */
}

/* Uses streams without a buffer, with line buffering, and with a buffer of the application. */
SCENARIO(kinds_of_buffers) {
  static char own[64];
  static const int kinds[] = {_IONBF, _IOLBF, _IOFBF};
  for (int i = 0; i < 3; i++) {
    const char *path = in_dir(names[i]);
    FILE *stream = new_stream(path, "w+");
    CHECK(C(setvbuf(stream, kinds[i] == _IOFBF ? own : NULL, kinds[i], sizeof own)) == 0);
    put(stream, path, 1000);
    CHECK(C(fprintf(stream, "%s\n%d", "line", 1)) == 6);
    model_fwrite(path, 6);
    CHECK(C(fputc('c', stream)) == 'c');
    model_fwrite(path, 1);
    CV(rewind(stream));
    model_fseek(path, 0);
    CHECK(C(fgetc(stream)) == 'a');
    model_fread(path, 1);
    CHECK(C(fread(buffer + 4096, 1, 500, stream)) == 500);
    model_fread(path, 500);
    CHECK(C(fclose(stream)) == 0 && raw_size(path) == 1007);
  }
}

/* Alternates reads and writes, as the standard allows. */
SCENARIO(update_in_place) {
  const char *path = in_dir("file");
  raw_file(path, 1000);
  FILE *stream = new_stream(path, "r+");
  CHECK(C(fread(buffer, 1, 100, stream)) == 100);
  model_fread(path, 100);
  CHECK(C(fseek(stream, 0, SEEK_CUR)) == 0);
  model_fseek(path, 100);
  put(stream, path, 50);
  CHECK(C(fseek(stream, 900, SEEK_SET)) == 0);
  model_fseek(path, 900);
  CHECK(C(fread(buffer, 1, 500, stream)) == 100);
  model_fread(path, 100);
  CHECK(C(fclose(stream)) == 0 && raw_size(path) == 1000);
}

/* Reopens a stream on the same file in another mode. */
SCENARIO(reopen_in_another_mode) {
  const char *path = in_dir("file");
  FILE *stream = new_stream(path, "w");
  put(stream, path, 100);
  CHECK(C(freopen(NULL, "r", stream)) == stream);
  model_fopen(path);
  CHECK(C(fread(buffer, 1, 60, stream)) == 60);
  model_fread(path, 60);
  CHECK(C(fclose(stream)) == 0);
}

/* Seeks to offsets beyond 32 bits. */
SCENARIO(far_away) {
  const char *path = in_dir("file"), *other = in_dir("other");
  FILE *stream = new_stream(path, "w");
  CHECK(C(fseeko(stream, 5000000000, SEEK_SET)) == 0);
  model_fseek(path, 5000000000);
  put(stream, path, 10);
  CHECK(C(fclose(stream)) == 0 && raw_size(path) == 5000000010);
  int fd = C(open(other, O_CREAT | O_RDWR, 0644));
  model_open(other, 0644);
  CHECK(C(pwrite(fd, buffer, 10, 6000000000)) == 10);
  model_pwrite(other, 6000000000, 10, buffer);
  CHECK(C(lseek(fd, 7000000000, SEEK_SET)) == 7000000000);
  model_seek(other, 7000000000);
  CHECK(C(read(fd, buffer, 10)) == 0);
  model_read(other, 0, buffer);
  model_holes(other);
}

/* The device is full, and the application must get the error. */
SCENARIO(no_room_in_the_device) {
  FILE *stream = C(fopen("/dev/full", "w"));
  CHECK(stream && C(fwrite(buffer, 1, 100, stream)) == 100);
  CHECK(C(fflush(stream)) == EOF && errno == ENOSPC);
  CHECK(C(fputc('c', stream)) == 'c' && C(fclose(stream)) == EOF && errno == ENOSPC);
}
