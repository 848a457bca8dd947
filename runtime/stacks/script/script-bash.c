/* Reads the lines of a script that bash runs. bash exports its variables to builtins that users
 * load (`enable -f`), so the line of the running command has a symbol. Files, functions and the
 * lines of calls are in the arrays BASH_SOURCE, FUNCNAME and BASH_LINENO of the shell, which are
 * found in its table of variables; their first elements belong to the innermost function. A script
 * in a file has the last element. Text from `bash -c` or from the standard input has no element. */
#include <string.h>

#include "../../intercept/loader/libc-direct.h"
#include "script-layout.h"

/* Structures of bash, by offsets in bytes. */
enum { CONTEXT_TABLE = 32 /* VAR_CONTEXT */ };
enum { TABLE_BUCKETS = 0, TABLE_SIZE = 8, TABLE_BYTES = 16 /* HASH_TABLE */ };
enum { ITEM_NEXT = 0, ITEM_KEY = 8, ITEM_DATA = 16, ITEM_HASH = 24, ITEM_BYTES = 32 };
enum { VARIABLE_VALUE = 8, VARIABLE_FLAGS = 40, VARIABLE_BYTES = 48, IS_ARRAY = 4 };
enum { ELEMENT_INDEX = 0, ELEMENT_VALUE = 8, ELEMENT_NEXT = 16, ELEMENT_BYTES = 32 };
enum { CHAIN = 64, MOST_BUCKETS = 1 << 20 };

static struct {
  uintptr_t code;             /* address of a function of bash */
  const int *line;            /* address of line_number */
  const uintptr_t *variables; /* address of global_variables */
  const uintptr_t *script;    /* address of shell_script_filename */
  const uintptr_t *text;      /* address of command_execution_string */
  unsigned head;              /* offset of the first element in an ARRAY */
} bash;

static const struct {
  const char *version; /* value of dist_version */
  unsigned head;
} versions[] = {
#define BASH(version, head) {version, head},
#define PERL(...)
#include "script-layouts.def"
#undef BASH
#undef PERL
};

uintptr_t bash_address(void) {
  return bash.code;
}

/* The arrays, with the hash of their names as bash computes it (Fowler, Noll and Vo, 32 bits).
 * item: address of the variable in the shell's table when it was last found. */
struct array {
  const char *name;
  uint32_t hash;
  uintptr_t item;
};
enum { NAME_ROOM = 16 };
static struct array files = {"BASH_SOURCE", 0, 0}, functions = {"FUNCNAME", 0, 0},
                    calls = {"BASH_LINENO", 0, 0};

static void prepare(struct array *array) {
  array->hash = 2166136261u;
  for (const char *at = array->name; *at; at++)
    array->hash = array->hash * 16777619u ^ (unsigned char)*at;
}

/* Returns the offset of the first element in an array of this version of bash; 0 for a version that
 * is not in `versions`, or if there is no such text. address: of dist_version, which another
 * program may use for something else. */
static unsigned head_of(uintptr_t address) {
  uintptr_t text;
  char version[8];
  bool is_cut = false;
  if (!python_read(&text, address, sizeof(text)) ||
      script_text(version, sizeof(version), text, &is_cut) < 0)
    return 0;
  for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
    if (!is_cut && strcmp(version, versions[i].version) == 0) return versions[i].head;
  return 0;
}

bool bash_consider(const struct link_map *program) {
  bash.line = straight_symbol(program, "line_number");
  uintptr_t version = bash.line ? (uintptr_t)straight_symbol(program, "dist_version") : 0;
  bash.head = version ? head_of(version) : 0;
  if (!bash.head) return false;
  bash.variables = straight_symbol(program, "global_variables");
  bash.script = straight_symbol(program, "shell_script_filename");
  bash.text = straight_symbol(program, "command_execution_string");
  bash.code = (uintptr_t)straight_symbol(program, "find_variable");
  prepare(&files);
  prepare(&functions);
  prepare(&calls);
  return bash.code && bash.variables && bash.script && bash.text;
}

/* Reads the table of the shell's variables. Returns true, or false if it cannot be read. */
static bool read_table(char table[TABLE_BYTES]) {
  uintptr_t at, context = *bash.variables;
  if (!context || !python_read_few(&at, context + CONTEXT_TABLE, sizeof(at)) ||
      !python_read_few(table, at, TABLE_BYTES))
    return false;
  uint32_t size = script_number(table, TABLE_SIZE);
  return size > 0 && size <= MOST_BUCKETS && (size & (size - 1)) == 0;
}

static bool has_name(const char *item, const char *name) {
  char key[NAME_ROOM];
  size_t length = strlen(name) + 1;
  return python_read(key, script_word(item, ITEM_KEY), length) && memcmp(key, name, length) == 0;
}

/* Returns the address of an array variable's value; 0 if there is none or it cannot be read. */
static uintptr_t value_of(const char *table, struct array *array) {
  char item[ITEM_BYTES], variable[VARIABLE_BYTES];
  uint32_t bucket = array->hash & (script_number(table, TABLE_SIZE) - 1);
  uintptr_t at, first = script_word(table, TABLE_BUCKETS) + bucket * sizeof(uintptr_t);
  if (!python_read_few(&at, first, sizeof(at))) return 0;
  for (int i = 0; at && i < CHAIN; i++, at = script_word(item, ITEM_NEXT)) {
    if (!python_read_few(item, at, sizeof(item))) return 0;
    if (script_number(item, ITEM_HASH) != array->hash) continue;
    if (at != array->item && !has_name(item, array->name)) continue;
    array->item = at;
    if (!python_read_few(variable, script_word(item, ITEM_DATA), sizeof(variable))) return 0;
    return script_number(variable, VARIABLE_FLAGS) & IS_ARRAY
               ? script_word(variable, VARIABLE_VALUE)
               : 0;
  }
  return 0;
}

