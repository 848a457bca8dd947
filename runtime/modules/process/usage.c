/* Makes the USAGE record of this process: the resource usage that the kernel has accounted to it,
 * from getrusage and /proc, and the bytes of files that are not recorded. */
#include "usage.h"

#include <string.h>
#include <sys/resource.h>

#include "../../door/door.h"
#include "../../intercept/sys/sys.h"
#include "modules/process/records.h"
#include "record-id.h"

struct usage_excluded usage_excluded;

/* Usage at the time when recording began: that of an earlier program of this process, and of the
 * loader. */
static struct {
  struct rusage before;
  int known;
  uint64_t begun_ns;
} usage_start;

enum { BLOCK = 512 /* the unit of ru_inblock */, MILLION = 1000000, WORTH = 1 << 20 };

/* Calls getrusage. Returns 1, or 0 if it failed. */
static int ask(int who, struct rusage *usage) {
  return SYS2(SYS_getrusage, who, usage) == 0;
}

int usage_prepare(void) {
  usage_start.known = ask(RUSAGE_SELF, &usage_start.before);
  usage_start.begun_ns = clock_ns(CLOCK_MONOTONIC);
  return 0;
}

void usage_forked(void) {
  memset(&usage_start.before, 0, sizeof(usage_start.before));
  usage_start.known = 1;
  usage_start.begun_ns = clock_ns(CLOCK_MONOTONIC);
  usage_excluded = (struct usage_excluded){0, 0};
}

static const char usage_name[] = USAGE_NAME;

static uint64_t usage_id(void) {
  return darshan_hash(usage_name, sizeof(usage_name) - 1, 0);
}

/* Called when recording ends: adds the name of the USAGE record to the names of the log, if the
 * process has recorded something. Readers need it, and so do the ranks of a job, which agree on the
 * record. */
void usage_ending(void) {
  struct record_store *store = &darshan_store;
  if (runtime_phase() != RUNTIME_RECORDING && runtime_phase() != RUNTIME_SHARED) return;
  if (!store_lock(store)) return;
  store_enter(store, usage_id(), usage_name, sizeof(usage_name) - 1);
  store_unlock(store);
}

/* --- usage, from the kernel --------------------------------------------------------------- */

/* Reads the first room - 1 bytes of a file of /proc into out and appends a NUL. Returns their
 * number, or 0 on failure. */
static size_t read_text(const char *path, char *out, size_t room) {
  int fd = sys_open(path, O_RDONLY, 0);
  if (fd < 0) return 0;
  ssize_t n = sys_read(fd, out, room - 1);
  sys_close(fd);
  out[n > 0 ? n : 0] = '\0';
  return n > 0 ? (size_t)n : 0;
}

/* Skips all characters up to the next decimal number, reads it, and moves *text behind it. Returns
 * the number; 0 if there is none. */
static int64_t number_at(const char **text) {
  int64_t value = 0;
  while (**text && (**text < '0' || **text > '9'))
    (*text)++;
  while (**text >= '0' && **text <= '9')
    value = 10 * value + (*(*text)++ - '0');
  return value;
}

/* Returns the number behind the first `name` in the text; -1 if the text lacks the name. */
static int64_t field(const char *text, const char *name) {
  const char *at = strstr(text, name);
  if (!at) return -1;
  at += strlen(name);
  return number_at(&at);
}

static int64_t at_least_0(int64_t value) {
  return value < 0 ? 0 : value;
}

/* Stores the numbers of /proc/self/io in the counters: bytes of calls, calls, bytes on storage; -1
 * if unknown. children: getrusage of the children; NULL: unknown. When a process has waited for a
 * child, the kernel adds the child's numbers to the parent's. Calls and their bytes include those
 * of such children. Bytes on storage are those of this process alone, since recording began: the
 * children's bytes are known from `children` (as blocks) and subtracted. */
