/* Compiles and matches patterns (pattern.h). A pattern becomes a graph (Thompson's construction): a
 * node either takes one byte of a set, or leads to other nodes without taking a byte. Matching
 * stores the set of nodes that may come next, so its time is at most the length of the text times
 * the number of nodes. */
#include "pattern.h"

#include <string.h>

#include "../intercept/memory.h"

enum kind { BYTES, PASS, FORK, FOUND, BEGIN, END, WORD_EDGE, NO_WORD_EDGE, WORD_BEGIN, WORD_END };
enum { DEPTH = 32, DUP_MAX = 32767, WORDS = PATTERN_NODES / 64, PARSED = 8 * PATTERN_NODES };
enum { NO_LIMIT = -1, NONE = -1 };

struct pattern_node {
  uint8_t kind;
  uint16_t next, other; /* other: used only by FORK */
  uint8_t set[32];      /* used only by BYTES */
};

/* A part of the graph, from node `first` to node `last`, which is a PASS without a successor. */
struct piece {
  int first, last;
};

struct parser {
  const char *at;
  struct pattern_node *nodes;
  unsigned count;
  int depth;
  bool wrong;
};

static struct piece parse_choice(struct parser *p);

/* --- the graph ------------------------------------------------------------------------ */

static int add_node(struct parser *p, enum kind kind, int next) {
  if (p->count == PARSED) p->wrong = true;
  if (p->wrong) return 0;
  struct pattern_node *node = &p->nodes[p->count];
  *node = (struct pattern_node){.kind = (uint8_t)kind, .next = (uint16_t)next};
  return (int)p->count++;
}

/* Adds a node of this kind, which leads to a new PASS node (a node that takes no byte), and returns
 * both as a piece of the graph. */
static struct piece one(struct parser *p, enum kind kind) {
  int last = add_node(p, PASS, 0), first = add_node(p, kind, last);
  return (struct piece){first, last};
}

static struct piece nothing(struct parser *p) {
  int only = add_node(p, PASS, 0);
  return (struct piece){only, only};
}

static struct piece join(struct parser *p, struct piece a, struct piece b) {
  p->nodes[a.last].next = (uint16_t)b.first;
  return (struct piece){a.first, b.last};
}

/* Adds a FORK that leads into the piece or past it, and returns FORK and piece as a new piece.
 * loops: the end of the piece leads back to the FORK. may_be_none: the piece may be skipped. */
static struct piece repeat(struct parser *p, struct piece a, bool loops, bool may_be_none) {
  struct piece fork = one(p, FORK);
  p->nodes[fork.first].other = (uint16_t)a.first;
  p->nodes[a.last].next = (uint16_t)(loops ? fork.first : fork.last);
  return (struct piece){may_be_none ? fork.first : a.first, fork.last};
}

/* --- sets of bytes --------------------------------------------------------------------- */

static void add_byte(uint8_t *set, unsigned byte) {
  set[byte / 8] |= (uint8_t)(1U << byte % 8);
}
static bool has_byte(const uint8_t *set, unsigned char byte) {
  return set[byte / 8] >> byte % 8 & 1;
}
static void add_range(uint8_t *set, unsigned from, unsigned to) {
  for (unsigned byte = from; byte <= to; byte++)
    add_byte(set, byte);
}
static void invert(uint8_t *set) {
  for (int i = 0; i < 32; i++)
    set[i] = (uint8_t)~set[i];
}

/* The character classes of the C locale, whatever the application's locale is. The ranges are pairs
 * of bytes. */
static const struct {
  const char *name, *ranges;
} classes[] = {
    {"alpha", "AZaz"}, {"digit", "09"},     {"alnum", "09AZaz"},         {"upper", "AZ"},
    {"lower", "az"},   {"space", "\t\r  "}, {"blank", "\t\t  "},         {"punct", "!/:@[`{~"},
    {"print", " ~"},   {"graph", "!~"},     {"cntrl", "\1\x1f\x7f\x7f"}, {"xdigit", "09AFaf"},
};

