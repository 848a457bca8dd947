/* Writes a block with its own Huffman codes (RFC 1951, 3.2.7). */
#include "block.h"

enum {
  LITERALS = 286, /* number of symbols for bytes, the end of the block and match lengths */
  DISTANCES = 30  /* number of symbols for match distances */
};

enum {
  LENGTH_CODES = 19, /* number of symbols for code lengths */
  LENGTH_BITS = 7,   /* longest code of such a symbol */
  REPEAT = 16,       /* repeats the previous length 3 to 6 times */
  ZEROS_SHORT = 17,  /* 3 to 10 zeros */
  ZEROS_LONG = 18,   /* 11 to 138 zeros */
  DYNAMIC = 2        /* type of a block with its own codes */
};

struct table { /* the code lengths of both codes, run-length encoded */
  uint8_t symbols[LITERALS + DISTANCES], extra[LITERALS + DISTANCES];
  unsigned count, literals, distances;
  uint32_t times[LENGTH_CODES];
};

struct piece { /* the bits of a match's length or distance */
  uint32_t bits;
  unsigned count;
};

struct codes {
  struct huffman literals, distances;
  struct piece lengths[MATCH_MOST + 1], places[BLOCK_PLACES];
};

void block_start(struct block *block) {
  block->count = 0;
  memset(block->literals, 0, sizeof(block->literals));
  memset(block->lengths, 0, sizeof(block->lengths));
  memset(block->places, 0, sizeof(block->places));
}

static void add_length(struct table *table, unsigned symbol, unsigned extra) {
  table->symbols[table->count] = (uint8_t)symbol;
  table->extra[table->count++] = (uint8_t)extra;
  table->times[symbol]++;
}

/* Adds n codes of one length to the table of code lengths, as a run. */
static void add_run(struct table *table, unsigned length, unsigned n) {
  while (n >= 3 && length == 0) {
    unsigned now = n < 138 ? n : 138;
    add_length(table, now < 11 ? ZEROS_SHORT : ZEROS_LONG, now < 11 ? now - 3 : now - 11);
    n -= now;
  }
  if (n > 0) {
    add_length(table, length, 0);
    n--;
  }
  while (n >= 3) {
    unsigned now = n < 6 ? n : 6;
    add_length(table, REPEAT, now - 3);
    n -= now;
  }
  for (; n > 0; n--)
    add_length(table, length, 0);
}

static unsigned used_symbols(const struct huffman *huffman, unsigned n, unsigned least) {
  while (n > least && !huffman->length[n - 1])
    n--;
  return n;
}

static void make_table(struct table *table, const struct huffman *literals,
                       const struct huffman *distances) {
  uint8_t lengths[LITERALS + DISTANCES];
  memset(table, 0, sizeof(*table));
  table->literals = used_symbols(literals, LITERALS, BLOCK_END + 1);
  table->distances = used_symbols(distances, DISTANCES, 1);
  memcpy(lengths, literals->length, table->literals);
  memcpy(lengths + table->literals, distances->length, table->distances);
  unsigned n = table->literals + table->distances;
  for (unsigned at = 0, run; at < n; at += run) {
    for (run = 1; at + run < n && lengths[at + run] == lengths[at];)
      run++;
    add_run(table, lengths[at], run);
  }
}

static void write_table(struct bits *out, const struct table *table) {
  static const uint8_t order[LENGTH_CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                              11, 4,  12, 3, 13, 2, 14, 1, 15};
  static const uint8_t extra_bits[LENGTH_CODES] = {
      [REPEAT] = 2, [ZEROS_SHORT] = 3, [ZEROS_LONG] = 7};
  struct huffman huffman;
  unsigned codes = LENGTH_CODES;
  huffman_make(&huffman, table->times, LENGTH_CODES, LENGTH_BITS);
  while (codes > 4 && !huffman.length[order[codes - 1]])
    codes--;
  bits_put(out, table->literals - 257, 5);
  bits_put(out, table->distances - 1, 5);
  bits_put(out, codes - 4, 4);
  for (unsigned i = 0; i < codes; i++)
    bits_put(out, huffman.length[order[i]], 3);
  for (unsigned i = 0; i < table->count; i++) {
    unsigned symbol = table->symbols[i];
    bits_put(out, huffman.code[symbol], huffman.length[symbol]);
    bits_put(out, table->extra[i], extra_bits[symbol]);
  }
}

static struct piece piece_of(const struct huffman *huffman, struct symbol symbol) {
  unsigned length = huffman->length[symbol.symbol];
  return (struct piece){huffman->code[symbol.symbol] | (uint32_t)symbol.value << length,
                        length + symbol.bits};
}

/* Makes the codes of a block from the frequencies of its symbols. Returns the number of bits that
 * the block takes in these codes, without the table of codes. */
static uint64_t make_codes(const struct block *block, struct codes *codes) {
  uint32_t literals[LITERALS] = {0}, distances[DISTANCES] = {0};
  uint64_t bits = 0;
  memcpy(literals, block->literals, sizeof(block->literals));
  literals[BLOCK_END] = 1;
  for (unsigned n = MATCH_LEAST; n <= MATCH_MOST; n++)
    literals[length_symbol(n).symbol] += block->lengths[n];
  for (int i = 0; i < BLOCK_PLACES; i++)
    if (block->places[i]) distances[distance_symbol(block->distance[i]).symbol] += block->places[i];
  huffman_make(&codes->literals, literals, LITERALS, HUFFMAN_BITS);
  huffman_make(&codes->distances, distances, DISTANCES, HUFFMAN_BITS);
  for (unsigned i = 0; i <= BLOCK_END; i++)
    bits += (uint64_t)literals[i] * codes->literals.length[i];
  for (unsigned n = MATCH_LEAST; n <= MATCH_MOST; n++) {
    codes->lengths[n] = piece_of(&codes->literals, length_symbol(n));
    bits += (uint64_t)block->lengths[n] * codes->lengths[n].count;
  }
  for (int i = 0; i < BLOCK_PLACES; i++) {
    if (!block->places[i]) continue;
    codes->places[i] = piece_of(&codes->distances, distance_symbol(block->distance[i]));
    bits += (uint64_t)block->places[i] * codes->places[i].count;
  }
  return bits;
}

static void write_tokens(struct bits *out, const struct block *block, const struct codes *codes) {
  for (uint32_t i = 0; i < block->count; i++) {
    uint32_t token = block->tokens[i];
    if (token < BLOCK_END) {
      bits_put(out, codes->literals.code[token], codes->literals.length[token]);
    } else {
      struct piece length = codes->lengths[token >> 16], place = codes->places[token & 0xffff];
      bits_put(out, length.bits | (uint64_t)place.bits << length.count, length.count + place.count);
    }
  }
}

int block_write(struct block *block, struct bits *out, size_t room, int last) {
  enum {
    TABLE = 512,
    WORDS = 2 * sizeof(uint64_t)
  }; /* bytes of the largest table; bytes that bits_put may write beyond the end */
  struct codes codes;
  struct table table;
  uint64_t bits = make_codes(block, &codes);
  if (out->used > room || room - out->used < TABLE + WORDS + bits / 8) return -1;
  bits_put(out, (unsigned)(last != 0) | DYNAMIC << 1, 3);
  make_table(&table, &codes.literals, &codes.distances);
  write_table(out, &table);
  write_tokens(out, block, &codes);
  bits_put(out, codes.literals.code[BLOCK_END], codes.literals.length[BLOCK_END]);
  block_start(block);
  return 0;
}
