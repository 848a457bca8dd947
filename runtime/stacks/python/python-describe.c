/* Reads the names and lines of Python frames, and recognizes frames of Python's import machinery.
 * Every read is checked (python-memory.c), except those of python_importing and python_mark. */
#include <string.h>

#include "python-frames.h"
#include "python-layout.h"

enum { OBJECT_BYTES = 88, CODE_BYTES = 256, MOST_TEXT = 1 << 20 };
enum { MOST_LINE = 1 << 30, MOST_CODE = 1 << 28 };

static uintptr_t word_in(const char *bytes, size_t size, size_t at) {
  uintptr_t word = 0;
  if (at + sizeof(word) <= size) memcpy(&word, bytes + at, sizeof(word));
  return word;
}

static uint32_t number_in(const char *bytes, size_t size, size_t at) {
  uint32_t number = 0;
  if (at + sizeof(number) <= size) memcpy(&number, bytes + at, sizeof(number));
  return number;
}

/* --- str objects ----------------------------------------------------------------------- */

enum { TEXT_KIND = 2, TEXT_COMPACT = 1 << 5, TEXT_ASCII = 1 << 6 }; /* bits of `state` */
/* The characters of a str: `kind` bytes each. */
struct text {
  uintptr_t at;
  size_t length; /* in characters */
  unsigned kind;
};

/* Finds the characters of a str object. Returns true, or false if the object is not a str in the
 * compact form, which every str of a code object has. */
static bool text_of(uintptr_t object, struct text *text) {
  const struct python_layout *layout = &python.layout;
  char bytes[OBJECT_BYTES];
  size_t n = python_read_some(bytes, object, sizeof(bytes));
  if (n < layout->ascii_size || word_in(bytes, n, layout->type) != python.text_type) return false;
  uint32_t state = number_in(bytes, n, layout->text_state);
  text->length = word_in(bytes, n, layout->text_length);
  text->kind = state >> TEXT_KIND & 7;
  text->at = object + (state & TEXT_ASCII ? layout->ascii_size : layout->compact_size);
  if (!(state & TEXT_COMPACT) || (text->kind != 1 && text->kind != 2 && text->kind != 4) ||
      ((state & TEXT_ASCII) && text->kind != 1) || text->length > MOST_TEXT)
    return false;
  uint32_t end = 0; /* must be NUL, which shows that the layout is right about the characters */
  return python_read(&end, text->at + text->length * text->kind, text->kind) && !end;
}

/* Writes a character as UTF-8 and returns the number of bytes; 0 if there is no space. Replaces
 * characters that cannot be displayed, and surrogates, by a question mark. */
static size_t put_character(char *to, size_t room, uint32_t c) {
  if (c < ' ' || (c >= 127 && c < 160) || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff) c = '?';
  size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  if (n > room) return 0;
  static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (size_t i = n - 1; i > 0; i--, c >>= 6)
    to[i] = (char)(0x80 | (c & 0x3f));
  to[0] = (char)(first[n] | c);
  return n;
}

static uint32_t character(const unsigned char *bytes, unsigned kind) {
  uint16_t two;
  uint32_t four;
  if (kind == 1) return bytes[0];
  if (kind == 2) return memcpy(&two, bytes, sizeof(two)), two;
  return memcpy(&four, bytes, sizeof(four)), four;
}

/* Copies a text, NUL-terminated, to a buffer of at least one byte. Truncates a text that does not
 * fit and sets *is_cut. Returns true, or false if the text cannot be read. */
static bool copy_text(const struct text *text, char *to, size_t room, size_t *length,
                      bool *is_cut) {
  unsigned char bytes[256];
  const size_t in_bytes = sizeof(bytes) / text->kind;
  size_t n = 0;
  for (size_t i = 0; i < text->length; i++) {
    size_t left = text->length - i, in = i % in_bytes;
    if (in == 0 && !python_read(bytes, text->at + i * text->kind,
                                (left < in_bytes ? left : in_bytes) * text->kind))
      return false;
    size_t more =
        put_character(to + n, room - 1 - n, character(bytes + in * text->kind, text->kind));
    *is_cut |= !more;
    if (!more) break;
    n += more;
  }
  to[n] = '\0';
  *length = n;
  return true;
}

/* --- code objects ---------------------------------------------------------------------- */

/* Returns the size of a bytes object, or -1 if it is another object. */
static long bytes_size(uintptr_t object) {
  char bytes[40];
  size_t n = python_read_some(bytes, object, sizeof(bytes));
  long size = (long)word_in(bytes, n, python.layout.size);
  return word_in(bytes, n, python.layout.type) == python.bytes_type && size >= 0 ? size : -1;
}

/* Stores the offset of the frame's instruction, in bytes from the first one; -1: before it. bytes,
 * n: a copy of the code object. Returns true, or false if it is not an instruction of this code
 * object. */
