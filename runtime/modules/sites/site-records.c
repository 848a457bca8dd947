/* Composes the names of call sites from walked stacks, and makes their SITES records. */
#include <string.h>

#include "../../door/door.h"
#include "../../stacks/script/script-frames.h"
#include "record-id.h"
#include "records.h"
#include "sites-state.h"

/* Symbols that the linker defines at both ends of this library. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

enum site_record_kind { RECORD_OF_SITE, RECORD_OF_OBJECT, RECORD_OF_FUNCTION };

int site_is_ours(uintptr_t address) {
  return address >= (uintptr_t)__ehdr_start && address < (uintptr_t)_end;
}

/* A frame of the program: a return address, or a line of Python or of a script by its code and
 * instruction. */
struct element {
  uintptr_t address, instruction;
  const struct python_frame *python; /* NULL: a native frame */
};

/* Largest number of frames of Python or of a script of a stack; they are stored in a path
 * buffer. */
enum { PYTHON_FRAMES = DARSHAN_PATH_ROOM / sizeof(struct python_frame) };
/* The frames of which a call site's name consists, innermost first. */
struct elements {
  unsigned count;
  int is_cut; /* 1: frames of an interpreter, and the frames outside of them, are omitted */
  struct element element[WALK_FRAMES + PYTHON_FRAMES];
};

enum { LONGEST_REPETITION = 8 };

/* Returns 1 if the n elements that end with `last` are equal to the n elements before them,
 * otherwise 0. */
static int repeats(const struct element *last, unsigned n) {
  const struct element *before = last - n;
  for (unsigned i = 0; i < n; i++)
    if (last[i].address != before[i].address || last[i].instruction != before[i].instruction)
      return 0;
  return 1;
}

/* Adds a frame to the elements. If the last elements repeat the elements before them, they are
 * removed, so that a recursion has the same name at any depth. */
static void add_element(struct elements *elements, struct element element) {
  elements->element[elements->count++] = element;
  for (unsigned n = 1; n <= LONGEST_REPETITION && 2 * n <= elements->count; n++) {
    if (!repeats(elements->element + elements->count - n, n)) continue;
    elements->count -= n;
    return;
  }
}

/* Stores in *elements the frames of the application, from frame `first` of the walk on, and then
 * those of `python`, without the repetitions of a recursion. Returns the name of the runtime's
 * wrapper that the application called, which is that of the real function; NULL if the wrapper has
 * no name. */
static const char *take_frames(const struct walk *walk, unsigned first,
                               const struct site_python *python, struct elements *elements) {
  unsigned own = 0; /* number of frames of this library that the program called */
  unsigned count = walk->count - (walk->end == WALK_WITHIN);
  elements->count = 0;
  elements->is_cut = python->lines != 0;
  for (unsigned i = first; i < count; i++) {
    uintptr_t address = walk->frame[i].address;
    if (!site_is_ours(address - 1))
      add_element(elements, (struct element){address, 0, NULL});
    else if (elements->count == 0)
      own = i + 1;
  }
  for (uint32_t i = 0; i < python->lines; i++) {
    const struct python_frame *frame = &python->frame[i];
    add_element(elements, (struct element){frame->code, frame->instruction, frame});
  }
  const char *function = NULL;
  for (; own > first && !function; own--)
    function = site_function(walk->frame[own - 1].address - 1);
  return function;
}

/* Fills in a new record. frames: number of frames in its name. */
static void fill(struct darshan_sites_record *record, enum site_record_kind kind, unsigned frames) {
  record->counters[SITES_KIND] = kind;
  record->counters[SITES_FRAMES] = frames;
  record->counters[SITES_PROCESSES] = 1;
}

/* Sets kind and frames in the memory of the module's next new record, before the store makes it a
 * record; does nothing if the id has a record. Beyond the limit, this memory is that of the
 * overflow record, which all further call sites share. The caller holds the store's lock. */
static void fill_next(uint64_t id, enum site_record_kind kind, unsigned frames) {
  struct record_store *store = &darshan_store;
  const struct store_entry *entry = store_find(store, id);
  if (entry && entry->record[STORE_SITES]) return;
  int is_full = store_is_full(store, STORE_SITES) || store_names_are_full(store);
  struct darshan_sites_record *next = store_next_record(store, STORE_SITES);
  if (next) fill(next, is_full ? RECORD_OF_FUNCTION : kind, is_full ? 0 : frames);
}

/* Returns the state of the record of this name, which is made if necessary; beyond the limit of
 * records, that of the overflow record; NULL if there is no space. kind, frames: for a new record.
 * The caller holds the store's lock. */
