/* Writes the names of the new log (names_region in convert.h). */
#include "convert.h"

#include <stdlib.h>
#include <string.h>

#include "output.h"

/* A name of the new log. */
struct name {
  uint64_t id;      /* as in the new log */
  const char *text; /* points to the log's string, or to copy */
  char *copy;       /* the anonymized name; NULL: the name is not anonymized */
};

struct names {
  const struct convert_options *options;
  const darshan_log *log;
  struct name *names;
  size_t count, room; /* names; capacity of the array */
  bool failed;        /* out of memory */
};

/* Returns the anonymized name, which the caller frees; NULL if out of memory. */
static char *hidden_name(const struct names *names, const char *name) {
  int at = darshan_log_mount(names->log, name);
  const char *mount = at < 0 ? NULL : darshan_log_info(names->log)->mounts[at].path;
  char *out = malloc((mount ? strlen(mount) : 0) + 2 * HIDDEN_MAX);
  if (out) hide_name(&names->options->hiding, name, mount, out);
  return out;
}

/* Adds a name of the old log to the struct names at `context`, unless --file excludes its record.
 * If out of memory, sets names->failed. */
static void take(uint64_t id, const char *name, void *context) {
  struct names *names = context;
  if (names->failed || (names->options->one_file && id != names->options->file)) return;
  if (names->count == names->room) {
    names->room = names->room ? 2 * names->room : 1024;
    struct name *grown = realloc(names->names, names->room * sizeof(*grown));
    names->failed = !grown;
    if (!grown) return;
    names->names = grown;
  }
  bool hidden = names->options->hiding.names && !hide_keeps(name);
  char *copy = hidden ? hidden_name(names, name) : NULL;
  names->failed = hidden && !copy;
  if (names->failed) return;
  names->names[names->count++] =
      (struct name){hide_id(&names->options->hiding, id), hidden ? copy : name, copy};
}

/* Compares two entries by name, for qsort. Sorted names compress best, because neighbours are
 * similar. The order of anonymized names reveals nothing, and two conversions of a log give the
 * same bytes. */
static int compare(const void *left, const void *right) {
  const struct name *a = left, *b = right;
  int order = strcmp(a->text, b->text);
  return order ? order : (a->id > b->id) - (a->id < b->id);
}

static int write_names(const struct names *names, struct regions *regions) {
  int result = 0;
  for (size_t i = 0; i < names->count && result == 0; i++) {
    const struct name *name = &names->names[i];
    size_t n = strlen(name->text) + 1;
    char *room = regions_room(regions, sizeof(name->id) + n);
    result = room ? 0 : -1;
    if (!room) break;
    memcpy(room, &name->id, sizeof(name->id));
    memcpy(room + sizeof(name->id), name->text, n);
  }
  return result;
}

static void drop(struct names *names) {
  for (size_t i = 0; i < names->count; i++)
    free(names->names[i].copy);
  free(names->names);
}

int names_region(const struct convert_options *options, darshan_log *log, struct regions *regions) {
  struct names names = {.options = options, .log = log};
  regions_begin(regions);
  darshan_log_each_name(log, take, &names);
  int result = names.failed ? convert_say("cannot write %s: out of memory", regions->out->name) : 0;
  if (names.count) qsort(names.names, names.count, sizeof(*names.names), compare);
  if (result == 0) result = write_names(&names, regions);
  drop(&names);
  return result < 0 ? -1 : regions_end(regions, &regions->header.names);
}
