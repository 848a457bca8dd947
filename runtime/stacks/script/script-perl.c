/* Reads the lines of a program that Perl runs. Perl compiles each statement into a tree of
 * operations. The first operation has the line and the file (a COP; its function is pp_nextstate,
 * which has a symbol). The interpreter of a thread points to the running statement, to the running
 * operation, and to the contexts of calls, each with the statement that made the call. The offsets
 * of these pointers depend on the version of Perl and the size of its interpreter
 * (script-layouts.def). A statement is accepted only if its function is pp_nextstate. */
#include <libc-loader.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

#include "../../intercept/loader/libc-direct.h"
#include "script-perl.h"

struct perl perl;

static const struct perl_layout layouts[] = {
#define BASH(...)
#define PERL(...) {__VA_ARGS__},
#include "script-layouts.def"
#undef BASH
#undef PERL
};

/* Returns the function pthread_getspecific, which returns a value of this thread, from the first
 * object from `object` on that has it; NULL if there is none. A program with threads has it in libc
 * or, with an older glibc, in libpthread. */
static void *(*find_own_value(const struct link_map *object))(pthread_key_t) {
  void *found = NULL;
  for (; object && !found; object = object->l_next)
    found = straight_symbol(object, "pthread_getspecific");
  return (void *(*)(pthread_key_t))found;
}

/* Returns the number of the operation with this name; 0 if there is none. */
static uint16_t operation(const char *const *names, const char *name) {
  enum { MOST = 512 };
  for (uint16_t i = 0; i < MOST && names[i]; i++)
    if (strcmp(names[i], name) == 0) return i;
  return 0;
}

bool perl_consider(const struct link_map *object) {
  const char *revision = straight_symbol(object, "PL_revision");
  if (!revision || *revision != 5) return false;
  const char *version = straight_symbol(object, "PL_version");
  const uint16_t *size = straight_symbol(object, "PL_interp_size");
  const char *const *names = straight_symbol(object, "PL_op_name");
  const uintptr_t *functions = straight_symbol(object, "PL_ppaddr");
  perl.key = straight_symbol(object, "PL_thr_key"); /* Perl without threads has none */
  if (!version || !size || !names || !functions || !perl.key) return false;
  for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
    if (layouts[i].version == *version && layouts[i].size == *size) perl.at = &layouts[i];
  if (!perl.at) return false;
  perl.statement = operation(names, "nextstate");
  perl.debugged = operation(names, "dbstate");
  perl.require = operation(names, "require");
  perl.do_file = operation(names, "dofile");
  perl.eval = operation(names, "entereval");
  if (!perl.statement || !perl.debugged || !perl.require || !perl.do_file || !perl.eval)
    return false;
  perl.functions = functions;
  perl.own_value = find_own_value(object);
  if (!perl.own_value) perl.own_value = find_own_value(libc_first_object());
  return perl.own_value != NULL;
}

uintptr_t perl_address(void) {
  return perl.functions[perl.statement];
}

/* Reads a statement. Returns true, or false if the address is not that of a statement. */
static bool read_statement(uintptr_t at, struct statement *found) {
  char bytes[COP_BYTES];
  if (!at || !python_read_few(bytes, at, sizeof(bytes))) return false;
  uintptr_t function = script_word(bytes, OP_FUNCTION);
  if (function != perl.functions[perl.statement] && function != perl.functions[perl.debugged])
    return false;
  *found = (struct statement){at, script_number(bytes, COP_LINE), script_word(bytes, COP_FILE)};
  return found->file != 0;
}

/* Values of a frame's function that are not the address of a function. */
enum { OF_PROGRAM = 0, OF_EVAL = 1, OF_FILE = 2 };

static bool give(struct script_sink *sink, const struct statement *statement, uintptr_t function) {
  uintptr_t place = statement->file + ((uintptr_t)statement->line << 40);
  return script_give(sink, (struct python_frame){function, statement->at, place});
}

/* Walks the contexts of one stack of calls, from the innermost (number `last`) to number 0. *now:
 * the running statement (address 0: unknown); afterwards the statement that made the outermost
 * call. imports: true during an import; then the frames within the file that is loaded are dropped.
 * Returns true, or false if the walk must end. */
static bool walk_contexts(struct script_sink *sink, uintptr_t contexts, int32_t last,
                          struct statement *now, bool imports) {
  const struct perl_layout *at = perl.at;
  char bytes[PERL_CONTEXT_MOST];
  for (int32_t i = last; i >= 0; i--) {
    if (!python_read(bytes, contexts + (uintptr_t)i * at->context, at->context)) return false;
    unsigned kind = (unsigned char)bytes[0] & 0xf;
    unsigned loads =
        (script_number(bytes, 0) >> 16) >> 7; /* number of the operation that began an eval */
    if (kind != at->sub && kind != at->sub + 1u && kind != at->sub + 2u) continue;
    uintptr_t function = kind == at->sub ? script_word(bytes, at->cv) : OF_PROGRAM;
    if (kind == at->sub + 2u) {
      bool is_file = loads == perl.require || loads == perl.do_file;
      if (!is_file && loads != perl.eval) continue; /* a block belongs to its function */
      function = is_file ? OF_FILE : OF_EVAL;
      if (is_file && imports) sink->count = 0, now->at = 0;
    }
    if (now->at && !give(sink, now, function)) return false;
    if (!read_statement(script_word(bytes, at->oldcop), now)) now->at = 0;
  }
  return true;
}

