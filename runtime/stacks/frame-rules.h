/* Rules that restore the registers of a caller from those of the called function. An entry of an
 * unwind table contains instructions, from which the rules are computed. */
#ifndef DARSHAN_FRAME_RULES_H
#define DARSHAN_FRAME_RULES_H

#include "object.h"
#include "registers.h"
#include "section.h"

/* An entry (FDE) of .eh_frame, and its common part (CIE). Instructions are given as offsets in
 * .eh_frame. */
struct frame_entry {
  uintptr_t start, end; /* the code that the entry describes */
  uint64_t code_unit;   /* factors: unit of advances in the code, unit of offsets */
  int64_t data_unit;
  uint64_t return_register;      /* number of the register that has the return address */
  unsigned pointer_encoding;     /* POINTER_ flags (section.h) of the addresses in the entry */
  int is_signal_frame;           /* 1: the kernel made the frame, to call a signal handler */
  int is_augmented;              /* 1: entries have additional data before their instructions */
  size_t common_from, common_to; /* instructions of the common part */
  size_t own_from, own_to;       /* instructions of the entry itself */
};

enum frame_found {
  FRAME_FOUND,
  FRAME_HAS_NONE, /* no entry describes the address */
  FRAME_IS_WRONG  /* the table contradicts itself or the format */
};

/* Finds the entry (FDE) of an address in the unwind table of an object. Returns whether the entry
 * was found, and stores it in *entry. */
enum frame_found frame_entry_of(const struct object *object, uintptr_t address,
                                struct frame_entry *entry);

enum frame_rule_kind {
  RULE_SAME,          /* the caller's value is in the register; also used if there is no rule */
  RULE_UNDEFINED,     /* the caller's value is lost */
  RULE_AT_OFFSET,     /* value: offset of the register's memory from the frame's address */
  RULE_IS_OFFSET,     /* value: difference between the register's value and the frame's address */
  RULE_REGISTER,      /* value: number of the register that has the value */
  RULE_AT_EXPRESSION, /* value: offset in .eh_frame of an expression for the memory's address */
  RULE_IS_EXPRESSION  /* value: offset in .eh_frame of an expression for the register's value */
};

struct frame_rule {
  enum frame_rule_kind kind;
  int64_t value;
};

/* How the registers of a frame's caller are computed. The frame's address (CFA) is a register plus
 * an offset, or the value of an expression. */
struct frame_rules {
  int by_expression; /* 1: the CFA is the value of an expression */
  uint64_t base;     /* number of the register, or offset of the expression in .eh_frame */
  int64_t offset;    /* from the register's value, in bytes */
  struct frame_rule rule[REGISTERS];
};

/* Computes the rules for a code address within the entry. frames: .eh_frame of the object. Returns
 * 0, or -1 if the instructions are invalid or not supported. */
int frame_rules_at(const struct section *frames, const struct frame_entry *entry, uintptr_t address,
                   struct frame_rules *rules);

/* Evaluates a DWARF expression of an unwind table: a rule for a procedure linkage table, or for a
 * frame whose layout no simpler rule describes. The expression begins with its length at offset
 * `at` of the section. first: a value that is on the expression's stack at the start, if has_first
 * is 1. Reads memory only within the span. Returns 0 and stores the result in *value, or returns -1
 * if the expression is invalid or not supported, or needs an unknown register or other memory. */
int expression_value(const struct section *section, size_t at, const struct registers *registers,
                     const struct span *memory, int has_first, uintptr_t first, uintptr_t *value);

/* Gets the rules for an address from those of earlier stacks, which contain most frames of a new
 * stack. is_call: 1 if the address is a return address. returns: receives the number of the
 * register that has the caller's address. Takes no lock. Returns 1 if the rules are known, else
 * 0. */
int known_rules(uintptr_t address, int is_call, struct frame_rules *rules, uint64_t *returns);

/* Stores the rules of an address in the table, unless the table cannot represent them or another
 * thread is writing the same entry. is_call, returns: as in known_rules. Takes no lock. */
void known_rules_add(uintptr_t address, int is_call, const struct frame_rules *rules,
                     uint64_t returns);

/* Removes all stored rules. Called after code was unloaded. */
void known_rules_forget(void);

#endif
