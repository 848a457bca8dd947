/* Reads the frames of Python and of scripts (bash, Perl, Java, JavaScript) on the running stack,
 * and appends them to the names of call sites. */
#include <string.h>

#include "../../door/door.h"
#include "../../intercept/guard.h"
#include "../../intercept/stack.h"
#include "../../stacks/python/python-layout.h"
#include "../../stacks/script/script-frames.h"
#include "sites-state.h"

struct span site_interpreter(void) {
  struct object object;
  uintptr_t inside = 0;
  if (script_is_here())
    inside = script_interpreter();
  else if (python_is_here())
    inside = (uintptr_t)python.thread_state;
  if (!inside || object_of(inside, &object) < 0) return (struct span){0, 0};
  return (struct span){object.start, object.end};
}

/* Arguments and result of take_checked, for a call on another stack. */
struct checking {
  struct python_frame *frames;
  size_t most, count;
};

static void take_checked(void *argument) {
  struct checking *checking = argument;
  checking->count = python_frames_checked(checking->frames, checking->most);
}

/* Returns 1 if the thread runs on its own stack, and this stack has at least 16 KiB of space,
 * enough to read the frames of a script on it. Otherwise returns 0, also in other threads than the
 * first one, whose stacks may be small, unless script_has_room is true. */
static int has_room(void) {
  enum { ROOM = 16 << 10 };
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  const struct span *own = &site_thread.stack;
  return (site_thread.is_first || script_has_room()) && here < own->end && here > own->start + ROOM;
}

struct taking {
  struct python_frame *frames;
  size_t most, count;
  bool imports;
  struct script_words *words;
  struct registers_kept *kept;
};

/* Describes the running call for script_frames: its registers and the bounds of its stack. Does
 * nothing if the interpreter's frames can be read without it. kept: the registers that its caller
 * has stored. */
static void describe_call(struct script_call *call, const struct registers_kept *kept) {
  if (!script_needs_call()) return;
  registers_from(&call->registers, kept);
  uintptr_t top = call->registers.value[REGISTER_STACK];
  site_bounds(top, &call->stack);
  if (call->stack.end != 0) call->stack.start = top;
}

static void take_script_here(void *argument) {
  struct taking *taking = argument;
  struct script_call call;
  describe_call(&call, taking->kept);
  taking->count =
      script_frames(taking->frames, taking->most, &taking->imports, taking->words, &call);
}

/* Like site_take_python, for a thread that runs a script of another interpreter (bash, Perl, Java,
 * JavaScript). *python stays empty if the frames cannot be read, or if words is NULL and
 * script_needs_call(). */
static void take_script(struct site_python *python, struct python_frame *frames, size_t most,
                        struct script_words *words) {
  struct taking taking = {frames, most, 0, false, words, NULL};
  if (script_needs_call()) {
    /* Stores the registers behind the words, because this stack has little space. */
    taking.kept = (struct registers_kept *)(words + 1);
    if (words) registers_take(taking.kept);
  }
  if (script_needs_call() && !words) return;
  python->frame = frames;
  if (stack_run_with_room(take_script_here, &taking, has_room()) < 0) return;
  python->lines = (uint32_t)taking.count;
  python->imports = taking.imports;
  /* Words cannot distinguish frames within a loader of classes. */
  if (words && script_has_words() && !taking.imports) python->by_words = 1;
}

struct comparing {
  const struct site_stack *stack;
  bool is_same;
  uint64_t mark;
  struct registers_kept *kept;
};

static void compare_here(void *argument) {
  struct comparing *comparing = argument;
  struct script_call call;
  describe_call(&call, comparing->kept);
  comparing->is_same = script_frames_are(comparing->stack->line, comparing->stack->lines, &call);
}

int site_has_script_lines(const struct site_stack *stack) {
  struct registers_kept kept;
  struct comparing comparing = {.stack = stack, .kept = &kept};
  registers_take(&kept);
  int ran = stack_run_with_room(compare_here, &comparing, has_room()) >= 0;
  return ran && comparing.is_same;
}

static void mark_here(void *argument) {
  struct comparing *comparing = argument;
  comparing->mark = script_mark(comparing->stack->line, comparing->stack->lines);
}