static bool add_class(uint8_t *set, const char *name, size_t length) {
  for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
    if (strlen(classes[i].name) != length || memcmp(classes[i].name, name, length) != 0) continue;
    for (const char *range = classes[i].ranges; *range; range += 2)
      add_range(set, (unsigned char)range[0], (unsigned char)range[1]);
    return true;
  }
  return false;
}

static void add_word(uint8_t *set) {
  add_class(set, "alnum", 5);
  add_byte(set, '_');
}
static bool is_word(unsigned char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= 'a' && byte <= 'z') || byte == '_';
}

/* Parses [:name:], [=x=] or [.x.]. Returns the text between the marks and its length, or NULL if
 * the end is missing. */
static const char *named(struct parser *p, size_t *length) {
  char mark = p->at[1];
  const char *name = p->at + 2, *end = name;
  while (*end && !(end[0] == mark && end[1] == ']'))
    end++;
  if (!*end) return NULL;
  *length = (size_t)(end - name);
  p->at = end + 2;
  return name;
}

/* Parses a byte or one end of a range, and returns it. Returns NONE after it added a class to the
 * set. After an error, sets p->wrong and returns NONE. */
static int set_byte(struct parser *p, uint8_t *set) {
  size_t length = 0;
  char mark = p->at[0] == '[' ? p->at[1] : '\0';
  if (mark != ':' && mark != '=' && mark != '.') return (unsigned char)*p->at++;
  const char *name = named(p, &length);
  if (mark != ':' && name && length == 1) return (unsigned char)*name;
  if (mark != ':' || !name || !add_class(set, name, length)) p->wrong = true;
  return NONE;
}

/* Parses a set, such as [a-z], from the byte after its '[' on, and returns its piece. After an
 * error, sets p->wrong. */
static struct piece parse_set(struct parser *p) {
  struct piece piece = one(p, BYTES);
  uint8_t *set = p->nodes[piece.first].set;
  bool inverted = *p->at == '^';
  p->at += inverted;
  for (const char *begin = p->at; !p->wrong && (*p->at != ']' || p->at == begin);) {
    if (*p->at == '\0') p->wrong = true;
    if (p->wrong) return piece;
    int from = set_byte(p, set), to = from;
    if (p->at[0] == '-' && p->at[1] != ']' && p->at[1] != '\0') {
      p->at++;
      to = set_byte(p, set);
      if (from == NONE || to < from) p->wrong = true;
    }
    if (!p->wrong && from != NONE) add_range(set, (unsigned)from, (unsigned)to);
  }
  p->at += !p->wrong;
  if (inverted) invert(set);
  return piece;
}

/* --- the grammar ----------------------------------------------------------------------- */

static struct piece literal(struct parser *p, unsigned char byte) {
  struct piece piece = one(p, BYTES);
  add_byte(p->nodes[piece.first].set, byte);
  return piece;
}

static struct piece word_or_space(struct parser *p, char letter) {
  struct piece piece = one(p, BYTES);
  uint8_t *set = p->nodes[piece.first].set;
  if (letter == 'w' || letter == 'W')
    add_word(set);
  else
    add_class(set, "space", 5);
  if (letter == 'W' || letter == 'S') invert(set);
  return piece;
}

/* Parses the character after a backslash and returns its piece. Sets *anchor to true if the piece
 * takes no byte, so that it must not be repeated. */
static struct piece parse_escape(struct parser *p, bool *anchor) {
  static const char anchors[] = "`'bB<>";
  static const enum kind kinds[] = {BEGIN, END, WORD_EDGE, NO_WORD_EDGE, WORD_BEGIN, WORD_END};
  char letter = *p->at;
  if (letter == '\0' || (letter >= '1' && letter <= '9')) p->wrong = true;
  if (p->wrong) return nothing(p);
  p->at++;
  const char *known = strchr(anchors, letter);
  *anchor = known != NULL;
  if (known) return one(p, kinds[known - anchors]);
  if (strchr("wWsS", letter)) return word_or_space(p, letter);
  return literal(p, (unsigned char)letter);
}