static void take_io(int64_t *counters, const struct rusage *children) {
  char text[512];
  const struct rusage *before = &usage_start.before;
  static const struct {
    int counter;
    const char *name;
  } fields[] = {{USAGE_CHARS_READ, "rchar: "},
                {USAGE_CHARS_WRITTEN, "wchar: "},
                {USAGE_READ_CALLS, "syscr: "},
                {USAGE_WRITE_CALLS, "syscw: "},
                {USAGE_STORAGE_READ, "\nread_bytes: "},
                {USAGE_STORAGE_WRITTEN, "\nwrite_bytes: "},
                {USAGE_CANCELLED, "cancelled_write_bytes: "}};
  if (!read_text("/proc/self/io", text, sizeof(text))) text[0] = '\0';
  for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
    counters[fields[i].counter] = field(text, fields[i].name);
  if (counters[USAGE_STORAGE_READ] < 0 || !usage_start.known || !children) {
    counters[USAGE_STORAGE_READ] = counters[USAGE_STORAGE_WRITTEN] = -1;
    counters[USAGE_STORAGE_START] = -1;
    return;
  }
  counters[USAGE_STORAGE_START] = (int64_t)before->ru_inblock * BLOCK;
  counters[USAGE_STORAGE_READ] = at_least_0(
      counters[USAGE_STORAGE_READ] - (int64_t)(before->ru_inblock + children->ru_inblock) * BLOCK);
  counters[USAGE_STORAGE_WRITTEN] =
      at_least_0(counters[USAGE_STORAGE_WRITTEN] -
                 (int64_t)(before->ru_oublock + children->ru_oublock) * BLOCK);
}

static double seconds(const struct timeval *now, const struct timeval *before) {
  return (double)(now->tv_sec - before->tv_sec) +
         (double)(now->tv_usec - before->tv_usec) / MILLION;
}

static void take_times(struct darshan_usage_record *record, const struct rusage *own) {
  const struct rusage *before = &usage_start.before;
  int64_t *counters = record->counters;
  counters[USAGE_MINOR_FAULTS] = own->ru_minflt - before->ru_minflt;
  counters[USAGE_MAJOR_FAULTS] = own->ru_majflt - before->ru_majflt;
  counters[USAGE_WAITS] = own->ru_nvcsw - before->ru_nvcsw;
  counters[USAGE_PREEMPTIONS] = own->ru_nivcsw - before->ru_nivcsw;
  record->fcounters[USAGE_F_USER_TIME] = seconds(&own->ru_utime, &before->ru_utime);
  record->fcounters[USAGE_F_SYSTEM_TIME] = seconds(&own->ru_stime, &before->ru_stime);
}

int usage_read_schedstat(const char *path, int64_t *ran, int64_t *ready) {
  char text[128];
  const char *at = text;
  if (!read_text(path, text, sizeof(text))) return -1;
  *ran = number_at(&at);
  *ready = number_at(&at);
  return 0;
}

/* Stores two times of the first thread, in seconds: the time in which it neither ran nor waited for
 * a processor (USAGE_F_BLOCKED_TIME, since the start of recording), and the time in which it waited
 * for one (USAGE_F_RUNNABLE_TIME); -1 if /proc does not report them. */
static void take_blocked(struct darshan_usage_record *record) {
  int64_t ran_ns, ready_ns;
  double *times = record->fcounters;
  times[USAGE_F_RUNNABLE_TIME] = times[USAGE_F_BLOCKED_TIME] = -1;
  if (usage_read_schedstat("/proc/self/schedstat", &ran_ns, &ready_ns) < 0) return;
  double ran = (double)ran_ns, waited = (double)ready_ns;
  const struct rusage *before = &usage_start.before;
  static const struct timeval none;
  double lived = (double)(clock_ns(CLOCK_MONOTONIC) - usage_start.begun_ns);
  double ran_before =
      NS_PER_SECOND * (seconds(&before->ru_utime, &none) + seconds(&before->ru_stime, &none));
  double blocked = lived - (ran - ran_before) - waited;
  times[USAGE_F_RUNNABLE_TIME] = waited / NS_PER_SECOND;
  times[USAGE_F_BLOCKED_TIME] = blocked > 0 ? blocked / NS_PER_SECOND : 0;
}

