/* Finds the journals of a job, one per rank, or the node logs that were made from them
 * (journals.h). */
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
#include "../../runtime/log/save.h"
#include "../reader/called.h"
#include "metadata.h"

enum { RANKS_OF_A_NODE = 1 << 16 }; /* largest number of ranks in a node log */

static const char journal_mark[] = "_mmap-log-", ending[] = ".darshan";

int merge_quiet;

void merge_say(const char *format, ...) {
  va_list arguments;
  if (merge_quiet) return;
  va_start(arguments, format);
  fprintf(stderr, "%s: ", called_as("darshan-merge"));
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
}

void merge_say_unwritten(const char *place) {
  if (log_error)
    merge_say("cannot write the log to %s: %s", place, strerror(log_error));
  else
    merge_say("cannot write the log to %s", place);
}

static int is_counted(const struct darshan_module *module) {
  return module &&
         (module->kind == DARSHAN_KIND_COUNTERS || module->kind == DARSHAN_KIND_FILE_COUNTERS);
}

/* Returns the latest timestamp of a record, in seconds after the start; 0 if it has none. */
static double last_of(const struct darshan_module *module, const void *record) {
  size_t at = module->record_size - (size_t)module->num_fcounters * sizeof(double);
  const double *values = (const double *)(const void *)((const char *)record + at);
  double last = 0;
  for (const struct darshan_counter *row = module->fcounters; row->name[0]; row++)
    if (row->index >= 0 && row->unit == DARSHAN_UNIT_TIMESTAMP && values[row->index] > last)
      last = values[row->index];
  return last;
}

/* Stores the times of MPI communication in the entry of a rank. Ignores the APMPI head. */
static void note_talk(struct journal_file *file, const struct darshan_apmpi_record *record) {
  if (((const struct darshan_apmpi_head *)(const void *)record)->magic == APMPI_MAGIC) return;
  file->has_talk = 1;
  file->talk[0] = record->total_time;
  file->talk[1] = record->total_sync_time;
}

/* --- reading a file ------------------------------------------------------------------------ */

/* Adds an entry for another rank. Returns its index, or -1 if out of memory. */
static int add_row(struct journals *journals, const struct journal_file *row) {
  struct journal_file *files =
      realloc(journals->files, ((size_t)journals->count + 1) * sizeof(*files));
  if (!files) return -1;
  journals->files = files;
  files[journals->count] = *row;
  files[journals->count].path = strdup(row->path);
  return files[journals->count].path ? journals->count++ : -1;
}

/* Returns the index of the entry of a rank in this file, whose entries begin at `first`. The file's
 * first entry gets the first rank that is found. Adds an entry for each further rank of a node log.
 * Returns -1 with an error if a journal has a further rank, if a node log has too many, or if out
 * of memory. */
static int row_of(struct journals *journals, int first, int64_t rank, struct darshan_error *error) {
  struct journal_file *head = &journals->files[first];
  int64_t *row = rank < 0 ? NULL : map_at(&journals->rows, (uint64_t)rank);
  if (row && *row >= 0) return (int)*row;
  int is_first = head->rank < 0;
  if (rank < 0 || (!is_first && !head->is_part)) {
    snprintf(error->text, sizeof(error->text), "not a journal: it has records of several ranks");
    return -1;
  }
  struct journal_file more = *head;
  more.rank = rank;
  more.last = more.talk[0] = more.talk[1] = 0;
  more.has_talk = 0;
  int at = is_first ? first : -1;
  if (is_first)
    head->rank = rank;
  else if (journals->count - first < RANKS_OF_A_NODE)
    at = add_row(journals, &more);
  if (at < 0 || !row)
    snprintf(error->text, sizeof(error->text), "more ranks than a node can have, or out of memory");
  else
    *row = at;
  return row ? at : -1;
}

/* Adds the communication times of a record, and the end of its last operation, to the journal's
 * entry for the record's rank. first: index of the journal's first entry. Skips the APMPI head of a
 * node log, because it belongs to no single rank. Returns 0; -1 with an error if there are too many
 * ranks or too little memory. */
