/* Replaces thread ids in traces by numbers: pthread_self is an address, which reveals the memory
 * layout of a process. See threads.h. */
#include "threads.h"

#include "message.h"

void threads_open(struct threads *threads) {
  id_table_init(&threads->ranks, sizeof(uint64_t));
  id_table_init(&threads->numbers, sizeof(uint64_t));
}

void threads_close(struct threads *threads) {
  id_table_free(&threads->ranks);
  id_table_free(&threads->numbers);
}

/* Returns a key for a thread of a rank. The product spreads the rank over all bits, so that keys of
 * two ranks practically never meet. */
static uint64_t key_of(int64_t rank, uint64_t thread) {
  return (uint64_t)rank * UINT64_C(0x9E3779B97F4A7C15) ^ thread;
}

/* Returns the number, from 1 on, that replaces this thread id of a rank. Returns 0 if out of
 * memory. */
static uint64_t number_of(struct threads *threads, int64_t rank, uint64_t thread) {
  int is_new;
  uint64_t *number = id_table_get(&threads->numbers, key_of(rank, thread), &is_new);
  if (!number || !is_new) return number ? *number : 0;
  uint64_t *last = id_table_get(&threads->ranks, (uint64_t)rank, &is_new);
  return last ? *number = ++*last : 0;
}

int threads_number(struct threads *threads, void *record) {
  struct darshan_dxt_head *head = record;
  struct darshan_dxt_segment *segments = (void *)(head + 1);
  int64_t n = head->write_count + head->read_count;
  for (int64_t i = 0; i < n; i++) {
    uint64_t thread = segments[i].pthread_id;
    if (thread == 0) continue;
    segments[i].pthread_id = number_of(threads, head->base.rank, thread);
    if (segments[i].pthread_id == 0)
      return convert_say("cannot number the threads of a trace: out of memory");
  }
  return 0;
}
