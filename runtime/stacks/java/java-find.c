/* Finds a Java machine (HotSpot) in this process, and the layout of its structures
 * (java-layout.h). */
#include <libc-loader.h>
#include <link.h>
#include <string.h>

#include "../../intercept/loader/libc-direct.h"
#include "java-layout.h"

struct java java;

/* The tables that the machine publishes: arrays of entries. Variables of the machine contain the
 * size of an entry and the offsets of its members. */
struct table {
  uintptr_t entry, stride, type, field, is_static, offset, address;
};

static uintptr_t variable(const struct link_map *object, const char *name) {
  const uintptr_t *found = straight_symbol(object, name);
  return found ? *found : 0;
}

/* Finds the tables that an object publishes. Returns true, or false if it publishes none, or has
 * not set its variables yet. */
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

/* Bytes for a name in a table, and limit of entries. Another program may have a variable of the
 * same name with any content, so all reads are checked. */
enum { NAME_ROOM = 40, ENTRIES_MOST = 10000 };

/* Reads the name to which an entry points. Returns false at the end of the table, or if the name
 * cannot be read. Truncates a name that does not fit. */
static bool read_name(uintptr_t at, char *to) {
  uintptr_t from;
  bool is_cut;
  to[0] = '\0';
  return python_read_few(&from, at, sizeof(from)) && from &&
         script_text(to, NAME_ROOM, from, &is_cut) >= 0;
}

/* Stores the value of an entry in each member of the layout that needs it. field: "" if the value
 * is a size. */
static void take(struct java_layout *at, const struct table *table, uintptr_t entry,
                 const char *type, const char *field) {
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    const struct row *row = &rows[i];
    uintptr_t from = entry + (row->kind == IS_STATIC ? table->address : table->offset), value;
    if (row->type[0] != type[0] || strcmp(row->type, type) != 0 || strcmp(row->field, field) != 0)
      continue;
    if (python_read_few(&value, from, sizeof(value)))
      *(uintptr_t *)((char *)at + row->member) = value;
  }
}

/* Stores the needed offsets and addresses of variables, and number_base, which depends on the
 * machine's release. */
static void take_structures(struct java *found, const struct table *table) {
  char type[NAME_ROOM], field[NAME_ROOM];
  uintptr_t entry = table->entry, at;
  for (int i = 0; i < ENTRIES_MOST && read_name(entry + table->type, type); i++) {
    int32_t release;
    if (read_name(entry + table->field, field) && field[0])
      take(&found->at, table, entry, type, field);
    if (strcmp(field, "_vm_major_version") == 0 &&
        python_read_few(&at, entry + table->address, sizeof(at)) &&
        python_read_few(&release, at, sizeof(release)))
      found->number_base = release >= 20;
    entry += table->stride;
  }
}

static void take_sizes(struct java *found, const struct table *table) {
  char type[NAME_ROOM];
  uintptr_t entry = table->entry;
  for (int i = 0; i < ENTRIES_MOST && read_name(entry + table->type, type); i++) {
    take(&found->at, table, entry, type, "");
    entry += table->stride;
  }
}

/* Returns true if this release has all offsets and sizes that are needed, otherwise false. */
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

bool java_consider(const struct link_map *object) {
  struct table structures, sizes;
  if (!SCRIPT_KNOWS_FRAMES) return false;
  struct java found = {.inside = (uintptr_t)straight_symbol(object, "JNI_GetCreatedJavaVMs")};
  if (!found.inside || !structures_of(object, &structures) || !sizes_of(object, &sizes))
    return false;
  memset(&found.at, 0xff, sizeof(found.at)); /* sets all members to JAVA_MISSING */
  take_structures(&found, &structures);
  take_sizes(&found, &sizes);
  for (object = libc_first_object(); object && !found.own_value; object = object->l_next)
    found.own_value = (void *(*)(unsigned))straight_symbol(object, "pthread_getspecific");
  if (!is_whole(&found.at) || !found.own_value) return false;
  java = found;
  return true;
}

uintptr_t java_address(void) {
  return java.inside;
}