bool perl_walk(struct script_sink *sink) {
  enum { STACKS = 32, INFO_CONTEXTS = 8, INFO_PREVIOUS = 16, INFO_LAST = 32, INFO_BYTES = 40 };
  const struct perl_layout *at = perl.at;
  uintptr_t own = (uintptr_t)perl.own_value(*perl.key), op, current, info;
  struct statement now = {0};
  char bytes[INFO_BYTES];
  if (!own || !python_read_few(&op, own + at->op, sizeof(op)) ||
      !python_read_few(&current, own + at->curcop, sizeof(current)) ||
      !python_read_few(&info, own + at->curstackinfo, sizeof(info)))
    return false;
  /* While a text is compiled, Perl stores its position within the interpreter. */
  bool imports = current - own < at->size || perl_loads(op);
  if (read_statement(current, &now)) perl_find_statement(op, &now);
  for (int i = 0; info && i < STACKS; i++) {
    if (!python_read_few(bytes, info, sizeof(bytes))) return imports;
    int32_t last = (int32_t)script_number(bytes, INFO_LAST);
    if (!walk_contexts(sink, script_word(bytes, INFO_CONTEXTS), last, &now, imports))
      return imports;
    info = script_word(bytes, INFO_PREVIOUS);
  }
  if (now.at) give(sink, &now, OF_PROGRAM);
  return imports;
}

/* --- names -------------------------------------------------------------------------------- */

/* Copies the name of a Perl function, without its package. Sets *is_cut if the name was longer than
 * `room`. Returns true, or false if it cannot be read. */
static bool name_of(uintptr_t function, char *to, size_t room, bool *is_cut) {
  enum { BODY = 0, FLAGS = 12, TYPE = 0xff, IS_FUNCTION = 13, IS_GLOB = 9 };
  enum { FUNCTION_GLOB = 56, FUNCTION_FLAGS = 92, IS_NAMED = 0x8000, GLOB_NAME = 32 };
  enum { LENGTH = 4, TEXT = 8, MOST = 1 << 16 };
  char head[16], name[8];
  uint32_t flags;
  uintptr_t at, body;
  if (!python_read(head, function, sizeof(head)) ||
      (script_number(head, FLAGS) & TYPE) != IS_FUNCTION)
    return false;
  body = script_word(head, BODY);
  if (!python_read_few(&flags, body + FUNCTION_FLAGS, sizeof(flags)) ||
      !python_read_few(&at, body + FUNCTION_GLOB, sizeof(at)))
    return false;
  if (!(flags & IS_NAMED)) {
    if (!python_read(head, at, sizeof(head)) || (script_number(head, FLAGS) & TYPE) != IS_GLOB ||
        !python_read_few(&at, script_word(head, BODY) + GLOB_NAME, sizeof(at)))
      return false;
  }
  if (!python_read(name, at, sizeof(name))) return false;
  uint32_t length = script_number(name, LENGTH);
  long n = length < MOST ? script_text(to, room, at + TEXT, is_cut) : -1;
  return n > 0 && ((uint32_t)n == length || *is_cut);
}

bool perl_describe(const struct python_frame *frame, struct python_place *place) {
  static const char *const names[] = {"main", "(eval)", "(file)"};
  char name[128], file[8] = "";
  bool is_cut = false;
  uint32_t line;
  if (!python_read_few(&line, frame->code + COP_LINE, sizeof(line))) return false;
  uintptr_t at = frame->instruction - ((uintptr_t)line << 40);
  const char *function = name;
  if (frame->frame <= OF_FILE)
    function = names[frame->frame];
  else if (!name_of(frame->frame, name, sizeof(name), &place->is_cut))
    function = "(function)";
  place->line = line;
  place->first_line = 0;
  if (script_text(file, sizeof(file), at, &is_cut) < 0) return false;
  if (strcmp(file, "-e") == 0) return script_place(place, 0, "<perl -e>", function);
  if (strcmp(file, "-") == 0) return script_place(place, 0, "<stdin>", function);
  /* "(eval N)" becomes "<eval>", because Perl numbers each text that it compiles. */
  if (strncmp(file, "(eval ", 6) == 0) return script_place(place, 0, "<eval>", function);
  return script_place(place, at, "", function);
}
