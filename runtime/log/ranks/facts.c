/* Adds up the facts of all ranks, and encodes and decodes the messages that carry them
 * (facts.h). */
#include "facts.h"

#include <assert.h>
#include <string.h>

#include "record-id.h"

/* --- ranks that know a record ---------------------------------------------------------- */

enum { COUNT_BITS = 16, LIST_FULL = (1 << COUNT_BITS) - 1, TABLE_FULL = 255, BUCKET_BITS = 20 };
static_assert(1 << BUCKET_BITS == SHARING_BUCKETS, "bits of a bucket");

static uint32_t bucket_of(uint64_t id_or_entry) {
  return (uint32_t)(id_or_entry >> (64 - BUCKET_BITS));
}

static uint64_t id_of(uint64_t entry) {
  return entry & ~(uint64_t)LIST_FULL;
}

static unsigned saturated(uint64_t a, uint64_t b, unsigned full) {
  return a + b < full ? (unsigned)(a + b) : full;
}

/* Returns the sum of two entries of one id: the numbers of ranks are added, and limited to the
 * largest number that an entry can hold. */
static uint64_t joined(uint64_t a, uint64_t b) {
  return id_of(a) | saturated(a & LIST_FULL, b & LIST_FULL, LIST_FULL);
}

struct sharing sharing_at(const void *bytes, uint32_t count) {
  struct sharing table = {.count = count};
  if (count == SHARING_BUCKETS)
    table.counts = (uint8_t *)(uintptr_t)bytes;
  else
    table.entries = bytes;
  return table;
}

/* Each pass of the radix sort sorts by seven bits. After an odd number of passes the result is in
 * the other array. */
enum { DIGIT_BITS = 7, PASSES = (64 - COUNT_BITS + DIGIT_BITS - 1) / DIGIT_BITS };
static_assert(PASSES % 2 == 1, "the sorted entries are in the second array");

/* Sorts n entries by id and leaves the result in `other`, which has n slots; `entries` gets
 * undefined order. The time does not depend on the ids, which are untrusted in darshan-merge. */
static void sort_entries(uint64_t *entries, uint64_t *other, uint32_t n) {
  for (int shift = 64 - PASSES * DIGIT_BITS; shift < 64; shift += DIGIT_BITS) {
    uint32_t places[1 << DIGIT_BITS] = {0}, at = 0;
    for (uint32_t i = 0; i < n; i++)
      places[entries[i] >> shift & ((1 << DIGIT_BITS) - 1)]++;
    for (int digit = 0; digit < 1 << DIGIT_BITS; digit++) {
      uint32_t many = places[digit];
      places[digit] = at;
      at += many;
    }
    for (uint32_t i = 0; i < n; i++)
      other[places[entries[i] >> shift & ((1 << DIGIT_BITS) - 1)]++] = entries[i];
    uint64_t *swap = entries;
    entries = other;
    other = swap;
  }
}

/* Returns the largest number of names that fit into length bytes: each name takes at least an id
 * and a NUL. An array of that size costs no more, because unused pages are not touched. */
static size_t most_names(size_t length) {
  return length / (sizeof(uint64_t) + 1);
}

static uint32_t add_up_equal(uint64_t *entries, uint32_t n) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (kept && id_of(entries[kept - 1]) == id_of(entries[i]))
      entries[kept - 1] = joined(entries[kept - 1], entries[i]);
    else
      entries[kept++] = entries[i];
  }
  return kept;
}

static void add_list(uint8_t *counts, const uint64_t *entries, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    uint8_t *count = &counts[bucket_of(entries[i])];
    *count = (uint8_t)saturated(*count, entries[i] & LIST_FULL, TABLE_FULL);
  }
}

static int make_dense(struct sharing *table, struct arena *arena) {
  uint8_t *counts = arena_take(arena, SHARING_BUCKETS);
  if (!counts) return -1;
  memset(counts, 0, SHARING_BUCKETS);
  add_list(counts, table->entries, table->count);
  *table = (struct sharing){.count = SHARING_BUCKETS, .counts = counts};
  return 0;
}

