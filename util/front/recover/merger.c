/* Starts darshan-merge (recover.h). */
#define _GNU_SOURCE
#include "recover.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../message.h"
#include "../paths.h"

/* Returns a copy of the environment without LD_PRELOAD; NULL if out of memory. The caller frees the
 * array, but not its strings. */
static char **plain_environment(void) {
  static const char preload[] = "LD_PRELOAD=";
  size_t count = 0, kept = 0;
  while (environ[count])
    count++;
  char **plain = calloc(count + 1, sizeof(char *));
  for (size_t i = 0; plain && i < count; i++)
    if (strncmp(environ[i], preload, sizeof(preload) - 1) != 0) plain[kept++] = environ[i];
  return plain;
}

/* Reads the pipe to its end, and stores the first line of what fits into `room` bytes. */
static void read_all(int fd, char *out, size_t room) {
  size_t used = 0;
  ssize_t n;
  char rest[256];
  while ((n = used + 1 < room ? read(fd, out + used, room - used - 1)
                              : read(fd, rest, sizeof(rest))) > 0)
    if (used + 1 < room) used += (size_t)n;
  out[used] = '\0';
  out[strcspn(out, "\n")] = '\0';
}

/* Starts argv[0] with `out` as its standard output; with quiet 1, without its messages. Returns the
 * pid, or -1 after a message (without one if out of memory). */
static pid_t start(char **argv, int out, int quiet) {
  posix_spawn_file_actions_t actions;
  pid_t child = -1;
  char **plain = plain_environment();
  if (!plain || posix_spawn_file_actions_init(&actions) != 0) {
    free(plain);
    return -1;
  }
  int error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (!error) error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  if (!error && quiet)
    error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  if (!error) error = posix_spawn(&child, argv[0], &actions, NULL, argv, plain);
  posix_spawn_file_actions_destroy(&actions);
  free(plain);
  if (!error) return child;
  say("cannot run %s: %s", say_path(argv[0]), strerror(error));
  return -1;
}

/* Writes the path of darshan-merge. Returns 1; 0 after a message if it is not installed. */
static int find_merger(char out[PATH_MAX]) {
  static const char name[] = "darshan-merge";
  if (places_installed(out, name, ".") == 0) return 1;
  places_say_missing(name);
  return 0;
}

int merger_exists(void) {
  char program[PATH_MAX];
  return find_merger(program);
}

enum merger_end merger_run(char **argv, char *out, size_t room, int quiet) {
  char program[PATH_MAX], unused[2];
  int pipe_ends[2], status = 0;
  if (out) out[0] = '\0';
  if (!find_merger(program)) return MERGER_FAILED;
  argv[0] = program;
  if (pipe2(pipe_ends, O_CLOEXEC) < 0) return MERGER_FAILED;
  pid_t child = start(argv, pipe_ends[1], quiet);
  close(pipe_ends[1]);
  if (child > 0) read_all(pipe_ends[0], out ? out : unused, out ? room : sizeof(unused));
  close(pipe_ends[0]);
  if (child < 0) return MERGER_FAILED;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return MERGER_FAILED;
  if (!WIFEXITED(status)) return MERGER_FAILED;
  if (WEXITSTATUS(status) == MERGER_MADE) return MERGER_MADE;
  return WEXITSTATUS(status) == MERGER_NOTHING ? MERGER_NOTHING : MERGER_FAILED;
}
