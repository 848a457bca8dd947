/* The subcommand watch: shows the current I/O of running processes, read from their journals
 * (commands.h). */
#define _GNU_SOURCE
#include "../commands.h"

#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../../runtime/records/in-place.h"
#include "../../reader/called.h"
#include "../export/export.h"
#include "../message.h"
#include "../paths.h"
#include "../summary/summary.h"
#include "values.h"

struct live_rates { /* per second */
  double read, written, calls;
};

static const char mark[] = "_mmap-log-", run_folder[] = "darshan-run";

/* Returns 1 if the path is a regular file, not a symbolic link, of this user. Otherwise returns 0.
 * */
static int is_ours(const char *path) {
  struct stat st;
  return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid();
}

/* Adds this user's journals in a folder; with below 1, also those in its run directories. Returns
 * 0, or -1 with errno if the folder cannot be read. */
static int list_folder(struct path_list *list, const char *folder, int below) {
  char path[PATH_MAX];
  struct dirent *entry;
  DIR *open_folder = opendir(folder);
  if (!open_folder) return -1;
  while ((entry = readdir(open_folder))) {
    int length = snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
    if (length < 0 || (size_t)length >= sizeof(path)) continue;
    if (strstr(entry->d_name, mark) && is_ours(path)) path_list_add(list, path);
    /* Errors are ignored: the folder may have been removed or belong to another user. */
    if (below && strncmp(entry->d_name, run_folder, sizeof(run_folder) - 1) == 0)
      list_folder(list, path, 0);
  }
  closedir(open_folder);
  return 0;
}

/* Adds this user's journals in a folder and in its run directories. If `place` is a file, adds it
 * without checks. Returns 0, or -1 with errno set if the path cannot be read. */
static int live_journals(struct path_list *list, const char *place) {
  struct stat st;
  if (stat(place, &st) < 0) return -1;
  if (S_ISDIR(st.st_mode)) return list_folder(list, place, 1);
  path_list_add(list, place);
  return 0;
}

/* Returns the increase per second; 0 if the sum has decreased, because a journal was removed. */
static double rate(int64_t now, int64_t before, double seconds) {
  return now > before && seconds > 0 ? (double)(now - before) / seconds : 0;
}

/* Returns the layer of the same module in another picture; NULL if it lacks the module, or is NULL.
 */
static const struct picture_layer *same_layer(const struct picture *picture,
                                              const struct picture_layer *layer) {
  for (int i = 0; picture && i < picture->num_layers; i++)
    if (picture->layers[i].plan.module == layer->plan.module) return &picture->layers[i];
  return NULL;
}

static int64_t calls_of(const struct picture_layer *layer) {
  return picture_reads(&layer->plan, layer->total) + picture_writes(&layer->plan, layer->total);
}

/* Returns the rates of a layer since `before`; since the start of the processes if it is NULL.
 * seconds: the time between; with 1, the rates are the increases. */
static struct live_rates live_layer(const struct picture_layer *now, const struct picture *before,
                                    double seconds) {
  const struct picture_layer *old = same_layer(before, now);
  const struct darshan_merge_plan *plan = &now->plan;
  const int64_t *counters = darshan_record_counters(plan, now->total);
  const int64_t *past = old ? darshan_record_counters(plan, old->total) : NULL;
  return (struct live_rates){
      rate(counters[plan->bytes_read], past ? past[plan->bytes_read] : 0, seconds),
      rate(counters[plan->bytes_written], past ? past[plan->bytes_written] : 0, seconds),
      rate(calls_of(now), old ? calls_of(old) : 0, seconds)};
}

/* Returns the rates of the file at index `place` of now->files since the picture `before`; NULL:
 * since the begin, when all numbers were 0. seconds: time between both pictures. */
static struct live_rates live_file(const struct picture *now, size_t place,
                                   const struct picture *before, double seconds) {
  const struct picture_file *file = id_table_value(&now->files, place);
  const struct picture_file *old =
      before ? id_table_find(&before->files, now->files.keys[place]) : NULL;
  return (struct live_rates){rate(file->read, old ? old->read : 0, seconds),
                             rate(file->written, old ? old->written : 0, seconds),
                             rate(file->calls, old ? old->calls : 0, seconds)};
}

enum { USAGE = 2, FILES = 12, NAME = 40, ROOM = QUANTITY_ROOM };

