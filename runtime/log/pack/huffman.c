/* Builds Huffman codes of limited length. */
#include "block.h"

#include <string.h>

/* A leaf of the Huffman tree, which is a symbol that occurs, or an inner node of the tree. */
struct node {
  uint32_t times;
  uint16_t symbol, parent;
};

/* Returns 1 if a comes before b: rarer symbols come first. Otherwise returns 0. Symbols that occur
 * equally often are in order of symbol, so that the output is reproducible. */
static int is_before(const struct node *a, const struct node *b) {
  return a->times < b->times || (a->times == b->times && a->symbol < b->symbol);
}
static void sort(struct node *nodes, unsigned count) {
  static const uint8_t gaps[] = {132, 57, 23, 10, 4, 1}; /* Shell sort, with Ciura's gaps */
  for (size_t k = 0; k < sizeof(gaps); k++) {
    unsigned gap = gaps[k];
    for (unsigned i = gap; i < count; i++) {
      struct node node = nodes[i];
      unsigned at = i;
      for (; at >= gap && is_before(&node, &nodes[at - gap]); at -= gap)
        nodes[at] = nodes[at - gap];
      nodes[at] = node;
    }
  }
}

/* Stores the symbols that occur, the rarest first, and adds symbols until there are two. Returns
 * their number. */
static unsigned collect(struct node *nodes, const uint32_t *times, unsigned n) {
  unsigned count = 0;
  for (unsigned symbol = 0; symbol < n; symbol++)
    if (times[symbol]) nodes[count++] = (struct node){times[symbol], (uint16_t)symbol, 0};
  sort(nodes, count);
  for (unsigned symbol = 0; count < 2; symbol++)
    if (!times[symbol]) nodes[count++] = (struct node){1, (uint16_t)symbol, 0};
  return count;
}

/* Takes the rarest node that has no parent yet, a leaf or one of the `made` inner nodes. Returns
 * its index, and advances *leaf or *inner. */
static unsigned take_rarest(const struct node *nodes, unsigned leaves, unsigned made,
                            unsigned *leaf, unsigned *inner) {
  if (*leaf < leaves && (*inner == made || nodes[*leaf].times <= nodes[*inner].times))
    return (*leaf)++;
  return (*inner)++;
}

/* Counts the leaves at each depth of the tree. Leaves deeper than `longest` count at depth
 * `longest`. */
static void count_depths(struct node *nodes, unsigned leaves, unsigned longest,
                         unsigned per_length[HUFFMAN_BITS + 1]) {
  unsigned leaf = 0, inner = leaves, made = leaves;
  uint16_t depth[2 * HUFFMAN_SYMBOLS];
  for (; made < 2 * leaves - 1; made++) {
    unsigned a = take_rarest(nodes, leaves, made, &leaf, &inner);
    unsigned b = take_rarest(nodes, leaves, made, &leaf, &inner);
    nodes[made] = (struct node){nodes[a].times + nodes[b].times, 0, 0};
    nodes[a].parent = nodes[b].parent = (uint16_t)made;
  }
  memset(per_length, 0, (HUFFMAN_BITS + 1) * sizeof(*per_length));
  depth[made - 1] = 0;
  for (unsigned i = made - 1; i-- > 0;) {
    depth[i] = (uint16_t)(depth[nodes[i].parent] + 1);
    if (i < leaves) per_length[depth[i] < longest ? depth[i] : longest]++;
  }
}

/* Lengthens shorter codes, one bit at a time, until the sum of 2^-length is 1 again. The sum is
 * larger after codes were shortened to `longest` bits. */
static void make_room(unsigned per_length[HUFFMAN_BITS + 1], unsigned longest) {
  unsigned taken = 0;
  for (unsigned length = 1; length <= longest; length++)
    taken += per_length[length] << (longest - length);
  for (; taken > 1u << longest; taken--) {
    unsigned length = longest - 1;
    while (!per_length[length])
      length--;
    per_length[longest]--;
    per_length[length]--;
    per_length[length + 1] += 2;
  }
}

static uint16_t reversed(unsigned code, unsigned length) {
  unsigned turned = 0;
  for (; length; length--, code >>= 1)
    turned = turned << 1 | (code & 1);
  return (uint16_t)turned;
}

/* Assigns codes in order of length, then symbol (RFC 1951, 3.2.2). */
static void number_codes(struct huffman *huffman, unsigned n, const unsigned *per_length) {
  unsigned next[HUFFMAN_BITS + 1] = {0};
  for (unsigned length = 2; length <= HUFFMAN_BITS; length++)
    next[length] = (next[length - 1] + per_length[length - 1]) << 1;
  for (unsigned symbol = 0; symbol < n; symbol++) {
    unsigned length = huffman->length[symbol];
    if (length) huffman->code[symbol] = reversed(next[length]++, length);
  }
}

void huffman_make(struct huffman *huffman, const uint32_t *times, unsigned n, unsigned longest) {
  struct node nodes[2 * HUFFMAN_SYMBOLS];
  unsigned per_length[HUFFMAN_BITS + 1], leaves = collect(nodes, times, n), at = 0;
  memset(huffman, 0, sizeof(*huffman));
  count_depths(nodes, leaves, longest, per_length);
  make_room(per_length, longest);
  for (unsigned length = longest; length > 0; length--)
    for (unsigned i = 0; i < per_length[length]; i++)
      huffman->length[nodes[at++].symbol] = (uint8_t)length;
  number_codes(huffman, n, per_length);
}
