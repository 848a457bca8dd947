/* --file: how many files were read, written, shared. */
#include "summary.h"

#include <inttypes.h>

/* Sums of the records of one file. */
struct file_sums {
  int64_t read, written, max_offset;
  int64_t processes; /* -1: shared by all */
};
const size_t summary_file_value = sizeof(struct file_sums);

struct category {
  int64_t count, bytes, max_offset;
};

static int64_t add(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* An offset of -1 is not known, and makes the whole not known. */
static int64_t max_offset(int64_t a, int64_t b) {
  if (a == -1 || b == -1) return -1;
  return a > b ? a : b;
}

int summary_file_add(struct summary *summary, const void *record) {
  const struct darshan_merge_plan *plan = &summary->plan;
  const struct darshan_base_record *base = record;
  const int64_t *counters = darshan_record_counters(plan, record);
  int64_t offset = -1;
  if (plan->max_byte_read >= 0 && plan->max_byte_written >= 0) {
    int64_t read = counters[plan->max_byte_read], written = counters[plan->max_byte_written];
    offset = read > written ? read : written;
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
    sums->processes++; /* also from -1 on: the format defines it so */
  return 0;
}

static void count_file(struct category *category, const struct file_sums *sums) {
  category->count++;
  category->bytes = add(category->bytes, add(sums->read, sums->written));
  category->max_offset = max_offset(category->max_offset, sums->max_offset);
}

static void print_category(struct output *out, const char *name, const struct category *category) {
  output_printf(out, "# %s: %" PRId64 " %" PRId64 " %" PRId64 "\n", name, category->count,
                category->bytes, category->max_offset);
}

void summary_file_print(const struct summary *summary, struct output *out) {
  struct category total = {0}, read_only = {0}, write_only = {0}, read_write = {0};
  struct category unique = {0}, shared = {0}, partly = {0};
  for (size_t i = 0; i < summary->files.count; i++) {
    const struct file_sums *sums = id_table_value(&summary->files, i);
    count_file(&total, sums);
    if (sums->read > 0 && sums->written == 0) count_file(&read_only, sums);
    if (sums->read == 0 && sums->written > 0) count_file(&write_only, sums);
    if (sums->read > 0 && sums->written > 0) count_file(&read_write, sums);
    count_file(sums->processes == 1 ? &unique : sums->processes == -1 ? &shared : &partly, sums);
  }
  shared.count += partly.count;
  shared.bytes = add(shared.bytes, partly.bytes);
  shared.max_offset = add(shared.max_offset, partly.max_offset); /* defined as a sum */
  output_text(out, "\n# files\n# -----\n"
                   "#   file_type: which files are counted; one that was neither read nor written\n"
                   "#     counts in total, and as unique or shared\n"
                   "#   file_count: number of files\n"
                   "#   total_bytes: bytes read and written\n"
                   "#   max_byte_offset: highest offset touched, -1 if not known\n"
                   "# <file_type> <file_count> <total_bytes> <max_byte_offset>\n");
  print_category(out, "total", &total);
  print_category(out, "read_only", &read_only);
  print_category(out, "write_only", &write_only);
  print_category(out, "read_write", &read_write);
  print_category(out, "unique", &unique);
  print_category(out, "shared", &shared);
}
