#include "overflow.h"

#include <string.h>
#include <sys/mman.h>

enum {
  SET_PLACES = 1 << 17,  /* names told apart; beyond, the count is a lower bound */
  OPEN_PLACES = 1 << 14, /* never more than a quarter full */
  LAST_OPERATION = 3     /* the low bits of an entry of the set */
};

int overflow_prepare(struct posix_state *posix) {
  posix->overflow_set = journal_private_memory(SET_PLACES * sizeof(uint64_t));
  posix->overflow_open = journal_private_memory(OPEN_PLACES * sizeof(uint32_t));
  posix->overflow_names = 0;
  return posix->overflow_set && posix->overflow_open ? 0 : -1;
}

void overflow_reset(struct posix_state *posix) {
  posix->next_overflow = posix->first_overflow;
  posix->free_overflow = 0;
  if (posix->overflow_names == 0) return;
  posix->overflow_names = 0;
  sys_madvise(posix->overflow_set, SET_PLACES * sizeof(uint64_t), MADV_DONTNEED);
  sys_madvise(posix->overflow_open, OPEN_PLACES * sizeof(uint32_t), MADV_DONTNEED);
}

/* The place of an id in the set, or where it would go; NULL: full. */
static uint64_t *set_place(const struct posix_state *posix, uint64_t id) {
  uint64_t key = id | LAST_OPERATION;
  for (uint32_t i = (uint32_t)(id >> 20), n = 0; n < SET_PLACES; i++, n++) {
    uint64_t *place = &posix->overflow_set[i % SET_PLACES];
    if (*place == 0 || (*place | LAST_OPERATION) == key) return place;
  }
  return NULL;
}

int overflow_knows(const struct posix_state *posix, uint64_t id) {
  const uint64_t *place = set_place(posix, id);
  return place && *place != 0;
}

static uint32_t open_hash(uint64_t id) {
  return (uint32_t)(id >> 24) % OPEN_PLACES;
}

static uint32_t find_open(const struct posix_state *posix, uint64_t id) {
  for (uint32_t i = open_hash(id);; i = (i + 1) % OPEN_PLACES) {
    uint32_t number = posix->overflow_open[i];
    if (number == 0 || posix->files[number].id == id) return number;
  }
}

static void add_open(struct posix_state *posix, uint32_t number) {
  uint32_t i = open_hash(posix->files[number].id);
  while (posix->overflow_open[i] != 0)
    i = (i + 1) % OPEN_PLACES;
  posix->overflow_open[i] = number;
}

/* Takes a number out and closes the gap, so that no tombstones pile up. */
static void remove_open(struct posix_state *posix, uint32_t number) {
  uint32_t i = open_hash(posix->files[number].id);
  while (posix->overflow_open[i] != number) {
    if (posix->overflow_open[i] == 0) return;
    i = (i + 1) % OPEN_PLACES;
  }
  for (uint32_t j = (i + 1) % OPEN_PLACES; posix->overflow_open[j] != 0;
       j = (j + 1) % OPEN_PLACES) {
    uint32_t home = open_hash(posix->files[posix->overflow_open[j]].id);
    if ((j - home) % OPEN_PLACES >= (j - i) % OPEN_PLACES) {
      posix->overflow_open[i] = posix->overflow_open[j];
      i = j;
    }
  }
  posix->overflow_open[i] = 0;
}

static uint32_t take_number(struct posix_state *posix) {
  uint32_t number = posix->free_overflow;
  if (number)
    posix->free_overflow = posix->files[number].next_free;
  else if (posix->next_overflow < posix->end_overflow)
    number = posix->next_overflow++;
  return number;
}

int overflow_share(struct posix_state *posix, struct posix_file *file) {
  uint32_t record = store_overflow_record(&darshan_rt.store, STORE_POSIX);
  if (!record) return 0;
  struct darshan_posix_record *shared = store_record(&darshan_rt.store, STORE_POSIX, record);
  if (shared->counters[POSIX_MEM_ALIGNMENT] == 0) {
    shared->counters[POSIX_MEM_ALIGNMENT] = darshan_rt.config.mem_alignment;
    posix->aux[record].watched = darshan_rt.layers.active;
    posix->aux[record].traced = (uint32_t)dxt_on(DXT_POSIX);
    shared->counters[POSIX_FILE_ALIGNMENT] = file->alignment ? (int64_t)file->alignment : -1;
  }
  file->aux = &posix->aux[record];
  file->name = OVERFLOW_NAME;
  file->name_length = sizeof(OVERFLOW_NAME) - 1;
  __atomic_store_n(&file->record, shared, __ATOMIC_RELEASE);
  return 1;
}

uint32_t overflow_file(struct posix_state *posix, const struct posix_name *name,
                       uint32_t alignment) {
  uint32_t number = find_open(posix, name->id);
  if (number) return number;
  number = take_number(posix);
  if (!number) return posix->first_overflow; /* too many open: they share one state */
  struct posix_file *file = &posix->files[number];
  *file = (struct posix_file){
      .id = name->id, .alignment = alignment & ~(uint32_t)ON_LUSTRE, .overflow = 1};
  if (!overflow_share(posix, file)) return 0;
  uint64_t *place = set_place(posix, name->id);
  if (place && *place == 0 && posix->overflow_names < SET_PLACES / 8 * 7) {
    *place = name->id & ~(uint64_t)LAST_OPERATION;
    posix->overflow_names++;
  } else if (place)
    file->last_operation = (uint32_t)(*place & LAST_OPERATION);
  add_open(posix, number);
  return number;
}

void overflow_forget(struct posix_state *posix, struct posix_file *file) {
  uint64_t *place = set_place(posix, file->id);
  if (place && *place) *place = (*place & ~(uint64_t)LAST_OPERATION) | file->last_operation;
  uint32_t number = posix_file_number(file);
  remove_open(posix, number);
  file->overflow = 0;
  file->next_free = posix->free_overflow;
  posix->free_overflow = number;
}