/* A position in an array. */
struct cursor {
  uintptr_t head, next;
  uintptr_t value; /* address of a string */
  intptr_t index;
};

/* Moves the cursor before the first element. Returns true, or false if this is not an array. */
static bool begin(struct cursor *cursor, uintptr_t array) {
  char element[ELEMENT_BYTES];
  if (!array || !python_read_few(&cursor->head, array + bash.head, sizeof(cursor->head)) ||
      !python_read_few(element, cursor->head, sizeof(element)))
    return false;
  cursor->index = (intptr_t)script_word(element, ELEMENT_INDEX);
  cursor->next = script_word(element, ELEMENT_NEXT);
  return cursor->index == -1;
}

/* Moves the cursor to the next element. Returns true, or false at the end. */
static bool advance(struct cursor *cursor) {
  char element[ELEMENT_BYTES];
  if (cursor->next == cursor->head || !python_read_few(element, cursor->next, sizeof(element)) ||
      (intptr_t)script_word(element, ELEMENT_INDEX) != cursor->index + 1)
    return false;
  cursor->index++;
  cursor->value = script_word(element, ELEMENT_VALUE);
  cursor->next = script_word(element, ELEMENT_NEXT);
  return true;
}

/* The frames of the shell, innermost first, as positions in the three arrays. */
struct stack {
  struct cursor file, function, line;
  uintptr_t now; /* line of the frame */
  bool is_at_end;
};

static bool begin_stack(struct stack *stack) {
  char table[TABLE_BYTES];
  stack->now = (uintptr_t)(unsigned)__atomic_load_n(bash.line, __ATOMIC_RELAXED);
  stack->is_at_end = false;
  return read_table(table) && begin(&stack->file, value_of(table, &files)) &&
         begin(&stack->function, value_of(table, &functions)) &&
         begin(&stack->line, value_of(table, &calls));
}

/* Moves to the next frame. line: receives the line of the current frame. file, function: receive
 * the addresses of their strings, 0 for text that has no file. Returns true, or false after the
 * last frame. */
static bool next_frame(struct stack *stack, uintptr_t *file, uintptr_t *function, uintptr_t *line) {
  *line = stack->now;
  if (stack->is_at_end) return false;
  if (!advance(&stack->file) || !advance(&stack->function) || !advance(&stack->line)) {
    stack->is_at_end = true;
    *file = *function = 0;
    return *bash.script == 0;
  }
  char text[16];
  bool is_cut = false;
  *file = stack->file.value;
  *function = stack->function.value;
  stack->now = 0; /* line of the call, read below */
  if (script_text(text, sizeof(text), stack->line.value, &is_cut) > 0)
    for (const char *digit = text; *digit >= '0' && *digit <= '9'; digit++)
      stack->now = stack->now * 10 + (uintptr_t)(*digit - '0');
  return true;
}

/* Returns a hash of a string, of its first MOST bytes if it is longer; 0 if it cannot be read. bash
 * copies the string for each call of a function, so its address cannot be compared. Reads eight
 * bytes at a time. */
static uint64_t hash_text(uintptr_t at) {
  enum { AT_ONCE = 32, MOST = 4096 };
  const uint64_t ones = 0x0101010101010101u;
  uint64_t hash = 0xcbf29ce484222325u, word, ends;
  char bytes[AT_ONCE];
  for (size_t n = 0; n < MOST; n += AT_ONCE) {
    if (!python_read_few(bytes, at + n, AT_ONCE)) {
      memset(bytes, 1, AT_ONCE);
      if (python_read_some(bytes, at + n, AT_ONCE) == 0) return 0;
    }
    for (size_t i = 0; i < AT_ONCE; i += sizeof(word)) {
      memcpy(&word, bytes + i, sizeof(word));
      ends = (word - ones) & ~word & (ones << 7); /* the lowest bit is that of the first NUL */
      if (ends) word &= (ends & -ends) - 1;
      hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
      if (ends) return hash;
    }
  }
  return hash;
}

bool bash_walk(struct script_sink *sink) {
  struct stack stack;
  uintptr_t file, function, line, number = 0;
  if (!begin_stack(&stack)) return false;
  if (stack.now == 0) return true; /* bash has not read a line of the script yet */
  while (next_frame(&stack, &file, &function, &line)) {
    uint64_t code = file ? hash_text(file) * 31 + hash_text(function) : 1;
    if (!script_give(sink, (struct python_frame){number++, code, line})) break;
  }
  return false;
}

/* Returns true if this is the name that bash gives to functions without a file: inherited ones
 * (export -f), and those of `bash -c`. */
static bool is_environment(uintptr_t file) {
  static const char name[] = "environment";
  char text[sizeof(name)];
  return python_read(text, file, sizeof(text)) && memcmp(text, name, sizeof(name)) == 0;
}

bool bash_describe(const struct python_frame *frame, struct python_place *place) {
  struct stack stack;
  uintptr_t file, function, line, number = 0;
  char name[128] = "main";
  if (!begin_stack(&stack)) return false;
  do
    if (!next_frame(&stack, &file, &function, &line)) return false;
  while (number++ != frame->frame);
  if (file && script_text(name, sizeof(name), function, &place->is_cut) <= 0) return false;
  place->line = (uint32_t)line;
  place->first_line = 0;
  const char *without = *bash.text ? "<bash -c>" : "<stdin>";
  if (!file || !is_environment(file)) return script_place(place, file, without, name);
  return script_place(place, 0, *bash.script ? "<environment>" : without, name);
}
