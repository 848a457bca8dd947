/* Makes and names the records of the TRAINING module. */
#include "training-records.h"

#include "../../door/door.h"
#include "../../intercept/sys/sys.h"
#include "record-id.h"

int training_lock;

uint32_t training_record_of(const struct site_name *name, int *is_new) {
  struct record_store *store = &darshan_store;
  uint64_t id = darshan_hash(name->text, name->length, 0);
  const struct store_entry *entry = store_find(store, id);
  *is_new = !entry || !entry->record[STORE_TRAINING];
  if (!*is_new) return entry->record[STORE_TRAINING];
  if (store_is_full(store, STORE_TRAINING) || store_names_are_full(store)) return NO_RECORD;
  return store_number_of_name(store, STORE_TRAINING, id, name->text, name->length);
}

struct darshan_training_record *training_record_at(uint32_t number) {
  return number ? store_record(&darshan_store, STORE_TRAINING, number) : NULL;
}

void training_name_loader(struct site_name *name) {
  struct python_frame frames[64];
  struct site_python python;
  name->length = 0;
  name->is_full = 0;
  name->text[0] = '\0';
  site_name_add(name, "DataLoader");
  site_take_python(&python, frames, sizeof(frames) / sizeof(frames[0]), NULL);
  for (uint32_t i = 0; i < python.lines && !name->is_full; i++) {
    size_t before = name->length;
    site_add_line(name, &python.frame[i]);
    if (name->is_full) name->text[name->length = before] = '\0';
  }
}

/* Returns the number of processors that this process may use, 0 if the kernel does not report
 * it. */
static int64_t processors(void) {
  uint64_t bits[128] = {0};
  long bytes = sys_sched_getaffinity(sizeof(bits), bits);
  int64_t number = 0;
  for (long i = 0; i < bytes / (long)sizeof(bits[0]); i++)
    number += __builtin_popcountll(bits[i]);
  return number;
}

void training_fill(struct darshan_training_record *record, enum training_kind kind, uint64_t loader,
                   const struct training_settings *settings) {
  int64_t *counters = record->counters;
  counters[TRAINING_KIND] = kind;
  counters[TRAINING_LOADER] = (int64_t)loader;
  counters[TRAINING_PROCESSES] = 1;
  counters[TRAINING_WORKERS] = settings->workers;
  counters[TRAINING_PREFETCH] = settings->prefetch;
  counters[TRAINING_PERSISTENT] = settings->persistent;
  counters[TRAINING_BATCH_SIZE] = settings->batch_size;
  counters[TRAINING_PROCESSORS] = processors();
  counters[TRAINING_RANK] = counters[TRAINING_WORKER] = -1;
}
