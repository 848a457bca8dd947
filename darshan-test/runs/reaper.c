/* Starts a command and reaps every child process, as a subreaper or as process 1 does: reaper
 * wait|waitpid|waitid COMMAND... It prints for each child that ended whether it was the command or
 * another child, and how it ended. It continues for 0.7 s after the command's end. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Reaps the next child that has ended, without waiting. how: the function that is called. Returns
 * its pid and sets *status as that function does; 0 if none has ended; -1 if there is no child. */
static pid_t ended(const char *how, int *status) {
  siginfo_t info;
  if (strcmp(how, "waitid") != 0) return waitpid(-1, status, WNOHANG);
  memset(&info, 0, sizeof(info));
  if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG) != 0) return -1;
  *status = info.si_status;
  return info.si_pid;
}

int main(int argc, char **argv) {
  static const struct timespec step = {0, 1000000};
  enum { STEPS = 700 }; /* milliseconds after the command's end */
  int status = 0;
  if (argc < 3) return 2;
  if (getpid() != 1) prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t command = fork();
  if (command == 0) {
    execvp(argv[2], argv + 2);
    _exit(127);
  }
  int others = 0, gone = 0;
  if (strcmp(argv[1], "wait") == 0) {
    pid_t first = wait(&status);
    printf("first: %s, %d\n", first == command ? "the command" : "another", status);
    gone = first == command;
  }
  for (int steps = 0; steps < STEPS; steps += gone) {
    pid_t pid = ended(argv[1], &status);
    if (pid > 0) {
      printf("%s: %d\n", pid == command ? "the command" : "another", status);
      gone |= pid == command;
      others += pid != command;
      continue;
    }
    nanosleep(&step, NULL);
  }
  printf("others: %d\n", others);
  return 0;
}