static bool instruction_of(const struct python_frame *frame, const char *bytes, size_t n,
                           long *instruction) {
  const struct python_layout *layout = &python.layout;
  long size = MOST_CODE;
  if (layout->form == PYTHON_ADDRESS) {
    size = (long)word_in(bytes, n, layout->size) * 2;
    *instruction = (long)(frame->instruction - frame->code - layout->first_instruction);
  } else {
    size = bytes_size(word_in(bytes, n, layout->first_instruction));
    *instruction = (long)frame->instruction;
    if (layout->form == PYTHON_UNITS && *instruction > 0 && *instruction < MOST_CODE)
      *instruction *= 2;
  }
  if (size <= 0 || size > MOST_CODE || *instruction < -2 || *instruction >= size) return false;
  if (*instruction < 0) *instruction = -1;
  return true;
}

bool python_code_of(const struct python_frame *frame, struct python_code *code) {
  const struct python_layout *layout = &python.layout;
  char bytes[CODE_BYTES];
  size_t wanted = layout->code_size < CODE_BYTES ? layout->code_size : CODE_BYTES;
  size_t n = python_read_some(bytes, frame->code, wanted);
  struct text text;
  if (n != wanted || word_in(bytes, n, layout->type) != python.code_type) return false;
  code->file = word_in(bytes, n, layout->file);
  code->name = word_in(bytes, n, layout->qualified_name);
  code->first_line = number_in(bytes, n, layout->first_line);
  uintptr_t lines = word_in(bytes, n, layout->line_table);
  long size = bytes_size(lines);
  if (size < 0 || code->first_line > MOST_LINE) return false;
  code->line_table = lines + layout->bytes;
  code->line_table_size = (size_t)size;
  return instruction_of(frame, bytes, n, &code->instruction) && text_of(code->file, &text) &&
         text_of(code->name, &text) && text_of(word_in(bytes, n, layout->name), &text);
}

bool python_describe(const struct python_frame *frame, struct python_place *place) {
  enum { FUNCTION_ROOM = 160 };
  struct python_code code;
  struct text file, function;
  if (!python_is_here() || place->room < PYTHON_LEAST_ROOM || !python_code_of(frame, &code) ||
      !text_of(code.file, &file) || !text_of(code.name, &function))
    return false;
  size_t for_function = place->room / 2 < FUNCTION_ROOM ? place->room / 2 : FUNCTION_ROOM;
  place->is_cut = false;
  place->file = place->text;
  if (!copy_text(&file, place->text, place->room - for_function, &place->file_length,
                 &place->is_cut))
    return false;
  size_t used = place->file_length + 1;
  place->function = place->text + used;
  if (!copy_text(&function, place->text + used, place->room - used, &place->function_length,
                 &place->is_cut))
    return false;
  place->first_line = code.first_line;
  place->line = python_line(python.layout.lines, code.line_table, code.line_table_size,
                            code.first_line, code.instruction);
  return true;
}

/* --- marks ------------------------------------------------------------------------------- */

/* Returns a mark (hash) after adding the characters of a str object to it. */
static inline uint64_t mark_text(uint64_t mark, uintptr_t object) {
  const struct python_layout *layout = &python.layout;
  uint32_t state = *(const uint32_t *)(object + layout->text_state);
  size_t head = state & TEXT_ASCII ? layout->ascii_size : layout->compact_size;
  size_t length = *(const size_t *)(object + layout->text_length) * (state >> TEXT_KIND & 7);
  return python_mark_bytes(mark, (const char *)object + head, length);
}

uint64_t python_mark(const struct python_frame *frames, size_t count) {
  const struct python_layout *layout = &python.layout;
  if (__atomic_load_n(&python_state, __ATOMIC_ACQUIRE) != PYTHON_TRUSTED) return 0;
  uint64_t mark = 1;
  for (size_t i = 0; i < count; i++) {
    uintptr_t code = frames[i].code;
    mark = mark_text(mark, *(const uintptr_t *)(code + layout->file));
    mark = mark_text(mark, *(const uintptr_t *)(code + layout->qualified_name));
    mark ^= *(const uint32_t *)(code + layout->first_line);
  }
  return mark | 1;
}

/* --- the import machinery -------------------------------------------------------------- */

/* Returns true if two texts of at least eight bytes are equal, otherwise false. Faster than memcmp,
 * which the runtime would call by a pointer. */
static inline bool are_equal(const char *text, const char *other, size_t length) {
  uint64_t word, wanted;
  for (size_t at = 0;; at += sizeof(word)) {
    if (at + sizeof(word) > length) at = length - sizeof(word);
    __builtin_memcpy(&word, text + at, sizeof(word));
    __builtin_memcpy(&wanted, other + at, sizeof(word));
    if (word != wanted) return false;
    if (at + sizeof(word) == length) return true;
  }
}

