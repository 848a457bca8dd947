/* Reads everything in a log through the public header alone, and checks the promises of this
 * header. Sanitizers check the memory accesses. */
#include "target.h"
#include "apmpi.h"
#include "darshan-read.h"
#include "records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Ends the process if a promise is broken. */
#define PROMISE(condition)                                                                         \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition);              \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

/* Receives a sum of all bytes, so that the compiler does not leave out the reading. */
static volatile unsigned sink;

/* Reads each byte, so that a sanitizer notices memory that is not valid. */
static void touch(const void *bytes, size_t size) {
  const unsigned char *p = bytes;
  unsigned sum = 0;
  for (size_t i = 0; i < size; i++)
    sum += p[i];
  sink += sum;
}

/* Reads a text, which must not be NULL. */
static void touch_text(const char *text) {
  PROMISE(text != NULL);
  touch(text, strlen(text));
}

/* Checks that an error has a text of one line, which ends within its array. */
static void check_error(const struct darshan_error *error) {
  PROMISE(error->text[0] != '\0');
  PROMISE(memchr(error->text, '\0', sizeof(error->text)) != NULL);
  PROMISE(strchr(error->text, '\n') == NULL);
}

/* Reads all texts about the job, and checks that mounts are sorted by falling length of their paths
 * and modules by rising ids. */
static void check_info(const struct darshan_info *info) {
  PROMISE(memchr(info->version, '\0', sizeof(info->version)) != NULL);
  touch_text(info->exe);
  for (int i = 0; i < info->num_metadata; i++) {
    touch_text(info->metadata[i].key);
    touch_text(info->metadata[i].value);
  }
  for (int i = 0; i < info->num_mounts; i++) {
    touch_text(info->mounts[i].path);
    touch_text(info->mounts[i].type);
    PROMISE(i == 0 || strlen(info->mounts[i - 1].path) >= strlen(info->mounts[i].path));
  }
  for (int i = 0; i < info->num_modules; i++) {
    const struct darshan_module_region *region = &info->modules[i];
    PROMISE(i == 0 || info->modules[i - 1].id < region->id);
    PROMISE(region->length > 0 || region->partial);
    if (region->name) touch_text(region->name);
  }
}

/* The state of check_name: a log, and the names until now. */
struct name_check {
  const darshan_log *log;
  long count;
};

/* Checks that a name can be found again by its id, and that its mount is one of the log's. */
static void check_name(uint64_t id, const char *name, void *context) {
  struct name_check *check = context;
  check->count++;
  touch_text(name);
  PROMISE(darshan_log_name(check->log, id) == name);
  int mount = darshan_log_mount(check->log, name);
  PROMISE(mount >= -1 && mount < darshan_log_info(check->log)->num_mounts);
}

/* Returns the bytes that a record must have by its module and, if its size varies, by the counts in
 * it. */
static size_t wanted_size(const struct darshan_module *module, const void *record) {
  size_t size = module->record_size;
  if (module->kind == DARSHAN_KIND_LUSTRE) {
    const struct darshan_lustre_head *head = record;
    const struct darshan_lustre_component *components = (const void *)(head + 1);
    int64_t stripes = 0;
    PROMISE(head->num_comps >= 0);
    for (int64_t i = 0; i < head->num_comps; i++)
      stripes += components[i].counters[LUSTRE_COMP_STRIPE_COUNT];
    PROMISE(stripes == head->num_stripes);
    size += (size_t)head->num_comps * sizeof(*components) + (size_t)stripes * sizeof(int64_t);
  } else if (module->kind == DARSHAN_KIND_DXT) {
    const struct darshan_dxt_head *head = record;
    PROMISE(head->write_count >= 0 && head->read_count >= 0);
    size += (size_t)(head->write_count + head->read_count) * sizeof(struct darshan_dxt_segment);
  } else if (module->kind == DARSHAN_KIND_HEATMAP) {
    const struct darshan_heatmap_head *head = record;
    PROMISE(head->nbins >= 0);
    size += 2 * sizeof(int64_t) * (size_t)head->nbins;
  } else if (module->kind == DARSHAN_KIND_MDHIM) {
    const struct darshan_mdhim_head *head = record;
    int64_t servers = head->counters[MDHIM_SERVERS];
    size += sizeof(int64_t) * (size_t)(servers > 1 ? servers : 1);
  } else if (module->kind == DARSHAN_KIND_APMPI) {
    const struct darshan_apmpi_head *head = record;
    if (head->magic != APMPI_MAGIC) size = sizeof(struct darshan_apmpi_record);
  }
  return size;
}

/* Reads all records of the module with this id, and checks them. Returns their number; -1 if
 * reading them ends with an error. */
static long read_records(darshan_log *log, int id) {
  struct darshan_error error = {""};
  darshan_records *records = darshan_records_open(log, id, &error);
  if (!records) {
    check_error(&error);
    return -1;
  }
  const struct darshan_module *module = darshan_module_by_id(id);
  const void *record;
  size_t size;
  long count = 0;
  int got;
  while ((got = darshan_records_next(records, &record, &size, &error)) == 1) {
    PROMISE(module != NULL);
    PROMISE(size == wanted_size(module, record));
    touch(record, size);
    count++;
  }
  PROMISE(got == 0 || got == -1);
  if (got < 0) check_error(&error);
  darshan_records_close(records);
  return got < 0 ? -1 : count;
}

/* Checks that a module's records in one block of memory are as many as those that were read one by
 * one. count: the latter, or -1 after an error. */
static void check_block(darshan_log *log, int id, long count) {
  struct darshan_error error = {""};
  void *block = NULL;
  long loaded = darshan_log_load(log, id, &block, &error);
  if (loaded < 0) {
    check_error(&error);
    return;
  }
  PROMISE(loaded == count);
  touch(block, (size_t)loaded * darshan_module_by_id(id)->record_size);
  darshan_block_free(block);
}

int read_everything(const char *path) {
  struct darshan_error error = {""};
  darshan_log *log = darshan_log_read(path, &error);
  if (!log) {
    check_error(&error);
    return -1;
  }
  const struct darshan_info *info = darshan_log_info(log);
  check_info(info);
  struct name_check names = {log, 0};
  darshan_log_each_name(log, check_name, &names);
  int broken = 0;
  for (int i = 0; i < info->num_modules; i++) {
    long count = read_records(log, info->modules[i].id);
    if (count < 0) broken++;
    check_block(log, info->modules[i].id, count);
  }
  darshan_log_free(log);
  return broken;
}

int read_everything_from(const uint8_t *data, size_t size) {
  int fd = memfd_create("log", MFD_CLOEXEC);
  PROMISE(fd >= 0);
  PROMISE(write(fd, data, size) == (ssize_t)size);
  char path[64];
  snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
  int broken = read_everything(path);
  close(fd);
  return broken;
}