/* --- mapped programs and libraries ---------------------------------------------------------- */

/* Sums while /proc/self/maps is read: the mapped bytes of programs and libraries, and of the
 * current file. */
struct objects {
  int64_t all, of_file; /* bytes */
  uint64_t inode;       /* of the current file */
  int runs;             /* 1: one of the file's mappings is executable */
};

static void file_ends(struct objects *objects) {
  if (objects->runs) objects->all += objects->of_file;
  objects->of_file = objects->runs = 0;
}

static uint64_t hex_at(const char **at) {
  uint64_t value = 0;
  for (;; (*at)++) {
    char c = **at;
    if (c >= '0' && c <= '9')
      value = value << 4 | (uint64_t)(c - '0');
    else if (c >= 'a' && c <= 'f')
      value = value << 4 | (uint64_t)(c - 'a' + 10);
    else
      return value;
  }
}

/* Adds a mapping of the process to the sizes of its file; a new inode ends the previous file. at: a
 * line "from-to rwxp offset major:minor inode path". */
static void take_mapping(struct objects *objects, const char *at) {
  enum { OFFSET = 5, EXECUTABLE = 2 };
  uint64_t from = hex_at(&at), to = hex_at((at++, &at));
  int runs = at[0] && at[1 + EXECUTABLE] == 'x';
  for (int words = 0; words < 3 && *at; at++)
    words += *at == ' ';
  while (*at && *at != ' ')
    at++;
  uint64_t inode = (uint64_t)number_at(&at);
  if (inode != objects->inode) file_ends(objects);
  objects->inode = inode;
  if (!inode) return;
  objects->of_file += (int64_t)(to - from);
  objects->runs |= runs;
}

/* Returns the bytes of all mappings of files of which a part is mapped as executable: programs and
 * libraries. 0 if /proc/self/maps cannot be read. */
static int64_t loaded_bytes(void) {
  struct objects objects = {0, 0, 0, 0};
  struct path_buffer *buffer = path_buffer_take();
  int fd = buffer ? sys_open("/proc/self/maps", O_RDONLY, 0) : -1;
  size_t kept = 0;
  for (ssize_t n; fd >= 0 && kept < DARSHAN_PATH_ROOM - 1; kept = strlen(buffer->bytes)) {
    n = sys_read(fd, buffer->bytes + kept, DARSHAN_PATH_ROOM - 1 - kept);
    if (n <= 0) break;
    buffer->bytes[kept + (size_t)n] = '\0';
    char *line = buffer->bytes;
    for (char *end; (end = strchr(line, '\n')); line = end + 1) {
      *end = '\0';
      take_mapping(&objects, line);
    }
    memmove(buffer->bytes, line, strlen(line) + 1);
  }
  if (fd >= 0) sys_close(fd);
  path_buffer_give(buffer);
  file_ends(&objects);
  return objects.all;
}

/* --- the record ------------------------------------------------------------------------------ */

static void fill(struct darshan_usage_record *record) {
  int64_t *counters = record->counters;
  struct rusage own, children;
  *record = (struct darshan_usage_record){.base = {usage_id(), store_rank(&darshan_store)}};
  counters[USAGE_PROCESSES] = 1;
  take_io(counters, ask(RUSAGE_CHILDREN, &children) ? &children : NULL);
  if (usage_start.known && ask(RUSAGE_SELF, &own)) take_times(record, &own);
  take_blocked(record);
  counters[USAGE_EXCLUDED_READ] = usage_excluded.read;
  counters[USAGE_EXCLUDED_WRITTEN] = usage_excluded.written;
  if (counters[USAGE_STORAGE_READ] > WORTH) counters[USAGE_LOADED] = loaded_bytes();
}

void usage_add_part(struct log_content *content) {
  static struct darshan_usage_record record;
  fill(&record);
  log_add_part(content, DARSHAN_MOD_USAGE, DARSHAN_VERSION_USAGE, (const char *)&record,
               sizeof(record), 0, 0);
}
