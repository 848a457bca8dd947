/* Finds a Java machine (HotSpot) in this process, and the layout of its structures. */
#include <libc-loader.h>
#include <link.h>
#include <string.h>

#include "../../intercept/loader/libc-direct.h"
#include "java-layout.h"

struct java java;

/* The tables that the machine publishes: arrays of entries, of which variables tell the size and
 * the offsets of the members. */
struct table {
  uintptr_t entry, stride, type, field, is_static, offset, address;
};

static uintptr_t variable(const struct link_map *object, const char *name) {
  const uintptr_t *found = straight_symbol(object, name);
  return found ? *found : 0;
}

/* Returns false if the object publishes no table, or has not set up its variables yet. */
static bool structures_of(const struct link_map *object, struct table *table) {
  *table = (struct table){
      .entry = variable(object, "gHotSpotVMStructs"),
      .stride = variable(object, "gHotSpotVMStructEntryArrayStride"),
      .type = variable(object, "gHotSpotVMStructEntryTypeNameOffset"),
      .field = variable(object, "gHotSpotVMStructEntryFieldNameOffset"),
      .is_static = variable(object, "gHotSpotVMStructEntryIsStaticOffset"),
      .offset = variable(object, "gHotSpotVMStructEntryOffsetOffset"),
      .address = variable(object, "gHotSpotVMStructEntryAddressOffset"),
  };
  return table->entry && table->stride && table->address;
}

static bool sizes_of(const struct link_map *object, struct table *table) {
  *table = (struct table){
      .entry = variable(object, "gHotSpotVMTypes"),
      .stride = variable(object, "gHotSpotVMTypeEntryArrayStride"),
      .type = variable(object, "gHotSpotVMTypeEntryTypeNameOffset"),
      .offset = variable(object, "gHotSpotVMTypeEntrySizeOffset"),
  };
  return table->entry && table->stride && table->offset;
}

enum row_kind { IS_STATIC, IS_OFFSET, IS_SIZE };
static const struct row {
  const char *type, *field;
  size_t member;
  enum row_kind kind;
} rows[] = {
#define STATIC(member, type, field, need)                                                          \
  {type, field, offsetof(struct java_layout, member), IS_STATIC},
#define OFFSET(member, type, field, need)                                                          \
  {type, field, offsetof(struct java_layout, member), IS_OFFSET},
#define ALSO(member, type, field) {type, field, offsetof(struct java_layout, member), IS_OFFSET},
#define SIZE(member, type, need) {type, "", offsetof(struct java_layout, member), IS_SIZE},
#include "java-layout.def"
#undef STATIC
#undef OFFSET
#undef ALSO
#undef SIZE
};

static const char *text_at(uintptr_t address) {
  return *(const char *const *)address;
}
static uintptr_t value_at(uintptr_t address) {
  return *(const uintptr_t *)address;
}

/* Stores the value of an entry in each member that asks for it. field: "" for a size. */
static void take(struct java_layout *at, const struct table *table, uintptr_t entry,
                 const char *field) {
  const char *type = text_at(entry + table->type);
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    const struct row *row = &rows[i];
    if (row->type[0] != type[0] || strcmp(row->type, type) != 0 || strcmp(row->field, field) != 0)
      continue;
    uintptr_t from = entry + (row->kind == IS_STATIC ? table->address : table->offset);
    *(uintptr_t *)((char *)at + row->member) = value_at(from);
  }
}

enum { ENTRIES_MOST = 10000 };

static void take_structures(struct java_layout *at, const struct table *table) {
  uintptr_t entry = table->entry;
  for (int i = 0; i < ENTRIES_MOST; i++, entry += table->stride) {
    const char *field = text_at(entry + table->field);
    if (!text_at(entry + table->type)) return;
    if (field && field[0]) take(at, table, entry, field);
  }
}

static void take_sizes(struct java_layout *at, const struct table *table) {
  uintptr_t entry = table->entry;
  for (int i = 0; i < ENTRIES_MOST && text_at(entry + table->type); i++, entry += table->stride)
    take(at, table, entry, "");
}

/* Returns true if the release has all that is needed. */
static bool is_whole(const struct java_layout *at) {
  enum { NEEDED = 1, MAYBE = 0 };
  bool is_missing = false;
#define STATIC(member, type, field, need) is_missing |= (need) && at->member == JAVA_MISSING;
#define OFFSET(member, type, field, need) is_missing |= (need) && at->member == JAVA_MISSING;
#define ALSO(member, type, field)
#define SIZE(member, type, need) is_missing |= (need) && at->member == JAVA_MISSING;
#include "java-layout.def"
#undef STATIC
#undef OFFSET
#undef ALSO
#undef SIZE
  bool has_source = at->pool_source != JAVA_MISSING || at->class_source != JAVA_MISSING;
  return !is_missing && has_source;
}

/* Returns what is subtracted from each byte of a compressed number: 1 from release 20 on. */
static unsigned base_of(const struct table *table) {
  uintptr_t entry = table->entry;
  for (int i = 0; i < ENTRIES_MOST && text_at(entry + table->type); i++, entry += table->stride) {
    const char *field = text_at(entry + table->field);
    if (!field || strcmp(field, "_vm_major_version") != 0) continue;
    const int *version = *(const int *const *)(entry + table->address);
    return version && *version >= 20;
  }
  return 0;
}

bool java_consider(const struct link_map *object) {
#if defined(__x86_64__)
  struct table structures, sizes;
  struct java found = {.inside = (uintptr_t)straight_symbol(object, "gHotSpotVMStructs")};
  if (!found.inside || !structures_of(object, &structures) || !sizes_of(object, &sizes))
    return false;
  memset(&found.at, 0xff, sizeof(found.at)); /* JAVA_MISSING */
  take_structures(&found.at, &structures);
  take_sizes(&found.at, &sizes);
  found.number_base = base_of(&structures);
  for (object = libc_first_object(); object && !found.own_value; object = object->l_next)
    found.own_value = (void *(*)(unsigned))straight_symbol(object, "pthread_getspecific");
  if (!is_whole(&found.at) || !found.own_value) return false;
  java = found;
  return true;
#else
  (void)object;
  return false;
#endif
}

uintptr_t java_address(void) {
  return java.inside;
}
