/* Records up the tree: what is a rank's own alone is compressed by it, what
 * several may have is merged on the way; streams travel as they are. */
#include <string.h>

#include "leave.h"
#include "reduce.h"
#include "select.h"

struct head { /* then lines (struct stretch), candidates, and the bytes of the lines */
  uint32_t failed, kept;
  uint64_t candidates, candidate_bytes;
  uint32_t lines, gaps;
};

/* Of the parts: own streams, then those of candidates that were too many at
 * first and after each child, then of those that are complete, then children. */
enum { SLOT_OWN, SLOT_EXCESS };
static int slot_complete(const struct reduction *reduction) {
  return SLOT_EXCESS + 1 + reduce_children(reduction);
}

struct gathering {
  struct reduction *reduction;
  struct log_compressor compressor;
  struct arena arena; /* of the candidates */
  struct candidates set;
  struct leaving leaving;
};

/* --- what a child sent ------------------------------------------------------- */

static int take_lines(struct reduction *reduction, struct stretches *part, const struct head *head,
                      const char **at, const char *end) {
  size_t n = head->lines * sizeof(struct stretch);
  if (head->lines > SECTIONS || (size_t)(end - *at) < n) return -1;
  if (stretches_prepare(part, &reduction->arena, (int)head->lines) < 0) return -1;
  memcpy(part->lines, *at, n);
  memset(part->bytes, 0, head->lines * sizeof(*part->bytes));
  *at += n;
  return 0;
}

static int take_bytes(struct stretches *part, const struct head *head, const char *at,
                      const char *end) {
  part->count = (int)head->lines;
  for (int i = 0; !head->kept && i < part->count; i++) {
    if (part->lines[i].stored > (size_t)(end - at)) return -1;
    part->bytes[i] = at;
    at += part->lines[i].stored;
  }
  return 0;
}

static int take_child(struct gathering *gathering, int n, const struct message *message) {
  struct reduction *reduction = gathering->reduction;
  const char *at = message->bytes, *end = at + message->n;
  struct head head;
  if (message->n < sizeof(head)) return -1;
  memcpy(&head, at, sizeof(head));
  at += sizeof(head);
  if (head.kept) reduction->kept_children |= 1u << n; /* it waits for an answer */
  reduction->facts.gaps |= head.gaps;
  if (head.failed || reduction->failed) return -1;
  struct stretches *part = &reduction->parts[reduce_part_of_child(reduction, n)];
  if (take_lines(reduction, part, &head, &at, end) < 0 ||
      head.candidate_bytes > (size_t)(end - at) ||
      candidates_merge(&gathering->set, at, head.candidate_bytes, head.candidates) < 0)
    return -1;
  return take_bytes(part, &head, at + head.candidate_bytes, end);
}

/* What stays of the candidates moves, and the memory of the others goes back. */
static int compact(struct gathering *gathering) {
  struct candidates *set = &gathering->set;
  struct arena arena = {NULL, 0};
  struct candidate **items = arena_take(&arena, set->count * sizeof(*items));
  for (size_t i = 0; items && i < set->count; i++) {
    const struct candidate *old = set->items[i];
    struct candidate *kept = arena_take(&arena, candidate_room(old->size));
    if (!kept) {
      arena_drop(&arena);
      return -1;
    }
    *kept = *old;
    if (!old->borrowed) {
      kept->bytes = (char *)(kept + 1);
      memcpy(kept->bytes, old->bytes, old->size);
    }
    items[i] = kept;
  }
  arena_drop(&gathering->arena);
  gathering->arena = arena;
  set->items = items;
  return items ? 0 : -1;
}

/* If there are too many: slot is where in the parts their streams go. */
static void let_excess_leave(struct gathering *gathering, int slot) {
  struct reduction *reduction = gathering->reduction;
  if (reduction->failed) return;
  struct stretches *excess = &reduction->parts[slot];
  if (leave_excess(&gathering->leaving, &gathering->set, excess) < 0 ||
      (excess->count > 0 && compact(gathering) < 0))
    reduction->failed = 1;
}

static void take_children(struct gathering *gathering) {
  struct reduction *reduction = gathering->reduction;
  for (int i = 0; i < reduce_children(reduction); i++) {
    struct message message;
    if (reduce_receive(reduction, reduce_child(reduction, i), &message) < 0 ||
        take_child(gathering, i, &message) < 0)
      reduction->failed = 1;
    if (reduction->failed)
      message_drop(&message);
    else
      reduction->child[i] = message;
    let_excess_leave(gathering, SLOT_EXCESS + 1 + i);
  }
}

/* --- what goes on ------------------------------------------------------------ */

static int add_up(struct reduction *reduction) {
  struct stretches *total = &reduction->total;
  if (stretches_prepare(total, &reduction->arena, SECTIONS) < 0) return -1;
  for (uint32_t section = 0; section < SECTIONS; section++) {
    struct stretch *line = &total->lines[total->count];
    int found = 0;
    for (int i = 0; i < reduction->num_parts; i++) {
      const struct stretch *part = stretches_find(&reduction->parts[i], section);
      if (part && found++ == 0)
        *line = *part;
      else if (part)
        stretch_join(line, part);
    }
    total->count += found > 0;
  }
  return 0;
}

static size_t bytes_here(const struct reduction *reduction) {
  size_t sum = 0;
  for (int i = 0; i < reduction->num_parts; i++)
    for (int line = 0; line < reduction->parts[i].count; line++)
      if (reduction->parts[i].bytes[line]) sum += reduction->parts[i].lines[line].stored;
  return sum;
}

