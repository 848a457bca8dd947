/* Names of programs and libraries (objects) in the names of call sites. The same few objects occur
 * in all stacks, so their short names are stored. */
#include <string.h>

#include "../../door/door.h"
#include "../../intercept/sys/sys.h"
#include "sites-state.h"

enum { SHORT_BYTES = 4, OBJECTS_MOST = 256 };

static void add_id(struct site_name *name, const uint8_t *id, size_t length) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < length; i++)
    site_name_add_bytes(name, (char[]){digits[id[i] >> 4], digits[id[i] & 15]}, 2);
}

/* Returns the path of a program or library. The loader does not have the program's path, so it is
 * read from the kernel into room, which has `size` bytes; "" if that fails. */
static const char *path_of(const struct object *object, char *room, size_t size) {
  if (object->path[0] != '\0') return object->path;
  ssize_t length = sys_readlink("/proc/self/exe", room, size - 1);
  room[length > 0 ? length : 0] = '\0';
  return room;
}

/* Appends an object's short name: the first eight hexadecimal digits of its build id, or, without
 * one, the last part of its path. */
static void add_short(struct site_name *name, const struct object *object) {
  uint8_t id[BUILD_ID_MOST];
  char room[SITE_NAME_ROOM];
  if (object_build_id(object, id) >= SHORT_BYTES) {
    add_id(name, id, SHORT_BYTES);
    return;
  }
  const char *path = path_of(object, room, sizeof(room)), *last = strrchr(path, '/');
  site_name_add_escaped(name, last ? last + 1 : path);
}

void site_object_name(struct site_name *name, const struct object *object) {
  uint8_t id[BUILD_ID_MOST];
  char room[SITE_NAME_ROOM];
  size_t length = object_build_id(object, id);
  *name = (struct site_name){.length = 0};
  site_name_add(name, "object ");
  add_short(name, object);
  site_name_add(name, " ");
  add_id(name, id, length);
  site_name_add(name, length ? " " : "- ");
  site_name_add_escaped(name, path_of(object, room, sizeof(room)));
}

/* Returns the program or library that contains the address, if it is in the list of known objects
 * and no code has been unloaded since; otherwise NULL. */
static struct site_object *known_object(uintptr_t address) {
  uint32_t forgotten = __atomic_load_n(&sites_state.forgotten, __ATOMIC_ACQUIRE);
  struct site_object *object = __atomic_load_n(&sites_state.objects, __ATOMIC_ACQUIRE);
  while (object && (address - object->start >= object->end - object->start ||
                    __atomic_load_n(&object->forgotten, __ATOMIC_ACQUIRE) != forgotten))
    object = object->next;
  return object;
}

/* Returns the element of the list of known objects for this program or library, which has the short
 * name `text`, if it was known before code was unloaded, and is at the same addresses; otherwise
 * NULL. A program that unloads a library again and again, such as ar its plug-ins, would otherwise
 * fill the list with the same objects. */
static struct site_object *forgotten_object(const struct object *object, const char *text) {
  struct site_object *known = __atomic_load_n(&sites_state.objects, __ATOMIC_ACQUIRE);
  while (known && (known->start != object->start || known->end != object->end ||
                   known->base != object->base || strcmp(known->text, text) != 0))
    known = known->next;
  return known;
}

/* Adds an object to the list of known objects, or renews its element, and returns it; NULL if its
 * name is too long, the list is full, or memory runs out. Takes no lock. forgotten: value of
 * sites_state.forgotten when the object was read. */
static struct site_object *add_object(const struct object *object, uint32_t forgotten) {
  struct site_name name = {.length = 0};
  add_short(&name, object);
  struct site_object *known = name.is_full ? NULL : forgotten_object(object, name.text);
  if (known) {
    __atomic_store_n(&known->forgotten, forgotten, __ATOMIC_RELEASE);
    return known;
  }
  if (name.is_full ||
      __atomic_fetch_add(&sites_state.known_objects, 1, __ATOMIC_RELAXED) >= OBJECTS_MOST)
    return NULL;
  struct site_object *new = scratch_take(&darshan_scratch, sizeof(*new) + name.length + 1);
  if (!new) return NULL;
  new->start = object->start;
  new->end = object->end;
  new->base = object->base;
  new->forgotten = forgotten;
  memcpy(new->text, name.text, name.length + 1);
  new->next = __atomic_load_n(&sites_state.objects, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&sites_state.objects, &new->next, new, 0, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED)) {
  }
  return new;
}

struct site_object *site_object_of(uintptr_t address) {
  struct object object;
  uint32_t forgotten = __atomic_load_n(&sites_state.forgotten, __ATOMIC_ACQUIRE);
  struct site_object *known = known_object(address);
  if (known || object_of(address, &object) < 0) return known;
  return add_object(&object, forgotten);
}

void site_add_address(struct site_name *name, uintptr_t address) {
  struct object object;
  uintptr_t base;
  const struct site_object *known = site_object_of(address - 1);
  if (known) {
    site_name_add(name, ";");
    site_name_add(name, known->text);
    base = known->base;
  } else if (object_of(address - 1, &object) == 0) {
    site_name_add(name, ";");
    add_short(name, &object);
    base = object.base;
  } else {
    return;
  }
  site_name_add(name, "+");
  site_name_add_hex(name, address - base);
}

void site_objects_forked(void) {
  for (struct site_object *object = sites_state.objects; object; object = object->next)
    object->has_record = 0;
}