uint64_t site_mark(const struct site_stack *stack) {
  if (!script_is_here()) return python_mark(stack->line, stack->lines);
  struct comparing comparing = {.stack = stack};
  return stack_run_with_room(mark_here, &comparing, has_room()) < 0 ? 0 : comparing.mark;
}

void site_take_python(struct site_python *python, struct python_frame *frames, size_t most,
                      struct script_words *words) {
  if (UNLIKELY(script_is_here())) {
    take_script(python, frames, most, words);
    return;
  }
  size_t first, count = python_frames_trusted(frames, most);
  if (UNLIKELY(python_state == PYTHON_UNCHECKED)) {
    struct checking checking = {frames, most, 0};
    count = stack_run(take_checked, &checking) < 0 ? 0 : checking.count;
  }
  /* Imports by an imported module belong to the line of the program that imported this module. */
  python->imports = python_importing(frames, count, &first);
  python->frame = frames + first;
  python->lines = (uint32_t)(count - first);
}

/* The text of a frame, which many stacks share. mark and code (as python_code_of reads them) are
 * compared with the frame, because a code object may be freed and another one be made at its
 * address. */
struct known_line {
  uintptr_t address; /* of the code object */
  uint64_t mark;
  struct python_code code;
  char text[];
};
enum { KNOWN_LINES = 256, LONGEST_KNOWN = 512 };
static const struct known_line *known_lines[KNOWN_LINES];

/* Returns the slot for the text of a frame with this code object at this address; lines share
 * slots. */
static const struct known_line **place_of(uintptr_t address, const struct python_code *code) {
  uint64_t key = address * 31 + (uint64_t)code->instruction;
  return &known_lines[key * 0x9e3779b97f4a7c15u >> 56];
}

/* Returns true if the stored text is that of the frame. code: of the frame (python_code_of). */
static bool is_line(const struct known_line *line, const struct python_frame *frame,
                    const struct python_code *code) {
  return line->address == frame->code && line->mark == python_mark(frame, 1) &&
         line->code.instruction == code->instruction && line->code.file == code->file &&
         line->code.name == code->name && line->code.line_table == code->line_table &&
         line->code.line_table_size == code->line_table_size &&
         line->code.first_line == code->first_line;
}

/* Stores a copy of the text of a Python line, of this length, in *place, unless *place has a text
 * already, the text is longer than LONGEST_KNOWN, the mark of the frame's code is unknown, or there
 * is no memory. */
static void remember_line(const struct known_line **place, const struct python_frame *frame,
                          const struct python_code *code, const char *text, size_t length) {
  uint64_t mark = python_mark(frame, 1);
  if (!mark || __atomic_load_n(place, __ATOMIC_RELAXED) || length > LONGEST_KNOWN) return;
  struct known_line *line = scratch_take(&darshan_scratch, sizeof(*line) + length + 1);
  if (!line) return;
  line->address = frame->code;
  line->mark = mark;
  line->code = *code;
  memcpy(line->text, text, length + 1);
  __atomic_store_n(place, line, __ATOMIC_RELEASE);
}

static void add_place(struct site_name *name, const struct python_place *place) {
  site_name_add(name, ";");
  site_name_add_escaped(name, place->file);
  site_name_add(name, ":");
  site_name_add_number(name, place->line);
  site_name_add(name, ":");
  site_name_add_function(name, place->function);
}

void site_add_line(struct site_name *name, const struct python_frame *frame) {
  char text[SITE_NAME_ROOM];
  struct python_place place = {.text = text, .room = sizeof(text)};
  struct python_code code;
  if (script_is_here()) {
    if (script_describe(frame, &place))
      add_place(name, &place);
    else
      site_name_add(name, ";?");
    return;
  }
  size_t before = name->length;
  if (!python_is_here() || !python_code_of(frame, &code)) {
    site_name_add(name, ";?");
    return;
  }
  const struct known_line **known = place_of(frame->code, &code);
  const struct known_line *line = __atomic_load_n(known, __ATOMIC_ACQUIRE);
  if (line && is_line(line, frame, &code)) {
    site_name_add(name, line->text);
    return;
  }
  if (!python_describe(frame, &place)) {
    site_name_add(name, ";?");
    return;
  }
  add_place(name, &place);
  if (!name->is_full)
    remember_line(known, frame, &code, name->text + before, name->length - before);
}
