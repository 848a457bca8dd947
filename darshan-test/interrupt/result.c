/* Reads the results of a process: the sums over its logs and journals, and the content of the data
 * file. */
#include "driver.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../runtime/format/apmpi.h"
#include "darshan-read.h"

static void each_file(const char *folder, void (*each)(const char *path, void *context),
                      void *context) {
  char path[PATH_MAX];
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
    each(path, context);
  }
  if (dir) closedir(dir);
}

static void remove_file(const char *path, void *unused) {
  (void)unused;
  unlink(path);
}

void place_make(struct place *place, const char *parent, const char *program, const char *runtime,
                unsigned worker) {
  char folder[PATH_MAX - 32];
  *place = (struct place){.program = program, .runtime = runtime};
  mkdir(parent, 0755);
  snprintf(folder, sizeof(folder), "%s/%u", parent, worker);
  mkdir(folder, 0755);
  snprintf(place->work, sizeof(place->work), "%s/work", folder);
  snprintf(place->logs, sizeof(place->logs), "%s/logs", folder);
  snprintf(place->journals, sizeof(place->journals), "%s/journals", folder);
  mkdir(place->work, 0755);
  mkdir(place->logs, 0755);
  mkdir(place->journals, 0755);
}

void result_clean(const struct place *place) {
  each_file(place->work, remove_file, NULL);
  each_file(place->logs, remove_file, NULL);
  each_file(place->journals, remove_file, NULL);
}

static void problem(struct result *result, const char *what, const char *detail) {
  if (!result->problem[0])
    snprintf(result->problem, sizeof(result->problem), "%.190s %.200s", what, detail);
}

static struct row *row_of(struct result *result, int module, uint64_t id, int counters) {
  for (size_t i = 0; i < result->rows; i++)
    if (result->row[i].module == module && result->row[i].id == id) return &result->row[i];
  result->row = realloc(result->row, (result->rows + 1) * sizeof(*result->row));
  if (!result->row) abort();
  struct row *row = &result->row[result->rows++];
  *row = (struct row){module, id, calloc((size_t)counters + 1, sizeof(int64_t))};
  if (!row->counter) abort();
  return row;
}

static void add_record(struct result *result, darshan_log *log, const struct darshan_module *module,
                       const struct darshan_base_record *base) {
  const int64_t *counter = (const int64_t *)(base + 1);
  const double *time = (const double *)(counter + module->num_counters);
  struct row *row = row_of(result, module->id, base->id, module->num_counters);
  /* A DAOS object gets the name of its file when the file is open. */
  int may_have_none = result->killed && module->kind == DARSHAN_KIND_DAOS;
  if (!darshan_log_name(log, base->id) && !may_have_none)
    problem(result, "a record without a name:", module->name);
  for (int i = 0; i < module->num_counters; i++)
    row->counter[i] += counter[i];
  for (int i = 0; i < module->num_fcounters; i++)
    if (!(time[i] >= -1 && time[i] < 1e9)) problem(result, "a time that is none:", module->name);
}

static void add_trace(struct result *result, const void *record) {
  const struct darshan_dxt_head *head = record;
  const struct darshan_dxt_segment *segment = (const struct darshan_dxt_segment *)(head + 1);
  for (int64_t i = 0; i < head->write_count + head->read_count; i++)
    result->traced += segment[i].length;
}

static void add_heat(struct result *result, const void *record) {
  const struct darshan_heatmap_head *head = record;
  const int64_t *bin = (const int64_t *)(head + 1);
  for (int64_t i = 0; i < 2 * head->nbins; i++)
    result->heat += bin[i];
}

/* Adds all counters of a rank's record to the result; the header record has none. */
static void add_talk(struct result *result, const void *record) {
  const struct darshan_apmpi_record *rank = record;
  if (((const struct darshan_apmpi_head *)record)->magic == APMPI_MAGIC) return;
  for (int i = 0; i < APMPI_COUNTERS; i++)
    result->talked += (int64_t)rank->counters[i];
}

