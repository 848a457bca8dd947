/* Prints the peak memory of a program, its largest resident set, in KiB: peak PROGRAM
 * [ARGUMENT...]. This program is small itself, because a process inherits the peak of the process
 * that starts it. */
#include <err.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>

extern char **environ;

int main(int argc, char **argv) {
  struct rusage usage;
  posix_spawn_file_actions_t actions;
  int status;
  if (argc < 2) errx(2, "usage: peak PROGRAM [ARGUMENT...]");
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  if (posix_spawnp(&(pid_t){0}, argv[1], &actions, NULL, argv + 1, environ) != 0)
    errx(1, "cannot start %s", argv[1]);
  if (wait(&status) < 0 || status != 0) errx(1, "%s failed", argv[1]);
  getrusage(RUSAGE_CHILDREN, &usage);
  printf("%ld\n", usage.ru_maxrss);
  posix_spawn_file_actions_destroy(&actions);
  return 0;
}
