/* Makes one call on a stack filled with a pattern: depth PAINT_FD CALL first|known|again. The stack
 * is a shared mapping of the descriptor PAINT_FD, so that the parent process can inspect it
 * afterwards, even if the call ended the process. first: no call was made before. known: the file
 * of the call was opened before. again: the call itself was made before. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

enum { STACK = 256 << 10, PAINT = 0x5a };

static int fd = -1, folder;
static FILE *stream;
static DIR *listing;
static char text[4096];
static struct stat status;
static char *const no_arguments[] = {"x", NULL};

#define CALLS                                                                                      \
  CALL(open, fd = open("a", O_RDWR | O_CREAT, 0644))                                               \
  CALL(open_absolute, fd = open(text, O_RDWR | O_CREAT, 0644))                                     \
  CALL(openat, openat(folder, "x//../a", O_RDONLY))                                                \
  CALL(open_missing, open("nowhere", O_RDONLY))                                                    \
  CALL(creat, creat("b", 0644))                                                                    \
  CALL(read, read(fd, text, 10))                                                                   \
  CALL(write, write(fd, text, 10))                                                                 \
  CALL(pwrite, pwrite(fd, text, 10, 5))                                                            \
  CALL(writev, writev(fd, &(struct iovec){text, 10}, 1))                                           \
  CALL(lseek, lseek(fd, 0, SEEK_SET))                                                              \
  CALL(fsync, fsync(fd))                                                                           \
  CALL(close, close(fd))                                                                           \
  CALL(dup2, dup2(fd, 77))                                                                         \
  CALL(fcntl, fcntl(fd, F_DUPFD, 50))                                                              \
  CALL(stat, stat("a", &status))                                                                   \
  CALL(fstat, fstat(fd, &status))                                                                  \
  CALL(access, access("a", F_OK))                                                                  \
  CALL(rename, rename("a", "b"))                                                                   \
  CALL(renameat, renameat(folder, "../work/./a", folder, ".//b"))                                  \
  CALL(unlink, unlink("a"))                                                                        \
  CALL(mkdir, mkdir("made", 0755))                                                                 \
  CALL(chdir, chdir("/"))                                                                          \
  CALL(opendir, listing = opendir("."))                                                            \
  CALL(mmap, mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0))                                      \
  CALL(memfd, memfd_create("label", 0))                                                            \
  CALL(sendfile, sendfile(fd, fd, &(off_t){0}, 5))                                                 \
  CALL(syscall, syscall(SYS_openat, AT_FDCWD, "a", O_RDONLY))                                      \
  CALL(fopen, stream = fopen("a", "r+"))                                                           \
  CALL(fprintf, fprintf(stream, "%d %s\n", 17, "text"))                                            \
  CALL(fputs, fputs("text\n", stream))                                                             \
  CALL(fgets, fgets(text, sizeof(text), stream))                                                   \
  CALL(fscanf, fscanf(stream, "%15s", text))                                                       \
  CALL(fflush, fflush(stream))                                                                     \
  CALL(fclose, fclose(stream))                                                                     \
  CALL(exec_missing, execvp("no-such-program", no_arguments))                                      \
  CALL(exec, execl("/bin/true", "true", NULL))                                                     \
  CALL(_exit, _exit(0))                                                                            \
  CALL(quick_exit, quick_exit(0))

#define CALL(name, call)                                                                           \
  static void call_##name(void) {                                                                  \
    call;                                                                                          \
  }
CALLS
#undef CALL

static const struct {
  const char *name;
  void (*call)(void);
} calls[] = {
#define CALL(name, call) {#name, call_##name},
    CALLS};

static void (*chosen)(void);
static ucontext_t back;

/* Opens the file or stream that the call needs. */
static void prepare(const char *name) {
  if (strncmp(name, "open", 4) == 0 || strcmp(name, "creat") == 0) return;
  fd = open("a", O_RDWR | O_CREAT, 0644);
  if (strcmp(name, "fopen") != 0 && name[0] == 'f') stream = fopen("a", "r+");
}

int main(int n, char **arguments) {
  if (n < 4) return 2;
  for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
    if (strcmp(calls[i].name, arguments[2]) == 0) chosen = calls[i].call;
  if (!chosen) return 2;
  char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_SHARED, atoi(arguments[1]), 0);
  if (stack == MAP_FAILED) return 2;
  folder = open(".", O_RDONLY | O_DIRECTORY);
  if (!getcwd(text, sizeof(text) - 8)) return 2;
  strcat(text, "/.//b");
  /* "first" is the first call of the process that the runtime counts. */
  if (strcmp(arguments[3], "first") != 0) prepare(arguments[2]);
  if (strcmp(arguments[3], "again") == 0) chosen();
  memset(stack, PAINT, STACK);
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = STACK;
  context.uc_link = &back;
  makecontext(&context, chosen, 0);
  swapcontext(&back, &context);
  return 0;
}
