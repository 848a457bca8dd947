/* Finds the compiled code of a Java machine that contains an address, and the methods at that
 * address (java-layout.h). */
#include "java-layout.h"

bool java_compressed(uintptr_t *at, uint32_t *number) {
  enum { LAST = 192, BITS = 6, BYTES = 5 };
  *number = 0;
  for (unsigned i = 0; i < BYTES; i++) {
    unsigned char byte;
    if (!python_read_few(&byte, (*at)++, 1)) return false;
    *number += (byte - java.number_base) << (BITS * i);
    if (byte < LAST) break;
  }
  return true;
}

/* Finds the block of a code heap that contains the address. Returns true, or false if there is
 * none. The heap's map has one byte for each segment: the number of segments back to the block's
 * start. If that number is too large, the byte leads back to a segment nearer to the start. It is
 * 255 if the segment is free. */
static bool find_block(uintptr_t heap, uintptr_t address, struct java_blob *blob) {
  enum { FREE = 255, HOPS = 4096 };
  uintptr_t low, high, map;
  uint32_t shift;
  if (!java_word(heap + java.at.heap_memory + java.at.space_low, &low) ||
      !java_word(heap + java.at.heap_memory + java.at.space_high, &high) ||
      address - low >= high - low)
    return false;
  if (!java_word(heap + java.at.heap_map + java.at.space_low, &map) ||
      !java_number(heap + java.at.heap_shift, &shift) || shift >= 32)
    return false;
  uintptr_t segment = (address - low) >> shift;
  for (int i = 0; i < HOPS; i++) {
    unsigned char back, used;
    if (!python_read_few(&back, map + segment, 1) || back == FREE || back > segment) return false;
    segment -= back;
    if (back) continue;
    uintptr_t block = low + (segment << shift);
    blob->start = block + java.at.block_size;
    return python_read_few(&used, block + java.at.block_used, 1) && used == 1;
  }
  return false;
}

bool java_blob_of(uintptr_t address, struct java_blob *blob) {
  enum { HEAPS = 8 };
  static const char compiled[8] =
      "nmethod"; /* name of compiled methods; "native nmethod" is a stub that calls native code */
  uintptr_t array, heaps, heap, name;
  uint32_t count, words, offset;
  char text[8];
  bool found = false;
  if (!java_word(java.at.heaps, &array) || !java_word(array + java.at.array_data, &heaps) ||
      !java_number(array + java.at.array_length, &count) || count > HEAPS)
    return false;
  for (uint32_t i = 0; i < count && !found; i++)
    found = java_word(heaps + i * sizeof(heap), &heap) && find_block(heap, address, blob);
  if (!found || !java_number(blob->start + java.at.blob_frame, &words) || words > UINT16_MAX ||
      !java_word(blob->start + java.at.blob_name, &name) ||
      !python_read_few(text, name, sizeof(text)))
    return false;
  blob->frame = words * sizeof(uintptr_t);
  blob->is_compiled = __builtin_memcmp(text, compiled, sizeof(text)) == 0;
  if (java.at.blob_code != JAVA_MISSING)
    return java_word(blob->start + java.at.blob_code, &blob->code);
  if (java.at.blob_code_offset == JAVA_MISSING ||
      !java_number(blob->start + java.at.blob_code_offset, &offset))
    return false;
  blob->code = blob->start + offset;
  return true;
}

/* The tables of a compiled method. */
struct tables {
  uintptr_t places, places_end; /* addresses that have a line, in ascending order */
  uintptr_t scopes;             /* compressed lists of the methods at these addresses */
  uintptr_t metadata;           /* references to these methods */
};

