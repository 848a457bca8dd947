/* Reads the names and lines of JavaScript functions. */
#include <string.h>

#include "v8-text.h"

enum { WORD = sizeof(uintptr_t) };

/* The properties of a function that are read. start: where its definition begins in the source, in
 * characters; -1: unknown. */
struct function {
  struct v8_text name, file, source;
  bool has_name, has_file, has_source;
  long start;
};

static uintptr_t element(uintptr_t scope, size_t index, bool *is_read) {
  uintptr_t value = 0;
  *is_read = v8_field(scope, v8.at.object_map + WORD * (int32_t)(index + 1), &value);
  return value;
}

/* Returns the type of a value; -1 if it is not an object. The value may have been read from behind
 * the end of an object, and so may be any number. */
static int type_of_any(uintptr_t value) {
  uintptr_t map;
  uint16_t type;
  if (v8_is_smi(value) ||
      !python_read_fresh(&map, value - V8_TAG + (uintptr_t)v8.at.object_map, sizeof(map)) ||
      v8_is_smi(map) ||
      !python_read_fresh(&type, map - V8_TAG + (uintptr_t)v8.at.map_type, sizeof(type)))
    return -1;
  return type;
}

/* Reads name and start from the description of the function's variables (ScopeInfo). Behind the
 * variables follow, if the function has them: the name with a number, a name that V8 inferred,
 * start and end of the definition, and the description of the enclosing scope. Some releases have
 * start and end before the variables. */
static void read_scope(uintptr_t scope, struct function *found) {
  enum { INLINE_MOST = 75, SLOTS = 8, WITH_POSITIONS = 5 };
  bool is_read;
  uintptr_t count = element(scope, (size_t)v8.at.scope_locals, &is_read) >> V8_SMI_BITS;
  size_t first = (size_t)v8.at.scope_first, at = first + count;
  if (!is_read || count > INT16_MAX) return;
  at += count < INLINE_MOST ? count : 1;
  long before = -1;
  for (size_t i = at; i < at + SLOTS; i++) {
    uintptr_t value = element(scope, i, &is_read);
    if (!is_read) break;
    if (v8_is_smi(value)) {
      long now = (long)(value >> V8_SMI_BITS);
      if (before >= 0 && before < now) found->start = before;
      before = now;
      continue;
    }
    before = -1;
    int type = type_of_any(value);
    if (type >= 0 && type < v8.at.type_no_text) {
      struct v8_text text;
      if (found->has_name || !v8_text_of(value, &text) || !text.length) continue;
      found->name = text;
      found->has_name = true;
    } else if (type != v8.at.type_oddball) {
      break;
    }
  }
  if (first < WITH_POSITIONS) return;
  uintptr_t start = element(scope, first - 2, &is_read);
  found->start = is_read && v8_is_smi(start) ? (long)(start >> V8_SMI_BITS) : -1;
}

static bool read_function(uintptr_t shared, struct function *found) {
  uintptr_t script, name, file, source;
  *found = (struct function){.start = -1};
  if (!v8_field(shared, v8.at.shared_script, &script) ||
      !v8_field(shared, v8.at.shared_name, &name) || !v8_field(script, v8.at.script_name, &file) ||
      !v8_field(script, v8.at.script_source, &source))
    return false;
  found->has_file = v8_text_of(file, &found->file);
  found->has_source = v8_text_of(source, &found->source);
  if (v8_type(name) == v8.at.type_scope)
    read_scope(name, found);
  else
    found->has_name = v8_text_of(name, &found->name);
  return true;
}

bool v8_describe(const struct python_frame *frame, struct python_place *place) {
  static const char url[] = "file://", generated[] = "<generated>", own[] = "node:";
  char path[1024], name[256] = "";
  struct function found;
  if (!read_function(frame->code, &found)) return false;
  size_t n = 0;
  if (found.has_file) n = v8_copy(&found.file, path, sizeof(path), &place->is_cut);
  if (n == 0) memcpy(path, generated, sizeof(generated));
  const char *file = strncmp(path, url, sizeof(url) - 1) == 0 ? path + sizeof(url) - 1 : path;
  if (found.has_name) v8_copy(&found.name, name, sizeof(name), &place->is_cut);
  const char *function = name;
  if (!name[0]) function = found.start == 0 ? "(module)" : "(anonymous)";
  place->line = place->first_line = 0;
  /* Lines of node's own sources are not computed: these sources are long, and users cannot change
   * them. */
  if (found.has_source && found.start >= 0 && strncmp(file, own, sizeof(own) - 1) != 0)
    place->line = v8_line(&found.source, (size_t)found.start);
  return script_place_named(place, file, function);
}

uint64_t v8_mark(uint64_t mark, const struct python_frame *frame) {
  uintptr_t script, file;
  struct v8_text path;
  char text[256];
  bool is_cut = false;
  if (!v8_field(frame->code, v8.at.shared_script, &script) ||
      !v8_field(script, v8.at.script_name, &file) || !v8_text_of(file, &path))
    return mark;
  return python_mark_bytes(mark, text, v8_copy(&path, text, sizeof(text), &is_cut));
}
