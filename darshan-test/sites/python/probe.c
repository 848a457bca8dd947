/* A library to preload into Python. Each call of lseek with a descriptor from FIRST on, which does
 * not exist, appends a line to the file PROBE_OUT with the results of python_frames and
 * python_describe:
 *
 * number FS importing FS outside FS release FS why not FS frame RS frame ...
 *
 * frame: file US function US line US first line US is cut
 *
 * With PROBE_ALL, other calls of lseek append lines, too, with a negative number. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "intercept/loader/loader.h"
#include "intercept/sys/sys.h"
#include "stacks/python/python-frames.h"
#include "stacks/python/python-layout.h"

enum { FIRST = 1000000, FRAMES = 4096, FRAME_ROOM = 1024, FOUND_FIELDS = 2 };
#define FS "\x1c"
#define RS "\x1e"
#define US "\x1f"
#define VISIBLE __attribute__((visibility("default")))

/* Runs the function for python-find.c. In the runtime, this function switches to another stack. */
void stack_run_anyway(void (*function)(void *), void *argument) {
  function(argument);
}

static int out = -1, is_all;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("PROBE_OUT");
  python_look();
  is_all = getenv("PROBE_ALL") != NULL;
  if (path) out = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* Writes file, function, line, first line and "is cut" of a frame into `line`, separated by US.
 * Returns the number of characters, as snprintf does. */
static int put_frame(char *line, size_t room, const struct python_frame *frame) {
  char text[640];
  struct python_place place = {.text = text, .room = sizeof(text)};
  if (!python_describe(frame, &place)) return snprintf(line, room, "?" US "?" US "0" US "0" US "0");
  return snprintf(line, room, "%s" US "%s" US "%u" US "%u" US "%d", place.file, place.function,
                  place.line, place.first_line, place.is_cut);
}

/* Returns whether python_frames_are agrees with a walk of the stack, about the `count` frames of
 * this probe, about those of the previous probe of this thread, and about these frames with one
 * change. */
static bool is_same(struct python_frame *frames, size_t count) {
  static __thread struct python_frame before[FRAMES];
  static __thread size_t count_before;
  bool are = python_frames_are(before, count_before, false);
  bool same = count_before <= count && (count || python_is_here()) &&
              memcmp(frames, before, count_before * sizeof(*frames)) == 0;
  if (python_state == PYTHON_TRUSTED) {
    if (are != same || !python_frames_are(frames, count, count < FRAMES)) return false;
    if (count && python_frames_are(frames, count - 1, true)) return false;
    if (count) {
      uintptr_t *word = &((uintptr_t *)frames)[(size_t)rand() % (3 * count)];
      *word += 16;
      are = python_frames_are(frames, count, false);
      *word -= 16;
      if (are) return false;
    }
  }
  memcpy(before, frames, count * sizeof(*frames));
  count_before = count;
  return true;
}

/* Appends the line for a probe with this number to the file PROBE_OUT. */
static void probe(int number) {
  static __thread struct python_frame frames[FRAMES];
  size_t count = python_frames(frames, FRAMES), outside = 0;
  bool importing = python_importing(frames, count, &outside);
  const char *why = python_why_not();
  if (!is_same(frames, count)) why = "python_frames_are differs";
  size_t room = (count + 1) * FRAME_ROOM;
  char *line = malloc(room);
  int n = snprintf(line, room, "%d" FS "%d" FS "%zu" FS "%x" FS "%s" FS, number, importing, outside,
                   python_release(), why ? why : "");
  for (size_t i = 0; i < count; i++) {
    n += put_frame(line + n, FRAME_ROOM, &frames[i]);
    if (i + 1 < count) line[n++] = RS[0];
  }
  line[n++] = '\n';
  sys_write(out, line, (size_t)n);
  free(line);
}

/* Lets the runtime examine the object that contains `address`, as the walk of native frames does
 * when it first reaches an object. */
static void look_at_caller(const void *address) {
  struct loaded_object object;
  if (!python_is_here() && loader_object_of(address, &object) == 0) python_look_at(object.map);
}

static off_t seek(int fd, off_t to, int from, const void *caller) {
  if (out >= 0 && (fd >= FIRST || is_all)) {
    look_at_caller(caller);
    probe(fd - FIRST);
  }
  return fd >= FIRST ? 0 : sys_call(SYS_lseek, fd, to, from, 0, 0, 0);
}
VISIBLE off_t lseek(int fd, off_t to, int from) {
  return seek(fd, to, from, __builtin_return_address(0));
}
VISIBLE off_t lseek64(int fd, off_t to, int from) {
  return seek(fd, to, from, __builtin_return_address(0));
}

