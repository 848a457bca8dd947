/* darshan-analyzer: summarizes the I/O of the jobs in a folder of logs in a few numbers. */
#include <config.h>
#include <errno.h>
#include <ftw.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../reader/called.h"
#include "darshan-read.h"
#include "records.h"

static const char usage[] =
    "usage: darshan-analyzer FOLDER...\n"
    "  reads all logs below the folders; prints how many jobs used which layer, and how\n"
    "  many spent which share of their run time in POSIX I/O\n"
    "  --version, --help\n";

enum {
  BUCKETS = 5,
  STEP = 50
}; /* BUCKETS: of the histogram; STEP: logs between two progress lines */

struct counts {
  unsigned long logs;                 /* readable logs; the next five are numbers of them */
  unsigned long shared, own;          /* with a shared POSIX record; with one of a single rank */
  unsigned long mpiio, pnetcdf, hdf5; /* with data of this layer */
  unsigned long bad, links;           /* files that are not readable logs; symbolic links */
  unsigned long buckets[BUCKETS];     /* logs by the share of the run time in POSIX I/O */
};

static struct counts counts; /* nftw passes no argument */
static int progress;         /* 1: stderr is a terminal, 2: it shows a progress line */

/* Erases the progress line from the terminal. */
static void wipe(void) {
  if (progress == 2) fputs("\r\033[K", stderr);
  if (progress == 2) progress = 1;
}

static void show_progress(void) {
  if (!progress || counts.logs % STEP) return;
  fprintf(stderr, "\r%lu logs", counts.logs);
  fflush(stderr);
  progress = 2;
}

/* Adds the seconds that all POSIX records of a log spent in calls to *seconds. Sets bit 0 of *ranks
 * if the log has a shared record, and bit 1 if it has a rank-local record. Returns 0, or -1 with an
 * error. */
static int read_posix(darshan_log *log, double *seconds, int *ranks, struct darshan_error *error) {
  const void *record;
  size_t size;
  int more;
  darshan_records *records = darshan_records_open(log, DARSHAN_MOD_POSIX, error);
  if (!records) return -1;
  while ((more = darshan_records_next(records, &record, &size, error)) > 0) {
    const struct darshan_posix_record *posix = record;
    *ranks |= posix->base.rank < 0 ? 1 : 2;
    *seconds += posix->fcounters[POSIX_F_READ_TIME] + posix->fcounters[POSIX_F_WRITE_TIME] +
                posix->fcounters[POSIX_F_META_TIME];
  }
  darshan_records_close(records);
  return more;
}

/* Returns the index of the histogram's bucket for seconds / run_time. A bucket includes its upper
 * bound; the last bucket has no upper bound. If the run time is 0 or unknown, returns the last
 * bucket for a log with I/O, and 0 for a log without I/O. */
static int bucket_of(double seconds, double run_time) {
  int bucket = 0;
  if (run_time <= 0) return seconds > 0 ? BUCKETS - 1 : 0;
  while (bucket < BUCKETS - 1 && seconds / run_time > (bucket + 1) / (double)BUCKETS)
    bucket++;
  return bucket;
}

static int is_used(const struct darshan_info *info, int id) {
  for (int i = 0; i < info->num_modules; i++)
    if (info->modules[i].id == id) return info->modules[i].length > 0;
  return 0;
}

/* Adds the log at `path` to the counts. Returns 0, or -1 with an error. */
static int add_log(const char *path, struct darshan_error *error) {
  double seconds = 0;
  int ranks = 0, result = 0;
  darshan_log *log = darshan_log_read(path, error);
  if (!log) return -1;
  const struct darshan_info *info = darshan_log_info(log);
  if (is_used(info, DARSHAN_MOD_POSIX)) result = read_posix(log, &seconds, &ranks, error);
  if (result == 0) {
    counts.logs++;
    counts.shared += ranks & 1;
    counts.own += ranks >> 1;
    counts.mpiio += (unsigned long)is_used(info, DARSHAN_MOD_MPIIO);
    counts.pnetcdf += (unsigned long)(is_used(info, DARSHAN_MOD_PNETCDF_FILE) ||
                                      is_used(info, DARSHAN_MOD_PNETCDF_VAR));
    counts.hdf5 +=
        (unsigned long)(is_used(info, DARSHAN_MOD_H5F) || is_used(info, DARSHAN_MOD_H5D));
    counts.buckets[bucket_of(seconds, info->run_time)]++;
  }
  darshan_log_free(log);
  return result;
}

/* Files that are not logs. One line reports all of them, because a folder may have thousands. */
static struct {
  unsigned long count;
  char first[PATH_MAX], text[sizeof(((struct darshan_error *)0)->text)];
} others;

