/* Walks the JavaScript frames of this thread. Code that V8 generates while it runs, and its own
 * assembled functions, have a frame pointer but no unwind tables. So the native frames are walked
 * by their tables up to V8's code; from there the frame pointers are followed. The word below a
 * frame pointer shows the kind of a frame; frames of JavaScript have their function there, too. The
 * walk ends where native code called JavaScript. */
#include "../walk.h"
#include "v8-layout.h"

enum { WORD = sizeof(uintptr_t), STEPS = 512, REGISTER_FRAME = 6 };

int v8_type(uintptr_t value) {
  uintptr_t map;
  uint16_t type;
  if (v8_is_smi(value) || !v8_field(value, v8.at.object_map, &map) || v8_is_smi(map) ||
      !python_read_few(&type, map - V8_TAG + (uintptr_t)v8.at.map_type, sizeof(type)))
    return -1;
  return type;
}

uintptr_t v8_shared_of(uintptr_t function) {
  uintptr_t shared, script;
  if (v8_is_smi(function) || !v8_field(function, v8.at.function_shared, &shared) ||
      v8_type(shared) != v8.at.type_shared || !v8_field(shared, v8.at.shared_script, &script) ||
      v8_type(script) != v8.at.type_script)
    return 0;
  return shared;
}

/* Passes the function of a frame to the sink, unless it is V8's own. code: the address at which the
 * frame continues. Returns true, or false if the sink needs no further frames or the frame cannot
 * be read. */
static bool give(struct script_sink *sink, const struct span *stack, uintptr_t frame,
                 uintptr_t code) {
  uintptr_t function;
  if (span_word(stack, frame + (uintptr_t)(intptr_t)v8.at.frame_function, &function) < 0)
    return false;
  uintptr_t shared = v8_shared_of(function);
  if (!shared) return true;
  if (code - v8.own.start < v8.own.end - v8.own.start) {
    /* Frames of the interpreter all have the same return address, so the words for bytecode and
     * position identify them. */
    script_note(sink, frame + (uintptr_t)(intptr_t)v8.at.frame_bytecodes);
    script_note(sink, frame + (uintptr_t)(intptr_t)v8.at.frame_bytecode);
  }
  return script_give(sink, (struct python_frame){0, shared, 0});
}

/* Follows the frame pointers, from the innermost frame of V8's code to the frame in which native
 * code called JavaScript, to a frame that cannot be read, or to the limit of frames. code: the
 * address at which this frame continues. */
static void follow(struct script_sink *sink, const struct span *stack, uintptr_t frame,
                   uintptr_t code) {
  for (int i = 0; i < STEPS; i++) {
    uintptr_t kind, outer;
    if (span_word(stack, frame + (uintptr_t)(intptr_t)v8.at.frame_kind, &kind) < 0 ||
        span_word(stack, frame, &outer) < 0 || outer <= frame)
      return;
    if (v8_is_smi(kind) &&
        (kind >> 1 == (uintptr_t)v8.at.kind_entry || kind >> 1 == (uintptr_t)v8.at.kind_construct))
      return;
    if (!v8_is_smi(kind) && !give(sink, stack, frame, code)) return;
    script_note(sink, frame + WORD);
    if (span_word(stack, frame + WORD, &code) < 0) return;
    frame = outer;
  }
}

bool v8_walk(struct script_sink *sink) {
  static const struct span nowhere = {0, 0};
  struct walk walk;
  struct registers registers = sink->call->registers;
  struct span stack = sink->call->stack;
  if (stack.end == 0) return false;
  walk_from(&registers, &stack, WALK_FRAMES, &nowhere, &walk);
  if (walk.end == WALK_NO_TABLE && register_known(&registers, REGISTER_FRAME))
    follow(sink, &stack, registers.value[REGISTER_FRAME], registers.pc);
  return false;
}
