/* Walks the Python frames of the calling thread (python-frames.h). */
#include "python-frames.h"

#include <string.h>

#include "python-layout.h"

#define LIKELY(is) __builtin_expect((is), 1)
#define UNLIKELY(is) __builtin_expect((is), 0)

static inline uintptr_t word_at(uintptr_t address) {
  return *(const uintptr_t *)address;
}

/* Returns the address of this thread's state, or 0 if it has none. An interpreter that ends frees
 * the states of all other threads, which may still be in a call that released the GIL. */
static inline uintptr_t thread_state(void) {
  uintptr_t thread = (uintptr_t)python.thread_state();
  uintptr_t finalizing = __atomic_load_n(
      (const uintptr_t *)(python.runtime + python.layout.finalizing), __ATOMIC_ACQUIRE);
  return LIKELY(!finalizing) || finalizing == thread ? thread : 0;
}

/* Copies at most `limit` frames, from this one on, in Python 3.8 to 3.10, where frames are objects.
 * Returns their number. */
static size_t walk_objects(uintptr_t frame, struct python_frame *frames, size_t limit) {
  const size_t previous = python.layout.previous, code = python.layout.code,
               instruction = python.layout.instruction;
  size_t n = 0;
  for (; frame && n < limit; frame = word_at(frame + previous))
    frames[n++] = (struct python_frame){frame, word_at(frame + code),
                                        (uintptr_t)(intptr_t) * (const int *)(frame + instruction)};
  return n;
}

/* Returns true if a frame shows no line of the program: the interpreter made it in order to call
 * the __init__ of a new object, or its function has not begun. owner: the frame's owner
 * (PYTHON_OWNER_). */
static bool is_incomplete(const struct python_frame *frame, unsigned owner) {
  uintptr_t first = frame->code + python.layout.first_instruction;
  if (owner == PYTHON_OWNER_GENERATOR) return false;
  int traceable = *(const int *)(first - PYTHON_TRACEABLE_BEFORE);
  return (intptr_t)(frame->instruction - first) < 2 * (intptr_t)traceable;
}

/* Copies at most `limit` visible frames, from this one on, in Python 3.11 and later. Returns their
 * number. Only frames at one of the first instructions of their function can be incomplete, so the
 * code objects of other frames are not read. */
static size_t walk_structs(uintptr_t frame, struct python_frame *frames, size_t limit) {
  enum { FIRST_BYTES = 16 /* no function calls another one so early */ };
  const size_t previous = python.layout.previous, code = python.layout.code,
               instruction = python.layout.instruction, owner_at = python.layout.owner;
  const uintptr_t begun = python.layout.first_instruction + FIRST_BYTES;
  struct python_frame *to = frames;
  for (const struct python_frame *end = frames + limit; frame && to < end;
       frame = word_at(frame + previous)) {
    unsigned owner = *(const unsigned char *)(frame + owner_at);
    uintptr_t its_code = word_at(frame + code) & ~PYTHON_TAG, at = word_at(frame + instruction);
    if (UNLIKELY(owner >= PYTHON_OWNER_INTERPRETER)) continue;
    *to = (struct python_frame){frame, its_code, at};
    to += LIKELY(at - its_code >= begun) || !is_incomplete(to, owner);
  }
  return (size_t)(to - frames);
}

static inline uintptr_t innermost(uintptr_t thread) {
  uintptr_t frame = word_at(thread + python.layout.thread_frame);
  return python.layout.has_cframe && frame ? word_at(frame + python.layout.cframe_frame) : frame;
}

size_t python_frames(struct python_frame *frames, size_t limit) {
  return __atomic_load_n(&python_state, __ATOMIC_ACQUIRE) == PYTHON_UNCHECKED
             ? python_frames_checked(frames, limit)
             : python_frames_trusted(frames, limit);
}

size_t python_frames_trusted(struct python_frame *frames, size_t limit) {
  if (UNLIKELY(__atomic_load_n(&python_state, __ATOMIC_ACQUIRE) != PYTHON_TRUSTED)) return 0;
  uintptr_t thread = thread_state();
  if (!thread) return 0;
  return python.layout.form == PYTHON_ADDRESS ? walk_structs(innermost(thread), frames, limit)
                                              : walk_objects(innermost(thread), frames, limit);
}

/* Returns true if the frames from this one on are equal to the known ones, in Python 3.8 to 3.10.
 * whole: true if no frame may follow them. Each load is from a known address that the previous step
 * has confirmed, so the processor need not wait for one load before it begins the next, as in a
 * walk. */
static bool are_objects(uintptr_t frame, const struct python_frame *known, size_t count,
                        bool whole) {
  const size_t previous = python.layout.previous, code = python.layout.code,
               instruction = python.layout.instruction;
  for (const struct python_frame *end = known + count; known < end; known++) {
    if (frame != known->frame || word_at(frame + code) != known->code ||
        *(const int *)(frame + instruction) != (int)known->instruction)
      return false;
    frame = word_at(known->frame + previous);
  }
  return !whole || !frame;
}

/* Returns the first visible frame, from this one on; 0 if there is none. */
static uintptr_t visible(uintptr_t frame) {
  struct python_frame found;
  return walk_structs(frame, &found, 1) ? found.frame : 0;
}

