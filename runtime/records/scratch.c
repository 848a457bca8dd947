#include "scratch.h"

#include "../intercept/spin.h"
#include "../log/journal.h"

enum { CHUNK = 128 << 10 };

void *scratch_take(struct scratch *scratch, size_t n) {
  n = (n + 15) & ~(size_t)15;
  if (!spin_lock(SPIN_SCRATCH, &scratch->lock)) return NULL;
  if (!scratch->next || n > (size_t)(scratch->end - scratch->next)) {
    scratch->next = journal_private_memory(CHUNK);
    scratch->end = scratch->next ? scratch->next + CHUNK : NULL;
  }
  void *piece = scratch->next;
  if (piece) scratch->next += n;
  spin_unlock(&scratch->lock);
  return piece;
}