static char *put_bytes(const struct reduction *reduction, char *out) {
  for (int i = 0; i < reduction->total.count; i++)
    for (int p = 0; p < reduction->num_parts; p++) {
      const struct stretches *part = &reduction->parts[p];
      const struct stretch *line = stretches_find(part, reduction->total.lines[i].section);
      const char *bytes = line ? part->bytes[line - part->lines] : NULL;
      if (!bytes) continue;
      memcpy(out, bytes, line->stored);
      out += line->stored;
    }
  return out;
}

static void say_failed(struct reduction *reduction) {
  struct head head = {
      .failed = 1, .kept = reduction->kept_children != 0, .gaps = reduction->facts.gaps};
  reduction->kept = (int)head.kept;
  reduce_send(reduction, tree_parent(reduction->comm->rank), &head, sizeof(head));
}

static void send_up(struct gathering *gathering) {
  struct reduction *reduction = gathering->reduction;
  const struct candidates *set = &gathering->set;
  size_t most = sizeof(struct head) + (size_t)reduction->total.count * sizeof(struct stretch);
  size_t streams = bytes_here(reduction);
  reduction->kept = reduction->kept_children || streams > reduction->source->limits.streams;
  if (!reduction->kept) most += streams;
  for (size_t i = 0; i < set->count; i++)
    most += candidate_wire_max(set->items[i]);
  char *message = arena_take(&gathering->arena, most);
  if (!message) {
    say_failed(reduction);
    return;
  }
  struct head head = {.kept = reduction->kept != 0,
                      .candidates = set->count,
                      .gaps = reduction->facts.gaps,
                      .lines = (uint32_t)reduction->total.count};
  char *at = message + sizeof(head);
  memcpy(at, reduction->total.lines, head.lines * sizeof(struct stretch));
  at += head.lines * sizeof(struct stretch);
  for (size_t i = 0; i < set->count; i++) {
    size_t n = candidate_encode(set->items[i], at);
    head.candidate_bytes += n;
    at += n;
  }
  if (!reduction->kept) at = put_bytes(reduction, at);
  memcpy(message, &head, sizeof(head));
  reduce_send(reduction, tree_parent(reduction->comm->rank), message, (size_t)(at - message));
}

/* --- the step ------------------------------------------------------------------ */

static int prepare(struct gathering *gathering) {
  struct reduction *reduction = gathering->reduction;
  int children = reduce_children(reduction), parts = slot_complete(reduction) + 1 + children;
  reduction->parts = arena_take(&reduction->arena, (size_t)parts * sizeof(*reduction->parts));
  reduction->child = arena_take(&reduction->arena, (size_t)children * sizeof(*reduction->child));
  if (!reduction->parts || !reduction->child) return -1;
  memset(reduction->parts, 0, (size_t)parts * sizeof(*reduction->parts));
  memset(reduction->child, 0, (size_t)children * sizeof(*reduction->child));
  reduction->num_parts = parts;
  return 0;
}

static int take_own(struct gathering *gathering) {
  struct reduction *reduction = gathering->reduction;
  const struct reduce_source *source = reduction->source;
  struct log_content *content = arena_take(&gathering->arena, sizeof(*content));
  struct selection selection = {.arena = &gathering->arena,
                                .streams = &reduction->arena,
                                .compressor = &gathering->compressor,
                                .sharing = &reduction->facts.sharing,
                                .rank = source->rank,
                                .all_ranks =
                                    reduce_is_root(reduction) ? 0 : (unsigned)reduction->comm->size,
                                .together = source->nprocs == 1,
                                .reduce = !source->keep_ranks};
  gathering->leaving = (struct leaving){.arena = &reduction->arena,
                                        .compressor = &gathering->compressor,
                                        .sharing = &reduction->facts.sharing,
                                        .nprocs = source->nprocs,
                                        .most_bytes = source->limits.candidates};
  if (!content || source->content(source->context, &reduction->facts, content) < 0) return -1;
  if (source->gaps) reduction->facts.gaps |= *source->gaps; /* found while it was put together */
  return select_content(&selection, content, &reduction->parts[SLOT_OWN], &gathering->set);
}

static int finish(struct gathering *gathering) {
  struct reduction *reduction = gathering->reduction;
  struct stretches *left = &reduction->parts[slot_complete(reduction)];
  if (leave_complete(&gathering->leaving, &gathering->set, reduce_is_root(reduction), left) < 0)
    return -1;
  return add_up(reduction);
}

void gather_records(struct reduction *reduction) {
  struct gathering gathering = {.reduction = reduction};
  if (prepare(&gathering) < 0 || take_own(&gathering) < 0) reduction->failed = 1;
  let_excess_leave(&gathering, SLOT_EXCESS);
  take_children(&gathering);
  if (!reduction->failed && finish(&gathering) < 0) reduction->failed = 1;
  if (reduce_is_root(reduction))
    reduction->kept = 1;
  else if (reduction->failed)
    say_failed(reduction);
  else
    send_up(&gathering);
  arena_drop(&gathering.arena);
  log_compressor_drop(&gathering.compressor);
  message_drop(&reduction->agreed); /* the table has done its work */
  if (reduction->kept) return;
  for (int i = 0; reduction->child && i < reduce_children(reduction); i++)
    message_drop(&reduction->child[i]);
  reduction->child = NULL;
  arena_drop(&reduction->arena);
}
