/* Parses the mount table, and finds the mount point of a name. */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

static const char blank[] = " \t\n\v\f\r"; /* the blanks of isspace in the C locale */

/* Returns the begin of the next word after *text and moves *text to the word's end, without writing
 * a NUL. Returns NULL if there are no more words. */
static const char *next_word(const char **text) {
  const char *word = *text + strspn(*text, blank);
  *text = word + strcspn(word, blank);
  return *text > word ? word : NULL;
}

/* Sorts the mounts by decreasing length. Mounts of equal length stay in their order. */
static void sort_mounts(struct darshan_job_region *job) {
  for (int i = 1; i < job->num_mounts; i++) {
    struct darshan_mount mount = job->mounts[i];
    size_t length = job->mount_lengths[i];
    int j = i;
    for (; j > 0 && job->mount_lengths[j - 1] < length; j--) {
      job->mounts[j] = job->mounts[j - 1];
      job->mount_lengths[j] = job->mount_lengths[j - 1];
    }
    job->mounts[j] = mount;
    job->mount_lengths[j] = length;
  }
}

/* Splits the mount table, which follows the command line in job->text, and ends the command line
 * with a NUL. Returns 0, or -1 with an error if out of memory. An entry starts at every newline and
 * includes the next two words, even if they are on later lines. Command lines with stray newlines
 * need this rule. */
int darshan_mounts_parse(struct darshan_job_region *job, struct darshan_error *error) {
  size_t lines = 0;
  for (const char *p = job->text; (p = strchr(p, '\n')); p++)
    lines++;
  if (lines == 0) return 0;
  job->tokens = strdup(job->text);
  job->mounts = calloc(lines, sizeof(*job->mounts));
  job->mount_lengths = calloc(lines, sizeof(*job->mount_lengths));
  if (!job->tokens || !job->mounts || !job->mount_lengths)
    return darshan_fail(error, "cannot store the mount table: out of memory");
  for (const char *p = job->tokens; (p = strchr(p, '\n')); p++) {
    const char *rest = p + 1;
    const char *type = next_word(&rest);
    const char *path = type ? next_word(&rest) : NULL;
    if (!path) break; /* no complete entry can follow */
    job->mount_lengths[job->num_mounts] = (size_t)(rest - path);
    job->mounts[job->num_mounts++] = (struct darshan_mount){path, type};
  }
  for (char *p = job->tokens; *(p += strcspn(p, blank)); p++)
    *p = '\0';
  *strchr(job->text, '\n') = '\0';
  sort_mounts(job);
  return 0;
}

int darshan_mounts_find(const struct darshan_job_region *job, const char *name) {
  size_t length = name ? strlen(name) : 0;
  for (int i = 0; length > 0 && i < job->num_mounts; i++) {
    size_t n = job->mount_lengths[i];
    if (n <= length && memcmp(name, job->mounts[i].path, n) == 0) return i;
  }
  return -1;
}
