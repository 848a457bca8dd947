/* Journals of running processes, and the rates between two readings. See live-journals.h. */
#define _GNU_SOURCE
#include "live-journals.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char mark[] = "_mmap-log-", run_folder[] = "darshan-run";

/* Returns 1 if the path is a regular file, not a symbolic link, of this user. */
static int is_ours(const char *path) {
  struct stat st;
  return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid();
}

static int list_folder(struct path_list *list, const char *folder, int below) {
  char path[PATH_MAX];
  struct dirent *entry;
  DIR *open_folder = opendir(folder);
  if (!open_folder) return -1;
  while ((entry = readdir(open_folder))) {
    int length = snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
    if (length < 0 || (size_t)length >= sizeof(path)) continue;
    if (strstr(entry->d_name, mark) && is_ours(path)) path_list_add(list, path);
    /* Errors are ignored: the folder may be gone or belong to another user. */
    if (below && strncmp(entry->d_name, run_folder, sizeof(run_folder) - 1) == 0)
      list_folder(list, path, 0);
  }
  closedir(open_folder);
  return 0;
}

int live_journals(struct path_list *list, const char *place) {
  struct stat st;
  if (stat(place, &st) < 0) return -1;
  if (S_ISDIR(st.st_mode)) return list_folder(list, place, 1);
  path_list_add(list, place);
  return 0;
}

/* Returns the increase per second; 0 if the sum has shrunk, because a journal disappeared. */
static double rate(int64_t now, int64_t before, double seconds) {
  return now > before && seconds > 0 ? (double)(now - before) / seconds : 0;
}

static const struct picture_layer *same_layer(const struct picture *picture,
                                              const struct picture_layer *layer) {
  for (int i = 0; picture && i < picture->num_layers; i++)
    if (picture->layers[i].plan.module == layer->plan.module) return &picture->layers[i];
  return NULL;
}

static int64_t calls_of(const struct picture_layer *layer) {
  return picture_reads(&layer->plan, layer->total) + picture_writes(&layer->plan, layer->total);
}

struct live_rates live_layer(const struct picture_layer *now, const struct picture *before,
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

struct live_rates live_file(const struct picture *now, size_t place, const struct picture *before,
                            double seconds) {
  const struct picture_file *file = id_table_value(&now->files, place);
  const struct picture_file *old =
      before ? id_table_find(&before->files, now->files.keys[place]) : NULL;
  return (struct live_rates){rate(file->read, old ? old->read : 0, seconds),
                             rate(file->written, old ? old->written : 0, seconds),
                             rate(file->calls, old ? old->calls : 0, seconds)};
}
