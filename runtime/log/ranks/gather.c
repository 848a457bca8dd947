/* Collects the streams and candidates of this rank and its children, and sends them to the parent
 * (gather.h). */
#include "gather.h"

#include <string.h>

struct records_head { /* the lines (struct stretch) follow, then candidates, then the bytes of the
                         lines */
  uint32_t failed, kept;
  uint64_t candidates, candidate_bytes;
  uint32_t lines, gaps;
};

/* Indexes into gathered->parts: this rank's own streams; from PART_EXCESS on the streams of excess
 * candidates, in a part before any child and one after each child. Then follow, from part_complete
 * on, the streams of complete candidates and one part per child. */
enum { PART_OWN, PART_EXCESS };
static int part_complete(const struct rank *rank) {
  return PART_EXCESS + 1 + rank_children(rank);
}

struct gathering {
  const struct rank *rank;
  struct facts *facts;
  struct gathered *result;
  struct log_compressor compressor;
  struct arena arena; /* memory of the candidates */
  struct candidates set;
  struct leaving leaving;
};

/* --- records of this rank ---------------------------------------------------------- */

static int prepare_parts(struct gathered *gathered, const struct rank *rank) {
  int children = rank_children(rank), parts = part_complete(rank) + 1 + children;
  gathered->parts = arena_take(&gathered->arena, (size_t)parts * sizeof(*gathered->parts));
  gathered->child = arena_take(&gathered->arena, (size_t)children * sizeof(*gathered->child));
  if (!gathered->parts || !gathered->child) return -1;
  memset(gathered->parts, 0, (size_t)parts * sizeof(*gathered->parts));
  memset(gathered->child, 0, (size_t)children * sizeof(*gathered->child));
  gathered->num_parts = parts;
  return 0;
}

static int take_own(struct gathering *gathering) {
  const struct reduce_source *source = gathering->rank->source;
  struct facts *facts = gathering->facts;
  struct log_content *content = arena_take(&gathering->arena, sizeof(*content));
  if (!content || source->content(source->context, facts, content) < 0) return -1;
  if (source->gaps) facts->gaps |= *source->gaps; /* gaps that were found while content was made */
  return leave_own(&gathering->leaving, content, &gathering->set,
                   &gathering->result->parts[PART_OWN]);
}

/* --- records of children ----------------------------------------------------------- */

static int take_lines(struct gathered *gathered, struct stretches *part,
                      const struct records_head *head, const char **at, const char *end) {
  size_t n = head->lines * sizeof(struct stretch);
  if (head->lines > SECTIONS || (size_t)(end - *at) < n) return -1;
  if (stretches_prepare(part, &gathered->arena, (int)head->lines) < 0) return -1;
  memcpy(part->lines, *at, n);
  memset(part->bytes, 0, head->lines * sizeof(*part->bytes));
  *at += n;
  return 0;
}

static int take_bytes(struct stretches *part, const struct records_head *head, const char *at,
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
  struct gathered *gathered = gathering->result;
  const char *at = message->bytes, *end = at + message->n;
  struct records_head head;
  if (message->n < sizeof(head)) return -1;
  memcpy(&head, at, sizeof(head));
  at += sizeof(head);
  if (head.kept) gathered->kept_children |= 1u << n; /* the child waits for file offsets */
  gathering->facts->gaps |= head.gaps;
  if (head.failed || gathered->failed) return -1;
  struct stretches *part = &gathered->parts[part_of_child(gathered, gathering->rank, n)];
  if (take_lines(gathered, part, &head, &at, end) < 0 ||
      head.candidate_bytes > (size_t)(end - at) ||
      candidates_merge(&gathering->set, at, head.candidate_bytes, head.candidates) < 0)
    return -1;
  return take_bytes(part, &head, at + head.candidate_bytes, end);
}

/* Compresses candidates that exceed the memory limit into the part `index`, and removes them from
 * the set. Sets `failed` if out of memory. */
static void let_excess_leave(struct gathering *gathering, int index) {
  struct gathered *gathered = gathering->result;
  if (gathered->failed) return;
  if (leave_excess(&gathering->leaving, &gathering->set, &gathered->parts[index]) < 0)
    gathered->failed = 1;
}

static void take_children(struct gathering *gathering) {
  struct gathered *gathered = gathering->result;
  for (int i = 0; i < rank_children(gathering->rank); i++) {
    struct message message;
    if (child_receive(gathering->rank, i, &message) < 0 || take_child(gathering, i, &message) < 0)
      gathered->failed = 1;
    if (gathered->failed)
      message_drop(&message);
    else
      gathered->child[i] = message;
    let_excess_leave(gathering, PART_EXCESS + 1 + i);
  }
}

/* --- the message to the parent -------------------------------------------------------- */