static int read_record(struct journals *journals, int first, const struct darshan_module *module,
                       const void *record, struct darshan_error *error) {
  const struct darshan_base_record *base = record;
  const struct darshan_apmpi_head *head = record;
  int is_talk = module->kind == DARSHAN_KIND_APMPI;
  if (is_talk && head->magic == APMPI_MAGIC && journals->files[first].is_part) return 0;
  int at = row_of(journals, first, base->rank, error);
  if (at < 0) return -1;
  struct journal_file *file = &journals->files[at];
  if (is_talk) note_talk(file, record);
  double last = is_counted(module) ? last_of(module, record) : 0;
  if (last > file->last) file->last = last;
  return 0;
}

/* Adds the data of a module's records to the entries of the file. first: index of its first entry.
 * Returns 0, also for an unknown module, or -1 with an error. */
static int read_module(struct journals *journals, int first, darshan_log *log,
                       const struct darshan_module_region *region, struct darshan_error *error) {
  const struct darshan_module *module = darshan_module_by_id(region->id);
  const void *record;
  size_t size;
  int more;
  if (region->length == 0 || !module || module->kind == DARSHAN_KIND_NONE) return 0;
  darshan_records *records = darshan_records_open(log, region->id, error);
  if (!records) return -1;
  while ((more = darshan_records_next(records, &record, &size, error)) > 0)
    if (read_record(journals, first, module, record, error) < 0) {
      more = -1;
      break;
    }
  darshan_records_close(records);
  return more;
}

/* Fills the first entry of a file with its job data; the rank is still -1. A journal has the number
 * that all ranks of the job share in its file name, a node log in its metadata. */
static void identify(struct journal_file *file, const struct darshan_info *info) {
  const char *slash = strrchr(file->path, '/');
  const char *mark = strstr(slash ? slash : file->path, journal_mark);
  file->job = info->job;
  file->rank = -1;
  file->in_common = node_log_job(info);
  file->is_part = file->in_common != 0;
  file->has_no_end = file->job.end_time_sec == 0 || (file->is_part && launch_metadata(info, "end"));
  if (!file->is_part && mark) file->in_common = strtoull(mark + strlen(journal_mark), NULL, 10);
}

/* Returns 1 if the file belongs to the requested job, or if none is requested; otherwise 0. The
 * job's name is its job number or the number that its ranks share. */
static int is_of_job(const struct journals *journals, const struct journal_file *file) {
  char number[2][32];
  if (!journals->job) return 1;
  snprintf(number[0], sizeof(number[0]), "%" PRId64, file->job.jobid);
  snprintf(number[1], sizeof(number[1]), "%" PRIu64, file->in_common);
  return strcmp(journals->job, number[0]) == 0 || strcmp(journals->job, number[1]) == 0;
}

/* Adds an entry for each rank of a journal or log of the job; ignores a file of another job.
 * Returns 0, or -1 with an error. only_parts 1: also ignores a file that is unreadable or no node
 * log. */
static int read_journal(struct journals *journals, const char *path, int only_parts,
                        struct darshan_error *error) {
  struct journal_file row = {.path = (char *)(uintptr_t)path};
  int result = 0, first = journals->count;
  darshan_log *log = darshan_log_read(path, error);
  if (!log) return only_parts ? 0 : -1;
  const struct darshan_info *info = darshan_log_info(log);
  identify(&row, info);
  map_clear(&journals->rows);
  int is_wanted = is_of_job(journals, &row) && (!only_parts || row.is_part);
  if (is_wanted && add_row(journals, &row) < 0) {
    snprintf(error->text, sizeof(error->text), "out of memory");
    result = -1;
  }
  for (int i = 0; is_wanted && i < info->num_modules && result == 0; i++)
    result = read_module(journals, first, log, &info->modules[i], error);
  darshan_log_free(log);
  if (is_wanted && result == 0 && journals->files[first].rank < 0)
    journals->files[first].rank = 0; /* the file contains only names, so the rank is arbitrary */
  return result;
}

/* --- finding the files --------------------------------------------------------------------- */

/* Adds an entry for each rank of a journal or log, as read_journal does, and prints an error.
 * Returns 0, or -1 after a message. */
