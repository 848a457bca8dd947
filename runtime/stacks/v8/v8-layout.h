/* The V8 machine of this process (node), and the layout of its structures. Only for files of this
 * folder; others include ../script/script-frames.h. */
#ifndef DARSHAN_V8_LAYOUT_H
#define DARSHAN_V8_LAYOUT_H

#include "../script/script-layout.h"

struct v8_layout {
#define CONSTANT(member, name) int32_t member;
#define ALSO(member, name)
#include "v8-layout.def"
#undef CONSTANT
#undef ALSO
};
struct v8 {
  struct v8_layout at;
  uintptr_t inside; /* an address in the machine's code */
  struct span own;  /* the object that contains the machine and its built-in functions */
};
/* The facts about V8 in this process. Written once, before script_kind becomes SCRIPT_V8. */
extern struct v8 v8 __attribute__((visibility("hidden")));

/* A value is a small integer (Smi), in the upper half of the word, or the address of an object with
 * its lowest bit set. */
enum { V8_TAG = 1, V8_SMI_BITS = 32 };
static inline bool v8_is_smi(uintptr_t value) {
  return (value & V8_TAG) == 0;
}

/* Reads the member at this offset of an object, whose address has the tag. Returns true, or false
 * if the memory cannot be read. */
static inline bool v8_field(uintptr_t object, int32_t offset, uintptr_t *value) {
  return python_read_few(value, object - V8_TAG + (uintptr_t)(intptr_t)offset, sizeof(*value));
}
/* Returns the type of an object; -1 if the value is not an object, or cannot be read. */
int v8_type(uintptr_t value) __attribute__((visibility("hidden")));
/* Returns the description (SharedFunctionInfo) of a function; 0 if the value is not a function of a
 * script. */
uintptr_t v8_shared_of(uintptr_t function) __attribute__((visibility("hidden")));

#endif