static bool find_tables(uintptr_t start, struct tables *tables) {
  const struct java_layout *at = &java.at;
  uintptr_t base = start;
  uint32_t places, end, scopes, metadata;
  if (!java_number(start + at->compiled_places, &places)) return false;
  if (at->compiled_fixed == JAVA_MISSING) { /* up to Java 22, all tables are in one block */
    if (at->compiled_scopes == JAVA_MISSING || at->compiled_metadata == JAVA_MISSING ||
        at->compiled_places_end == JAVA_MISSING ||
        !java_word(start + at->compiled_scopes, &tables->scopes) ||
        !java_number(start + at->compiled_metadata, &metadata) ||
        !java_number(start + at->compiled_places_end, &end))
      return false;
    tables->metadata = start + metadata;
  } else {
    if (at->compiled_scopes_offset == JAVA_MISSING || at->blob_data == JAVA_MISSING ||
        at->blob_relocation == JAVA_MISSING || !java_word(start + at->compiled_fixed, &base) ||
        !java_number(start + at->compiled_scopes_offset, &scopes) ||
        !java_word(start + at->blob_data, &tables->metadata) ||
        !java_number(start + at->blob_relocation, &metadata))
      return false;
    tables->scopes = base + scopes;
    tables->metadata += (metadata + 7) & ~(uintptr_t)7;
    end = scopes;
  }
  tables->places = base + places;
  tables->places_end = base + end;
  return places < end;
}

/* An address that has a line (PcDesc): its offset in the code, and its list of methods. */
struct code_place {
  int32_t code, scope;
};

/* Returns the offset, in tables->scopes, of the list of methods (scope) at an offset in the code; 0
 * if there is none. */
static uint32_t scope_at(const struct tables *tables, uintptr_t offset) {
  enum { SIZE = 16 };
  size_t from = 0, to = (tables->places_end - tables->places) / SIZE;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    struct code_place place;
    if (!python_read_few(&place, tables->places + middle * SIZE, sizeof(place))) return 0;
    if (place.code == (int64_t)offset) return (uint32_t)place.scope;
    if (place.code < (int64_t)offset)
      from = middle + 1;
    else
      to = middle;
  }
  return 0;
}

enum { INLINED = 64 }; /* largest number of methods in one frame */
struct scope {
  uintptr_t method, instruction;
};

/* Reads the methods of a scope, the innermost first, to `found`, which has INLINED elements.
 * Returns their number, or 0 if they cannot be read or the outermost method is not `method`, to
 * which the code belongs. */
static unsigned read_scopes(const struct tables *tables, uint32_t scope, uintptr_t method,
                            struct scope *found) {
  unsigned count = 0;
  while (scope && count < INLINED) {
    uintptr_t at = tables->scopes + scope;
    uint32_t number, instruction;
    if (!java_compressed(&at, &scope) || !java_compressed(&at, &number) ||
        !java_compressed(&at, &instruction) || !number ||
        !java_word(tables->metadata + (number - 1) * sizeof(uintptr_t), &found[count].method))
      return 0;
    found[count++].instruction =
        instruction ? instruction - 1 : 0; /* 0: the method has not begun */
  }
  return count && found[count - 1].method == method ? count : 0;
}

bool java_give_compiled(struct script_sink *sink, const struct java_blob *blob, uintptr_t stack,
                        uintptr_t code, java_give *give) {
  struct tables tables;
  struct scope scopes[INLINED];
  uintptr_t method, original;
  uint32_t kept;
  if (!java_word(blob->start + java.at.compiled_method, &method) || !method) return false;
  unsigned count = 0;
  if (find_tables(blob->start, &tables)) {
    uint32_t scope = scope_at(&tables, code - blob->code);
    /* If the rest of a frame must be interpreted, the frame has another return address, and its
     * original one is stored in the frame. */
    if (!scope && java_number(blob->start + java.at.compiled_original, &kept) &&
        java_word(stack + kept, &original))
      scope = scope_at(&tables, original - blob->code);
    count = read_scopes(&tables, scope, method, scopes);
  }
  if (count == 0) return give(sink, method, JAVA_NO_INSTRUCTION);
  for (unsigned i = 0; i < count; i++)
    if (!give(sink, scopes[i].method, scopes[i].instruction)) return false;
  return true;
}
