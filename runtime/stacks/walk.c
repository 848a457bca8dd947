/* Walks a stack by the rules of unwind tables, frame by frame (walk.h). */
#include "walk.h"

#include "frame-rules.h"

struct frame_step {
  const struct section *frames;
  const struct registers *registers;
  const struct span *stack;
  uintptr_t frame; /* the frame's address */
};

static int frame_address(struct frame_step *step, const struct frame_rules *rules) {
  const struct registers *registers = step->registers;
  if (rules->by_expression)
    return expression_value(step->frames, (size_t)rules->base, registers, step->stack, 0, 0,
                            &step->frame);
  if (!register_known(registers, rules->base)) return -1;
  step->frame = registers->value[rules->base] + (uintptr_t)rules->offset;
  return 0;
}

/* Computes the caller's value of a register. Returns 1; 0 if it has no value; -1 if the rule is
 * invalid. Sets *stored to the address of the value if it was read from memory. */
static int restored(const struct frame_step *step, unsigned number, struct frame_rule rule,
                    uintptr_t *value, uintptr_t *stored) {
  uintptr_t at = step->frame + (uintptr_t)rule.value;
  const struct registers *registers = step->registers;
  switch (rule.kind) {
  case RULE_SAME:
    if (!register_known(registers, number)) return 0;
    *value = registers->value[number];
    return 1;
  case RULE_UNDEFINED:
    return 0;
  case RULE_IS_OFFSET:
    *value = at;
    return 1;
  case RULE_REGISTER:
    if (!register_known(registers, (uint64_t)rule.value)) return 0;
    *value = registers->value[rule.value];
    return 1;
  case RULE_IS_EXPRESSION:
  case RULE_AT_EXPRESSION:
    if (expression_value(step->frames, (size_t)rule.value, registers, step->stack, 1, step->frame,
                         &at) < 0)
      return -1;
    if (rule.kind == RULE_IS_EXPRESSION) {
      *value = at;
      return 1;
    }
    break;
  case RULE_AT_OFFSET:
    break;
  }
  if (stored) *stored = at;
  return span_word(step->stack, at, value) < 0 ? -1 : 1;
}

/* Replaces the registers by those of the caller. Returns 1, or 0 with the reason in *end. *stored:
 * receives the address at which the return address is stored. */
static int go_out(struct frame_step *step, const struct frame_rules *rules, uint64_t returns,
                  struct registers *registers, uintptr_t *stored, enum walk_end *end) {
  struct registers outer = {.pc = 0};
  *end = WALK_WRONG;
  if (frame_address(step, rules) < 0 || returns >= REGISTERS) return 0;
  for (unsigned i = 0; i < REGISTERS; i++) {
    uintptr_t value;
    int has = restored(step, i, rules->rule[i], &value, i == returns ? stored : NULL);
    /* A register that is stored outside of the stack has no value; without the return address, the
     * walk ends. */
    if (has < 0 && i == returns) return 0;
    if (has > 0) register_set(&outer, i, value);
  }
  if (rules->rule[REGISTER_STACK].kind == RULE_SAME)
    register_set(&outer, REGISTER_STACK, step->frame);
  if (!register_known(&outer, returns)) {
    *end = rules->rule[returns].kind == RULE_UNDEFINED ? WALK_WHOLE : WALK_WRONG;
    return 0;
  }
  outer.pc = return_address_bare(outer.value[returns]);
  /* Each frame is at a higher address than the frames that it called. */
  uintptr_t inner = registers->value[REGISTER_STACK];
  if (outer.value[REGISTER_STACK] < inner ||
      (outer.value[REGISTER_STACK] == inner && outer.pc == registers->pc))
    return 0;
  *registers = outer;
  if (outer.pc != 0) return 1;
  *end = WALK_WHOLE;
  return 0;
}

/* Reads the rules of a frame from the unwind tables. returns: receives the number of the register
 * with the return address. Returns 0, or -1 with the reason in *end. */
static int read_rules(const struct object *object, uintptr_t pc, int is_call,
                      struct frame_rules *rules, uint64_t *returns, enum walk_end *end) {
  struct frame_entry entry;
  uintptr_t address = pc - (is_call != 0);
  enum frame_found found = frame_entry_of(object, address, &entry);
  /* A coroutine returns to the first instruction of a function; no instruction before it has called
   * the function. */
  if (found == FRAME_HAS_NONE && is_call) found = frame_entry_of(object, address = pc, &entry);
  *end = WALK_WRONG;
  if (found == FRAME_HAS_NONE)
    *end = WALK_NO_TABLE;
  else if (found == FRAME_FOUND && entry.is_signal_frame)
    *end = WALK_HANDLER;
  if (found != FRAME_FOUND || entry.is_signal_frame ||
      frame_rules_at(&object->frames, &entry, address, rules) < 0)
    return -1;
  *returns = entry.return_register;
  return 0;
}

int walk_step(const struct object *object, struct registers *registers, const struct span *stack,
              int is_call, uintptr_t *stored, enum walk_end *end) {
  struct frame_rules rules;
  uint64_t returns;
  struct frame_step step = {&object->frames, registers, stack, 0};
  uintptr_t pc = registers->pc;
  *stored = 0;
  if (read_rules(object, pc, is_call, &rules, &returns, end) < 0) return 0;
  known_rules_add(pc, is_call, &rules, returns);
  return go_out(&step, &rules, returns, registers, stored, end);
}

/* Makes a step by stored rules (known-rules.c). Returns 1 and stores the result of walk_step in
 * *goes_on; returns 0 if the rules are unknown. */
static int step_by_known(struct registers *registers, const struct span *stack, int is_call,
                         uintptr_t *stored, enum walk_end *end, int *goes_on) {
  struct frame_rules rules;
  uint64_t returns;
  struct frame_step step = {NULL, registers, stack, 0};
  if (!known_rules(registers->pc, is_call, &rules, &returns)) return 0;
  *stored = 0;
  *goes_on = go_out(&step, &rules, returns, registers, stored, end);
  return 1;
}

void walk_from(struct registers *registers, const struct span *stack, unsigned most,
               const struct span *within, struct walk *walk) {
  walk->count = 0;
  for (uintptr_t stored = 0;;) {
    struct object object;
    int is_call = walk->count > 0, goes_on;
    uintptr_t pc = registers->pc, returned = stored;
    walk->end = WALK_LONG;
    if (walk->count == most) return;
    if (!step_by_known(registers, stack, is_call, &stored, &walk->end, &goes_on)) {
      walk->end = WALK_NO_TABLE;
      if (object_of(pc - is_call, &object) < 0) return;
      goes_on = walk_step(&object, registers, stack, is_call, &stored, &walk->end);
    }
    /* The return address of a signal handler's frame is not in a caller, so it is not a frame. */
    if (walk->end == WALK_HANDLER && !goes_on) return;
    walk->frame[walk->count++] = (struct walk_frame){pc, returned};
    if (pc - is_call - within->start < within->end - within->start) {
      walk->end = WALK_WITHIN;
      return;
    }
    if (!goes_on) return;
  }
}
