/* Returns lists of names of records. */
#include "handle.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The requested ids, and the names that were found. */
struct search {
  const darshan_record_id *wanted; /* sorted; NULL: all names are requested */
  size_t num_wanted;
  struct darshan_name_record *found;
  size_t count, room; /* names found; capacity of `found` */
  bool failed;        /* out of memory */
};

static int compare_ids(const void *a, const void *b) {
  darshan_record_id x = *(const darshan_record_id *)a, y = *(const darshan_record_id *)b;
  return (x > y) - (x < y);
}

static bool make_room(struct search *search) {
  if (search->count < search->room) return true;
  size_t room = search->room ? 2 * search->room : 64;
  struct darshan_name_record *found = realloc(search->found, room * sizeof(*found));
  if (!found) return false;
  search->found = found;
  search->room = room;
  return true;
}

static void add_name(uint64_t id, const char *name, void *context) {
  struct search *search = context;
  if (search->failed || search->count == INT_MAX) return;
  if (search->wanted && !bsearch(&id, search->wanted, search->num_wanted, sizeof(id), compare_ids))
    return;
  char *copy = make_room(search) ? strdup(name) : NULL;
  search->failed = !copy;
  if (copy) search->found[search->count++] = (struct darshan_name_record){id, copy};
}

/* Stores the found names and their number for the caller; changes nothing if out of memory. */
static void hand_out(const struct handle *handle, struct search *search,
                     struct darshan_name_record **names, int *count) {
  search->failed = !make_room(search); /* not NULL even without names */
  darshan_log_each_name(handle->log, add_name, search);
  for (size_t i = 0; search->failed && i < search->count; i++)
    free(search->found[i].name);
  if (search->failed) {
    free(search->found);
    return;
  }
  *names = search->found;
  *count = (int)search->count;
}

void darshan_log_get_name_records(void *log, struct darshan_name_record **names, int *count) {
  if (count) *count = 0;
  if (names) *names = NULL;
  if (!log || !names || !count) return;
  struct search search = {.wanted = NULL};
  hand_out(log, &search, names, count);
}

void darshan_log_get_filtered_name_records(void *log, struct darshan_name_record **names,
                                           int *count, darshan_record_id *ids, int num_ids) {
  if (count) *count = 0;
  if (names) *names = NULL;
  if (!log || !names || !count || num_ids < 0 || (!ids && num_ids > 0)) return;
  darshan_record_id *wanted = calloc((size_t)num_ids + 1, sizeof(*wanted));
  if (!wanted) return;
  if (num_ids > 0) memcpy(wanted, ids, (size_t)num_ids * sizeof(*wanted));
  qsort(wanted, (size_t)num_ids, sizeof(*wanted), compare_ids);
  struct search search = {.wanted = wanted, .num_wanted = (size_t)num_ids};
  hand_out(log, &search, names, count);
  free(wanted);
}

int darshan_log_get_namehash(void *log, struct darshan_name_record_ref **hash) {
  (void)log;
  if (hash) *hash = NULL;
  return -1;
}
