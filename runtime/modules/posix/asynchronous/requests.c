/* Asynchronous requests in progress: a hash table with chains. Its slots never move. */
#include "requests.h"

#include "../../../intercept/guard.h"
#include "../../../intercept/memory.h"

static uint32_t bucket_of(uint64_t key) {
  return (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 40) % REQUEST_BUCKETS;
}

static struct request *at(const struct requests *requests, uint32_t number) {
  return segments_at(&requests->places, number);
}

/* Takes a free slot and returns its number, from 1; 0 if the table is full or memory is exhausted.
 * Allocates the table at the first call. The caller holds the lock. */
static uint32_t take_place(struct requests *requests) {
  uint32_t number = requests->free;
  if (number) {
    requests->free = at(requests, number)->next;
    return number;
  }
  if (!requests->bucket) {
    segments_prepare(&requests->places, sizeof(struct request), SEGMENTS_PAGE);
    requests->bucket = private_memory(REQUEST_BUCKETS * sizeof(*requests->bucket));
  }
  number = requests->used + 1;
  if (!requests->bucket || number > REQUESTS_MOST || segments_have(&requests->places, number) < 0)
    return 0;
  requests->used = number;
  return number;
}

struct request *requests_add(struct requests *requests, uint64_t key) {
  uint32_t number = take_place(requests);
  if (!number) {
    requests->was_full = 1;
    return NULL;
  }
  uint32_t *bucket = &requests->bucket[bucket_of(key)];
  struct request *request = at(requests, number);
  *request = (struct request){.key = key, .next = *bucket};
  COMPILER_FENCE(); /* the chain is unchanged if this frame is abandoned before the next line */
  *bucket = number;
  requests->open++;
  return request;
}

struct request *requests_find(struct requests *requests, uint64_t key) {
  struct request *found = NULL;
  uint32_t number = requests->open ? requests->bucket[bucket_of(key)] : 0;
  for (; number; number = at(requests, number)->next)
    if (at(requests, number)->key == key) found = at(requests, number);
  return found;
}

void requests_take(struct requests *requests, const struct request *request, struct request *copy) {
  uint32_t *link = &requests->bucket[bucket_of(request->key)];
  *copy = *request;
  while (*link && at(requests, *link) != request)
    link = &at(requests, *link)->next;
  uint32_t number = *link;
  if (!number) return;
  *link = copy->next;
  COMPILER_FENCE();
  at(requests, number)->next = requests->free;
  requests->free = number;
  requests->open--;
}

void requests_forget(struct requests *requests) {
  /* The slots and their contents stay in memory, because a handler may have forked while the
   * parent used them. */
  if (requests->bucket)
    private_memory_wipe(requests->bucket, REQUEST_BUCKETS * sizeof(*requests->bucket));
  requests->free = requests->open = requests->used = 0;
  requests->was_full = 0;
}