static int add_up(struct gathered *gathered) {
  struct stretches *total = &gathered->total;
  if (stretches_prepare(total, &gathered->arena, SECTIONS) < 0) return -1;
  for (uint32_t section = 0; section < SECTIONS; section++) {
    struct stretch *line = &total->lines[total->count];
    int found = 0;
    for (int i = 0; i < gathered->num_parts; i++) {
      const struct stretch *part = stretches_find(&gathered->parts[i], section);
      if (part && found++ == 0)
        *line = *part;
      else if (part)
        stretch_join(line, part);
    }
    total->count += found > 0;
  }
  return 0;
}

static int take_complete(struct gathering *gathering) {
  struct gathered *gathered = gathering->result;
  struct stretches *left = &gathered->parts[part_complete(gathering->rank)];
  if (leave_complete(&gathering->leaving, &gathering->set, left) < 0) return -1;
  return add_up(gathered);
}

static size_t bytes_here(const struct gathered *gathered) {
  size_t sum = 0;
  for (int i = 0; i < gathered->num_parts; i++)
    for (int line = 0; line < gathered->parts[i].count; line++)
      if (gathered->parts[i].bytes[line]) sum += gathered->parts[i].lines[line].stored;
  return sum;
}

static char *put_bytes(const struct gathered *gathered, char *out) {
  for (int i = 0; i < gathered->total.count; i++)
    for (int p = 0; p < gathered->num_parts; p++) {
      const struct stretches *part = &gathered->parts[p];
      const struct stretch *line = stretches_find(part, gathered->total.lines[i].section);
      const char *bytes = line ? part->bytes[line - part->lines] : NULL;
      if (!bytes) continue;
      memcpy(out, bytes, line->stored);
      out += line->stored;
    }
  return out;
}

static void send_failed_records(struct gathering *gathering) {
  struct gathered *gathered = gathering->result;
  struct records_head head = {
      .failed = 1, .kept = gathered->kept_children != 0, .gaps = gathering->facts->gaps};
  gathered->kept = (int)head.kept;
  parent_send(gathering->rank, &head, sizeof(head));
}

static void send_records(struct gathering *gathering) {
  struct gathered *gathered = gathering->result;
  const struct rank *rank = gathering->rank;
  const struct candidates *set = &gathering->set;
  size_t most =
      sizeof(struct records_head) + (size_t)gathered->total.count * sizeof(struct stretch);
  size_t streams = bytes_here(gathered);
  gathered->kept = gathered->kept_children || streams > rank->source->limits.streams;
  if (!gathered->kept) most += streams;
  for (size_t i = 0; i < set->count; i++)
    most += candidate_wire_max(set->items[i]);
  char *message = arena_take(&gathering->arena, most);
  if (!message) {
    send_failed_records(gathering);
    return;
  }
  struct records_head head = {.kept = gathered->kept != 0,
                              .candidates = set->count,
                              .gaps = gathering->facts->gaps,
                              .lines = (uint32_t)gathered->total.count};
  char *at = message + sizeof(head);
  memcpy(at, gathered->total.lines, head.lines * sizeof(struct stretch));
  at += head.lines * sizeof(struct stretch);
  for (size_t i = 0; i < set->count; i++) {
    size_t n = candidate_encode(set->items[i], at);
    head.candidate_bytes += n;
    at += n;
  }
  if (!gathered->kept) at = put_bytes(gathered, at);
  memcpy(message, &head, sizeof(head));
  parent_send(rank, message, (size_t)(at - message));
}

/* --- the step ----------------------------------------------------------------------- */

void gathered_drop(struct gathered *gathered, const struct rank *rank) {
  for (int i = 0; gathered->child && i < rank_children(rank); i++)
    message_drop(&gathered->child[i]);
  gathered->child = NULL;
  arena_drop(&gathered->arena);
}

void gather_up(struct gathered *gathered, const struct rank *rank, struct facts *facts) {
  struct gathering gathering = {.rank = rank, .facts = facts, .result = gathered};
  gathering.set = candidates_none(&gathering.arena);
  gathering.leaving = (struct leaving){.rank = rank,
                                       .sharing = &facts->sharing,
                                       .arena = &gathered->arena,
                                       .compressor = &gathering.compressor};
  if (prepare_parts(gathered, rank) < 0 || take_own(&gathering) < 0) gathered->failed = 1;
  let_excess_leave(&gathering, PART_EXCESS);
  take_children(&gathering);
  if (!gathered->failed && take_complete(&gathering) < 0) gathered->failed = 1;
  if (rank_is_root(rank))
    gathered->kept = 1;
  else if (gathered->failed)
    send_failed_records(&gathering);
  else
    send_records(&gathering);
  arena_drop(&gathering.arena);
  log_compressor_drop(&gathering.compressor);
  if (!rank_is_root(rank)) facts_drop(facts);
  if (!gathered->kept) gathered_drop(gathered, rank);
}
