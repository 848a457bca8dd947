/* The lines of a script in this process that led to a call. The script is in bash, Perl, Java, or
 * JavaScript in node (V8).
 *
 * bash must be the program itself. Perl, Java and V8 may also be in libraries that were loaded with
 * the program, and Java in one that dlopen loads. The layout of memory is known for some versions
 * of bash and Perl (script-layouts.def); Java and V8 publish theirs. bash has one thread that runs
 * a script. Each thread of Perl has an interpreter of its own.
 *
 * An interpreter does not change its own data while it is inside of a call that was intercepted, so
 * this thread may read them. Every pointer comes from a variable of the interpreter that it reads
 * at this call; reads are checked, and structures are compared with what they must contain. If one
 * differs, there are no frames for this call. Texts are copied inside the call that met the frame
 * first. bash and Perl run the handlers of a script between their commands. Only Perl's immediate
 * handlers (POSIX::SigAction), after which Perl itself is not defined, may interrupt a change.
 *
 * No function here allocates, takes a lock, changes errno, or calls the interpreter. The data of
 * this thread in Perl and Java are found by pthread_getspecific, which reads a value of this
 * thread. */
#ifndef DARSHAN_SCRIPT_FRAMES_H
#define DARSHAN_SCRIPT_FRAMES_H

#include "../python/python-frames.h"
#include "../registers.h"

enum script_kind { SCRIPT_NONE, SCRIPT_BASH, SCRIPT_PERL, SCRIPT_JAVA, SCRIPT_V8 };
extern int script_kind __attribute__((visibility("hidden")));

/* Returns true if an interpreter was found, so that script_frames may return frames. Otherwise
 * returns false. */
static inline bool script_is_here(void) {
  return __builtin_expect(__atomic_load_n(&script_kind, __ATOMIC_RELAXED) != SCRIPT_NONE, 0);
}

/* Searches the program, and the libraries that were loaded with it, for an interpreter of scripts.
 * Called once, by the runtime's constructor, when there are no other threads. */
void script_look(void) __attribute__((visibility("hidden")));

/* Searches an object that dlopen has loaded for a Java machine, unless an interpreter was found
 * already or object is NULL. The object must stay loaded meanwhile. A Java machine is never
 * unloaded. */
struct link_map;
void script_look_at(const struct link_map *object) __attribute__((visibility("hidden")));

/* Returns true if a thread that runs the script surely has the stack that script_frames needs: the
 * Java machine starts a method only if there is stack left for native code. */
static inline bool script_has_room(void) {
  return script_kind == SCRIPT_JAVA;
}

/* Largest number of frames. Further outer frames are omitted. */
enum { SCRIPT_FRAMES = 64 };

/* Addresses of words on the stack of this thread that identify the frames of Java or JavaScript:
 * while these words and the return addresses of the native frames inside are the same, so are the
 * frames, unless the machine has replaced compiled code. */
enum { SCRIPT_WORDS = 256 };
struct script_words {
  size_t count; /* a number above SCRIPT_WORDS means that not all words were stored */
  uintptr_t address[SCRIPT_WORDS];
};

/* Returns true if script_frames stores the words that identify the frames, otherwise false. */
static inline bool script_has_words(void) {
  return script_kind == SCRIPT_JAVA || script_kind == SCRIPT_V8;
}

/* The running call: the registers of a frame that runs until the call is over, and the mapping of
 * its stack, from there on; end 0: unknown. */
struct script_call {
  struct registers registers;
  struct span stack;
};
/* Returns true if script_frames and script_frames_are need the running call, otherwise false. */
static inline bool script_needs_call(void) {
  return script_kind == SCRIPT_V8;
}

/* Stores the lines that led to this call, the innermost first, at most `limit`, and returns their
 * number. words: NULL, or where to store the words that identify the frames; if the interpreter has
 * no such words, their number is 0. Frames have the form of Python's: frames with the same code and
 * instruction are the same line of the same function. *imports: receives true if the interpreter is
 * reading the text of a program, and the frames then begin with the line that loads it; otherwise
 * false. call is read only if script_needs_call returns true. Needs some hundred bytes of stack,
 * with Java two kilobytes, with V8 some nine. */
size_t script_frames(struct python_frame *frames, size_t limit, bool *imports,
                     struct script_words *words, const struct script_call *call)
    __attribute__((visibility("hidden")));

/* Returns true if script_frames would return exactly these `count` frames, and no import; otherwise
 * false. */
bool script_frames_are(const struct python_frame *known, size_t count,
                       const struct script_call *call) __attribute__((visibility("hidden")));

/* Returns a hash of the texts of these frames of the running stack. It differs if a statement or
 * method was freed and another one was made at its address. Returns 0 if frames with the same
 * members always have the same texts, as in bash. Needs a kilobyte of stack. */
uint64_t script_mark(const struct python_frame *frames, size_t count)
    __attribute__((visibility("hidden")));

/* Like python_describe, for a frame that script_frames returned in the current call. The file is an
 * absolute path, if known. Code that is not in a file has a name in angle brackets. */
bool script_describe(const struct python_frame *frame, struct python_place *place)
    __attribute__((visibility("hidden")));

/* Returns an address in the object that contains the interpreter. */
uintptr_t script_interpreter(void) __attribute__((visibility("hidden")));

#endif
