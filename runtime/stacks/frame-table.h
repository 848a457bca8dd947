/* Finds the entry (FDE) of an address in the unwind table of an object. */
#ifndef DARSHAN_FRAME_TABLE_H
#define DARSHAN_FRAME_TABLE_H

#include "object.h"

/* The contents of an entry and its common part (CIE). The instructions are offsets in .eh_frame. */
struct frame_entry {
  uintptr_t start, end; /* the code that the entry describes */
  uint64_t code_unit;   /* factors of advances and of offsets */
  int64_t data_unit;
  uint64_t return_register;
  unsigned pointer_encoding;
  int is_signal_frame;
  int is_augmented;              /* entries have data of their own before their instructions */
  size_t common_from, common_to; /* instructions of the common part */
  size_t own_from, own_to;
};

enum frame_found {
  FRAME_FOUND,
  FRAME_HAS_NONE, /* no entry describes the address */
  FRAME_IS_WRONG  /* the table contradicts itself or the format */
};

enum frame_found frame_entry_of(const struct object *object, uintptr_t address,
                                struct frame_entry *entry);

#endif
