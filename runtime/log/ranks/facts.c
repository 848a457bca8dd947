#include "facts.h"

#include <string.h>

#include "record-id.h"

struct head { /* then hosts, then the table of sharing */
  struct facts_times times;
  uint64_t bytes;
  uint32_t failed;
  uint32_t gaps;
  uint32_t num_hosts;
  uint32_t hosts_here;
  uint32_t sharing;
};

static int add_host(struct facts *facts, struct arena *arena, const struct facts_host *host) {
  for (uint32_t i = 0; i < facts->num_hosts; i++)
    if (facts->hosts[i].hash == host->hash) return 0;
  if (facts->num_hosts == FACTS_HOSTS) return 0;
  /* Powers of two: the list moves when it has filled its room. */
  if ((facts->num_hosts & (facts->num_hosts - 1)) == 0) {
    size_t room = facts->num_hosts ? 2 * (size_t)facts->num_hosts : 1;
    struct facts_host *hosts = arena_take(arena, room * sizeof(*hosts));
    if (!hosts) return -1;
    if (facts->num_hosts) memcpy(hosts, facts->hosts, facts->num_hosts * sizeof(*hosts));
    facts->hosts = hosts;
  }
  facts->hosts[facts->num_hosts++] = *host;
  return 0;
}

int facts_make(struct facts *facts, struct arena *arena, const char *host, const char *names,
               size_t names_length) {
  struct facts_host here = {.hash = darshan_hash(host, strlen(host), 0)};
  size_t length = strcspn(host, ".");
  memcpy(here.name, host, length < FACTS_HOST_ROOM ? length : FACTS_HOST_ROOM - 1);
  facts->num_hosts = 0;
  if (add_host(facts, arena, &here) < 0) return -1;
  return sharing_make(&facts->sharing, arena, names, names_length);
}

static int before(int64_t sec, int64_t nsec, int64_t other_sec, int64_t other_nsec) {
  return sec < other_sec || (sec == other_sec && nsec < other_nsec);
}

static void merge_times(struct facts_times *a, const struct facts_times *b) {
  if (before(b->start_sec, b->start_nsec, a->start_sec, a->start_nsec)) {
    a->start_sec = b->start_sec;
    a->start_nsec = b->start_nsec;
  }
  if (before(a->end_sec, a->end_nsec, b->end_sec, b->end_nsec)) {
    a->end_sec = b->end_sec;
    a->end_nsec = b->end_nsec;
  }
  if (b->last > a->last) a->last = b->last;
}

int facts_decode(struct facts *facts, const void *message, size_t n) {
  struct head head;
  if (n < sizeof(head)) return -1;
  memcpy(&head, message, sizeof(head));
  const char *hosts = (const char *)message + sizeof(head);
  const char *table = hosts + head.hosts_here * sizeof(struct facts_host);
  if (head.hosts_here > FACTS_HOSTS || head.sharing > SHARING_BUCKETS ||
      n != (size_t)(table - (const char *)message) + sharing_size(head.sharing))
    return -1;
  *facts = (struct facts){.times = head.times,
                          .bytes = head.bytes,
                          .failed = head.failed,
                          .gaps = head.gaps,
                          .num_hosts = head.num_hosts,
                          .hosts = (struct facts_host *)(uintptr_t)hosts,
                          .sharing = sharing_at(table, head.sharing)};
  return 0;
}

int facts_merge(struct facts *facts, struct arena *arena, const void *message, size_t n) {
  struct facts other;
  if (facts_decode(&other, message, n) < 0) return -1;
  merge_times(&facts->times, &other.times);
  facts->bytes += other.bytes;
  facts->failed |= other.failed;
  facts->gaps |= other.gaps;
  for (uint32_t i = 0; i < other.num_hosts; i++)
    if (add_host(facts, arena, &other.hosts[i]) < 0) return -1;
  return sharing_merge(&facts->sharing, arena, &other.sharing);
}

void *facts_encode(const struct facts *facts, struct arena *arena, int with_hosts, size_t *n) {
  struct head head = {.times = facts->times,
                      .bytes = facts->bytes,
                      .failed = facts->failed,
                      .gaps = facts->gaps,
                      .num_hosts = facts->num_hosts,
                      .hosts_here = with_hosts ? facts->num_hosts : 0,
                      .sharing = facts->sharing.count};
  size_t hosts = head.hosts_here * sizeof(struct facts_host);
  size_t table = sharing_size(head.sharing);
  *n = sizeof(head) + hosts + table;
  char *message = arena_take(arena, *n);
  if (!message) return NULL;
  memcpy(message, &head, sizeof(head));
  if (hosts) memcpy(message + sizeof(head), facts->hosts, hosts);
  if (table) memcpy(message + sizeof(head) + hosts, sharing_bytes(&facts->sharing), table);
  return message;
}