static struct piece parse_group(struct parser *p) {
  if (++p->depth > DEPTH) p->wrong = true;
  struct piece piece = p->wrong ? nothing(p) : parse_choice(p);
  if (*p->at != ')') p->wrong = true;
  p->at += !p->wrong;
  p->depth--;
  return piece;
}

static struct piece parse_atom(struct parser *p, bool *anchor) {
  char byte = *p->at++;
  *anchor = byte == '^' || byte == '$';
  switch (byte) {
  case '(':
    return parse_group(p);
  case '[':
    return parse_set(p);
  case '\\':
    return parse_escape(p, anchor);
  case '^':
    return one(p, BEGIN);
  case '$':
    return one(p, END);
  case '.': {
    struct piece any = one(p, BYTES);
    add_range(p->nodes[any.first].set, 1, 255);
    return any;
  }
  case '*':
  case '+':
  case '?':
  case '{': /* an error: there is nothing to repeat */
    p->wrong = true;
    return nothing(p);
  default:
    return literal(p, (unsigned char)byte);
  }
}

static int parse_number(struct parser *p) {
  int number = NONE;
  for (; *p->at >= '0' && *p->at <= '9' && number <= DUP_MAX; p->at++)
    number = (number == NONE ? 0 : number * 10) + (*p->at - '0');
  return number;
}

/* Parses the bounds "m}", "m,}" or "m,n}" after a '{'. Sets *most to NO_LIMIT if there is no upper
 * bound. After an error, sets p->wrong. */
static void parse_bounds(struct parser *p, int *least, int *most) {
  *least = *most = parse_number(p);
  if (*p->at == ',') {
    p->at++;
    *most = parse_number(p); /* NO_LIMIT if no number follows */
    if (*least == NONE) *least = 0;
  } else if (*least == NONE) {
    p->wrong = true;
  }
  if (*p->at != '}' || *least > DUP_MAX || *most > DUP_MAX || (*most != NO_LIMIT && *most < *least))
    p->wrong = true;
  p->at += !p->wrong;
}

static struct piece parse_piece(struct parser *p, const char *stop);

/* Returns a piece that matches an atom at least `least` and at most `most` times. a: the first copy
 * of the atom, whose text is from `from` to `stop`; further copies are parsed again. */
static struct piece times(struct parser *p, struct piece a, const char *from, const char *stop,
                          int least, int most) {
  const char *behind = p->at;
  int copies = most == NO_LIMIT ? least : most;
  if (most == NO_LIMIT && least == 0) return repeat(p, a, true, true);
  struct piece all = nothing(p);
  for (int i = 0; i < copies && !p->wrong; i++) {
    if (i > 0) {
      p->at = from;
      a = parse_piece(p, stop);
    }
    if (i >= least) a = repeat(p, a, false, true);
    if (most == NO_LIMIT && i == copies - 1) a = repeat(p, a, true, false);
    all = join(p, all, a);
  }
  p->at = behind;
  return all;
}

/* Parses an atom and its repetitions, up to stop if stop is not NULL, and returns their piece. */
static struct piece parse_piece(struct parser *p, const char *stop) {
  const char *from = p->at;
  bool anchor = false;
  struct piece piece = parse_atom(p, &anchor);
  while (!p->wrong && !anchor && p->at != stop && *p->at && strchr("*+?{", *p->at)) {
    const char *end = p->at;
    int least = *end == '+', most = *end == '?' ? 1 : NO_LIMIT;
    p->at++;
    if (*end == '{') parse_bounds(p, &least, &most);
    if (p->wrong) break;
    if (*end == '{')
      piece = times(p, piece, from, end, least, most);
    else
      piece = repeat(p, piece, most == NO_LIMIT, least == 0);
  }
  return piece;
}