static const char usage[] =
    "usage: darshan watch [-n SECONDS] [-c COUNT] [FOLDER|JOURNAL...]\n"
    "       darshan watch --export FORMAT:PLACE... [-n SECONDS] [-c COUNT] [FOLDER...]\n"
    "  shows the I/O rates of the instrumented processes that run now, from their journals\n"
    "  (the rates of processes that died are 0); or exports counters per job, user and file\n"
    "  system to a monitoring system, as root for all users\n"
    "  -n SECONDS  time between two screens [1], or two readings to export [1.5]\n"
    "  -c COUNT    number of screens, or of readings [until interrupted]\n"
    "  --export FORMAT:PLACE  print no screens, but export; may be given several times:\n"
    "              prometheus:FILE  text for node_exporter's textfile collector (*.prom)\n"
    "              otlp:URL  OTLP over HTTP, to http://HOST[:4318][/v1/metrics]\n"
    "              json:FILE  lines of JSON, as for LDMS; json:- prints them\n"
    "  --limit N   export at most N sets of job, user and file system; the rest of a user's\n"
    "              counts as \"other\" [1000]\n"
    "  -h, --help\n"
    "  FOLDER      where journals are [DARSHAN_MMAP_LOGPATH, else /tmp; and " IN_PLACE_FOLDER "]\n";

struct watch {     /* the options */
  double interval; /* seconds between two screens; 0: the default */
  long looks;      /* number of screens; 0: until interrupted */
  char **places;   /* paths of folders and journals */
  int num_places;
  int terminal; /* 1: standard output is a terminal */
};

static volatile sig_atomic_t interrupted;
static void interrupt(int signal) {
  (void)signal;
  interrupted = 1;
}

static double now_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Reads all journals into *picture. Returns 0, or -1 after a message if a folder cannot be read. */
static int take(struct picture *picture, const struct watch *watch) {
  struct path_list journals = {NULL, 0};
  picture_init(picture);
  for (int i = 0; i < watch->num_places; i++)
    if (live_journals(&journals, watch->places[i]) < 0) {
      say("cannot read the folder %s: %s", say_path(watch->places[i]), strerror(errno));
      path_list_free(&journals);
      return -1;
    }
  for (size_t i = 0; i < journals.count; i++)
    /* Skips a journal if its process ended between listing and reading. */
    if (access(journals.paths[i], R_OK) == 0) picture_add(picture, journals.paths[i]);
  path_list_free(&journals);
  return 0;
}

static void print_rates(const struct live_rates *rates) {
  char a[3][ROOM];
  printf(" %9s/s %9s/s %8s/s\n", quantity_bytes(a[0], rates->read),
         quantity_bytes(a[1], rates->written),
         quantity_count(a[2], (long long)(rates->calls + 0.5)));
}

/* Stores in `places` the indexes of the files with the highest sum of bytes and calls per second
 * since `before`, the highest first. Returns their number. */
static size_t busiest(const struct picture *now, const struct picture *before, double seconds,
                      size_t places[FILES]) {
  double moved[FILES];
  size_t found = 0;
  for (size_t i = 0; i < now->files.count; i++) {
    struct live_rates rates = live_file(now, i, before, seconds);
    double bytes =
        rates.read + rates.written + rates.calls; /* so that calls of zero bytes count as well */
    size_t at = found;
    if (bytes <= 0) continue;
    while (at > 0 && moved[at - 1] < bytes)
      at--;
    if (at == FILES) continue;
    if (found < FILES) found++;
    memmove(&places[at + 1], &places[at], (found - 1 - at) * sizeof(places[0]));
    memmove(&moved[at + 1], &moved[at], (found - 1 - at) * sizeof(moved[0]));
    places[at] = i;
    moved[at] = bytes;
  }
  return found;
}

/* Prints a screen: rates of layers and of the busiest files since `before`, `seconds` ago. */
static void print(const struct picture *now, const struct picture *before, double seconds) {
  char name[4 * NAME], stamp[16];
  size_t places[FILES];
  time_t clock = time(NULL);
  struct tm local;
  strftime(stamp, sizeof(stamp), "%H:%M:%S", localtime_r(&clock, &local));
  printf("%s  %4zu journal%s %27s %11s %10s\n", stamp, now->logs, now->logs == 1 ? " " : "s",
         "read", "written", "calls");
  for (int i = 0; i < now->num_layers; i++) {
    struct live_rates ever = live_layer(&now->layers[i], NULL, 1);
    struct live_rates rates = live_layer(&now->layers[i], before, seconds);
    if (ever.read + ever.written + ever.calls <= 0) continue;
    printf("%-*s", NAME + 2, now->layers[i].plan.module->name);
    print_rates(&rates);
  }
  size_t shown = busiest(now, before, seconds, places);
  for (size_t i = 0; i < shown; i++) {
    const struct picture_file *file = id_table_value(&now->files, places[i]);
    struct live_rates rates = live_file(now, places[i], before, seconds);
    size_t width =
        say_printable(name, sizeof(name), file->name ? file->name : "(no name)", NAME, 1);
    printf("  %s%*s", name, (int)(NAME - width), "");
    print_rates(&rates);
  }
}