static int is_no_log(const char *text) {
  static const char no_log[] = "is not a Darshan log", empty[] = "is empty";
  return strncmp(text, no_log, sizeof(no_log) - 1) == 0 || strcmp(text, empty) == 0;
}

/* Counts a file or folder that cannot be read, and prints a message; for a file that is not a log,
 * only remembers the first one (`others`). Returns 0, so that nftw continues. */
static int complain(const char *path, const char *text) {
  counts.bad++;
  if (is_no_log(text)) {
    if (others.count++ == 0) {
      snprintf(others.first, sizeof(others.first), "%s", path);
      snprintf(others.text, sizeof(others.text), "%s", text);
    }
    return 0;
  }
  wipe();
  fprintf(stderr, "%s: %s: %s\n", called_as("darshan-analyzer"), path, text);
  return 0;
}

/* Adds one file; nftw calls it for each entry. Returns 0, so that nftw continues. */
static int visit(const char *path, const struct stat *st, int kind, struct FTW *place) {
  struct darshan_error error = {""};
  struct stat again;
  (void)place;
  if (kind == FTW_DNR || kind == FTW_NS) { /* nftw does not guarantee errno */
    int result = kind == FTW_DNR ? access(path, R_OK | X_OK) : lstat(path, &again);
    return complain(path, result < 0 ? strerror(errno) : "cannot read this folder");
  }
  counts.links += kind == FTW_SL;
  if (kind != FTW_F || !S_ISREG(st->st_mode)) return 0;
  if (add_log(path, &error) < 0) return complain(path, error.text);
  show_progress();
  return 0;
}

/* Prints a number of logs, and before it its share of all readable logs. */
static void print_share(const char *name, unsigned long count) {
  double share = counts.logs ? (double)count / (double)counts.logs : 0;
  printf("%24s: %f [%lu]\n", name, share, count);
}

/* Prints the result in exactly the form of 3.5.0. */
static void print_counts(void) {
  printf("total logs: %lu\n", counts.logs);
  print_share("shared file access", counts.shared);
  print_share("file-per-proccess access", counts.own);
  print_share("mpio access", counts.mpiio);
  print_share("pnetcdf access", counts.pnetcdf);
  print_share("hdf5 access", counts.hdf5);
  printf("\nI/O percentage of runtime:\n");
  for (int i = 0; i < BUCKETS; i++)
    printf("%4.2f-%4.2f: %lu\n", i / (double)BUCKETS, (i + 1) / (double)BUCKETS, counts.buckets[i]);
}

/* Adds the logs of the file or folder that the user named; prints a message if it cannot be read.
 * Follows the name if it is a link, but no links below it, because these may form cycles. */
static void walk(const char *named) {
  enum { OPEN_FOLDERS = 32 };
  char *bare = strdup(named), *meant = NULL, target[2];
  for (size_t n = bare ? strlen(bare) : 0; n > 1 && bare[n - 1] == '/'; n--)
    bare[n - 1] = '\0'; /* nftw removes slashes at the end, too */
  bool link = bare && readlink(bare, target, sizeof(target)) >= 0;
  if (link) meant = realpath(named, NULL);
  if ((link && !meant) || nftw(meant ? meant : named, visit, OPEN_FOLDERS, FTW_PHYS) != 0)
    complain(named, strerror(errno));
  free(meant);
  free(bare);
}

/* Prints one line about the files that are not logs. */
static void say_others(void) {
  const char *name = called_as("darshan-analyzer");
  if (others.count == 1)
    fprintf(stderr, "%s: %s: %s\n", name, others.first, others.text);
  else if (others.count > 1)
    fprintf(stderr, "%s: %lu files are not Darshan logs, the first: %s\n", name, others.count,
            others.first);
}

int main(int argc, char **argv) {
  static const struct option names[] = {
      {"version", no_argument, NULL, 'v'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
  int code = getopt_long(argc, argv, "h", names, NULL);
  if (code == 'h' || code == 'v') {
    if (code == 'h')
      called_usage(stdout, usage, "darshan-analyzer");
    else
      puts("darshan-analyzer " PACKAGE_VERSION);
    return written(stdout, "darshan-analyzer", 0);
  }
  if (code != -1 || optind >= argc) {
    called_usage(stderr, usage, "darshan-analyzer");
    return 2;
  }
  progress = isatty(STDERR_FILENO);
  for (int i = optind; i < argc; i++) {
    printf("log dir: %s\n", argv[i]);
    walk(argv[i]);
  }
  wipe();
  say_others();
  if (counts.links)
    fprintf(stderr, "%s: %lu symbolic links were not followed\n", called_as("darshan-analyzer"),
            counts.links);
  print_counts();
  return written(stdout, "darshan-analyzer", counts.bad > 0);
}