static struct piece parse_row(struct parser *p) {
  struct piece row = nothing(p);
  while (!p->wrong && *p->at && *p->at != '|' && !(*p->at == ')' && p->depth))
    row = join(p, row, parse_piece(p, NULL));
  return row;
}

static struct piece parse_choice(struct parser *p) {
  struct piece all = parse_row(p);
  while (!p->wrong && *p->at == '|') {
    p->at++;
    struct piece next = parse_row(p), fork = one(p, FORK);
    p->nodes[fork.first].next = (uint16_t)all.first;
    p->nodes[fork.first].other = (uint16_t)next.first;
    p->nodes[all.last].next = p->nodes[next.last].next = (uint16_t)fork.last;
    all = fork;
  }
  return all;
}

/* --- matching -------------------------------------------------------------------------- */

/* A position in the text, given by the bytes on both sides. */
struct place {
  unsigned char before, after; /* 0: the text begins or ends here */
};

static bool holds(enum kind kind, struct place place) {
  bool word_before = is_word(place.before), word_after = is_word(place.after);
  switch (kind) {
  case BEGIN:
    return !place.before;
  case END:
    return !place.after;
  case WORD_EDGE:
    return word_before != word_after;
  case NO_WORD_EDGE:
    return word_before == word_after;
  case WORD_BEGIN:
    return !word_before && word_after;
  case WORD_END:
    return word_before && !word_after;
  default:
    return true; /* PASS and FORK match everywhere */
  }
}

static void add(uint64_t *set, unsigned number) {
  set[number / 64] |= (uint64_t)1 << number % 64;
}

/* Keeps the compiler from calling memset, which costs more time and stack than the loop if there
 * are few words. */
#define NO_MEMSET __asm__ volatile("")

/* Follows all nodes in the set `now` and empties it. Adds the nodes that are reached by the next
 * byte to `next`. Returns true if a match ends at this position, otherwise false. */
static bool step(const struct pattern *pattern, uint64_t *now, uint64_t *next, struct place place) {
  uint64_t seen[WORDS];
  unsigned words = (pattern->count + 63) / 64;
  for (unsigned i = 0; i < words; i++) {
    seen[i] = next[i] = 0;
    NO_MEMSET;
  }
  for (unsigned i = 0; i < words;) {
    uint64_t left = now[i] & ~seen[i];
    if (left == 0) {
      now[i++] = 0;
      continue;
    }
    unsigned number = i * 64 + (unsigned)__builtin_ctzll(left);
    const struct pattern_node *node = &pattern->nodes[number];
    add(seen, number);
    if (node->kind == FOUND) return true;
    if (node->kind == BYTES) {
      if (place.after && has_byte(node->set, place.after)) add(next, node->next);
      continue;
    }
    if (!holds(node->kind, place)) continue;
    add(now, node->next);
    if (node->kind == FORK) add(now, node->other);
    unsigned lowest = node->kind == FORK && node->other < node->next ? node->other : node->next;
    if (lowest / 64 < i) i = lowest / 64;
  }
  return false;
}

bool pattern_found(const struct pattern *pattern, const char *text) {
  uint64_t sets[2][WORDS];
  unsigned words = (pattern->count + 63) / 64, now = 0;
  bool waiting = false; /* true: a match has begun */
  for (unsigned i = 0; i < words; i++) {
    sets[0][i] = 0;
    NO_MEMSET;
  }
  for (const char *at = text;; at++, now = !now) {
    struct place place = {at == text ? 0 : (unsigned char)at[-1], (unsigned char)*at};
    bool begins = pattern->empty || has_byte(pattern->first, place.after);
    if (begins) add(sets[now], pattern->start);
    if (begins || waiting) {
      if (step(pattern, sets[now], sets[!now], place)) return true;
      waiting = false;
      for (unsigned i = 0; i < words; i++)
        waiting |= sets[!now][i] != 0;
    } else {
      for (unsigned i = 0; i < words; i++) {
        sets[!now][i] = 0;
        NO_MEMSET;
      }
    }
    if (*at == '\0' || (!waiting && pattern->nodes[pattern->start].kind == BEGIN)) return false;
  }
}

