/* Finds V8 in this process, and the layout of its structures (v8-layout.h). */
#include <link.h>
#include <string.h>

#include "../../intercept/loader/libc-direct.h"
#include "../object.h"
#include "v8-layout.h"

struct v8 v8;

static const struct row {
  const char *name; /* of the variable of V8 */
  size_t member;    /* offset in struct v8_layout of the member that receives its value */
} rows[] = {
#define CONSTANT(member, name) {"v8dbg_" name, offsetof(struct v8_layout, member)},
#define ALSO(member, name) CONSTANT(member, name)
#include "v8-layout.def"
#undef CONSTANT
#undef ALSO
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]), MISSING = INT32_MIN };

bool v8_consider(const struct link_map *object) {
  enum { WIDE = 31 }; /* SmiShiftSize of a machine without compressed pointers */
  if (!SCRIPT_KNOWS_FRAMES) return false;
  struct v8 found = {.inside = (uintptr_t)straight_symbol(object, "_ZN2v87Isolate10GetCurrentEv")};
  struct object own;
  bool is_missing = false;
  if (!found.inside || !straight_symbol(object, "v8dbg_SmiShiftSize") ||
      object_of(found.inside, &own) < 0)
    return false;
  found.own = (struct span){own.start, own.end};
  for (size_t i = 0; i < ROWS; i++)
    *(int32_t *)((char *)&found.at + rows[i].member) = MISSING;
  for (size_t i = 0; i < ROWS; i++) {
    int32_t value, *to = (int32_t *)((char *)&found.at + rows[i].member);
    const void *from = straight_symbol(object, rows[i].name);
    if (from && python_read(&value, (uintptr_t)from, sizeof(value))) *to = value;
  }
  for (size_t i = 0; i < ROWS; i++) {
    int32_t value = *(const int32_t *)((const char *)&found.at + rows[i].member);
    is_missing |= value < INT16_MIN || value > INT16_MAX;
  }
  if (is_missing || found.at.smi_shift != WIDE) return false;
  v8 = found;
  return true;
}

uintptr_t v8_address(void) {
  return v8.inside;
}
