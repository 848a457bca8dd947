/* The launcher that started a process as one of several, from the metadata of the process's log.
 * See launch.h. */
#include "launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/job/text/utf8.h"
#include "record-id.h"

const char *launch_metadata(const struct darshan_info *info, const char *key) {
  for (int i = 0; i < info->num_metadata; i++)
    if (strcmp(info->metadata[i].key, key) == 0) return info->metadata[i].value;
  return NULL;
}

/* Returns a number of 0 or more from the metadata, `missing` if there is none. */
static int64_t number_of(const struct darshan_info *info, const char *key, int64_t missing) {
  const char *text = launch_metadata(info, key);
  char *end;
  if (!text) return missing;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  return end == text || *end || errno || value < 0 || value > INT32_MAX ? missing : value;
}

static void copy(char *out, size_t room, const struct darshan_info *info, const char *key) {
  const char *text = launch_metadata(info, key);
  snprintf(out, room, "%s", text ? text : "");
  darshan_utf8_make_clean(out, strlen(out)); /* the text is untrusted and goes to the terminal */
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