struct known_file {
  size_t length;
  const char *name;
};
static const struct known_file importers[] = {
#define LAYOUT(minor, ...)
#define PUBLISHED(...)
#define IMPORTER(name) {sizeof(name) - 1, name},
#define READER(name)
#define FIRST(name)
#include "python-layouts.def"
#undef IMPORTER
#undef READER
#undef FIRST
};
/* Readers, then files whose functions readers call. */
static const struct known_file readers[] =
    {
#define IMPORTER(name)
#define READER(name) {sizeof(name) - 1, name},
#define FIRST(name)
#include "python-layouts.def"
#undef READER
#undef FIRST
},
                               below_readers[] = {
#define READER(name) {sizeof(name) - 1, name},
#define FIRST(name) {sizeof(name) - 1, name},
#include "python-layouts.def"
#undef LAYOUT
#undef PUBLISHED
#undef IMPORTER
#undef READER
#undef FIRST
};
enum {
  IMPORTERS = sizeof(importers) / sizeof(importers[0]),
  READERS = sizeof(readers) / sizeof(readers[0]),
  BELOW = sizeof(below_readers) / sizeof(below_readers[0]),
  /* Readers open files by functions of tokenize, pathlib and posixpath, at most three deep in
   * CPython 3.8 to 3.15. */
  BELOW_READER = 4,
  LONGEST_NAME = 400
};

/* Returns true if the code object's file name is one of CPython's import machinery, otherwise
 * false. */
static bool imports(uintptr_t code) {
  const struct python_layout *layout = &python.layout;
  uintptr_t file = *(const uintptr_t *)(code + layout->file);
  size_t length = *(const size_t *)(file + layout->text_length);
  for (size_t i = 0; i < IMPORTERS; i++)
    if (length == importers[i].length &&
        are_equal((const char *)file + layout->ascii_size, importers[i].name, length))
      return true;
  return false;
}

/* Returns the last bytes of a text of at least eight bytes, to compare many texts quickly. */
static inline uint64_t last_word(const char *text, size_t length) {
  uint64_t word;
  __builtin_memcpy(&word, text + length - sizeof(word), sizeof(word));
  return word;
}

/* Returns true if the text before `end`, which begins at `name`, ends with a folder python3.N and a
 * slash. */
static bool is_library(const char *name, const char *end) {
  static const char folder[] = {'/', 'p', 'y', 't', 'h', 'o', 'n', '3'};
  const char *at = end - 1;
  if (at <= name || *at != '/') return false;
  while (--at > name && *at != '/') {
  }
  return end - at > (ptrdiff_t)sizeof(folder) && are_equal(at, folder, sizeof(folder));
}

/* Returns true if the code object's file looks for modules, their sources and their metadata,
 * otherwise false. Does not recognize files in a folder whose name has characters beyond ASCII. */
static bool looks_for_modules(uintptr_t code) {
  const struct python_layout *layout = &python.layout;
  uintptr_t file = *(const uintptr_t *)(code + layout->file);
  size_t length = *(const size_t *)(file + layout->text_length);
  const char *name = (const char *)file + layout->ascii_size;
  for (size_t i = 0; i < READERS; i++) {
    if (length <= readers[i].length || length > LONGEST_NAME) continue;
    const char *end = name + (length - readers[i].length);
    if (are_equal(end, readers[i].name, readers[i].length) && is_library(name, end)) return true;
  }
  return false;
}

/* Returns true if the code object may belong to a reader, or be called by one, otherwise false.
 * Fast, because it runs at each call of a program. */
static bool may_be_reader(uintptr_t code) {
  const struct python_layout *layout = &python.layout;
  uintptr_t file = *(const uintptr_t *)(code + layout->file);
  size_t length = *(const size_t *)(file + layout->text_length);
  if (length < sizeof(uint64_t) || length > LONGEST_NAME) return false;
  uint64_t word = last_word((const char *)file + layout->ascii_size, length);
  for (size_t i = 0; i < BELOW; i++)
    if (word == last_word(below_readers[i].name, below_readers[i].length)) return true;
  return false;
}

static bool begins_in_reader(const struct python_frame *frames, size_t count) {
  if (!may_be_reader(frames[0].code)) return false;
  for (size_t i = 0; i < count && i < BELOW_READER; i++)
    if (looks_for_modules(frames[i].code)) return true;
  return false;
}

bool python_importing(const struct python_frame *frames, size_t count, size_t *outside) {
  *outside = 0;
  if (__atomic_load_n(&python_state, __ATOMIC_ACQUIRE) != PYTHON_TRUSTED || count == 0)
    return false;
  bool reads = false;
  if (!imports(frames[0].code)) {
    reads = begins_in_reader(frames, count);
    if (!reads) return false;
  }
  /* Searches from the outermost frame, because nearly all frames of an import belong to the import
   * machinery. */
  for (*outside = count; *outside > 0 && !imports(frames[*outside - 1].code);)
    --*outside;
  if (*outside == 0) *outside = reads ? count - 1 : 1;
  return true;
}