/* --- for embed.c ----------------------------------------------------------------------- */

/* Tells the runtime that libpython is about to be closed. */
VISIBLE void probe_closing(void);
void probe_closing(void) {
  python_closing();
}
/* Tells the runtime that libpython was closed. Returns the number of frames that it still finds (0
 * or 1), plus 10 if it still knows a Python. */
VISIBLE int probe_closed(void);
int probe_closed(void) {
  struct python_frame frame;
  python_closed();
  return (int)python_frames(&frame, 1) + 10 * python_is_here();
}

/* --- for tests by ctypes --------------------------------------------------------------- */

/* Returns the line of an instruction (its offset in bytes) by python_line. form: of enum
 * python_lines. table, size: the line table. first_line: of the code object. */
VISIBLE uint32_t probe_line(int form, const void *table, size_t size, uint32_t first_line,
                            long instruction);
uint32_t probe_line(int form, const void *table, size_t size, uint32_t first_line,
                    long instruction) {
  return python_line(form, (uintptr_t)table, size, first_line, instruction);
}

/* Walks this thread's frames `times` times, each time at most `limit` frames. Returns the number of
 * all frames found. */
VISIBLE size_t probe_walks(long times, size_t limit);
size_t probe_walks(long times, size_t limit) {
  struct python_frame frames[64];
  size_t count = 0;
  for (long i = 0; i < times; i++)
    count += python_frames(frames, limit);
  return count;
}

/* Compares this thread's frames with those of one walk `times` times. Returns how often they were
 * the same. */
VISIBLE size_t probe_comparisons(long times, size_t limit);
size_t probe_comparisons(long times, size_t limit) {
  struct python_frame frames[64];
  size_t count = python_frames(frames, limit), same = 0;
  for (long i = 0; i < times; i++)
    same += python_frames_are(frames, count, false);
  return same;
}

/* Describes this thread's frames in turn (at most 64, then the first again), `times` times in all.
 * Returns how often it succeeded. */
VISIBLE size_t probe_descriptions(long times);
size_t probe_descriptions(long times) {
  struct python_frame frames[64];
  char text[640];
  struct python_place place = {.text = text, .room = sizeof(text)};
  size_t done = 0, count = python_frames(frames, 64);
  for (long i = 0; i < times; i++)
    done += python_describe(&frames[(size_t)i % count], &place);
  return done;
}

/* Changes one to three members of the description of Python's data structures (python.layout),
 * except the first FOUND_FIELDS. */
static void damage(void) {
  uint16_t *fields = (uint16_t *)&python.layout;
  enum { FIELDS = sizeof(python.layout) / sizeof(uint16_t) };
  for (int i = rand() % 3; i >= 0; i--) {
    uint16_t *field = &fields[FOUND_FIELDS + rand() % (FIELDS - FOUND_FIELDS)];
    *field = rand() % 4 ? (uint16_t)(*field + 8 * (rand() % 17 - 8)) : (uint16_t)rand();
  }
}

/* Damages the description of Python's data structures, and walks and describes this thread's frames
 * as at the first walk of a process. seed: of the damage. Returns python_state afterwards: whether
 * the description was refused, accepted, or neither. */
VISIBLE int probe_damaged(unsigned seed);
int probe_damaged(unsigned seed) {
  static struct python_frame frames[FRAMES];
  const struct python_layout layout = python.layout;
  char text[256];
  struct python_place place = {.text = text, .room = sizeof(text)};
  size_t outside;
  srand(seed);
  damage();
  __atomic_store_n(&python_state, PYTHON_UNCHECKED, __ATOMIC_RELEASE);
  size_t count = python_frames(frames, FRAMES);
  for (size_t i = 0; i < count; i++)
    python_describe(&frames[i], &place);
  int state = python_state;
  if (state == PYTHON_TRUSTED) count = python_frames(frames, FRAMES);
  python_importing(frames, count, &outside);
  for (size_t i = 0; i < count; i++)
    python_describe(&frames[i], &place);
  python.layout = layout;
  __atomic_store_n(&python_state, PYTHON_UNCHECKED, __ATOMIC_RELEASE);
  return state;
}
