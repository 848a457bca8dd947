/* Files that share a record: their states, and the set of the ids of all such files
 * (shared-records.h). */
#include "shared-records.h"

#include <string.h>

#include "../../../intercept/memory.h"
#include "../account.h"
#include "record-id.h"

enum {
  FIRST_PLACES = 1 << 10, /* slots of the set at first; it grows when it is half full */
  SET_PLACES =
      1 << 18, /* largest number of slots; beyond it, the number of names is a lower bound */
  OPEN_PLACES = 1 << 14, /* slots of the table of open files, at most a quarter of which are used */
  LAST_OPERATION = 3     /* mask of the low bits of an element, which hold the last operation */
};

void overflow_reset(struct posix_state *posix) {
  posix->free_overflow = 0;
  posix->overflow_files = 0;
  if (posix->overflow_names)
    private_memory_wipe(posix->overflow_set, posix->set_places * sizeof(uint64_t));
  if (posix->overflow_open)
    private_memory_wipe(posix->overflow_open, OPEN_PLACES * sizeof(uint32_t));
  posix->overflow_names = posix->in_overflow = 0;
}

/* Returns the slot of an id in the set or, if the set does not have it, the slot where it must be
 * inserted; NULL if the set is full. */
static uint64_t *set_place(const struct posix_state *posix, uint64_t id) {
  uint64_t key = id | LAST_OPERATION;
  uint32_t last = posix->set_places - 1; /* a mask; unused if set_places is 0 */
  for (uint32_t i = (uint32_t)(id >> 20), n = 0; n < posix->set_places; i++, n++) {
    uint64_t *place = &posix->overflow_set[i & last];
    if (*place == 0 || (*place | LAST_OPERATION) == key) return place;
  }
  return NULL;
}

int overflow_knows(const struct posix_state *posix, uint64_t id) {
  const uint64_t *place = set_place(posix, id);
  return place && *place != 0;
}

/* Enlarges the set of ids if it is half full. Returns 1 if it has grown, so that one more id fits.
 * Returns 0 if that is not necessary, and if the set has its largest size or memory runs out: then
 * new ids can no longer be distinguished from known ones. */
static int set_grew(struct posix_state *posix) {
  uint64_t *old = posix->overflow_set;
  uint32_t places = posix->set_places, more = FIRST_PLACES;
  if (posix->overflow_names < places / 2) return 0;
  if (places) more = 4 * places; /* large steps, because each growth rehashes all ids */
  uint64_t *set = more <= SET_PLACES ? private_memory(more * sizeof(*set)) : NULL;
  if (!set) return 0;
  posix->overflow_set = set;
  posix->set_places = more;
  for (uint32_t i = 0; i < places; i++)
    if (old[i]) *set_place(posix, old[i]) = old[i];
  if (old) sys_munmap(old, places * sizeof(*old));
  return 1;
}

static uint32_t open_hash(uint64_t id) {
  return (uint32_t)(id >> 24) % OPEN_PLACES;
}

uint32_t overflow_open(const struct posix_state *posix, uint64_t id) {
  if (!posix->overflow_open) return 0;
  for (uint32_t i = open_hash(id);; i = (i + 1) % OPEN_PLACES) {
    uint32_t number = posix->overflow_open[i];
    if (number == 0 || posix_file_at(number)->id == id) return number;
  }
}

/* Adds the number of an open file that shares a record to the hash table of such files
 * (posix->overflow_open), which has space for all. id: of the file. */
static void add_open(struct posix_state *posix, uint32_t number, uint64_t id) {
  uint32_t i = open_hash(id);
  while (posix->overflow_open[i] != 0)
    i = (i + 1) % OPEN_PLACES;
  posix->overflow_open[i] = number;
}

/* Removes a file's number from the hash table of open files (add_open) and closes the gap, so that
 * the table needs no marks for deleted slots. Does nothing if the table does not have it. */
static void remove_open(struct posix_state *posix, uint32_t number, uint64_t id) {
  uint32_t i = open_hash(id);
  while (posix->overflow_open[i] != number) {
    if (posix->overflow_open[i] == 0) return;
    i = (i + 1) % OPEN_PLACES;
  }
  for (uint32_t j = (i + 1) % OPEN_PLACES; posix->overflow_open[j] != 0;
       j = (j + 1) % OPEN_PLACES) {
    uint32_t home = open_hash(posix_file_at(posix->overflow_open[j])->id);
    if ((j - home) % OPEN_PLACES >= (j - i) % OPEN_PLACES) {
      posix->overflow_open[i] = posix->overflow_open[j];
      i = j;
    }
  }
  posix->overflow_open[i] = 0;
}

