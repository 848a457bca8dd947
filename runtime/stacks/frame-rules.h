/* How to restore the registers of a caller: the result of an entry's instructions. */
#ifndef DARSHAN_FRAME_RULES_H
#define DARSHAN_FRAME_RULES_H

#include "frame-table.h"
#include "registers.h"

enum frame_rule_kind {
  RULE_SAME, /* the caller's value is in the register, also if no rule is given */
  RULE_UNDEFINED,
  RULE_AT_OFFSET, /* value: where the register is stored, from the frame's address */
  RULE_IS_OFFSET, /* value: the register's value, from the frame's address */
  RULE_REGISTER,  /* value: number of the register that has the value */
  RULE_AT_EXPRESSION,
  RULE_IS_EXPRESSION /* value: offset of the expression in .eh_frame */
};

struct frame_rule {
  enum frame_rule_kind kind;
  int64_t value;
};

/* The frame's address (CFA) is a register and an offset, or an expression. */
struct frame_rules {
  int by_expression;
  uint64_t base; /* register, or offset of the expression */
  int64_t offset;
  struct frame_rule rule[REGISTERS];
};

/* Computes the rules that hold at an address of the entry. Returns 0, or -1 if the instructions are
 * wrong or not understood. */
int frame_rules_at(const struct section *frames, const struct frame_entry *entry, uintptr_t address,
                   struct frame_rules *rules);

#endif
