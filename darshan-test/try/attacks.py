"""The source of a program with a case for each behaviour that a remedy once changed; it must behave
the same with and without remedies."""

from __future__ import annotations

# Argument: the case. Prints its results, and writes any.x.
ATTACKS = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
enum { MANY = 20000 };
static int fd;
static volatile int came;
static volatile long taken;
static void writes(int number) { came += 1 + 0 * number; taken += write(fd, "SIGN", 4); }
static void reads(int number) { char c[4]; came += 1 + 0 * number; taken += read(fd, c, 4); }
static void alarms(void (*handler)(int)) {
  struct itimerval often = {{0, 50}, {0, 50}};
  signal(SIGALRM, handler);
  setitimer(ITIMER_REAL, &often, NULL);
}
static void fill(void) { for (int n = 0; n < MANY; n++) if (write(fd, "abcd", 4) != 4) _exit(9); }
int main(int count, char **words) {
  const char *which = words[count - 1];
  char text[4096] = "";
  fd = open("any.x", O_CREAT | O_TRUNC | O_RDWR, 0600);
  if (!strcmp(which, "bad addresses")) {
    fill();
    ssize_t null = write(fd, NULL, 10);
    ssize_t low = write(fd, (void *)8, 10);
    int in = open("in.txt", O_RDONLY), there = (int)read(in, text, 8);
    ssize_t seen = read(in, (void *)8, 8);
    printf("%zd %zd %d %zd %d\n", null, low, there, seen, errno == EFAULT);
  } else if (!strcmp(which, "a handler that writes")) {
    alarms(writes);
    for (long n = 0; n < 50L * MANY && came < 300; n++) if (write(fd, "abcd", 4) != 4) return 9;
    signal(SIGALRM, SIG_IGN);
    lseek(fd, 0, SEEK_SET);
    long whole = 0, other = 0;
    for (ssize_t got; (got = read(fd, text, sizeof text)) > 0;)
      for (ssize_t at = 0; at + 4 <= got; at += 4)
        whole += !memcmp(text + at, "SIGN", 4), other += text[at] != 'S' && text[at] != 'a';
    printf("%d %ld\n", whole == came && taken == 4L * came, other);
    if (ftruncate(fd, 0)) return 9;
  } else if (!strcmp(which, "a handler that reads")) {
    fd = open("in.txt", O_RDONLY);
    alarms(reads);
    long whole = lseek(fd, 0, SEEK_END), mine = 0;
    while (came < 300) {
      taken = mine = 0;  /* at the end of the file, where the handler gets nothing */
      lseek(fd, 0, SEEK_SET);
      for (ssize_t got; (got = read(fd, text, 8)) > 0;) mine += got;
      if (mine + taken != whole) break;
    }
    printf("%d\n", came >= 300);
  } else if (!strncmp(which, "signal ", 7)) {
    fill();
    raise(atoi(which + 7));
    return 9;
  } else if (!strcmp(which, "an alarm")) {
    fill();
    ualarm(1000, 0);
    for (;;) pause();
  } else if (!strcmp(which, "a descriptor by a socket")) {
    int ends[2], in = open("in.txt", O_RDONLY), got;
    char room[CMSG_SPACE(sizeof got)] = "";
    struct iovec one = {"x", 1};
    struct msghdr message = {.msg_iov = &one, .msg_iovlen = 1, .msg_control = room,
                             .msg_controllen = sizeof room};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    *head = (struct cmsghdr){CMSG_LEN(sizeof in), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(head), &in, sizeof in);
    for (int n = 0; n < 9; n++) if (read(in, text, 8) != 8) return 9;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || sendmsg(ends[0], &message, 0) != 1) return 9;
    one.iov_base = text;
    if (recvmsg(ends[1], &message, 0) != 1) return 9;
    memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof got);
    for (int n = 0; n < 4; n++) printf("%zd %.8s\n", read(n % 2 ? got : in, text, 8), text);
  } else if (!strcmp(which, "two streams")) {
    FILE *one = fopen("any.y", "a"), *other = fopen("any.y", "a"), *third = fopen("any.y", "r");
    setlinebuf(one), setvbuf(other, NULL, _IONBF, 0);
    for (int n = 0; n < 300; n++) {
      fprintf(one, "%d one\n", n), fputs("other\n", other), fputs("and ", one), fflush(one);
      printf("%d %s\n", fgets(text, sizeof text, third) != NULL, text);
    }
  } else if (!strcmp(which, "little memory")) {
    struct rlimit room = {40 << 20, 40 << 20};
    FILE *file = NULL;
    setrlimit(RLIMIT_AS, &room);
    for (int n = 0; n < 30; n++) {
      snprintf(text, sizeof text, "any.%d", n);
      file = fopen(text, "w");
      int more = open(strcat(text, ".raw"), O_CREAT | O_WRONLY, 0600);
      if (!file || fputs("x", file) < 0 || write(more, "y", 1) != 1) return 9;
    }
    printf("%d\n", malloc(16 << 20) != NULL);
  } else if (!strcmp(which, "the actions of signals")) {
    struct sigaction asked, restored = {.sa_handler = SIG_DFL};
    fill();
    int same = sigaction(SIGTERM, NULL, &asked) == 0 && asked.sa_handler == SIG_DFL;
    same = same && asked.sa_flags == 0 && signal(SIGUSR1, SIG_DFL) == SIG_DFL;
    same = same && sigaction(SIGTERM, &restored, &asked) == 0 && asked.sa_handler == SIG_DFL;
    printf("%d\n", same), fflush(stdout);
    raise(SIGTERM);
  } else if (!strcmp(which, "a restored signal")) {
    FILE *file = fopen("any.y", "w");
    setvbuf(file, NULL, _IONBF, 0);
    signal(SIGUSR1, SIG_IGN), fputs("stream", file), fill();
    signal(SIGUSR1, SIG_DFL), raise(SIGUSR1);
  } else if (!strncmp(which, "a limit of files", 16)) {
    struct rlimit most = {10001, 10001};
    int is_late = strlen(which) > 16, number = 0;
    signal(SIGXFSZ, SIG_IGN);
    if (!is_late) setrlimit(RLIMIT_FSIZE, &most);
    fd = open("any.z", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    FILE *file = fopen("any.y", "w");
    setvbuf(file, NULL, _IONBF, 0);
    for (; number < 9; number++) if (write(fd, "abcd", 4) != 4 || fputs("ef", file) < 0) return 9;
    if (is_late) setrlimit(RLIMIT_FSIZE, &most);
    while (number < MANY && write(fd, "abcd", 4) == 4) number++;
    printf("%d %d ", number, errno == EFBIG);
    while (number < MANY && fputs("ef", file) >= 0) number++;
    printf("%d\n", number);
  } else if (!strcmp(which, "the position in fdinfo")) {
    int in = open("in.txt", O_RDONLY);
    for (int n = 0; n < 9; n++) if (read(in, text, 8) != 8) return 9;
    snprintf(text, sizeof text, "/proc/self/fdinfo/%d", in);
    FILE *info = fopen(text, "r");
    printf("%s", fgets(text, sizeof text, info));
  } else if (!strcmp(which, "a system call")) {
    struct stat st;
    FILE *file = fopen("any.y", "w");
    setvbuf(file, NULL, _IONBF, 0), fputs("stream", file);
    long found = syscall(SYS_newfstatat, AT_FDCWD, "any.y", &st, 0);
    printf("%ld %d\n", found, (int)st.st_size);
  } else if (!strcmp(which, "a file of the kernel")) {
    int name = open("/proc/self/comm", O_WRONLY);
    if (write(name, "first", 5) != 5 || write(name, "last", 4) != 4) return 9;
    prctl(PR_GET_NAME, text);
    puts(text);
  }
  return 0;
}
"""
# Arguments of the program.
CASES = (
    "bad addresses", "a handler that writes", "a handler that reads", "signal 34", "signal 26",
    "signal 29", "an alarm", "a descriptor by a socket", "two streams", "little memory",
    "a file of the kernel", "the actions of signals", "a restored signal", "a limit of files",
    "a limit of files, late", "the position in fdinfo", "a system call",
)  # fmt: skip
