/* Reads a log through a library with the interface of Darshan 3.5 (libdarshan-util.so): read-log
 * LIBRARY LOG. Prints the microseconds of processor time, and the numbers of POSIX records and of
 * names. Ends with 1 if the log cannot be read. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { POSIX_MODULE = 1 };

struct name {
  uint64_t id;
  char *name;
};

static void *(*log_open)(char *);
static void (*log_close)(void *);
static void (*get_names)(void *, struct name **, int *);
static int (*get_record)(void *, int, void **);
static void (*give_back)(void *);

/* Stores the address of a function of the library in `function`, a pointer to a function pointer.
 * Returns whether it exists. */
static int find(void *library, const char *name, void *function) {
  void **place = function;
  *place = dlsym(library, name);
  return *place != NULL;
}

/* Returns the processor time of this process in microseconds. */
static double processor_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* Reads all POSIX records and names of a log, with memory for each record, like PyDarshan, and
 * counts them in *records and *names. Returns 0, or -1 if the log cannot be read. */
static int read_log(char *path, long *records, long *names) {
  void *log = log_open(path);
  struct name *list = NULL;
  int count = 0, got;
  if (!log) return -1;
  get_names(log, &list, &count);
  for (;;) {
    void *record = NULL;
    got = get_record(log, POSIX_MODULE, &record);
    if (got != 1) break;
    ++*records;
    give_back(record);
  }
  for (int i = 0; i < count; i++)
    give_back(list[i].name);
  give_back(list);
  log_close(log);
  *names = count;
  return got;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library || !find(library, "darshan_log_open", &log_open) ||
      !find(library, "darshan_log_close", &log_close) ||
      !find(library, "darshan_log_get_name_records", &get_names) ||
      !find(library, "darshan_log_get_record", &get_record) ||
      !find(library, "darshan_free", &give_back)) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  long records = 0, names = 0;
  double start = processor_time();
  int result = read_log(argv[2], &records, &names);
  printf("%.0f %ld %ld\n", processor_time() - start, records, names);
  return result == 0 ? 0 : 1;
}
