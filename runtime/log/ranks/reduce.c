#include "reduce.h"

#include <string.h>

#include "../../intercept/sys.h"

/* A message is at most these two, and a table of sharing or some hosts. */
const struct reduce_limits reduce_default_limits = {.streams = 4 << 20, .candidates = 16 << 20};

void message_drop(struct message *message) {
  if (message->bytes) sys_munmap(message->bytes, message->n);
  *message = (struct message){NULL, 0};
}

int reduce_receive(struct reduction *reduction, int from, struct message *message) {
  void *bytes = NULL;
  size_t n = 0;
  *message = (struct message){NULL, 0};
  if (reduction->comm->receive(reduction->comm, from, &bytes, &n) < 0) return -1;
  *message = (struct message){bytes, n};
  return 0;
}

int reduce_send(struct reduction *reduction, int to, const void *bytes, size_t n) {
  return reduction->comm->send(reduction->comm, to, bytes, n);
}

/* What a rank says that has no memory to say more. */
static void say_failed(struct reduction *reduction) {
  struct arena none = {NULL, 0};
  struct facts failed = {.failed = 1, .times = reduction->facts.times};
  size_t n;
  void *message = facts_encode(&failed, &none, 0, &n);
  reduce_send(reduction, tree_parent(reduction->comm->rank), message, message ? n : 0);
  arena_drop(&none);
}

static void facts_up(struct reduction *reduction) {
  const struct reduce_source *source = reduction->source;
  struct facts *facts = &reduction->facts;
  struct arena arena = {NULL, 0};
  struct message message;
  size_t n;
  *facts = (struct facts){.times = source->times,
                          .bytes = source->bytes + source->names_length,
                          .gaps = source->gaps ? *source->gaps : 0};
  if (facts_make(facts, &arena, source->host, source->names, source->names_length) < 0)
    facts->failed = 1;
  for (int i = 0; i < reduce_children(reduction); i++) {
    if (reduce_receive(reduction, reduce_child(reduction, i), &message) < 0 ||
        facts_merge(facts, &arena, message.bytes, message.n) < 0)
      facts->failed = 1;
    message_drop(&message);
  }
  if (reduce_is_root(reduction)) {
    reduction->arena = arena; /* holds the table */
    return;
  }
  void *bytes = facts->failed ? NULL : facts_encode(facts, &arena, 1, &n);
  if (bytes)
    reduce_send(reduction, tree_parent(reduction->comm->rank), bytes, n);
  else
    say_failed(reduction);
  arena_drop(&arena);
}

/* Largest subtree first: it has the longest way to go. */
static void send_down(struct reduction *reduction, const void *bytes, size_t n) {
  for (int i = reduce_children(reduction) - 1; i >= 0; i--)
    reduce_send(reduction, reduce_child(reduction, i), bytes, n);
}

/* No rank has anything: the root alone writes a log that says so. */
static void write_empty(struct reduction *reduction) {
  place_down(reduction);
  if (place_complete(reduction) < 0) reduction->facts.failed = 1;
}

static void facts_down(struct reduction *reduction) {
  struct facts *facts = &reduction->facts;
  if (reduce_is_root(reduction)) {
    if (!facts->failed && facts->bytes == 0) write_empty(reduction);
    size_t n = 0;
    void *bytes = facts_encode(facts, &reduction->arena, 0, &n);
    if (!bytes) facts->failed = 1; /* an empty message says so, too */
    send_down(reduction, bytes, n);
  } else {
    struct message *message = &reduction->agreed;
    if (reduce_receive(reduction, tree_parent(reduction->comm->rank), message) < 0) message->n = 0;
    send_down(reduction, message->bytes, message->n);
    if (facts_decode(facts, message->bytes, message->n) < 0) facts->failed = 1;
  }
  reduction->failed = facts->failed != 0;
  reduction->finished = facts->failed || facts->bytes == 0;
}

static void result_down(struct reduction *reduction) {
  const struct rank_comm *comm = reduction->comm;
  uint64_t worked = 0;
  if (reduce_is_root(reduction)) {
    worked = place_complete(reduction) == 0;
  } else {
    struct message message;
    if (reduce_receive(reduction, tree_sender(comm->rank), &message) == 0 &&
        message.n == sizeof(worked))
      memcpy(&worked, message.bytes, sizeof(worked));
    message_drop(&message);
  }
  for (int i = 0, to; (to = tree_receiver(comm->rank, comm->size, i)) >= 0; i++)
    reduce_send(reduction, to, &worked, sizeof(worked));
  reduction->failed = !worked;
  reduction->finished = 1;
}

void reduce_begin(struct reduction *reduction, struct rank_comm *comm,
                  const struct reduce_source *source) {
  memset(reduction, 0, sizeof(*reduction));
  reduction->comm = comm;
  reduction->source = source;
}

void reduce_step(struct reduction *reduction, enum reduce_step step) {
  static void (*const steps[REDUCE_STEPS])(struct reduction *) = {
      [REDUCE_FACTS_UP] = facts_up,         [REDUCE_FACTS_DOWN] = facts_down,
      [REDUCE_RECORDS_UP] = gather_records, [REDUCE_PLACES_DOWN] = place_down,
      [REDUCE_WRITTEN_UP] = place_written,  [REDUCE_RESULT_DOWN] = result_down};
  if (!reduction->finished) steps[step](reduction);
}

int reduce_end(struct reduction *reduction) {
  for (int i = 0; reduction->child && i < reduce_children(reduction); i++)
    message_drop(&reduction->child[i]);
  message_drop(&reduction->agreed);
  arena_drop(&reduction->arena);
  return reduction->failed ? -1 : 0;
}

int reduce_all(struct rank_comm *comm, const struct reduce_source *source) {
  struct reduction reduction;
  reduce_begin(&reduction, comm, source);
  for (int step = 0; step < REDUCE_STEPS; step++)
    reduce_step(&reduction, step);
  return reduce_end(&reduction);
}
