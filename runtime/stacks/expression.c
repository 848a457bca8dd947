/* Evaluates DWARF expressions, which are programs of a stack machine (frame-rules.h). */
#include "frame-rules.h"

enum { DEPTH = 32, STEPS = 1000 };

struct machine {
  struct cursor cursor;
  const struct registers *registers;
  const struct span *memory;
  unsigned depth;
  int failed;
  uintptr_t stack[DEPTH];
};

static void push(struct machine *machine, uintptr_t value) {
  if (machine->depth == DEPTH)
    machine->failed = 1;
  else
    machine->stack[machine->depth++] = value;
}

static uintptr_t pop(struct machine *machine) {
  if (machine->depth == 0) {
    machine->failed = 1;
    return 0;
  }
  return machine->stack[--machine->depth];
}

static void push_register(struct machine *machine, uint64_t number, int64_t offset) {
  if (register_known(machine->registers, number))
    push(machine, machine->registers->value[number] + (uintptr_t)offset);
  else
    machine->failed = 1;
}

/* Pushes a copy of an element of the stack. below: number of elements above it. */
static void pick(struct machine *machine, uint64_t below) {
  if (below >= machine->depth)
    machine->failed = 1;
  else
    push(machine, machine->stack[machine->depth - 1 - below]);
}

static void rotate(struct machine *machine, unsigned count) {
  if (machine->depth < count) {
    machine->failed = 1;
    return;
  }
  uintptr_t *from = &machine->stack[machine->depth - count], top = from[count - 1];
  for (unsigned i = count - 1; i > 0; i--)
    from[i] = from[i - 1];
  from[0] = top;
}

static void dereference(struct machine *machine, uint64_t bytes) {
  uintptr_t word = 0;
  if (span_word(machine->memory, pop(machine), &word) < 0 || bytes == 0 || bytes > 8)
    machine->failed = 1;
  push(machine, bytes < 8 ? word & (((uintptr_t)1 << 8 * (bytes & 7)) - 1) : word);
}

static void jump(struct machine *machine, int64_t distance) {
  struct cursor *cursor = &machine->cursor;
  int64_t to = (int64_t)cursor->at + distance;
  if (to < 0 || (uint64_t)to > cursor->end)
    machine->failed = 1;
  else
    cursor->at = (size_t)to;
}

/* Applies an operation to the two uppermost elements, a below b, and replaces a by the result.
 * Returns 1, or 0 if op does not have two operands. */
static int binary(struct machine *machine, unsigned op, uintptr_t a, uintptr_t b) {
  uintptr_t result;
  switch (op) {
  case 0x1a:
    result = a & b;
    break;
  case 0x1c:
    result = a - b;
    break;
  case 0x1e:
    result = a * b;
    break;
  case 0x21:
    result = a | b;
    break;
  case 0x22:
    result = a + b;
    break;
  case 0x24:
    result = b < 64 ? a << b : 0;
    break;
  case 0x25:
    result = b < 64 ? a >> b : 0;
    break;
  case 0x26:
    result = (uintptr_t)((intptr_t)a >> (b < 64 ? b : 63));
    break;
  case 0x27:
    result = a ^ b;
    break;
  case 0x29:
    result = (intptr_t)a == (intptr_t)b;
    break;
  case 0x2a:
    result = (intptr_t)a >= (intptr_t)b;
    break;
  case 0x2b:
    result = (intptr_t)a > (intptr_t)b;
    break;
  case 0x2c:
    result = (intptr_t)a <= (intptr_t)b;
    break;
  case 0x2d:
    result = (intptr_t)a < (intptr_t)b;
    break;
  case 0x2e:
    result = (intptr_t)a != (intptr_t)b;
    break;
  default:
    return 0;
  }
  pop(machine);
  pop(machine);
  push(machine, result);
  return 1;
}

/* Applies an operation that pushes a number, or the sum of a register and a number. Returns 1, or 0
 * if op is another operation. */
static int pushes(struct machine *machine, unsigned op) {
  struct cursor *cursor = &machine->cursor;
  if (op >= 0x30 && op <= 0x4f) { /* a literal */
    push(machine, op - 0x30);
    return 1;
  }
  if (op >= 0x70 && op <= 0x8f) { /* register and offset */
    push_register(machine, op - 0x70, cursor_sleb(cursor));
    return 1;
  }
  switch (op) {
  case 0x08:
    push(machine, cursor_number(cursor, 1));
    break;
  case 0x09:
    push(machine, (uintptr_t)cursor_signed(cursor, 1));
    break;
  case 0x0a:
    push(machine, cursor_number(cursor, 2));
    break;
  case 0x0b:
    push(machine, (uintptr_t)cursor_signed(cursor, 2));
    break;
  case 0x0c:
    push(machine, cursor_number(cursor, 4));
    break;
  case 0x0d:
    push(machine, (uintptr_t)cursor_signed(cursor, 4));
    break;
  case 0x0e:
  case 0x0f:
    push(machine, cursor_number(cursor, 8));
    break;
  case 0x10:
    push(machine, cursor_uleb(cursor));
    break;
  case 0x11:
    push(machine, (uintptr_t)cursor_sleb(cursor));
    break;
  case 0x92: {
    uint64_t number = cursor_uleb(cursor);
    push_register(machine, number, cursor_sleb(cursor));
    break;
  }
  default:
    return 0;
  }
  return 1;
}

static void step(struct machine *machine) {
  struct cursor *cursor = &machine->cursor;
  unsigned op = (unsigned)cursor_number(cursor, 1);
  if (pushes(machine, op)) return;
  if (machine->depth >= 2 &&
      binary(machine, op, machine->stack[machine->depth - 2], machine->stack[machine->depth - 1]))
    return;
  switch (op) {
  case 0x06:
    dereference(machine, 8);
    break;
  case 0x94:
    dereference(machine, cursor_number(cursor, 1));
    break;
  case 0x12:
    pick(machine, 0);
    break;
  case 0x13:
    pop(machine);
    break;
  case 0x14:
    pick(machine, 1);
    break;
  case 0x15:
    pick(machine, cursor_number(cursor, 1));
    break;
  case 0x16:
    rotate(machine, 2);
    break;
  case 0x17:
    rotate(machine, 3);
    break;
  case 0x1f:
    push(machine, (uintptr_t)0 - pop(machine));
    break;
  case 0x20:
    push(machine, ~pop(machine));
    break;
  case 0x23:
    push(machine, pop(machine) + cursor_uleb(cursor));
    break;
  case 0x28: {
    int64_t distance = cursor_signed(cursor, 2);
    if (pop(machine)) jump(machine, distance);
    break;
  }
  case 0x2f:
    jump(machine, cursor_signed(cursor, 2));
    break;
  case 0x96:
    break;
  default:
    machine->failed = 1;
  }
}

int expression_value(const struct section *section, size_t at, const struct registers *registers,
                     const struct span *memory, int has_first, uintptr_t first, uintptr_t *value) {
  struct machine machine = {
      .cursor = cursor_at(section, at, section->size), .registers = registers, .memory = memory};
  struct cursor *cursor = &machine.cursor;
  uint64_t length = cursor_uleb(cursor);
  if (cursor->failed || length > cursor->end - cursor->at) return -1;
  cursor->end = cursor->at + (size_t)length;
  if (has_first) push(&machine, first);
  for (int i = 0; cursor->at < cursor->end && i < STEPS; i++) {
    step(&machine);
    if (machine.failed || cursor->failed) return -1;
  }
  if (cursor->at < cursor->end || machine.depth == 0) return -1;
  *value = pop(&machine);
  return 0;
}