int sharing_make(struct sharing *table, struct arena *arena, const char *names, size_t length) {
  size_t most = most_names(length), at = 0;
  uint64_t *entries = arena_take(arena, 2 * most * sizeof(*entries)), id;
  uint32_t n = 0;
  *table = (struct sharing){0};
  if (!entries) return -1;
  for (; at + sizeof(id) < length; n++) {
    memcpy(&id, names + at, sizeof(id));
    entries[n] = id_of(id) | 1;
    at += sizeof(id) + strlen(names + at + sizeof(id)) + 1;
  }
  sort_entries(entries, entries + most, n);
  table->entries = entries + most;
  table->count = add_up_equal(entries + most, n);
  return table->count < SHARING_LIST ? 0 : make_dense(table, arena);
}

static void add_to_dense(uint8_t *counts, const struct sharing *other) {
  if (other->counts) {
    for (uint32_t i = 0; i < SHARING_BUCKETS; i++)
      counts[i] = (uint8_t)saturated(counts[i], other->counts[i], TABLE_FULL);
    return;
  }
  add_list(counts, other->entries, other->count);
}

static int merge_lists(struct sharing *table, struct arena *arena, const struct sharing *other) {
  uint64_t *out = arena_take(arena, ((size_t)table->count + other->count) * sizeof(*out));
  const uint64_t *a = table->entries, *a_end = a + table->count;
  const uint64_t *b = other->entries, *b_end = b + other->count;
  uint32_t n = 0;
  if (!out) return -1;
  while (a < a_end && b < b_end) {
    if (id_of(*a) == id_of(*b))
      out[n++] = joined(*a++, *b++);
    else
      out[n++] = *a < *b ? *a++ : *b++;
  }
  while (a < a_end)
    out[n++] = *a++;
  while (b < b_end)
    out[n++] = *b++;
  table->entries = out;
  table->count = n;
  return n < SHARING_LIST ? 0 : make_dense(table, arena);
}

int sharing_merge(struct sharing *table, struct arena *arena, const struct sharing *other) {
  if (!table->counts && other->counts && make_dense(table, arena) < 0) return -1;
  if (!table->counts) return merge_lists(table, arena, other);
  add_to_dense(table->counts, other);
  return 0;
}

/* Returns the number of ranks in the entry of an id, 0 if the list does not have the id. */
static unsigned listed(const struct sharing *table, uint64_t id) {
  const uint64_t *first = table->entries;
  uint32_t n = table->count;
  if (n == 0) return 0;
  while (n > 1) {
    uint32_t half = n / 2;
    first += id_of(first[half]) <= id_of(id) ? half : 0;
    n -= half;
  }
  return id_of(*first) == id_of(id) ? (unsigned)(*first & LIST_FULL) : 0;
}

unsigned sharing_ranks(const struct sharing *table, uint64_t id) {
  unsigned full = table->counts ? TABLE_FULL : LIST_FULL;
  unsigned ranks = table->counts ? table->counts[bucket_of(id)] : listed(table, id);
  return ranks < full ? ranks : SHARING_MANY;
}

int sharing_known_to(const struct sharing *table, uint64_t id, unsigned ranks) {
  return !table->counts && ranks < LIST_FULL && listed(table, id) == ranks;
}

/* --- all of it, and its message ----------------------------------------------------- */

struct facts_head { /* hosts follow, then the table of sharing */
  struct facts_times times;
  struct facts_spread spread;
  struct facts_dropped dropped;
  uint64_t bytes;
  uint32_t failed;
  uint32_t gaps;
  uint32_t num_hosts;
  uint32_t hosts_here;
  uint32_t sharing;
};

static int knows_any(const struct rank_processors *processors) {
  uint64_t any = 0;
  for (int i = 0; i < RANK_PROCESSOR_WORDS; i++)
    any |= processors->bits[i];
  return any != 0;
}

/* Adds the processors of b to a. The union is unknown (no bit) if one of both is unknown. */
static void add_processors(struct rank_processors *a, const struct rank_processors *b) {
  int known = knows_any(a) && knows_any(b);
  for (int i = 0; i < RANK_PROCESSOR_WORDS; i++)
    a->bits[i] = known ? a->bits[i] | b->bits[i] : 0;
}

