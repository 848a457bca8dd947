/* Walks the stack of a thread: the return addresses from the running code outwards, and where on
 * the stack each one is stored. */
#ifndef DARSHAN_WALK_H
#define DARSHAN_WALK_H

#include "object.h"
#include "registers.h"

enum { WALK_FRAMES = 192 };

enum walk_end {
  WALK_WHOLE,    /* up to where the thread or the coroutine began */
  WALK_HANDLER,  /* up to where a signal handler began */
  WALK_NO_TABLE, /* code without unwind tables; of no object, it has no frame here */
  WALK_WRONG,    /* tables that are wrong, or that lead off the stack */
  WALK_LONG,     /* more frames than were asked for */
  WALK_WITHIN    /* up to the first frame of the code that ends the walk */
};

struct walk_frame {
  uintptr_t
      address;      /* that the frame's caller continues at; of the first frame: the running code */
  uintptr_t stored; /* address on the stack; 0: in a register */
};

struct walk {
  enum walk_end end;
  unsigned count;
  struct walk_frame frame[WALK_FRAMES];
};

/* Walks from these registers, at most `most` frames (up to WALK_FRAMES), and no further than the
 * first frame with code in `within` (which may be empty). The stack may be read in the span only.
 * Needs some six kilobytes of stack beside *walk. The registers are changed. */
void walk_from(struct registers *registers, const struct span *stack, unsigned most,
               const struct span *within, struct walk *walk);

/* One step, from a frame to its caller. is_call: the frame's address is a return address, so the
 * code before it is the frame's. Returns 1 if there is a caller, or 0 and the reason in *end. The
 * address at which the return address is stored goes to *stored. */
int walk_step(const struct object *object, struct registers *registers, const struct span *stack,
              int is_call, uintptr_t *stored, enum walk_end *end);

#endif
