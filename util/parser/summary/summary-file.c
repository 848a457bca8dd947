/* Counts the files that were read, written and shared. */
#include "summary.h"

/* Sums of the records of one file. */
struct file_sums {
  int64_t read, written; /* bytes */
  int64_t max_offset;    /* highest offset that was read or written; -1: not known */
  int64_t processes;     /* number of processes; -1: a shared record */
};
const size_t summary_file_value = sizeof(struct file_sums);

/* Adds without undefined behaviour: a sum that is too large wraps around. */
static int64_t add(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* Returns the larger offset; -1 (unknown) if one of the offsets is unknown. */
static int64_t max_offset(int64_t a, int64_t b) {
  return a == -1 || b == -1 ? -1 : larger(a, b);
}

int summary_file_add(struct summary *summary, const void *record) {
  const struct darshan_merge_plan *plan = &summary->plan;
  const struct darshan_base_record *base = record;
  const int64_t *counters = darshan_record_counters(plan, record);
  int64_t offset = -1;
  if (plan->max_byte_read >= 0 && plan->max_byte_written >= 0) {
    int64_t read = counters[plan->max_byte_read], written = counters[plan->max_byte_written];
    offset = larger(read, written);
  }
  int is_new;
  struct file_sums *sums = id_table_get(&summary->files, base->id, &is_new);
  if (!sums) return -1;
  sums->read = add(sums->read, counters[plan->bytes_read]);
  sums->written = add(sums->written, counters[plan->bytes_written]);
  sums->max_offset = is_new ? offset : max_offset(sums->max_offset, offset);
  if (base->rank < 0)
    sums->processes = -1;
  else
    sums->processes++; /* incremented even if it is -1, as the format defines */
  return 0;
}

/* Adds a file to the sums of a category. */
static void count_file(struct summary_category *category, const struct file_sums *sums) {
  bool unknown = category->max_offset == -1 || sums->max_offset == -1;
  bool by_all = category->processes == -1 || sums->processes == -1;
  category->count++;
  category->read = add(category->read, sums->read);
  category->written = add(category->written, sums->written);
  category->most_read = larger(category->most_read, sums->read);
  category->most_written = larger(category->most_written, sums->written);
  category->sum_of_offsets = unknown ? -1 : add(category->sum_of_offsets, sums->max_offset);
  category->max_offset = max_offset(category->max_offset, sums->max_offset);
  category->processes = by_all ? -1 : add(category->processes, sums->processes);
}

void summary_files(const struct summary *summary, struct summary_category *categories) {
  for (int i = 0; i < SUMMARY_CATEGORIES; i++)
    categories[i] = (struct summary_category){0};
  for (size_t i = 0; i < summary->files.count; i++) {
    const struct file_sums *sums = id_table_value(&summary->files, i);
    bool read = sums->read > 0, written = sums->written > 0;
    count_file(&categories[SUMMARY_ALL], sums);
    if (read && sums->written == 0) count_file(&categories[SUMMARY_READ_ONLY], sums);
    if (sums->read == 0 && written) count_file(&categories[SUMMARY_WRITE_ONLY], sums);
    if (read && written) count_file(&categories[SUMMARY_READ_WRITE], sums);
    int by = sums->processes == 1    ? SUMMARY_UNIQUE
             : sums->processes == -1 ? SUMMARY_SHARED
                                     : SUMMARY_PARTLY_SHARED;
    count_file(&categories[by], sums);
  }
}