uint32_t facts_processors(const struct facts *facts) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < facts->num_hosts; i++) {
    const struct rank_processors *processors = &facts->hosts[i].processors;
    if (!knows_any(processors)) return 0;
    for (int word = 0; word < RANK_PROCESSOR_WORDS; word++)
      sum += (uint32_t)__builtin_popcountll(processors->bits[word]);
  }
  return facts->num_hosts < FACTS_HOSTS ? sum : 0;
}

static int add_host(struct facts *facts, const struct facts_host *host) {
  for (uint32_t i = 0; i < facts->num_hosts; i++)
    if (facts->hosts[i].hash == host->hash) {
      add_processors(&facts->hosts[i].processors, &host->processors);
      return 0;
    }
  if (facts->num_hosts == FACTS_HOSTS) return 0;
  /* The capacity is a power of two, so when the list is full it moves to twice the memory. */
  if ((facts->num_hosts & (facts->num_hosts - 1)) == 0) {
    size_t room = facts->num_hosts ? 2 * (size_t)facts->num_hosts : 1;
    struct facts_host *hosts = arena_take(&facts->arena, room * sizeof(*hosts));
    if (!hosts) return -1;
    if (facts->num_hosts) memcpy(hosts, facts->hosts, facts->num_hosts * sizeof(*hosts));
    facts->hosts = hosts;
  }
  facts->hosts[facts->num_hosts++] = *host;
  return 0;
}

/* Sets the facts to those of this rank alone. Returns 0, or -1 if out of memory. */
static int facts_begin(struct facts *facts, const struct reduce_source *source) {
  struct facts_host here = {.hash = darshan_hash(source->host, strlen(source->host), 0),
                            .processors = source->processors};
  size_t length = strcspn(source->host, ".");
  memcpy(here.name, source->host, length < FACTS_HOST_ROOM ? length : FACTS_HOST_ROOM - 1);
  *facts = (struct facts){.times = source->times,
                          .spread = source->spread,
                          .dropped = source->dropped,
                          .bytes = source->bytes + source->names_length,
                          .gaps = source->gaps ? *source->gaps : 0};
  if (add_host(facts, &here) < 0) return -1;
  return sharing_make(&facts->sharing, &facts->arena, source->names, source->names_length);
}

static int is_earlier(int64_t sec, int64_t nsec, int64_t other_sec, int64_t other_nsec) {
  return sec < other_sec || (sec == other_sec && nsec < other_nsec);
}

static void add_times(struct facts_times *a, const struct facts_times *b) {
  if (is_earlier(b->start_sec, b->start_nsec, a->start_sec, a->start_nsec)) {
    a->start_sec = b->start_sec;
    a->start_nsec = b->start_nsec;
  }
  if (is_earlier(a->end_sec, a->end_nsec, b->end_sec, b->end_nsec)) {
    a->end_sec = b->end_sec;
    a->end_nsec = b->end_nsec;
  }
  if (b->last > a->last) a->last = b->last;
}

/* Adds the times of b to a. Combines sums of squared deviations, because plain sums of squares
 * would lose small differences. */
static void add_spread(struct facts_spread *a, const struct facts_spread *b) {
  if (!(b->ranks > 0)) return;
  if (!(a->ranks > 0) || b->first < a->first) a->first = b->first;
  for (int i = 0; i < 2; i++) {
    double apart = a->ranks > 0 ? a->sum[i] / a->ranks - b->sum[i] / b->ranks : 0;
    a->square[i] += b->square[i] + apart * apart * a->ranks * b->ranks / (a->ranks + b->ranks);
    a->sum[i] += b->sum[i];
  }
  a->ranks += b->ranks;
}

void facts_variances(const struct facts *facts, double variances[2]) {
  const struct facts_spread *spread = &facts->spread;
  for (int i = 0; i < 2; i++)
    variances[i] = spread->ranks > 0 ? spread->square[i] / spread->ranks : 0;
}

/* Reads the facts from a message. They point into the message, which must therefore not move.
 * Returns 0, or -1 if the message is invalid. */
