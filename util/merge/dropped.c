/* Sums of dropped events over several logs, from their metadata ("dropped_in_signal_handlers=12"),
 * for the metadata of the merged log. See dropped.h. */
#include "dropped.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/job/text/jobtext.h"

int dropped_is_key(const char *key) {
  static const char prefix[] = "dropped_";
  return strncmp(key, prefix, sizeof(prefix) - 1) == 0;
}

static void add(struct dropped *sums, const char *key, uint64_t number) {
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
      add(sums, info->metadata[i].key, strtoull(info->metadata[i].value, NULL, 10));
}

void dropped_add_sums(struct dropped *sums, const struct dropped *more) {
  for (int i = 0; i < more->count; i++)
    add(sums, more->kinds[i].key, more->kinds[i].number);
}

size_t dropped_tell(const struct dropped *sums, char *out, size_t room, size_t used) {
  char number[32];
  for (int i = 0; i < sums->count; i++) {
    snprintf(number, sizeof(number), "%" PRIu64, sums->kinds[i].number);
    used = darshan_metadata_add(out, room, used, sums->kinds[i].key, number);
  }
  return used;
}
