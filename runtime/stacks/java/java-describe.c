/* Reads the names and lines of Java methods. */
#include <string.h>

#include "../../intercept/sys/sys.h"
#include "java-layout.h"

bool java_method_at(uintptr_t address, struct java_method *method) {
  const struct java_layout *at = &java.at;
  if (!address || address % sizeof(uintptr_t) != 0 ||
      !java_word(address + at->method_const, &method->constant) || !method->constant ||
      !java_word(method->constant + at->const_pool, &method->pool) || !method->pool ||
      !java_word(method->pool + at->pool_holder, &method->holder) || !method->holder)
    return false;
  method->bytecodes = method->constant + at->const_size;
  return java_short(method->constant + at->const_code_size, &method->size);
}

/* Copies the text of a symbol, at most room - 1 bytes, with a NUL at its end. Returns its length; 0
 * if there is none. Sets *is_cut if the text was longer. */
static size_t symbol(uintptr_t address, char *to, size_t room, bool *is_cut) {
  uint16_t length;
  to[0] = '\0';
  if (!address || !java_short(address + java.at.symbol_length, &length)) return 0;
  size_t n = length < room ? length : room - 1;
  if (n < length) *is_cut = true;
  if (n == 0 || !python_read(to, address + java.at.symbol_text, n)) n = 0;
  for (size_t i = 0; i < n; i++)
    if ((unsigned char)to[i] < ' ' || to[i] == 127) to[i] = '?';
  to[n] = '\0';
  return n;
}

/* Copies the symbol at this index of the method's constants. Returns like symbol. */
static size_t symbol_of(const struct java_method *method, uint16_t index, char *to, size_t room,
                        bool *is_cut) {
  uintptr_t address;
  to[0] = '\0';
  if (!index || !java_word(method->pool + java.at.pool_size + index * sizeof(address), &address))
    return 0;
  return symbol(address, to, room, is_cut);
}

static size_t method_name(const struct java_method *method, char *to, size_t room, bool *is_cut) {
  uint16_t index;
  to[0] = '\0';
  if (!java_short(method->constant + java.at.const_name, &index)) return 0;
  return symbol_of(method, index, to, room, is_cut);
}

static size_t class_name(const struct java_method *method, char *to, size_t room, bool *is_cut) {
  uintptr_t address;
  to[0] = '\0';
  if (!java_word(method->holder + java.at.class_name, &address)) return 0;
  return symbol(address, to, room, is_cut);
}

static size_t source_name(const struct java_method *method, char *to, size_t room, bool *is_cut) {
  uint16_t index;
  uintptr_t from = java.at.pool_source != JAVA_MISSING ? method->pool + java.at.pool_source
                                                       : method->holder + java.at.class_source;
  to[0] = '\0';
  if (!java_short(from, &index)) return 0;
  return symbol_of(method, index, to, room, is_cut);
}

/* --- lines -------------------------------------------------------------------------------- */

static bool read_signed(uintptr_t *at, int64_t *number) {
  uint32_t coded;
  if (!java_compressed(at, &coded)) return false;
  *number = (int64_t)(coded >> 1) ^ -(int64_t)(coded & 1);
  return true;
}

/* Returns the line of a bytecode; 0 if it has none. The table behind the bytecodes has pairs of
 * differences (bytecode, line), in one byte if they are small, otherwise after the byte 255. */
static uint32_t line_of(const struct java_method *method, uintptr_t instruction) {
  enum { HAS_LINES = 1, PAIRS = 1 << 16, APART = 255 };
  uintptr_t at = method->bytecodes + method->size;
  int64_t bytecode = 0, line = 0, best = -1, found = 0;
  uint16_t flags;
  if (instruction >= method->size || !java_short(method->constant + java.at.const_flags, &flags) ||
      !(flags & HAS_LINES))
    return 0;
  for (int i = 0; i < PAIRS; i++) {
    unsigned char byte;
    int64_t more_code = 0, more_line = 0;
    if (!python_read_few(&byte, at++, 1) || byte == 0) break;
    if (byte != APART) {
      more_code = byte >> 3;
      more_line = byte & 7;
    } else if (!read_signed(&at, &more_code) || !read_signed(&at, &more_line)) {
      break;
    }
    bytecode += more_code;
    line += more_line;
    if (bytecode <= (int64_t)instruction && bytecode >= best) {
      best = bytecode;
      found = line;
    }
  }
  return found > 0 && found <= INT32_MAX ? (uint32_t)found : 0;
}

