/* Makes, exports and forgets sums (sums.h). */
#define _GNU_SOURCE
#include "sums.h"

#include <stdlib.h>
#include <string.h>

#include "../show/values.h"

/* KEPT_SECONDS: time for which a sum without processes is exported. SHARE: a user may have the
 * limit divided by SHARE sums. KEPT: sums in memory, as a multiple of the limit. */
enum { KEPT_SECONDS = 600, SHARE = 4, KEPT = 16 };

const char *const sum_label_names[SUM_LABELS] = {"job_id", "user", "fs", "fstype"};
static const char other[] = "other";

const char *sum_label_clean(char out[SUM_LABEL_ROOM], const char *label) {
  size_t used = 0, length;
  for (const unsigned char *at = (const unsigned char *)label; *at; at += length ? length : 1) {
    length = json_character(at);
    int is_plain = length > 0 && *at >= ' ' && *at != 0x7f;
    size_t more = is_plain ? length : 1;
    if (used + more >= SUM_LABEL_ROOM) break;
    if (is_plain)
      memcpy(out + used, at, length);
    else
      out[used] = '?';
    used += more;
  }
  out[used] = '\0';
  return out;
}

static int is_same(const struct sum *sum, const char *const label[SUM_LABELS]) {
  for (int i = 0; i < SUM_LABELS; i++)
    if (strcmp(sum->label[i], label[i]) != 0) return 0;
  return 1;
}

static void free_sum(struct sum *sum) {
  for (int i = 0; i < SUM_LABELS; i++)
    free(sum->label[i]);
  free(sum->as_prometheus);
  free(sum->as_otlp);
  free(sum);
}

static void swap(struct sums *sums, size_t a, size_t b) {
  struct sum *one = sums->all[a];
  sums->all[a] = sums->all[b];
  sums->all[b] = one;
}

/* Frees the sum that has been idle for the longest time, among the sums that are not exported. */
static void forget_one(struct sums *sums) {
  size_t oldest = sums->exported;
  for (size_t i = oldest; i < sums->count; i++)
    if (sums->all[i]->idle_since < sums->all[oldest]->idle_since) oldest = i;
  if (oldest == sums->count) return;
  free_sum(sums->all[oldest]);
  sums->all[oldest] = sums->all[--sums->count];
}

/* Adds a sum, which is not exported yet, at the end of sums->all. Returns NULL if out of memory. */
static struct sum *new_sum(struct sums *sums, uid_t uid, const char *const label[SUM_LABELS],
                           int64_t began_ns) {
  if (sums->count >= KEPT * sums->limit) forget_one(sums);
  struct sum **all = realloc(sums->all, (sums->count + 1) * sizeof(struct sum *));
  struct sum *sum = all ? calloc(1, sizeof(*sum)) : NULL;
  if (all) sums->all = all;
  if (!sum) return NULL;
  for (int i = 0; i < SUM_LABELS; i++)
    if (!(sum->label[i] = strdup(label[i]))) {
      free_sum(sum);
      return NULL;
    }
  sum->uid = uid;
  sum->began_ns = began_ns;
  sums->all[sums->count++] = sum;
  return sum;
}

/* Returns the sum of a set of labels, which is made if necessary and is exported from now on; NULL
 * if out of memory. */
static struct sum *exported(struct sums *sums, uid_t uid, const char *const label[SUM_LABELS],
                            int64_t began_ns, double now) {
  size_t i = 0;
  while (i < sums->count && !is_same(sums->all[i], label))
    i++;
  if (i < sums->exported) return sums->all[i];
  if (i == sums->count && !new_sum(sums, uid, label, began_ns)) return NULL;
  i = i < sums->count ? i : sums->count - 1;
  sums->all[i]->idle_since = now;
  sums->all[i]->changed = sums->look;
  swap(sums, i, sums->exported++);
  return sums->all[sums->exported - 1];
}

/* Returns 1 if the user may get no further sum, else 0. *has_place: set to 1 if the user may have a
 * sum "other" of its own. */
static int is_full(const struct sums *sums, uid_t uid, int *has_place) {
  size_t own = 0, users = 0;
  *has_place = 0;
  for (size_t i = 0; i < sums->exported; i++) {
    const struct sum *sum = sums->all[i];
    int is_other = strcmp(sum->label[SUM_JOB], other) == 0;
    if (is_other) users++;
    if (is_other && sum->uid == uid) *has_place = 1;
    if (sum->uid == uid) own++;
  }
  if (users < sums->limit / SHARE) *has_place = 1;
  return own >= sums->limit / SHARE || sums->exported - users >= sums->limit;
}

static int is_exported(const struct sums *sums, const char *const label[SUM_LABELS]) {
  for (size_t i = 0; i < sums->exported; i++)
    if (is_same(sums->all[i], label)) return 1;
  return 0;
}

struct sum *sums_get(struct sums *sums, uid_t uid, const char *const label[SUM_LABELS],
                     int64_t began_ns, double now) {
  const char *of_user[SUM_LABELS] = {other, label[SUM_USER], other, other};
  const char *of_all[SUM_LABELS] = {other, other, other, other};
  int has_place;
  if (is_exported(sums, label) || !is_full(sums, uid, &has_place))
    return exported(sums, uid, label, began_ns, now);
  if (has_place) return exported(sums, uid, of_user, began_ns, now);
  return exported(sums, (uid_t)-1, of_all, began_ns, now);
}

void sums_add(const struct sums *sums, struct sum *sum, const struct values *now,
              struct values *counted) {
  for (int i = 0; i < EXPORT_VALUES; i++) {
    int64_t more = now->value[i] - counted->value[i];
    if (more <= 0) continue;
    sum->values.value[i] = export_sum(sum->values.value[i], more);
    counted->value[i] = now->value[i];
    sum->changed = sums->look;
  }
}

void sums_retire(struct sums *sums, double now) {
  for (size_t i = sums->exported; i-- > 0;) {
    const struct sum *sum = sums->all[i];
    if (sum->processes > 0 || now - sum->idle_since < KEPT_SECONDS) continue;
    swap(sums, i, --sums->exported);
  }
}

void sums_free(struct sums *sums) {
  for (size_t i = 0; i < sums->count; i++)
    free_sum(sums->all[i]);
  free(sums->all);
  *sums = (struct sums){.limit = sums->limit};
}