static bool are_structs(uintptr_t frame, const struct python_frame *known, size_t count,
                        bool whole) {
  const size_t previous = python.layout.previous, code = python.layout.code,
               instruction = python.layout.instruction;
  for (const struct python_frame *end = known + count; known < end; known++) {
    uintptr_t at = known->frame;
    if (UNLIKELY(frame != at) && visible(frame) != at) return false;
    if (((word_at(at + code) ^ known->code) & ~PYTHON_TAG) ||
        word_at(at + instruction) != known->instruction)
      return false;
    frame = word_at(at + previous);
  }
  return !whole || !frame || !visible(frame);
}

bool python_frames_are(const struct python_frame *known, size_t count, bool whole) {
  if (UNLIKELY(__atomic_load_n(&python_state, __ATOMIC_ACQUIRE) != PYTHON_TRUSTED)) return false;
  uintptr_t thread = thread_state();
  if (!thread) return count == 0;
  return python.layout.form == PYTHON_ADDRESS ? are_structs(innermost(thread), known, count, whole)
                                              : are_objects(innermost(thread), known, count, whole);
}

/* --- the same, with every read checked ------------------------------------------------- */

/* Bytes of a frame that are read: the largest offset of a member, and the member. */
enum { FRAME_BYTES = 128 };

static uintptr_t word_in(const char *bytes, size_t size, size_t at) {
  uintptr_t word = 0;
  if (at + sizeof(word) <= size) memcpy(&word, bytes + at, sizeof(word));
  return word;
}

/* Reads a frame and the address of the next one. Returns true, or false if its memory is not
 * mapped. */
static bool read_frame(uintptr_t at, struct python_frame *frame, unsigned *owner, uintptr_t *next) {
  char bytes[FRAME_BYTES] = {0};
  const struct python_layout *layout = &python.layout;
  size_t n = python_read_some(bytes, at, sizeof(bytes));
  if (layout->previous + 8u > n || layout->code + 8u > n || layout->instruction + 4u > n ||
      layout->owner + 1u > n)
    return false;
  *next = word_in(bytes, n, layout->previous);
  *owner = layout->form == PYTHON_ADDRESS ? (unsigned char)bytes[layout->owner] : 0;
  *frame = (struct python_frame){.frame = at, .code = word_in(bytes, n, layout->code)};
  if (layout->form == PYTHON_ADDRESS) {
    frame->code &= ~PYTHON_TAG;
    frame->instruction = word_in(bytes, n, layout->instruction);
  } else {
    int number;
    memcpy(&number, bytes + layout->instruction, sizeof(number));
    frame->instruction = (uintptr_t)(intptr_t)number;
  }
  return true;
}

/* Like is_incomplete, but reads memory by python_read. Returns false if a page is not mapped. */
static bool read_incomplete(const struct python_frame *frame, unsigned owner) {
  uintptr_t first = frame->code + python.layout.first_instruction;
  int traceable = 0;
  if (python.layout.form != PYTHON_ADDRESS || owner == PYTHON_OWNER_GENERATOR) return false;
  return python_read(&traceable, first - PYTHON_TRACEABLE_BEFORE, sizeof(traceable)) &&
         (intptr_t)(frame->instruction - first) < 2 * (intptr_t)traceable;
}

/* Reads the address of this thread's innermost frame. Returns true, or false if the thread has
 * none, if another thread ends the interpreter, or if memory cannot be read. */
static bool read_innermost(uintptr_t *frame) {
  uintptr_t thread = (uintptr_t)python.thread_state(), finalizing;
  const struct python_layout *layout = &python.layout;
  if (!thread || !python_read(&finalizing, python.runtime + layout->finalizing, sizeof(finalizing)))
    return false;
  if (finalizing && finalizing != thread) return false;
  if (!python_read(frame, thread + layout->thread_frame, sizeof(*frame))) return false;
  if (layout->has_cframe && *frame &&
      !python_read(frame, *frame + layout->cframe_frame, sizeof(*frame)))
    return false;
  return *frame != 0;
}

static void trust(size_t frames) {
  /* A walk of three frames compares every offset that python_frames uses. A program may never have
   * three frames; then WALKS walks without a difference are sufficient. */
  enum { FRAMES = 3, WALKS = 32 };
  static unsigned walks;
  int unchecked = PYTHON_UNCHECKED;
  if (frames < FRAMES && __atomic_add_fetch(&walks, 1, __ATOMIC_RELAXED) < WALKS) return;
  __atomic_compare_exchange_n(&python_state, &unchecked, PYTHON_TRUSTED, false, __ATOMIC_ACQ_REL,
                              __ATOMIC_RELAXED);
}

/* Reads a frame and the address of the next one. Returns 1 if the frame is visible, 0 if it is
 * hidden, -1 if it differs from the layout. */
static int check_frame(uintptr_t at, struct python_frame *frame, uintptr_t *next) {
  struct python_code code;
  unsigned owner;
  if (!read_frame(at, frame, &owner, next)) return -1;
  if (owner >= PYTHON_OWNER_INTERPRETER || read_incomplete(frame, owner)) return 0;
  return python_code_of(frame, &code) ? 1 : -1;
}

size_t python_frames_checked(struct python_frame *frames, size_t limit) {
  enum { MOST_HIDDEN = 16 /* in a row: CPython has two */ };
  uintptr_t at, next;
  size_t n = 0;
  unsigned hidden = 0;
  if (!read_innermost(&at)) return 0;
  for (; at && n < limit; at = next) {
    int is_visible = check_frame(at, &frames[n], &next);
    hidden = is_visible == 0 ? hidden + 1 : 0;
    if (is_visible < 0 || hidden > MOST_HIDDEN) {
      python_refuse("frames and code objects are not as its release has them");
      return 0;
    }
    n += (size_t)is_visible;
  }
  if (n && !at) trust(n);
  return n;
}
