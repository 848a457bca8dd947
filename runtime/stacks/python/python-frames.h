/* The Python frames of the calling thread, which show which lines of a Python program made a call.
 *
 * Only CPython is known, 3.8 to 3.15 with a GIL. Other interpreters have no frames, and
 * python_why_not says why a CPython has none.
 *
 * Inside a call that was intercepted, CPython may have released the GIL, but the frames of the
 * calling thread do not change until the call returns, and hold a reference to each of their code
 * objects. So this thread may read its own frames without the GIL, but must not write to them. A
 * struct python_frame is valid until the call returns; afterwards code objects may be freed and
 * their addresses used again. Names and lines are therefore copied (python_describe) inside the
 * call that met the frame first.
 *
 * No function here allocates, takes a lock, changes errno, or calls Python, except for
 * PyGILState_GetThisThreadState, which reads a value of this thread (pthread_getspecific). */
#ifndef DARSHAN_PYTHON_FRAMES_H
#define DARSHAN_PYTHON_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct link_map;

/* A frame. Frames with three equal members are at the same line of the same function, unless a code
 * object was freed, which python_mark detects. */
struct python_frame {
  uintptr_t frame; /* address of the interpreter's frame; each generator has a frame of its own */
  uintptr_t code;  /* address of the code object */
  uintptr_t instruction; /* 3.8, 3.9: offset in bytes; 3.10: half of it; later: address */
};

enum python_state {
  PYTHON_NONE,      /* no interpreter has been found */
  PYTHON_UNCHECKED, /* found; the offsets of its release are still compared with memory */
  PYTHON_TRUSTED,   /* found and compared */
  PYTHON_PAUSED,    /* a dlclose may be unloading it */
  PYTHON_REFUSED    /* python_why_not says why */
};
extern int python_state __attribute__((visibility("hidden")));

/* Returns true if python_frames may return frames, otherwise false. A program without Python needs
 * only this branch. */
static inline bool python_is_here(void) {
  int state = __atomic_load_n(&python_state, __ATOMIC_RELAXED);
  return __builtin_expect(state == PYTHON_UNCHECKED || state == PYTHON_TRUSTED, 0);
}

/* Searches the objects that were loaded with the program for an interpreter. Called once, by the
 * runtime's constructor, when there are no other threads: the loader's list is read without its
 * lock. */
void python_look(void) __attribute__((visibility("hidden")));

/* Searches one object for an interpreter. The object must stay loaded meanwhile, for example
 * because the calling thread has a frame in it. Called for each object that is new in a stack, to
 * find an interpreter that dlopen has loaded. Does nothing if an interpreter was found already, or
 * object is NULL. */
void python_look_at(const struct link_map *object) __attribute__((visibility("hidden")));

/* Called before and after each dlclose of the application, which may unload an interpreter that
 * dlopen loaded. Between the two calls no thread gets Python frames of such an interpreter. */
void python_closing(void) __attribute__((visibility("hidden")));
void python_closed(void) __attribute__((visibility("hidden")));

/* Stores the calling thread's frames, the innermost first, at most `limit`, and returns their
 * number. Returns 0 if there is no interpreter, if this thread does not run Python, or if the
 * interpreter is ending and may have freed this thread's state. Omits the interpreter's own frames,
 * so the list is that of Python's traceback. May be called in a signal handler that did not
 * interrupt the interpreter itself. In 3.8 to 3.11, while a sub-interpreter runs in a thread of the
 * main interpreter, the frames are those of the main interpreter, up to the frame that runs the
 * sub-interpreter. */
size_t python_frames(struct python_frame *frames, size_t limit)
    __attribute__((visibility("hidden")));

/* Returns true if the innermost `count` frames of the calling thread are equal to these, which
 * python_frames returned in an earlier call, and, if whole is set, there are no other frames. Costs
 * less than python_frames, and has the same conditions. Returns false while the layout is not
 * trusted yet. */
bool python_frames_are(const struct python_frame *known, size_t count, bool whole)
    __attribute__((visibility("hidden")));

/* Returns a hash of the texts of these frames: the file names, qualified names and first lines of
 * their code objects. If frames with the same addresses had another hash before, a code object was
 * freed and another one was made at its address. Returns 0 while the layout is not trusted yet. The
 * frames must be those of the running stack. */
