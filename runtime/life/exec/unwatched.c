/* Remembers why a program leaves no records, and reads its resource usage from /proc/PID/io and
 * getrusage. */
#include "unwatched.h"

#include <string.h>
#include <sys/resource.h>

#include "../../counting/clock.h"
#include "../../intercept/sys/sys.h"
#include "../../job/text/text.h"

static __thread struct {
  enum run_unwatched why;
  char name[RUN_PROGRAM];
} noted;

void unwatched_note(const char *path, enum run_unwatched why) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  size_t length = strnlen(name, RUN_PROGRAM - 1);
  memcpy(noted.name, name, length);
  noted.name[length] = '\0';
  noted.why = why;
}

enum run_unwatched unwatched_why(char *const *envp, struct run_event *row) {
  enum run_unwatched why = noted.why;
  memcpy(row->program, noted.name, sizeof(row->program));
  noted.why = RUN_WATCHED;
  noted.name[0] = '\0';
  if ((why == RUN_WATCHED || why == RUN_GO) && !environment_is_watched(envp))
    return RUN_ENVIRONMENT;
  return why;
}

static int64_t number_behind(const char *text, const char *name) {
  const char *at = strstr(text, name);
  int64_t value = 0;
  if (!at) return -1;
  for (at += strlen(name); *at >= '0' && *at <= '9'; at++)
    value = 10 * value + (*at - '0');
  return value;
}

int unwatched_calls(int32_t pid, int64_t *read, int64_t *written) {
  char path[32], bytes[256];
  struct darshan_text name = darshan_text_in(path, sizeof(path));
  darshan_text_add(&name, "/proc/");
  if (pid)
    darshan_text_signed(&name, pid);
  else
    darshan_text_add(&name, "self");
  darshan_text_add(&name, "/io");
  int fd = sys_open(path, O_RDONLY, 0);
  if (fd < 0) return 0;
  ssize_t n = sys_read(fd, bytes, sizeof(bytes) - 1);
  sys_close(fd);
  bytes[n > 0 ? n : 0] = '\0';
  *read = number_behind(bytes, "rchar: ");
  *written = number_behind(bytes, "wchar: ");
  return *read >= 0 && *written >= 0;
}

void unwatched_waiting(struct run_waiting *waiting) {
  enum { BLOCK = 512, MICRO = 1000 };
  struct rusage had;
  waiting->cpu_ns = -1;
  if (SYS2(SYS_getrusage, RUSAGE_CHILDREN, &had) < 0) return;
  waiting->storage_read = (int64_t)had.ru_inblock * BLOCK;
  waiting->storage_written = (int64_t)had.ru_oublock * BLOCK;
  waiting->cpu_ns = (int64_t)(had.ru_utime.tv_sec + had.ru_stime.tv_sec) * NS_PER_SECOND +
                    (int64_t)(had.ru_utime.tv_usec + had.ru_stime.tv_usec) * MICRO;
}

void unwatched_used(struct run_event *row, const struct run_waiting *before) {
  struct run_waiting now;
  struct run_usage usage;
  unwatched_waiting(&now);
  if (now.cpu_ns < 0 || before->cpu_ns < 0) return;
  usage.storage_read = now.storage_read - before->storage_read;
  usage.storage_written = now.storage_written - before->storage_written;
  if (!unwatched_calls(0, &usage.calls_read, &usage.calls_written)) return;
  _Static_assert(sizeof(usage) < RUN_PROGRAM, "readers end the text");
  memcpy(row->program, &usage, sizeof(usage));
  row->job = (uint64_t)(now.cpu_ns - before->cpu_ns);
  row->token = 1;
}
