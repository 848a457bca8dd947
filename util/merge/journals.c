#include "journals.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../runtime/format/apmpi.h"

static const char journal_mark[] = "_mmap-log-";

int merge_quiet;

void merge_say(const char *format, ...) {
  va_list arguments;
  if (merge_quiet) return;
  va_start(arguments, format);
  fputs("darshan-merge: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
}

static int is_counted(const struct darshan_module *module) {
  return module &&
         (module->kind == DARSHAN_KIND_COUNTERS || module->kind == DARSHAN_KIND_FILE_COUNTERS);
}

/* The latest timestamp of a record. */
static double last_of(const struct darshan_module *module, const void *record) {
  size_t at = module->record_size - (size_t)module->num_fcounters * sizeof(double);
  const double *values = (const double *)(const void *)((const char *)record + at);
  double last = 0;
  for (const struct darshan_counter *row = module->fcounters; row->name; row++)
    if (row->index >= 0 && row->unit == DARSHAN_UNIT_TIMESTAMP && values[row->index] > last)
      last = values[row->index];
  return last;
}

static void note_talk(struct journal_file *file, const struct darshan_apmpi_record *record) {
  if (((const struct darshan_apmpi_head *)(const void *)record)->magic == APMPI_MAGIC) return;
  file->has_talk = 1;
  file->talk[0] = record->total_time;
  file->talk[1] = record->total_sync_time;
}

/* Its rank is what its records say. */
static int read_module(struct journal_file *file, darshan_log *log,
                       const struct darshan_module_region *region, struct darshan_error *error) {
  const struct darshan_module *module = darshan_module_by_id(region->id);
  const void *record;
  size_t size;
  int more;
  if (region->length == 0 || !module || module->kind == DARSHAN_KIND_NONE) return 0;
  darshan_records *records = darshan_records_open(log, region->id, error);
  if (!records) return -1;
  while ((more = darshan_records_next(records, &record, &size, error)) > 0) {
    const struct darshan_base_record *base = record;
    if (file->rank < 0) file->rank = base->rank;
    if (base->rank < 0 || base->rank != file->rank) {
      snprintf(error->text, sizeof(error->text), "not a journal: it has records of several ranks");
      more = -1;
      break;
    }
    if (module->kind == DARSHAN_KIND_APMPI) note_talk(file, record);
    double last = is_counted(module) ? last_of(module, record) : 0;
    if (last > file->last) file->last = last;
  }
  darshan_records_close(records);
  return more;
}

static int read_journal(struct journal_file *file, struct darshan_error *error) {
  int result = 0;
  darshan_log *log = darshan_log_read(file->path, error);
  if (!log) return -1;
  const struct darshan_info *info = darshan_log_info(log);
  file->job = info->job;
  file->rank = -1;
  for (int i = 0; i < info->num_modules && result == 0; i++)
    result = read_module(file, log, &info->modules[i], error);
  darshan_log_free(log);
  if (file->rank < 0) file->rank = 0; /* names alone: whose does not matter */
  return result;
}

static int add_file(struct journals *journals, const char *path) {
  struct darshan_error error = {""};
  struct journal_file file = {.path = strdup(path)};
  struct journal_file *files =
      realloc(journals->files, ((size_t)journals->count + 1) * sizeof(*files));
  if (files) journals->files = files;
  if (!files || !file.path || read_journal(&file, &error) < 0) {
    merge_say("%s: %s", path, error.text[0] ? error.text : "out of memory");
    free(file.path);
    return -1;
  }
  journals->files[journals->count++] = file;
  return 0;
}

static int add_folder(struct journals *journals, const char *path) {
  DIR *folder = opendir(path);
  struct dirent *entry;
  int result = 0, before = journals->count;
  if (!folder) {
    merge_say("%s: %s", path, strerror(errno));
    return -1;
  }
  while (result == 0 && (entry = readdir(folder))) {
    char *name = NULL;
    if (!strstr(entry->d_name, journal_mark)) continue;
    if (asprintf(&name, "%s/%s", path, entry->d_name) < 0) {
      result = -1;
      break;
    }
    result = add_file(journals, name);
    free(name);
  }
  closedir(folder);
  if (result == 0 && journals->count == before) {
    merge_say("%s: no journals there", path);
    return -1;
  }
  return result;
}

int journals_add(struct journals *journals, const char *path) {
  struct stat st;
  if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return add_folder(journals, path);
  return add_file(journals, path);
}

static int by_rank(const void *a, const void *b) {
  const struct journal_file *left = a, *right = b;
  return left->rank < right->rank ? -1 : left->rank > right->rank;
}

int journals_sort(struct journals *journals) {
  const struct journal_file *first = journals->files;
  qsort(journals->files, (size_t)journals->count, sizeof(*journals->files), by_rank);
  journals->nprocs = 1;
  for (int i = 0; i < journals->count; i++) {
    const struct journal_file *file = &journals->files[i];
    if (file->job.nprocs > journals->nprocs) journals->nprocs = file->job.nprocs;
    if (file->job.jobid != first->job.jobid) {
      merge_say("%s is of job %" PRId64 ", %s of job %" PRId64 ": one log is made of one job",
                first->path, first->job.jobid, file->path, file->job.jobid);
      return -1;
    }
    if (i > 0 && file->rank == file[-1].rank) {
      merge_say("%s and %s are both of rank %" PRId64, file[-1].path, file->path, file->rank);
      return -1;
    }
  }
  if (journals->files[journals->count - 1].rank >= journals->nprocs) {
    merge_say("%s is of rank %" PRId64 " in a job of %" PRId64 " ranks",
              journals->files[journals->count - 1].path, journals->files[journals->count - 1].rank,
              journals->nprocs);
    return -1;
  }
  return 0;
}

static size_t add_range(char *out, size_t room, size_t used, int64_t first, int64_t last) {
  char text[64];
  int n = first == last ? snprintf(text, sizeof(text), "%s%" PRId64, used ? "," : "", first)
                        : snprintf(text, sizeof(text), "%s%" PRId64 "-%" PRId64, used ? "," : "",
                                   first, last);
  if (used + (size_t)n + sizeof(",...") > room) {
    if (used + sizeof(",...") <= room) strcpy(out + used, ",...");
    return room; /* nothing more fits */
  }
  strcpy(out + used, text);
  return used + (size_t)n;
}

int64_t ranks_missing(const int64_t *ranks, size_t count, int64_t nprocs, char *out, size_t room) {
  int64_t expected = 0;
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i <= count; i++) {
    int64_t next = i < count ? ranks[i] : nprocs;
    if (next > expected && used < room) used = add_range(out, room, used, expected, next - 1);
    expected = next + 1;
  }
  return nprocs - (int64_t)count;
}

int64_t journals_missing(const struct journals *journals, char *out, size_t room) {
  int64_t *ranks = malloc(((size_t)journals->count + 1) * sizeof(*ranks));
  out[0] = '\0';
  for (int i = 0; ranks && i < journals->count; i++)
    ranks[i] = journals->files[i].rank;
  int64_t count = journals->nprocs - journals->count;
  if (ranks) count = ranks_missing(ranks, (size_t)journals->count, journals->nprocs, out, room);
  free(ranks);
  return count;
}

void journals_free(struct journals *journals) {
  for (int i = 0; i < journals->count; i++)
    free(journals->files[i].path);
  free(journals->files);
}
