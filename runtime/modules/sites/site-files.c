/* The files that a call site used most, and an estimate of their number. Both are in the record, so
 * that they survive if the process is killed. A list is sorted after each call, as the merge rule
 * requires. At any instruction, the list has no more than its true amount for each file. */
#include "records.h"
#include "sites-state.h"

static_assert(SITES_FILE1_CALLS == SITES_FILE1_BY_CALLS + SITE_FILES, "values before counts");
static_assert(SITES_FILE1_BYTES == SITES_FILE1_BY_BYTES + SITE_FILES, "values before counts");

/* Indexes of the lists in a record, by measure: calls, bytes. */
static const int lists[2] = {SITES_FILE1_BY_CALLS, SITES_FILE1_BY_BYTES};

/* A list in the record: the ids of four files, then the calls or bytes of each. volatile, because
 * the process may be killed, or a handler may abandon the call, between two writes. */
typedef volatile int64_t list;

/* Returns 1 if the file at index a must come before that at index b: it has the larger amount or,
 * with equal amounts, the larger id. */
static inline int ranks_above(const list *files, unsigned a, unsigned b) {
  int64_t first = files[SITE_FILES + a], second = files[SITE_FILES + b];
  return first > second || (first == second && files[a] > files[b]);
}

/* Exchanges two files of a list, by their indexes. */
static void exchange(list *files, unsigned a, unsigned b) {
  int64_t ids[] = {files[a], files[b]}, amounts[] = {files[SITE_FILES + a], files[SITE_FILES + b]};
  files[SITE_FILES + a] = files[SITE_FILES + b] = 0;
  files[a] = ids[1];
  files[b] = ids[0];
  files[SITE_FILES + a] = amounts[1];
  files[SITE_FILES + b] = amounts[0];
}

/* Moves the file at index `place` up in the list until it is in order (ranks_above). Returns its
 * new index. */
static inline unsigned risen(list *files, unsigned place) {
  for (; UNLIKELY(place > 0) && ranks_above(files, place, place - 1); place--)
    exchange(files, place, place - 1);
  return place;
}

/* Slow path of add, with its arguments, for a file that is not at its former index in the list:
 * searches the file and adds the amount. The amounts of successive calls on a file that is not in
 * the list are added up (last->run). When this sum exceeds the amount of the last file in the list,
 * the file replaces that one, whose amount is lost. */
static __attribute__((noinline)) void look_and_add(struct site_last_file *last, list *files,
                                                   int measure, int64_t amount) {
  enum { LAST = SITE_FILES - 1 };
  unsigned place = 0;
  last->run[measure] += amount;
  while (place < SITE_FILES && (uint64_t)files[place] != last->id)
    place++;
  if (place == SITE_FILES) {
    place = LAST;
    amount = last->run[measure];
    if (amount <= files[SITE_FILES + LAST]) return;
    files[SITE_FILES + LAST] = 0;
    files[LAST] = (int64_t)last->id;
  }
  files[SITE_FILES + place] += amount;
  last->slot[measure] = risen(files, place);
}

/* Adds an amount to the file of the call site's last call, in one list. measure: 0: the list by
 * calls, 1: by bytes. amount: calls or bytes. */
static inline void add(struct site_last_file *last, list *files, int measure, int64_t amount) {
  unsigned place = last->slot[measure];
  if (UNLIKELY((uint64_t)files[place] != last->id)) {
    look_and_add(last, files, measure, amount);
    return;
  }
  files[SITE_FILES + place] += amount;
  if (UNLIKELY(place > 0)) last->slot[measure] = risen(files, place);
}

void site_count_file(struct site_part *part, uint64_t id, int is_new, int64_t bytes) {
  struct site_last_file *last = &part->last;
  int64_t *counters = part->record->counters;
  if (last->id != id) {
    last->run[0] = last->run[1] = 0;
    __atomic_signal_fence(
        __ATOMIC_SEQ_CST); /* keeps the order of writes, so that no file gets the run of another */
    last->id = id;
    is_new = 1;
    counters[SITES_FILE_BITS] |= (int64_t)(UINT64_C(1) << (id >> 58));
  }
  if (LIKELY(is_new)) add(last, counters + lists[0], 0, 1);
  if (bytes > 0) add(last, counters + lists[1], 1, bytes);
}