/* --- names -------------------------------------------------------------------------------- */

enum { CLASS_ROOM = 512, NAME_ROOM = 256 };

/* Removes the address at the end of a class's name, which classes have that were generated while
 * the program ran. Returns true if there was an address, otherwise false. */
static bool cut_address(char *name) {
  char *at = strstr(name, "0x");
  if (!at || at == name || (at[-1] != '+' && at[-1] != '/' && at[-1] != '.')) return false;
  at[-1] = '\0';
  return true;
}

/* Writes the path of a source file: the package of the class as folders, and the file's name. If a
 * class does not name its file, the path is made of the class's own name. The path is "<generated>"
 * for a class that was generated while the program ran, because its name is meaningless, and for a
 * file name with a slash. Returns true, or false if the path does not fit. Sets *is_cut if the
 * file's name was cut. */
static bool path_of(const struct java_method *method, const char *class, bool is_generated,
                    char *to, size_t room, bool *is_cut) {
  static const char generated[] = "<generated>", ending[] = ".class";
  char file[NAME_ROOM];
  size_t length = source_name(method, file, sizeof(file), is_cut), kept = strlen(class);
  const char *last = strrchr(class, '/'), *rest = file;
  if (is_generated || strchr(file, '/')) {
    memcpy(to, generated, sizeof(generated));
    return true;
  }
  if (length) {
    kept = last ? (size_t)(last + 1 - class) : 0;
  } else {
    rest = ending;
    length = sizeof(ending) - 1;
  }
  if (kept + length >= room) return false;
  memcpy(to, class, kept);
  memcpy(to + kept, rest, length + 1);
  return true;
}

bool java_describe(const struct python_frame *frame, struct python_place *place) {
  struct java_method method;
  char class[CLASS_ROOM], path[CLASS_ROOM + NAME_ROOM], function[CLASS_ROOM + NAME_ROOM];
  if (!java_method_at(frame->code, &method) ||
      !class_name(&method, class, sizeof(class), &place->is_cut))
    return false;
  bool is_generated = cut_address(class);
  if (!path_of(&method, class, is_generated, path, sizeof(path), &place->is_cut)) return false;
  const char *last = strrchr(class, '/');
  size_t n = strlen(last = last ? last + 1 : class);
  memcpy(function, last, n);
  function[n++] = '.';
  if (!method_name(&method, function + n, sizeof(function) - n, &place->is_cut)) return false;
  place->line = line_of(&method, frame->instruction);
  place->first_line = 0;
  return script_place_below(place, path, function);
}

uint64_t java_mark(uint64_t mark, const struct python_frame *frame) {
  struct java_method method;
  char text[CLASS_ROOM];
  bool is_cut = false;
  if (!java_method_at(frame->code, &method)) return mark;
  mark = python_mark_bytes(mark, text, class_name(&method, text, sizeof(text), &is_cut));
  return python_mark_bytes(mark, text, method_name(&method, text, sizeof(text), &is_cut));
}

/* --- loaders of classes ------------------------------------------------------------------- */

static bool is_loader(uintptr_t address) {
  static const char *const names[][2] = {
      {"java/lang/ClassLoader", "loadClass"},
      {"java/lang/ClassLoader", "loadLibrary"},
      {"jdk/internal/loader/BuiltinClassLoader", "loadClass"},
      {"jdk/internal/loader/ClassLoaders$AppClassLoader", "loadClass"},
      {"java/net/URLClassLoader", "findClass"},
  };
  struct java_method method;
  char class[CLASS_ROOM], name[NAME_ROOM];
  bool is_cut = false;
  if (!java_method_at(address, &method) || !class_name(&method, class, sizeof(class), &is_cut) ||
      !method_name(&method, name, sizeof(name), &is_cut))
    return false;
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
    if (strcmp(class, names[i][0]) == 0 && strcmp(name, names[i][1]) == 0) return true;
  return false;
}

bool java_loads_classes(uintptr_t method) {
  enum { KNOWN = 1024 };
  static uintptr_t
      known[KNOWN]; /* methods that were examined; lowest bit 1: the method loads classes */
  uintptr_t *place = &known[(method * 0x9e3779b97f4a7c15u >> 32) % KNOWN];
  uintptr_t found = __atomic_load_n(place, __ATOMIC_RELAXED);
  if ((found & ~(uintptr_t)1) == method) return found & 1;
  bool loads = is_loader(method);
  __atomic_store_n(place, method | (uintptr_t)loads, __ATOMIC_RELAXED);
  return loads;
}