static int facts_decode(struct facts *facts, const struct message *message) {
  struct facts_head head;
  if (message->n < sizeof(head)) return -1;
  memcpy(&head, message->bytes, sizeof(head));
  const char *hosts = message->bytes + sizeof(head);
  const char *table = hosts + head.hosts_here * sizeof(struct facts_host);
  if (head.hosts_here > FACTS_HOSTS || head.sharing > SHARING_BUCKETS ||
      message->n != (size_t)(table - message->bytes) + sharing_size(head.sharing))
    return -1;
  *facts = (struct facts){.times = head.times,
                          .spread = head.spread,
                          .dropped = head.dropped,
                          .bytes = head.bytes,
                          .failed = head.failed,
                          .gaps = head.gaps,
                          .num_hosts = head.num_hosts,
                          .hosts = (struct facts_host *)(uintptr_t)hosts,
                          .sharing = sharing_at(table, head.sharing)};
  return 0;
}

/* Adds the facts of a child, from its message. Returns 0, or -1 if out of memory or if the
 * message is invalid. */
static int facts_add(struct facts *facts, const struct message *message) {
  struct facts other;
  if (facts_decode(&other, message) < 0) return -1;
  add_times(&facts->times, &other.times);
  add_spread(&facts->spread, &other.spread);
  for (int i = 0; i < FACTS_DROPPED; i++)
    facts->dropped.kinds[i] += other.dropped.kinds[i];
  facts->bytes += other.bytes;
  facts->failed |= other.failed;
  facts->gaps |= other.gaps;
  for (uint32_t i = 0; i < other.num_hosts; i++)
    if (add_host(facts, &other.hosts[i]) < 0) return -1;
  return sharing_merge(&facts->sharing, &facts->arena, &other.sharing);
}

/* Returns the facts as a message of *n bytes in the arena, or NULL if out of memory. with_hosts: 0
 * omits the list of hosts, which only the way up needs. */
static void *facts_encode(const struct facts *facts, struct arena *arena, int with_hosts,
                          size_t *n) {
  struct facts_head head = {.times = facts->times,
                            .spread = facts->spread,
                            .dropped = facts->dropped,
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

/* --- the steps ------------------------------------------------------------------- */

/* Sends the parent facts that contain only `failed` and the times, because this rank is out of
 * memory or a child's message was lost or damaged. Sends an empty message if even that fails. */
static void send_failed_facts(const struct facts *facts, const struct rank *rank) {
  struct arena arena = {NULL, 0};
  struct facts failed = {.failed = 1, .times = facts->times};
  size_t n;
  void *message = facts_encode(&failed, &arena, 0, &n);
  parent_send(rank, message, message ? n : 0);
  arena_drop(&arena);
}

void facts_up(struct facts *facts, const struct rank *rank) {
  struct message message;
  size_t n;
  if (facts_begin(facts, rank->source) < 0) facts->failed = 1;
  for (int i = 0; i < rank_children(rank); i++) {
    if (child_receive(rank, i, &message) < 0 || facts_add(facts, &message) < 0) facts->failed = 1;
    message_drop(&message);
  }
  if (rank_is_root(rank)) return;
  void *bytes = facts->failed ? NULL : facts_encode(facts, &facts->arena, 1, &n);
  if (bytes)
    parent_send(rank, bytes, n);
  else
    send_failed_facts(facts, rank);
  arena_drop(&facts->arena);
}

/* Sends n bytes to all children: to the largest subtree first, because it has the most levels. */
static void send_down(const struct rank *rank, const void *bytes, size_t n) {
  for (int i = rank_children(rank) - 1; i >= 0; i--)
    child_send(rank, i, bytes, n);
}

void facts_down(struct facts *facts, const struct rank *rank) {
  if (rank_is_root(rank)) {
    size_t n = 0;
    void *bytes = facts_encode(facts, &facts->arena, 0, &n);
    if (!bytes) facts->failed = 1; /* the children see the failure by the empty message */
    send_down(rank, bytes, n);
  } else {
    struct message message;
    if (parent_receive(rank, &message) < 0) message.n = 0;
    send_down(rank, message.bytes, message.n);
    if (facts_decode(facts, &message) < 0) facts->failed = 1;
    facts->agreed = message;
  }
}

void facts_drop(struct facts *facts) {
  message_drop(&facts->agreed);
  arena_drop(&facts->arena);
}