/* Takes a free state and returns its number; 0 if OVERFLOW_FILES files are open, or if out of
 * memory. */
static uint32_t take_number(struct posix_state *posix) {
  uint32_t number = posix->free_overflow;
  if (!posix->overflow_open) posix->overflow_open = private_memory(OPEN_PLACES * sizeof(uint32_t));
  if (!posix->overflow_open) return 0;
  if (number) {
    posix->free_overflow = posix_file_at(number)->next_free;
  } else if (posix->overflow_files < OVERFLOW_FILES &&
             segments_have(&posix->files, posix->used_files + 1) == 0) {
    number = posix->used_files + 1;
    __atomic_store_n(&posix->used_files, number, __ATOMIC_RELEASE);
    posix->overflow_files++;
  }
  return number;
}

int overflow_share(struct posix_file *file, const struct store_entry *group) {
  uint32_t record = group ? group->record[STORE_POSIX] : NO_RECORD;
  if (!record) return 0;
  struct darshan_posix_record *shared = store_record(&darshan_store, STORE_POSIX, record);
  if (shared->counters[POSIX_MEM_ALIGNMENT] == 0) {
    posix_aux_prepare(record);
    shared->counters[POSIX_FILE_ALIGNMENT] = file->alignment ? (int64_t)file->alignment : -1;
    COMPILER_FENCE(); /* set last, because it marks the record as ready */
    shared->counters[POSIX_MEM_ALIGNMENT] = mem_alignment();
  }
  file->aux = posix_aux_of(record);
  file->name = group->name;
  file->name_length = group->name_length;
  __atomic_store_n(&file->record, shared, __ATOMIC_RELEASE);
  return 1;
}

static const struct name_folder no_folder;

/* Returns POSIX_SHARED_FILE, the state that files share if no other state is free; its record is
 * the overflow record. Returns 0 if that record cannot be made. */
static uint32_t share_state(uint32_t alignment) {
  struct posix_file *file = posix_file_at(POSIX_SHARED_FILE);
  if (file->record) return POSIX_SHARED_FILE;
  *file = (struct posix_file){.id = darshan_hash(OVERFLOW_NAME, sizeof(OVERFLOW_NAME) - 1, 0),
                              .alignment = alignment & ~(uint32_t)ON_LUSTRE,
                              .number = POSIX_SHARED_FILE,
                              .descriptors = file->descriptors};
  return overflow_share(file, store_group(&darshan_store, STORE_POSIX, NULL, 0, no_folder))
             ? POSIX_SHARED_FILE
             : 0;
}

/* Adds the file's id to the set of ids. Returns 1 if it is new, 0 if the set has it,
 * STORE_MAY_BE_NEW if unknown, because the set is full. Restores the last operation of a known
 * file. */
static int met_first(struct posix_state *posix, struct posix_file *file) {
  uint64_t *place = set_place(posix, file->id);
  if ((!place || *place == 0) && set_grew(posix)) place = set_place(posix, file->id);
  if (place && *place != 0) {
    file->last_operation = (uint32_t)(*place & LAST_OPERATION);
    return 0;
  }
  if (!place || posix->overflow_names >= posix->set_places / 2) return STORE_MAY_BE_NEW;
  *place = file->id & ~(uint64_t)LAST_OPERATION;
  posix->overflow_names++;
  return 1;
}

uint32_t overflow_file(struct posix_state *posix, const struct posix_name *name, uint32_t alignment,
                       const struct store_entry *group) {
  uint32_t number = take_number(posix);
  if (!number) return share_state(alignment);
  struct posix_file *file = posix_file_at(number);
  *file = (struct posix_file){.id = name->id,
                              .alignment = alignment & ~(uint32_t)ON_LUSTRE,
                              .overflow = 1,
                              .number = number};
  if (!group)
    group = store_group(&darshan_store, STORE_POSIX, name->text, name->length,
                        name->length ? posix_folder_of(name) : no_folder);
  if (!overflow_share(file, group)) return 0;
  int is_new = met_first(posix, file);
  if (is_new) store_count_member(&darshan_store, group, file->id, is_new);
  if (is_new == 1 && group->record[STORE_POSIX] == store_fill(&darshan_store, STORE_POSIX).overflow)
    posix->in_overflow++;
  add_open(posix, number, name->id);
  return number;
}

void overflow_forget(struct posix_state *posix, struct posix_file *file) {
  uint64_t *place = set_place(posix, file->id);
  if (place && *place) *place = (*place & ~(uint64_t)LAST_OPERATION) | file->last_operation;
  uint32_t number = posix_file_number(file);
  remove_open(posix, number, file->id);
  file->overflow = 0;
  file->next_free = posix->free_overflow;
  posix->free_overflow = number;
}