static struct site_part *record_of(const char *name, size_t length, enum site_record_kind kind,
                                   unsigned frames) {
  struct record_store *store = &darshan_store;
  uint64_t id = darshan_hash(name, length, 0);
  fill_next(id, kind, frames);
  uint32_t number = store_number_of_name(store, STORE_SITES, id, name, length);
  if (!number || segments_have(&sites_state.parts, number) < 0) return NULL;
  struct site_part *part = segments_at(&sites_state.parts, number);
  if (part->record) return part;
  struct darshan_sites_record *record = store_record(store, STORE_SITES, number);
  if (record->base.id != id) fill(record, RECORD_OF_FUNCTION, 0);
  if (kind == RECORD_OF_SITE) sites_state.sites++;
  part->record = record;
  return part;
}

/* Returns 1 if a call site of this name exists or may be added, otherwise 0. */
static int has_room_for(const struct site_name *name) {
  const struct store_entry *entry =
      store_find(&darshan_store, darshan_hash(name->text, name->length, 0));
  return sites_state.sites < SITES_MOST || (entry && entry->record[STORE_SITES]);
}

/* Makes the record of the program or library that contains the address, unless it has one. If it
 * makes one, it also looks for an interpreter of Python or of scripts in it. The caller holds the
 * store's lock. */
static void add_object(uintptr_t address) {
  struct object object;
  struct site_name name;
  struct site_object *known = site_object_of(address);
  if ((known && known->has_record) || object_of(address, &object) < 0) return;
  site_object_name(&name, &object);
  const struct store_entry *entry =
      store_find(&darshan_store, darshan_hash(name.text, name.length, 0));
  if (!name.is_full && !(entry && entry->record[STORE_SITES])) {
    record_of(name.text, name.length, RECORD_OF_OBJECT, 0);
    if (object.map) { /* dlopen may have loaded an interpreter since */
      python_look_at(object.map);
      if (!python_is_here()) script_look_at(object.map);
    }
  }
  if (known) known->has_record = 1;
}

/* Appends an element to a name; nothing, and sets is_full, if not all of it fits. */
static void add_frame(struct site_name *name, const struct element *element) {
  size_t before = name->length;
  if (element->python)
    site_add_line(name, element->python);
  else
    site_add_address(name, element->address);
  if (name->is_full) name->text[name->length = before] = '\0';
}

/* Writes the name of a stack: the function that was called, then its elements, separated by ";".
 * Replaces elements that do not fit, or that the walk did not reach, by "..."; "?" at the end: the
 * walk could not continue. end: how the walk ended. */
static void write_name(struct site_name *name, const char *function,
                       const struct elements *elements, enum walk_end end) {
  enum { KEPT = 8 }; /* bytes reserved for the last element */
  *name = (struct site_name){.length = 0};
  site_name_add(name, function);
  for (unsigned i = 0; i < elements->count && !name->is_full; i++) {
    size_t before = name->length;
    add_frame(name, &elements->element[i]);
    if (name->length <= SITE_NAME_ROOM - KEPT) continue;
    name->length = before;
    name->is_full = 1;
  }
  int is_long = name->is_full || (end == WALK_LONG && !elements->is_cut);
  name->is_full = 0;
  if (is_long)
    site_name_add(name, ";...");
  else if (!elements->is_cut && (end == WALK_NO_TABLE || end == WALK_WRONG))
    site_name_add(name, ";?");
}

static const char unknown[] = "?", import[] = "import", fork_name[] = "fork";

struct site_part *site_record(const struct walk *walk, unsigned first, int is_cut,
                              const struct site_python *python) {
  struct elements elements;
  struct site_name name;
  const char *function = take_frames(walk, first, python, &elements);
  if (!function) function = site_thread.forks ? fork_name : unknown;
  if (python->imports) function = import;
  if (!is_cut) write_name(&name, function, &elements, walk->end);
  struct site_part *part;
  if (!store_lock_for(&darshan_store, STORE_SITES)) return NULL;
  if (!is_cut && has_room_for(&name)) {
    part = record_of(name.text, name.length, RECORD_OF_SITE, elements.count);
    for (unsigned i = 0; i < elements.count; i++)
      if (!elements.element[i].python) add_object(elements.element[i].address - 1);
  } else {
    part = record_of(function, strlen(function), RECORD_OF_FUNCTION, 0);
  }
  store_unlock_for(&darshan_store, STORE_SITES);
  return part;
}

struct site_part *site_unknown(void) {
  if (!store_lock_for(&darshan_store, STORE_SITES)) return NULL;
  struct site_part *part = record_of(unknown, sizeof(unknown) - 1, RECORD_OF_FUNCTION, 0);
  store_unlock_for(&darshan_store, STORE_SITES);
  return part;
}