static void pause_for(double seconds) {
  struct timespec length = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&length, NULL);
}

static int look_again_and_again(const struct watch *watch) {
  struct picture before, now;
  double last = now_seconds();
  if (take(&before, watch) < 0) return 1;
  for (long look = 0; !interrupted && (watch->looks == 0 || look < watch->looks); look++) {
    pause_for(watch->interval);
    if (interrupted) break;
    double time = now_seconds();
    if (take(&now, watch) < 0) break;
    /* On a terminal, clears the screen and prints from its top. Elsewhere, a blank line ends each
     * table. */
    if (watch->terminal) fputs("\033[H\033[2J", stdout);
    print(&now, &before, time - last);
    if (!watch->terminal) putchar('\n');
    if (fflush(stdout) != 0) break; /* stdout cannot be written any more */
    picture_free(&before);
    before = now;
    last = time;
  }
  picture_free(&before);
  return written(stdout, "darshan", 0);
}

static int wrong(void) {
  fputs(usage, stderr);
  return USAGE;
}

static int help(void) {
  fputs(usage, stdout);
  return written(stdout, "darshan", 0);
}

/* Adds a receiver. Returns 0, or -1 after a message. */
static int add_export(struct export_options *options, const char *text) {
  if (options->num_deliveries == EXPORT_PLACES) {
    say("--export %s: at most %d receivers are allowed", say_path(text), EXPORT_PLACES);
    return -1;
  }
  if (delivery_parse(&options->deliveries[options->num_deliveries], text) != 0) return -1;
  options->num_deliveries++;
  return 0;
}

static int export(struct export_options *options, const struct watch *watch) {
  options->interval = watch->interval > 0 ? watch->interval : 1.5;
  options->looks = watch->looks;
  options->folders = watch->places;
  options->num_folders = watch->num_places;
  options->interrupted = &interrupted;
  return export_run(options);
}

/* Reads a positive number. Returns 0, or -1 if the text is none. */
static int read_number(long *number, const char *text) {
  char *end;
  *number = strtol(text, &end, 10);
  return end == text || *end || *number < 1 ? -1 : 0;
}

int command_watch(int argc, char **argv) {
  const char *folder = getenv("DARSHAN_MMAP_LOGPATH");
  static char in_memory[] = IN_PLACE_FOLDER;
  char *usual[] = {(char *)(uintptr_t)(folder && *folder ? folder : "/tmp"), in_memory};
  struct watch watch = {0, 0, usual, access(in_memory, R_OK) == 0 ? 2 : 1, isatty(STDOUT_FILENO)};
  static struct export_options options = {.limit = EXPORT_LIMIT};
  static const struct option names[] = {{"help", no_argument, NULL, 'h'},
                                        {"export", required_argument, NULL, 'e'},
                                        {"limit", required_argument, NULL, 'l'},
                                        {NULL, 0, NULL, 0}};
  char *end;
  long number;
  int option;
  while ((option = getopt_long(argc, argv, "n:c:h", names, NULL)) != -1) {
    if (option == 'h') return help();
    if (option == 'n') {
      watch.interval = strtod(optarg, &end);
      if (end == optarg || *end || !(watch.interval >= 0.05 && watch.interval <= 86400))
        return wrong();
    } else if (option == 'c') {
      if (read_number(&watch.looks, optarg) != 0) return wrong();
    } else if (option == 'l') {
      if (read_number(&number, optarg) != 0 || number < 8 || number > 100000) return wrong();
      options.limit = (size_t)number;
    } else if (option == 'e') {
      if (add_export(&options, optarg) != 0) return USAGE;
    } else {
      return wrong();
    }
  }
  if (optind < argc) {
    watch.places = argv + optind;
    watch.num_places = argc - optind;
  }
  signal(SIGINT, interrupt);
  signal(SIGTERM, interrupt);
  if (options.num_deliveries) return export(&options, &watch);
  if (!(watch.interval > 0)) watch.interval = 1;
  return look_again_and_again(&watch);
}