static int add_file(struct journals *journals, const char *path, int only_parts) {
  struct darshan_error error = {""};
  if (read_journal(journals, path, only_parts, &error) == 0) return 0;
  merge_say("%s: %s", path, error.text[0] ? error.text : "out of memory");
  return -1;
}

static int is_log(const char *name) {
  size_t length = strlen(name), end = sizeof(ending) - 1;
  return length > end && strcmp(name + length - end, ending) == 0;
}

/* Adds the journals and node logs of a folder. Returns 0, or -1 after a message (without one if out
 * of memory). */
static int add_folder(struct journals *journals, const char *path) {
  DIR *folder = opendir(path);
  struct dirent *entry;
  int result = 0, before = journals->count;
  struct stat st;
  if (!folder) {
    merge_say("cannot read the folder %s: %s", path, strerror(errno));
    return -1;
  }
  while (result == 0 && (entry = readdir(folder))) {
    char *name = NULL;
    int is_journal = strstr(entry->d_name, journal_mark) != NULL;
    if (!is_journal && !is_log(entry->d_name)) continue;
    if (asprintf(&name, "%s/%s", path, entry->d_name) < 0) {
      result = -1;
      break;
    }
    if (is_journal || (stat(name, &st) == 0 && S_ISREG(st.st_mode)))
      result = add_file(journals, name, !is_journal);
    free(name);
  }
  closedir(folder);
  if (result == 0 && journals->count == before && !journals->job) {
    merge_say("%s contains no journals and no logs of ranks", path);
    return -1;
  }
  return result;
}

int journals_add(struct journals *journals, const char *path) {
  struct stat st;
  if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return add_folder(journals, path);
  return add_file(journals, path, 0);
}

static int by_rank(const void *a, const void *b) {
  const struct journal_file *left = a, *right = b;
  return left->rank < right->rank ? -1 : left->rank > right->rank;
}

/* Compares the jobs of two files. Returns 0 if the jobs are equal, -1 after a message if they
 * differ. */
static int is_of_one_job(const struct journal_file *first, const struct journal_file *file) {
  int is_other = file->in_common && first->in_common && file->in_common != first->in_common;
  if (file->job.jobid != first->job.jobid)
    merge_say("%s belongs to job %" PRId64 ", %s to job %" PRId64
              ": a log has one job; choose it with --job NUMBER",
              first->path, first->job.jobid, file->path, file->job.jobid);
  else if (is_other)
    merge_say(
        "%s and %s are of two jobs with the same number: a log has one job; choose it with --job "
        "%" PRIu64 " or --job %" PRIu64,
        first->path, file->path, first->in_common, file->in_common);
  return file->job.jobid != first->job.jobid || is_other ? -1 : 0;
}

int journals_sort(struct journals *journals) {
  const struct journal_file *first = journals->files;
  if (journals->count == 0) {
    if (journals->job)
      merge_say("the given files and folders have no journal or log of job %s; name others, or "
                "another job with --job",
                journals->job);
    else
      merge_say("the given files and folders have no journal or log of a job; name others");
    return -1;
  }
  qsort(journals->files, (size_t)journals->count, sizeof(*journals->files), by_rank);
  journals->nprocs = 1;
  for (int i = 0; i < journals->count; i++) {
    const struct journal_file *file = &journals->files[i];
    if (file->job.nprocs > journals->nprocs) journals->nprocs = file->job.nprocs;
    if (is_of_one_job(first, file) < 0) return -1;
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

/* Appends a range of ranks, both ends included, to a list; ",..." if it does not fit. Returns the
 * new length; `room` if nothing more fits. */
static size_t add_range(char *out, size_t room, size_t used, int64_t first, int64_t last) {
  char text[64];
  int n = first == last ? snprintf(text, sizeof(text), "%s%" PRId64, used ? "," : "", first)
                        : snprintf(text, sizeof(text), "%s%" PRId64 "-%" PRId64, used ? "," : "",
                                   first, last);
  if (used + (size_t)n + sizeof(",...") > room) {
    if (used + sizeof(",...") <= room) strcpy(out + used, ",...");
    return room; /* `out` is full */
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
  map_free(&journals->rows);
}
