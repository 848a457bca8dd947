/* Computes the rules of a frame by running the instructions of .eh_frame entries
 * (frame-rules.h). */
#include "frame-rules.h"

#include <stddef.h>
#include <string.h>

enum { REMEMBERED = 8, STEPS = 10000 };

struct program {
  const struct frame_entry *entry;
  struct cursor cursor;
  uintptr_t at, until; /* address of the code that the rules apply to now; address for which they
                          are requested */
  int failed, done;
  unsigned remembered;
  struct frame_rules rules, initial, memory[REMEMBERED];
};

static void set(struct program *program, uint64_t number, enum frame_rule_kind kind,
                int64_t value) {
  if (number < REGISTERS) program->rules.rule[number] = (struct frame_rule){kind, value};
}

/* Reads the number of a register, whose rule becomes the address of the expression that follows.
 * Moves the cursor behind the expression, which is not evaluated. */
static void set_expression(struct program *program, enum frame_rule_kind kind) {
  uint64_t number = cursor_uleb(&program->cursor);
  set(program, number, kind, (int64_t)program->cursor.at);
  cursor_skip(&program->cursor, cursor_uleb(&program->cursor));
}

static int64_t scaled(const struct program *program, int64_t offset) {
  return (int64_t)((uint64_t)offset * (uint64_t)program->entry->data_unit);
}

static void advance(struct program *program, uint64_t by) {
  uintptr_t to = program->at + by * program->entry->code_unit;
  if (to < program->at)
    program->failed = 1;
  else if (to > program->until)
    program->done = 1;
  else
    program->at = to;
}

static void frame_is(struct program *program, uint64_t base, int64_t offset) {
  program->rules.by_expression = 0;
  program->rules.base = base;
  program->rules.offset = offset;
}

/* Runs an instruction that sets how the frame's address is computed. Returns 1, or 0 if op is
 * another instruction. */
static int defines_frame(struct program *program, unsigned op) {
  struct cursor *cursor = &program->cursor;
  struct frame_rules *rules = &program->rules;
  switch (op) {
  case 0x0c: { /* def_cfa */
    uint64_t base = cursor_uleb(cursor);
    frame_is(program, base, (int64_t)cursor_uleb(cursor));
    break;
  }
  case 0x12: { /* def_cfa_sf */
    uint64_t base = cursor_uleb(cursor);
    frame_is(program, base, scaled(program, cursor_sleb(cursor)));
    break;
  }
  case 0x0d: /* def_cfa_register */
    frame_is(program, cursor_uleb(cursor), rules->offset);
    break;
  case 0x0e: /* def_cfa_offset */
    rules->offset = (int64_t)cursor_uleb(cursor);
    break;
  case 0x13: /* def_cfa_offset_sf */
    rules->offset = scaled(program, cursor_sleb(cursor));
    break;
  case 0x0f: /* def_cfa_expression */
    rules->by_expression = 1;
    rules->base = cursor->at;
    cursor_skip(cursor, cursor_uleb(cursor));
    break;
  default:
    return 0;
  }
  return 1;
}

static void remember(struct program *program) {
  if (program->remembered == REMEMBERED)
    program->failed = 1;
  else
    program->memory[program->remembered++] = program->rules;
}

static void restore_remembered(struct program *program) {
  if (program->remembered == 0)
    program->failed = 1;
  else
    program->rules = program->memory[--program->remembered];
}

static void restore(struct program *program, uint64_t number) {
  if (number < REGISTERS) program->rules.rule[number] = program->initial.rule[number];
}

/* Runs an instruction that sets the rule of a register. Marks the program as wrong if op is
 * unknown. */
static void defines_register(struct program *program, unsigned op) {
  struct cursor *cursor = &program->cursor;
  if (op == 0x10) return set_expression(program, RULE_AT_EXPRESSION);
  if (op == 0x16) return set_expression(program, RULE_IS_EXPRESSION);
  uint64_t number = cursor_uleb(cursor);
  switch (op) {
  case 0x05:
    set(program, number, RULE_AT_OFFSET, scaled(program, (int64_t)cursor_uleb(cursor)));
    break;
  case 0x11:
    set(program, number, RULE_AT_OFFSET, scaled(program, cursor_sleb(cursor)));
    break;
  case 0x14:
    set(program, number, RULE_IS_OFFSET, scaled(program, (int64_t)cursor_uleb(cursor)));
    break;
  case 0x15:
    set(program, number, RULE_IS_OFFSET, scaled(program, cursor_sleb(cursor)));
    break;
  case 0x2f:
    set(program, number, RULE_AT_OFFSET, -scaled(program, (int64_t)cursor_uleb(cursor)));
    break;
  case 0x06:
    restore(program, number);
    break;
  case 0x07:
    set(program, number, RULE_UNDEFINED, 0);
    break;
  case 0x08:
    set(program, number, RULE_SAME, 0);
    break;
  case 0x09:
    set(program, number, RULE_REGISTER, (int64_t)cursor_uleb(cursor));
    break;
  default:
    program->failed = 1;
  }
}

static void step(struct program *program) {
  struct cursor *cursor = &program->cursor;
  unsigned op = (unsigned)cursor_number(cursor, 1), low = op & 0x3f;
  switch (op & 0xc0) {
  case 0x40:
    return advance(program, low);
  case 0x80:
    return set(program, low, RULE_AT_OFFSET, scaled(program, (int64_t)cursor_uleb(cursor)));
  case 0xc0:
    return restore(program, low);
  }
  if (defines_frame(program, op)) return;
  switch (op) {
  case 0x00:
    break;
  case 0x02:
    advance(program, cursor_number(cursor, 1));
    break;
  case 0x03:
    advance(program, cursor_number(cursor, 2));
    break;
  case 0x04:
    advance(program, cursor_number(cursor, 4));
    break;
  case 0x0a:
    remember(program);
    break;
  case 0x0b:
    restore_remembered(program);
    break;
  case 0x2d:
    break; /* from here on return addresses are signed; the walk removes the signatures */
  case 0x2e:
    cursor_uleb(cursor);
    break; /* size of arguments */
  default:
    defines_register(program, op);
  }
}

/* Runs the instructions from offset `from` to `to`, until they reach the requested address. Returns
 * 0, or -1 if they are invalid. */
static int run(struct program *program, const struct section *frames, size_t from, size_t to) {
  program->cursor = cursor_at(frames, from, to);
  for (int i = 0; program->cursor.at < program->cursor.end && !program->done; i++) {
    if (i == STEPS) return -1;
    step(program);
    if (program->failed || program->cursor.failed) return -1;
  }
  return program->cursor.failed ? -1 : 0;
}

int frame_rules_at(const struct section *frames, const struct frame_entry *entry, uintptr_t address,
                   struct frame_rules *rules) {
  struct program program;
  memset(&program, 0, offsetof(struct program, memory));
  program.entry = entry;
  program.at = entry->start;
  program.until = address;
  program.rules.base = REGISTERS; /* not set yet */
  if (run(&program, frames, entry->common_from, entry->common_to) < 0) return -1;
  program.initial = program.rules;
  program.done = 0;
  if (run(&program, frames, entry->own_from, entry->own_to) < 0) return -1;
  *rules = program.rules;
  return 0;
}
