/* Finds the word that the user probably meant. See suggest.h. */
#include "suggest.h"

#include <string.h>

enum { LONGEST = 32 };

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Returns how many characters must be added, removed, replaced or swapped with their neighbour; 2 *
 * LONGEST if one word is longer than LONGEST. */
static size_t distance(const char *a, const char *b) {
  size_t rows[3][LONGEST + 1], m = strlen(a), n = strlen(b);
  if (m > LONGEST || n > LONGEST) return 2 * LONGEST;
  for (size_t j = 0; j <= n; j++)
    rows[0][j] = j;
  for (size_t i = 1; i <= m; i++) {
    size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= n; j++) {
      row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]), least(above[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = least(row[j], second[j - 2] + 1);
    }
  }
  return rows[m % 3][n];
}

const char *suggest(const char *typed, const char *const *words, size_t count) {
  size_t length = strlen(typed), best = 2 * LONGEST, beginnings = 0;
  const char *found = NULL, *longer = NULL;
  for (size_t i = 0; i < count; i++) {
    size_t steps = distance(typed, words[i]);
    if (steps < best) {
      best = steps;
      found = words[i];
    }
    if (length && strncmp(words[i], typed, length) == 0) {
      beginnings++;
      longer = words[i];
    }
  }
  if (beginnings == 1) return longer;
  return length > 1 && best <= (length + 2) / 3 ? found : NULL;
}
