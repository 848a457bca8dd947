/* The lines of a bash or Perl script in this process that led to a call.
 *
 * Only the program itself can be such an interpreter, and only a version whose layout of memory is
 * known (script-layouts.def). bash has one thread that runs a script. Each thread of Perl has an
 * interpreter of its own.
 *
 * An interpreter does not change its own data while it is inside of a call that was intercepted, so
 * this thread may read them. Every pointer comes from a variable of the interpreter that it reads
 * at this call, and every structure is compared with what it must contain. If one differs, there
 * are no frames for this call. Texts are copied inside the call that met the frame first. Both
 * interpreters run the handlers of a script between their commands. Only Perl's immediate handlers
 * (POSIX::SigAction), after which Perl itself is not defined, may interrupt a change.
 *
 * No function here allocates, takes a lock, changes errno, or calls the interpreter. Perl's are
 * found by pthread_getspecific, which reads a value of this thread. */
#ifndef DARSHAN_SCRIPT_FRAMES_H
#define DARSHAN_SCRIPT_FRAMES_H

#include "../python/python-frames.h"
#include "../registers.h"

enum script_kind { SCRIPT_NONE, SCRIPT_BASH, SCRIPT_PERL, SCRIPT_JAVA, SCRIPT_V8 };
extern int script_kind __attribute__((visibility("hidden")));

/* Returns true if script_frames may return frames. */
static inline bool script_is_here(void) {
  return __builtin_expect(__atomic_load_n(&script_kind, __ATOMIC_RELAXED) != SCRIPT_NONE, 0);
}

/* Looks for an interpreter of scripts in the program and in the libraries that were loaded with it.
 * Called once, by the runtime's constructor, when there are no other threads. */
void script_look(void) __attribute__((visibility("hidden")));

/* Looks for a Java machine in an object that dlopen brought, unless there is an interpreter. The
 * object must stay loaded meanwhile. A Java machine is never unloaded. */
struct link_map;
void script_look_at(const struct link_map *object) __attribute__((visibility("hidden")));

/* Returns true if a thread that runs the script has the stack that script_frames needs: the Java
 * machine lets no method begin without room for native code. */
static inline bool script_has_room(void) {
  return script_kind == SCRIPT_JAVA;
}

/* Outermost frames beyond this number are left out. */
enum { SCRIPT_FRAMES = 64 };

/* Addresses of words on the stack of this thread. As long as these words and the return addresses
 * of the native frames inside are the same, so are the frames of Java or JavaScript, unless the
 * machine has replaced compiled code. */
enum { SCRIPT_WORDS = 256 };
struct script_words {
  size_t count; /* more than SCRIPT_WORDS: there were more */
  uintptr_t address[SCRIPT_WORDS];
};

/* Returns true if script_frames tells the words of the frames. */
static inline bool script_has_words(void) {
  return script_kind == SCRIPT_JAVA || script_kind == SCRIPT_V8;
}

/* The running call: registers of a frame that runs until it is over, and the mapping of its stack
 * from there on; end 0: not known. */
struct script_call {
  struct registers registers;
  struct span stack;
};
/* Returns true if script_frames and script_frames_are need the running call. */
static inline bool script_needs_call(void) {
  return script_kind == SCRIPT_V8;
}

/* Fills in the lines that led to this call, the innermost first, at most `limit`, and returns their
 * number. words: NULL, or where the words of the frames go; none if the interpreter has none.
 * Frames have the form of Python's: those with the same code and instruction are the same line of
 * the same function. imports: true if the interpreter reads the text of a program; the frames begin
 * then with the line that loads it. Takes some hundred bytes of stack, with Java two kilobytes. */
size_t script_frames(struct python_frame *frames, size_t limit, bool *imports,
                     struct script_words *words, const struct script_call *call)
    __attribute__((visibility("hidden")));

/* Returns true if script_frames would return exactly these frames, and no import. */
bool script_frames_are(const struct python_frame *known, size_t count,
                       const struct script_call *call) __attribute__((visibility("hidden")));

/* Returns a hash of the texts of these frames of the running stack. It differs if a statement of
 * Perl was freed and another one was made at its address. 0: frames with the same numbers always
 * have the same texts, as in bash. Takes a kilobyte of stack. */
uint64_t script_mark(const struct python_frame *frames, size_t count)
    __attribute__((visibility("hidden")));

/* Like python_describe, for a frame that script_frames returned inside of the current call. The
 * file is an absolute path, if known; code that is not in a file has a name in <>. */
bool script_describe(const struct python_frame *frame, struct python_place *place)
    __attribute__((visibility("hidden")));

/* Returns an address in the object that contains the interpreter. */
uintptr_t script_interpreter(void) __attribute__((visibility("hidden")));

#endif
