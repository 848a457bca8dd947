/* The last failed lookups of a killed or failed process, for the metadata of the merged log. See
 * lookups.h. */
#include "lookups.h"

#include <stdio.h>
#include <string.h>

#include "../../runtime/job/text/jobtext.h"
#include "../../runtime/names/failed-lookups.h"

static const char prefix[] = "not_found", by[] = "not_found_by";

int lookups_is_key(const char *key) {
  return strncmp(key, prefix, sizeof(prefix) - 1) == 0;
}

static void add(struct lookups *lookups, const char *name) {
  if (lookups->count == LOOKUPS_MOST || strlen(name) >= LOOKUPS_NAME) return;
  for (int i = 0; i < lookups->count; i++)
    if (strcmp(lookups->names[i], name) == 0) return;
  snprintf(lookups->names[lookups->count++], LOOKUPS_NAME, "%s", name);
}

static void add_from_journal(const char *name, size_t length, void *lookups) {
  if (missed_is_of_data(name, length)) add(lookups, name);
}

void lookups_add(struct lookups *lookups, const darshan_log *log) {
  const struct darshan_info *info = darshan_log_info(log);
  for (int i = 0; i < info->num_metadata; i++)
    if (lookups_is_key(info->metadata[i].key) && strcmp(info->metadata[i].key, by) != 0)
      add(lookups, info->metadata[i].value);
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