uint64_t python_mark(const struct python_frame *frames, size_t count)
    __attribute__((visibility("hidden")));

/* The two halves of python_frames, for callers with little stack. python_frames_trusted needs some
 * hundred bytes, and returns 0 unless the layout is trusted. python_frames_checked needs a
 * kilobyte: it reads only mapped memory, and compares each code object with the layout. A
 * difference switches Python frames off. After some frames without a difference, the layout is
 * trusted. */
size_t python_frames_trusted(struct python_frame *frames, size_t limit)
    __attribute__((visibility("hidden")));
size_t python_frames_checked(struct python_frame *frames, size_t limit)
    __attribute__((visibility("hidden")));

/* The file, function and line of a frame. The caller owns the memory for the texts. */
struct python_place {
  char *text;           /* in: memory for both texts */
  size_t room;          /* in: its size in bytes, at least PYTHON_LEAST_ROOM */
  const char *file;     /* out: co_filename, in text, NUL-terminated; not always a path: "<string>";
                           relative for a script of 3.8 and for compiled texts */
  const char *function; /* out: the qualified name (3.8 to 3.10: the name), also in text */
  size_t file_length, function_length; /* out: in bytes, without the NUL */
  uint32_t line;                       /* out: line of the instruction; 0 if it has none */
  uint32_t first_line;                 /* out: line where the function's definition begins */
  bool is_cut;                         /* out: a text was too long and is truncated */
};
enum { PYTHON_LEAST_ROOM = 64 };

/* Reads file, function and line of a frame of the calling thread. Texts are valid UTF-8 without
 * control bytes: a question mark replaces each character that cannot be displayed (a control
 * character, a byte of a file name that is not UTF-8). Returns true, or false if the frame cannot
 * be read; then only members marked "out" may have changed. The kernel makes the first read of each
 * page (python-memory.c), so a wrong frame does not crash the process. Takes 0.2 microseconds, and
 * some system calls for new pages. Preserves errno. */
bool python_describe(const struct python_frame *frame, struct python_place *place)
    __attribute__((visibility("hidden")));

/* Returns true if the innermost frame belongs to Python's import machinery, or if Python looks for
 * modules, their sources or metadata, as it does for tracebacks. Sets *outside to the index of the
 * first frame after all frames of the machinery, which is the line that began the import, even if
 * the imported modules import other modules; to count if there is no such frame; to 0 if the result
 * is false. Look-ups outside of an import have the outermost frame only, because libraries such as
 * TensorFlow make them in thousands of places. Returns false while the layout is not trusted yet.
 * The frames must come from python_frames in the current call. */
bool python_importing(const struct python_frame *frames, size_t count, size_t *outside)
    __attribute__((visibility("hidden")));

/* For the metadata of the log. python_release returns the release of the interpreter, for example
 * 0x030b for 3.11; 0 if there is no interpreter. python_why_not returns the reason why Python
 * frames are off; NULL if they are on or there is no interpreter. */
unsigned python_release(void) __attribute__((visibility("hidden")));
const char *python_why_not(void) __attribute__((visibility("hidden")));

/* The line of an instruction, by the line table of its code object. CPython has had three forms of
 * tables:
 *
 *   PYTHON_LNOTAB (to 3.9)       pairs of bytes: instruction bytes, lines (signed) to add
 *   PYTHON_LINETABLE (3.10)      the same, but a pair is about the instructions that it counts, and
 *                                -128 lines means that they have none
 *   PYTHON_LOCATIONS (from 3.11) entries of a varying number of bytes; the first byte of each has
 *                                bit 7 set, and says how many instructions it is about (bits 0 to
 *                                2, from 1) and how the line is written (bits 3 to 6) */

/* Returns the line of the instruction at this offset in bytes; first_line for a negative offset
 * (the function has not begun). Returns 0 if the instruction has no line, or if the table cannot be
 * read, is too long, or contains a line outside of 1 to 2^31 - 1. form: enum python_lines. The
 * table is read by python_read_some, so the address and the bytes may be invalid. */
uint32_t python_line(int form, uintptr_t table, size_t size, uint32_t first_line, long instruction)
    __attribute__((visibility("hidden")));

#endif
