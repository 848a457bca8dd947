/* Python frames in sites. */
#include "../../intercept/guard.h"
#include "../../intercept/stack.h"
#include "../../stacks/python-layout.h"
#include "sites-state.h"

uintptr_t site_interpreter(void) {
  struct object object;
  if (!python_is_here() || object_of((uintptr_t)python.thread_state, &object) < 0) return 0;
  return object.start;
}

/* Returns the index of the first frame outside of the import machinery: all frames up to the
 * outermost one of that machinery are left out, because what an imported module imports belongs
 * to the same line of the program. */
static size_t first_outside(const struct python_frame *frames, size_t count) {
  size_t first = 0, machinery;
  for (size_t i = 0; i < count; i++) {
    if (!python_importing(frames + i, count - i, &machinery)) continue;
    i += machinery;
    first = i;
  }
  return first;
}

struct checking {
  struct python_frame *frames;
  size_t most, count;
};

static void take_checked(void *argument) {
  struct checking *checking = argument;
  checking->count = python_frames_checked(checking->frames, checking->most);
}

void site_take_python(struct site_python *python, struct python_frame *frames, size_t most) {
  size_t machinery, count = python_frames_trusted(frames, most);
  if (UNLIKELY(python_state == PYTHON_UNCHECKED)) {
    struct checking checking = {frames, most, 0};
    count = stack_run(take_checked, &checking) < 0 ? 0 : checking.count;
  }
  python->imports = python_importing(frames, count, &machinery);
  size_t first = python->imports ? first_outside(frames, count) : 0;
  python->frame = frames + first;
  python->lines = (uint32_t)(count - first);
}

void site_add_line(struct site_name *name, const struct python_frame *frame) {
  char text[SITE_NAME_ROOM];
  struct python_place place = {.text = text, .room = sizeof(text)};
  if (!python_describe(frame, &place)) {
    site_name_add(name, ";?");
    return;
  }
  site_name_add(name, ";");
  site_name_add_escaped(name, place.file);
  site_name_add(name, ":");
  site_name_add_number(name, place.line);
  site_name_add(name, ":");
  site_name_add_escaped(name, place.function);
}
