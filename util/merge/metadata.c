/* Merges the metadata of the logs of several processes (metadata.h). */
#include "metadata.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/job/text/jobtext.h"
#include "../../runtime/job/text/text.h"
#include "../../runtime/names/failed-lookups.h"
#include "record-id.h"

/* --- launchers -------------------------------------------------------------------------------- */

const char *launch_metadata(const struct darshan_info *info, const char *key) {
  for (int i = 0; i < info->num_metadata; i++)
    if (strcmp(info->metadata[i].key, key) == 0) return info->metadata[i].value;
  return NULL;
}

/* Returns a number from the metadata; `missing` if the value of the key is no integer from 0 to
 * INT32_MAX. */
static int64_t number_of(const struct darshan_info *info, const char *key, int64_t missing) {
  const char *text = launch_metadata(info, key);
  char *end;
  if (!text) return missing;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  return end == text || *end || errno || value < 0 || value > INT32_MAX ? missing : value;
}

/* Copies the value of a metadata key, cut to `room` bytes; "" if the log lacks the key. */
static void copy(char *out, size_t room, const struct darshan_info *info, const char *key) {
  const char *text = launch_metadata(info, key);
  snprintf(out, room, "%s", text ? text : "");
  darshan_utf8_make_clean(
      out, strlen(out)); /* the text is untrusted, and messages print it on the terminal */
}

int launch_read(struct launch *launch, const struct darshan_info *info) {
  char whole[LAUNCH_NAME + LAUNCH_TEXT + 32];
  *launch = (struct launch){.rank = number_of(info, "rank", -1),
                            .size = number_of(info, "world_size", 0),
                            .pid = number_of(info, "pid", 0)};
  copy(launch->launcher, sizeof(launch->launcher), info, "launcher");
  copy(launch->text, sizeof(launch->text), info, "launch");
  copy(launch->host, sizeof(launch->host), info, "host");
  if (launch->size && launch->rank >= launch->size) launch->rank = -1;
  if (launch->rank < 0 && !launch->size && !launch->launcher[0]) return 0;
  int n = snprintf(whole, sizeof(whole), "%s\n%s\n%lld", launch->launcher, launch->text,
                   (long long)launch->size);
  launch->id = (int64_t)(darshan_hash(whole, (size_t)n, 0) >> 1) | 1;
  return 1;
}

int launch_is_unique(const char *launcher, const char *text) {
  static const struct {
    const char *name;
    int unique;
  } launchers[] = {
#define LAUNCHER(name, rank, size, first, job, step, again, unique) {name, unique},
#include "../../runtime/job/config/launchers.def"
#undef LAUNCHER
  };
  for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++)
    if (strcmp(launcher, launchers[i].name) == 0) return launchers[i].unique && text[0];
  return 0;
}

int launch_is_key(const char *key) {
  static const char *const keys[] = {"rank", "world_size", "launcher", "launch", "host", "pid"};
  for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
    if (strcmp(key, keys[i]) == 0) return 1;
  return 0;
}

/* --- dropped events --------------------------------------------------------------------------- */

int dropped_is_key(const char *key) {
  static const char prefix[] = "dropped_";
  return strncmp(key, prefix, sizeof(prefix) - 1) == 0;
}

/* Adds a number to the sum of its key. Ignores a key that is too long, and a ninth kind. */
static void add_dropped(struct dropped *sums, const char *key, uint64_t number) {
  int at = 0;
  if (strlen(key) >= DROPPED_KEY) return;
  while (at < sums->count && strcmp(sums->kinds[at].key, key) != 0)
    at++;
  if (at == DROPPED_KINDS) return;
  if (at == sums->count) snprintf(sums->kinds[sums->count++].key, DROPPED_KEY, "%s", key);
  uint64_t before = sums->kinds[at].number;
  sums->kinds[at].number = number > UINT64_MAX - before ? UINT64_MAX : before + number;
}

void dropped_add(struct dropped *sums, const struct darshan_info *info) {
  for (int i = 0; i < info->num_metadata; i++)
    if (dropped_is_key(info->metadata[i].key))
      add_dropped(sums, info->metadata[i].key, strtoull(info->metadata[i].value, NULL, 10));
}

void dropped_add_sums(struct dropped *sums, const struct dropped *more) {
  for (int i = 0; i < more->count; i++)
    add_dropped(sums, more->kinds[i].key, more->kinds[i].number);
}

size_t dropped_tell(const struct dropped *sums, char *out, size_t room, size_t used) {
  char number[32];
  for (int i = 0; i < sums->count; i++) {
    snprintf(number, sizeof(number), "%" PRIu64, sums->kinds[i].number);
    used = darshan_metadata_add(out, room, used, sums->kinds[i].key, number);
  }
  return used;
}

/* --- failed lookups --------------------------------------------------------------------------- */

static const char prefix[] = "not_found", by[] = "not_found_by";

int lookups_is_key(const char *key) {
  return strncmp(key, prefix, sizeof(prefix) - 1) == 0;
}

/* Adds a path unless it is in the list, is too long or the list is full. */
static void add_lookup(struct lookups *lookups, const char *name) {
  if (lookups->count == LOOKUPS_MOST || strlen(name) >= LOOKUPS_NAME) return;
  for (int i = 0; i < lookups->count; i++)
    if (strcmp(lookups->names[i], name) == 0) return;
  snprintf(lookups->names[lookups->count++], LOOKUPS_NAME, "%s", name);
}

static void add_from_journal(const char *name, size_t length, void *lookups) {
  if (missed_is_of_data(name, length)) add_lookup(lookups, name);
}

void lookups_add(struct lookups *lookups, const darshan_log *log) {
  const struct darshan_info *info = darshan_log_info(log);
  for (int i = 0; i < info->num_metadata; i++)
    if (lookups_is_key(info->metadata[i].key) && strcmp(info->metadata[i].key, by) != 0)
      add_lookup(lookups, info->metadata[i].value);
  darshan_log_each_lookup(log, add_from_journal, lookups);
}

size_t lookups_tell(const struct lookups *lookups, char *out, size_t room, size_t used) {
  enum { ROOM = 400 };
  char key[32];
  size_t begin = used;
  for (int i = 0; i < lookups->count; i++) {
    if (used - begin + strlen(lookups->names[i]) + sizeof(prefix) > ROOM) continue;
    snprintf(key, sizeof(key), i ? "%s_%d" : "%s", prefix, i + 1);
    used = darshan_metadata_add(out, room, used, key, lookups->names[i]);
  }
  return used;
}