/* Computes whether a match may be empty and the set of bytes with which another match may begin; if
 * none may be empty, a search can skip other bytes. Assumes that anchors always match. */
static void note_first(struct pattern *pattern) {
  uint64_t todo[WORDS] = {0}, seen[WORDS] = {0};
  add(todo, pattern->start);
  for (unsigned i = 0; i < WORDS;) {
    uint64_t left = todo[i] & ~seen[i];
    if (left == 0) {
      i++;
      continue;
    }
    unsigned number = i * 64 + (unsigned)__builtin_ctzll(left);
    const struct pattern_node *node = &pattern->nodes[number];
    add(seen, number);
    pattern->empty |= node->kind == FOUND;
    for (int byte = 0; node->kind == BYTES && byte < 32; byte++)
      pattern->first[byte] |= node->set[byte];
    if (node->kind == FOUND || node->kind == BYTES) continue;
    add(todo, node->next);
    if (node->kind == FORK) add(todo, node->other);
    i = 0;
  }
}

static int behind_passes(const struct pattern_node *nodes, int number) {
  while (nodes[number].kind == PASS)
    number = nodes[number].next;
  return number;
}

/* Removes the PASS nodes, which take no byte. numbers: space for a number per node. Returns 0,
 * or -1 if too many nodes remain. */
static int shorten(struct pattern *pattern, uint16_t *numbers) {
  struct pattern_node *nodes = pattern->nodes;
  unsigned count = 0;
  pattern->start = (unsigned)behind_passes(nodes, (int)pattern->start);
  for (unsigned i = 0; i < pattern->count; i++) {
    if (nodes[i].kind == PASS) continue;
    nodes[i].next = (uint16_t)behind_passes(nodes, nodes[i].next);
    if (nodes[i].kind == FORK) nodes[i].other = (uint16_t)behind_passes(nodes, nodes[i].other);
    numbers[i] = (uint16_t)count++;
  }
  if (count > PATTERN_NODES) return -1;
  for (unsigned i = 0; i < pattern->count; i++) {
    if (nodes[i].kind == PASS) continue;
    struct pattern_node node = nodes[i];
    node.next = numbers[node.next];
    if (node.kind == FORK) node.other = numbers[node.other];
    nodes[numbers[i]] = node;
  }
  pattern->start = numbers[pattern->start];
  pattern->count = count;
  return 0;
}

/* Parses the text. Returns 0, or -1 if the text is not a pattern or needs too many nodes. memory:
 * space for more nodes than the finished pattern has. */
static int parse(struct pattern *pattern, const char *text, struct pattern_node *memory) {
  struct parser parser = {.at = text, .nodes = memory};
  struct piece all = parse_choice(&parser);
  int found = add_node(&parser, FOUND, 0);
  if (parser.wrong || *parser.at) return -1;
  memory[all.last].next = memory[found].next = (uint16_t)found;
  *pattern = (struct pattern){.nodes = memory, .count = parser.count, .start = (unsigned)all.first};
  return shorten(pattern, (uint16_t *)(memory + PARSED));
}

int pattern_compile(struct pattern *pattern, const char *text) {
  enum { MEMORY = PARSED * (sizeof(struct pattern_node) + sizeof(uint16_t)) };
  struct pattern_node *memory = private_memory(MEMORY);
  int result = memory ? parse(pattern, text, memory) : -1;
  size_t size = result == 0 ? pattern->count * sizeof(*memory) : 0;
  struct pattern_node *kept = size ? private_memory(size) : NULL;
  if (kept) memcpy(kept, memory, size);
  if (memory) sys_munmap(memory, MEMORY);
  pattern->nodes = kept;
  pattern->memory = size;
  if (!kept) return -1;
  note_first(pattern);
  return 0;
}

void pattern_release(struct pattern *pattern) {
  if (pattern->nodes) sys_munmap(pattern->nodes, pattern->memory);
  pattern->nodes = NULL;
}
