/* Walks the stack of a thread: finds the return addresses, from the running code outwards, and the
 * address on the stack at which each is stored. */
#ifndef DARSHAN_WALK_H
#define DARSHAN_WALK_H

#include "object.h"
#include "registers.h"

enum { WALK_FRAMES = 192 };

enum walk_end {
  WALK_WHOLE,    /* the walk reached the start of the thread or coroutine */
  WALK_HANDLER,  /* the walk reached the frame in which a signal handler began */
  WALK_NO_TABLE, /* code without unwind tables; if the code is in no object, it has no frame here */
  WALK_WRONG,    /* the tables are invalid, or lead off the stack */
  WALK_LONG,     /* the stack has more frames than were requested */
  WALK_WITHIN    /* the walk reached the code that ends it, whose first frame is included */
};

struct walk_frame {
  uintptr_t
      address; /* at which the frame's caller continues; in the first frame: of the running code */
  uintptr_t stored; /* address of that return address on the stack; 0: it was in a register */
};

struct walk {
  enum walk_end end;
  unsigned count;
  struct walk_frame frame[WALK_FRAMES];
};

/* Walks from these registers, at most `most` frames (up to WALK_FRAMES), and up to the first frame
 * whose code is in `within`, which may be empty. Reads the stack only within the span `stack`.
 * Needs some six kilobytes of stack besides *walk. Changes the registers. */
void walk_from(struct registers *registers, const struct span *stack, unsigned most,
               const struct span *within, struct walk *walk);

/* Makes one step, from a frame to its caller. is_call: 1 if the frame's address is a return
 * address, so that the call before it determines the rules. Returns 1 if there is a caller, or 0
 * with the reason in *end. *stored: receives the address at which the return address is stored. */
int walk_step(const struct object *object, struct registers *registers, const struct span *stack,
              int is_call, uintptr_t *stored, enum walk_end *end);

#endif
