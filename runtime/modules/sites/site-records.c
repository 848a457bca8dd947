/* Names stacks, and makes their records. */
#include <string.h>

#include "../../door/door.h"
#include "record-id.h"
#include "records.h"
#include "sites-state.h"

/* The linker's names for both ends of this library. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

enum site_record_kind { RECORD_OF_SITE, RECORD_OF_OBJECT, RECORD_OF_FUNCTION };

static int is_ours(uintptr_t address) {
  return address >= (uintptr_t)__ehdr_start && address < (uintptr_t)_end;
}

/* Return addresses of the program, without repetitions. */
struct elements {
  unsigned count;
  uintptr_t address[WALK_FRAMES];
};

enum { LONGEST_REPETITION = 8 };

/* Adds an address. If the last elements repeat those before them, they are left out: a recursion
 * has one name. */
static void add_element(struct elements *elements, uintptr_t address) {
  uintptr_t *at = elements->address;
  at[elements->count++] = address;
  for (unsigned n = 1; n <= LONGEST_REPETITION && 2 * n <= elements->count; n++) {
    const uintptr_t *last = at + elements->count - n;
    if (memcmp(last, last - n, n * sizeof(*at)) != 0) continue;
    elements->count -= n;
    return;
  }
}

/* Collects the frames of the program. Returns the name of the wrapper that they called, NULL if it
 * has none. */
static const char *take_frames(const struct walk *walk, unsigned first, struct elements *elements) {
  const char *function = NULL;
  int outside = 0;
  elements->count = 0;
  for (unsigned i = first; i < walk->count; i++) {
    uintptr_t address = walk->frame[i].address;
    if (!is_ours(address - 1)) {
      outside = 1;
      add_element(elements, address);
    } else if (!outside) {
      const char *known = site_function(address - 1);
      if (known) function = known;
    }
  }
  return function;
}

/* Finds or makes the record of a name, with the store's lock held. */
static struct site_part *record_of(const char *name, size_t length, enum site_record_kind kind,
                                   unsigned frames) {
  struct record_store *store = &darshan_store;
  uint64_t id = darshan_hash(name, length, 0);
  uint32_t number = store_number_of_name(store, STORE_SITES, id, name, length);
  if (!number || segments_have(&sites_state.parts, number) < 0) return NULL;
  struct site_part *part = segments_at(&sites_state.parts, number);
  if (part->record) return part;
  struct darshan_sites_record *record = store_record(store, STORE_SITES, number);
  record->counters[SITES_KIND] = record->base.id == id ? (int64_t)kind : RECORD_OF_FUNCTION;
  record->counters[SITES_FRAMES] = frames;
  record->counters[SITES_PROCESSES] = 1;
  if (kind == RECORD_OF_SITE) sites_state.sites++;
  part->record = record;
  return part;
}

/* Whether a site of this name may be added, or is there. */
static int has_room_for(const struct site_name *name) {
  const struct store_entry *entry =
      store_find(&darshan_store, darshan_hash(name->text, name->length, 0));
  return sites_state.sites < SITES_MOST || (entry && entry->record[STORE_SITES]);
}

/* Makes the records of the objects of a stack, unless they are there. */
static void add_objects(const struct elements *elements) {
  struct site_name name;
  uintptr_t last = 0;
  for (unsigned i = 0; i < elements->count; i++) {
    struct object object;
    if (object_of(elements->address[i] - 1, &object) < 0 || object.start == last) continue;
    last = object.start;
    site_object_name(&name, &object);
    const struct store_entry *entry =
        store_find(&darshan_store, darshan_hash(name.text, name.length, 0));
    if (name.is_full || (entry && entry->record[STORE_SITES])) continue;
    record_of(name.text, name.length, RECORD_OF_OBJECT, 0);
  }
}

static void add_frame(struct site_name *name, uintptr_t address) {
  struct object object;
  size_t before = name->length;
  if (object_of(address - 1, &object) < 0) return;
  site_name_add(name, ";");
  site_object_short(name, &object);
  site_name_add(name, "+");
  site_name_add_hex(name, address - object.base);
  if (name->is_full) name->text[name->length = before] = '\0';
}

/* Writes the name of a stack. Elements that do not fit are left out at its end, with "...". */
static void write_name(struct site_name *name, const char *function,
                       const struct elements *elements, enum walk_end end) {
  enum { KEPT = 8 }; /* bytes for the last element */
  *name = (struct site_name){.length = 0};
  site_name_add(name, function);
  for (unsigned i = 0; i < elements->count && !name->is_full; i++) {
    size_t before = name->length;
    add_frame(name, elements->address[i]);
    if (name->length <= SITE_NAME_ROOM - KEPT) continue;
    name->length = before;
    name->is_full = 1;
  }
  int is_long = name->is_full || end == WALK_LONG;
  name->is_full = 0;
  if (is_long)
    site_name_add(name, ";...");
  else if (end == WALK_NO_TABLE || end == WALK_WRONG)
    site_name_add(name, ";?");
}

static const char unknown[] = "?";

struct site_part *site_record(const struct walk *walk, unsigned first, int is_cut) {
  struct elements elements;
  struct site_name name;
  const char *function = take_frames(walk, first, &elements);
  if (!function) function = unknown;
  write_name(&name, function, &elements, walk->end);
  struct site_part *part;
  if (!store_lock(&darshan_store)) return NULL;
  if (!is_cut && has_room_for(&name)) {
    part = record_of(name.text, name.length, RECORD_OF_SITE, elements.count);
    add_objects(&elements);
  } else {
    part = record_of(function, strlen(function), RECORD_OF_FUNCTION, 0);
  }
  store_unlock(&darshan_store);
  return part;
}

struct site_part *site_unknown(void) {
  if (!store_lock(&darshan_store)) return NULL;
  struct site_part *part = record_of(unknown, sizeof(unknown) - 1, RECORD_OF_FUNCTION, 0);
  store_unlock(&darshan_store);
  return part;
}
