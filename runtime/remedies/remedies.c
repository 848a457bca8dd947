/* Replaces real functions by those of remedies. The linker redirects calls of real_resolve and
 * library_function_slow to the functions here (--wrap), so the objects of libdarshan.so need no
 * change. */
#include "remedies.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statfs.h>

#include "../intercept/guard.h"
#include "../intercept/loader/library.h"
#include "../intercept/sys/sys.h"

void *__real_real_resolve(void **slot, const char *name);
void *__wrap_real_resolve(void **slot, const char *name);
void *__real_library_function_slow(const struct library *library, void **slot, const char *name);
void *__wrap_library_function_slow(const struct library *library, void **slot, const char *name);

enum { MOST_NAMES = 4 };

/* The remedies that replace functions of libc: their settings in DARSHAN_TRY, and the functions
 * that each replaces. */
static const struct remedy {
  const char *names[MOST_NAMES]; /* any of these names switches the remedy on */
  const struct replacement *rows;
} remedies[] = {
    {{DURABILITY}, durability_replacements},
    {{STDIO_BUFFER, FLUSH_DELAY}, stream_replacements},
    {{STDIO_BUFFER, FLUSH_DELAY, JOIN_WRITES}, signal_replacements},
    {{STDIO_BUFFER, FLUSH_DELAY, JOIN_WRITES}, limit_replacements},
    {{FLUSH_DELAY}, flush_replacements},
    {{"advice", NEXT_FILE, "read-ahead", JOIN_WRITES}, open_replacements},
    {{"read-ahead"}, read_ahead_replacements},
    {{JOIN_WRITES}, join_writes_replacements},
};

/* The variables of the environment at the first call of asked(); "" if they were not set or did not
 * fit. */
static struct {
  char value[512];  /* of DARSHAN_TRY */
  char names[4096]; /* of DARSHAN_TRY_NAMES */
} kept;

/* Copies the value of an environment variable to `to`, which has `room` bytes. variable: its name
 * with "=". If the variable is not set or its value does not fit, `to` does not change. */
static void keep(const char *variable, char *to, size_t room) {
  size_t length = strlen(variable);
  extern char **environ;
  for (char **entry = environ; entry && *entry; entry++) {
    if (strncmp(*entry, variable, length) != 0) continue;
    const char *value = *entry + length;
    if (strlen(value) < room) memcpy(to, value, strlen(value) + 1);
  }
}

/* Returns the value that DARSHAN_TRY had at the first call of this function, because the program
 * may change its environment later. */
static const char *asked(void) {
  static int is_kept;
  if (__atomic_load_n(&is_kept, __ATOMIC_ACQUIRE)) return kept.value;
  keep("DARSHAN_TRY=", kept.value, sizeof(kept.value));
  keep("DARSHAN_TRY_NAMES=", kept.names, sizeof(kept.names));
  __atomic_store_n(&is_kept, 1, __ATOMIC_RELEASE);
  return kept.value;
}

const char *remedy_names(void) {
  asked();
  return kept.names;
}

uint64_t remedy_value(const char *name) {
  size_t length = strlen(name);
  const char *at = asked();
  for (; at && *at; at = strchr(at, ';'), at = at ? at + 1 : NULL) {
    uint64_t value = 0;
    if (strncmp(at, name, length) != 0 || at[length] != '=') continue;
    for (at += length + 1; *at >= '0' && *at <= '9' && value < UINT64_MAX / 16; at++)
      value = 10 * value + (uint64_t)(*at - '0');
    return value;
  }
  return 0;
}

void *remedy_memory(size_t size) {
  static const int limits[] = {RLIMIT_AS, RLIMIT_DATA, RLIMIT_FSIZE};
  for (size_t n = 0; n < sizeof(limits) / sizeof(*limits); n++) {
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    SYS4(SYS_prlimit64, 0, limits[n], 0, &limit);
    if (limit.rlim_cur != RLIM_INFINITY) return NULL;
  }
  void *got = sys_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return sys_failed(got) ? NULL : got;
}

int is_kernel_file(int fd) {
  /* File systems of the kernel, from <linux/magic.h>: proc, sysfs, cgroup and cgroup2, debugfs,
   * tracefs, configfs, securityfs. */
  static const uint32_t kernels[] = {0x9fa0,     0x62656572, 0x27e0eb,   0x63677270,
                                     0x64626720, 0x74726163, 0x62656570, 0x73636673};
  struct statfs st;
  if (SYS2(SYS_fstatfs, fd, &st) < 0) return 0;
  for (size_t n = 0; n < sizeof(kernels) / sizeof(*kernels); n++)
    if ((uint32_t)st.f_type == kernels[n]) return 1;
  return 0;
}

int is_harmless_call(long number) {
  static const long harmless[] = {SYS_gettid,
                                  SYS_getpid,
                                  SYS_futex,
                                  SYS_getrandom,
                                  SYS_getcpu,
                                  SYS_sched_getaffinity,
                                  SYS_sched_setaffinity,
                                  SYS_membarrier};
  for (size_t n = 0; n < sizeof(harmless) / sizeof(*harmless); n++)
    if (harmless[n] == number) return 1;
  return 0;
}

static int is_asked(const struct remedy *remedy) {
  for (int n = 0; n < MOST_NAMES; n++)
    if (remedy->names[n] && remedy_value(remedy->names[n])) return 1;
  return 0;
}

void *__wrap_real_resolve(void **slot, const char *name) {
  void *found = __real_real_resolve(slot, name);
  if (strcmp(name, "vfork") == 0 || strcmp(name, "clone") == 0) {
    read_ahead_stop();
    join_writes_stop();
  }
  if (strncmp(name, "inotify_init", 12) == 0 || strcmp(name, "fanotify_init") == 0)
    next_file_stop();
  for (size_t n = 0; n < sizeof(remedies) / sizeof(*remedies); n++) {
    const struct remedy *remedy = &remedies[n];
    if (!is_asked(remedy)) continue;
    for (const struct replacement *row = remedy->rows; row->name; row++) {
      if (strcmp(row->name, name) != 0) continue;
      __atomic_store_n(row->real, found, __ATOMIC_RELEASE);
      found = row->instead;
    }
  }
  __atomic_store_n(slot, found, __ATOMIC_RELEASE);
  return found;
}

void *__wrap_library_function_slow(const struct library *library, void **slot, const char *name) {
  void *found = __real_library_function_slow(library, slot, name);
  void *instead = library ? hdf5_function(library, name, found) : found;
  if (instead != found) __atomic_store_n(slot, instead, __ATOMIC_RELEASE);
  return instead;
}