static void add_module(struct result *result, darshan_log *log,
                       const struct darshan_module *module) {
  struct darshan_error error = {""};
  const void *record;
  size_t size;
  int more;
  if (module->kind == DARSHAN_KIND_LUSTRE || module->kind == DARSHAN_KIND_MDHIM ||
      module->kind == DARSHAN_KIND_FILE_COUNTERS || module->kind == DARSHAN_KIND_NONE)
    return;
  darshan_records *records = darshan_records_open(log, module->id, &error);
  if (!records) {
    problem(result, "a module that cannot be read:", error.text);
    return;
  }
  while ((more = darshan_records_next(records, &record, &size, &error)) == 1)
    if (module->kind == DARSHAN_KIND_DXT)
      add_trace(result, record);
    else if (module->kind == DARSHAN_KIND_HEATMAP)
      add_heat(result, record);
    else if (module->kind == DARSHAN_KIND_APMPI)
      add_talk(result, record);
    else
      add_record(result, log, module, record);
  if (more < 0) problem(result, "a record that cannot be read:", error.text);
  darshan_records_close(records);
}

static void add_log(const char *path, void *context) {
  struct result *result = context;
  struct darshan_error error = {""};
  darshan_log *log = darshan_log_read(path, &error);
  if (!log && result->killed) return; /* a killed process may leave a log without contents */
  if (!log) {
    problem(result, "a log that cannot be read:", error.text);
    return;
  }
  const struct darshan_info *info = darshan_log_info(log);
  for (int i = 0; i < info->num_metadata; i++)
    if (strcmp(info->metadata[i].key, "dropped_in_signal_handlers") == 0)
      result->dropped += strtoull(info->metadata[i].value, NULL, 10);
  for (int i = 0; i < info->num_modules; i++) {
    const struct darshan_module *module = darshan_module_by_id(info->modules[i].id);
    if (module && module->kind == DARSHAN_KIND_DXT && info->modules[i].partial) result->partial = 1;
    if (module && info->modules[i].length) add_module(result, log, module);
  }
  if (info->annex_problem && !result->killed)
    problem(result, "a damaged annex:", info->annex_problem);
  darshan_log_free(log);
}

static int is_log(const char *path) {
  size_t length = strlen(path);
  return length > 8 && strcmp(path + length - 8, ".darshan") == 0;
}

static void add_finished(const char *path, void *context) {
  if (is_log(path)) add_log(path, context);
}
static void complain(const char *path, void *context) {
  if (!is_log(path)) problem(context, "left behind:", strrchr(path, '/'));
}
static void complain_of_any(const char *path, void *context) {
  problem(context, "left behind:", strrchr(path, '/'));
}

static char *whole_file(const char *folder, const char *name, size_t *length) {
  char path[PATH_MAX + 16];
  struct stat st;
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  int fd = open(path, O_RDONLY);
  *length = 0;
  if (fd < 0 || fstat(fd, &st) < 0) return NULL;
  char *text = calloc((size_t)st.st_size + 1, 1);
  ssize_t n = text ? read(fd, text, (size_t)st.st_size) : 0;
  close(fd);
  *length = n > 0 ? (size_t)n : 0;
  return text;
}

void result_read(struct result *result, const struct place *place, int status, int killed,
                 const char *known) {
  size_t said;
  *result = (struct result){.status = status, .killed = killed};
  each_file(place->logs, add_finished, result);
  if (killed && result->rows == 0) each_file(place->journals, add_log, result);
  if (!killed) {
    each_file(place->logs, complain, result);
    each_file(place->journals, complain_of_any, result);
  }
  result->data = whole_file(place->work, "data", &result->length);
  char *text = whole_file(place->work, "stderr", &said);
  result->said = said && known && strncmp(text, known, strlen(known)) == 0;
  if (said && !result->said) problem(result, "stderr:", text);
  free(text);
}

void result_free(struct result *result) {
  for (size_t i = 0; i < result->rows; i++)
    free(result->row[i].counter);
  free(result->row);
  free(result->data);
  memset(result, 0, sizeof(*result));
}
