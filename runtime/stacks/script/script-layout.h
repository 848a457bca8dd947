/* Functions and structs that the readers of bash, Perl, Java and V8 share. Only for files of these
 * folders. */
#ifndef DARSHAN_SCRIPT_LAYOUT_H
#define DARSHAN_SCRIPT_LAYOUT_H

#include "../python/python-layout.h"
#include "script-frames.h"

struct link_map;

/* 1 if the layout of frames of compiled scripts (Java, V8) is known for this processor. */
#if defined(__x86_64__)
enum { SCRIPT_KNOWS_FRAMES = 1 };
#else
enum { SCRIPT_KNOWS_FRAMES = 0 };
#endif

/* The receiver of the frames of a walk: stores them in an array, or compares them with known
 * ones. */
struct script_sink {
  struct python_frame *to;          /* NULL: the frames are compared with `known` */
  const struct python_frame *known; /* innermost first */
  size_t limit, count;              /* count: number of frames so far, at most limit */
  bool differs, is_full;            /* is_full: there were more frames than limit */
  bool loads;                       /* true: a loader of classes is among the frames */
  struct script_words *words; /* receives the words that identify the frames; NULL: not requested */
  const struct script_call *call;
};
/* Passes a frame to the sink. Returns true, or false if the sink needs no further frames. */
bool script_give(struct script_sink *sink, struct python_frame frame)
    __attribute__((visibility("hidden")));
/* Notes that the frames depend on the word at this address of the stack. */
void script_note(struct script_sink *sink, uintptr_t address) __attribute__((visibility("hidden")));

/* Return the word, or the number of 32 bits, at offset `at` of bytes that were read. */
static inline uintptr_t script_word(const char *bytes, size_t at) {
  uintptr_t word;
  __builtin_memcpy(&word, bytes + at, sizeof(word));
  return word;
}
static inline uint32_t script_number(const char *bytes, size_t at) {
  uint32_t number;
  __builtin_memcpy(&number, bytes + at, sizeof(number));
  return number;
}

/* Copies a string of the interpreter, at most room - 1 bytes, with a NUL at its end. Replaces
 * control bytes by question marks. Returns the length of the copy, or -1 if the memory cannot be
 * read. Sets *is_cut if the string does not end within these bytes; otherwise leaves it as it
 * is. */
long script_text(char *to, size_t room, uintptr_t from, bool *is_cut)
    __attribute__((visibility("hidden")));

/* Fills in the texts of a place: a path and the name of a function. If the path is relative and the
 * file exists in the folder in which the interpreter started, inserts this folder before the path.
 * file: address of the path; 0: the path is without_file. Returns true, or false if the path is
 * empty, cannot be read or does not fit. */
bool script_place(struct python_place *place, uintptr_t file, const char *without_file,
                  const char *function) __attribute__((visibility("hidden")));

/* Fills in the texts of a place, as script_place does. path: a path in the runtime's own memory.
 * Returns true, or false if the path does not fit. */
bool script_place_named(struct python_place *place, const char *path, const char *function)
    __attribute__((visibility("hidden")));
/* Fills in the texts of a place, as script_place_named does. path: may be relative to a folder of
 * sources: the folder of the start, or src or src/main/java in it. Returns true, or false if the
 * path does not fit. */
bool script_place_below(struct python_place *place, const char *path, const char *function)
    __attribute__((visibility("hidden")));

/* Each of the four functions *_consider returns true, and stores what the other functions need, if
 * this object contains its interpreter in a known version. */
bool bash_consider(const struct link_map *program) __attribute__((visibility("hidden")));
bool perl_consider(const struct link_map *object) __attribute__((visibility("hidden")));

bool v8_consider(const struct link_map *object) __attribute__((visibility("hidden")));
bool java_consider(const struct link_map *object) __attribute__((visibility("hidden")));

/* For one interpreter each, *_walk gives its frames to the sink and returns what script_frames
 * stores in *imports, *_describe does what script_describe does, and *_address what
 * script_interpreter does. */
bool bash_walk(struct script_sink *sink) __attribute__((visibility("hidden")));
bool perl_walk(struct script_sink *sink) __attribute__((visibility("hidden")));
bool v8_walk(struct script_sink *sink) __attribute__((visibility("hidden")));
bool java_walk(struct script_sink *sink) __attribute__((visibility("hidden")));
bool bash_describe(const struct python_frame *frame, struct python_place *place)
    __attribute__((visibility("hidden")));
bool perl_describe(const struct python_frame *frame, struct python_place *place)
    __attribute__((visibility("hidden")));
bool v8_describe(const struct python_frame *frame, struct python_place *place)
    __attribute__((visibility("hidden")));
bool java_describe(const struct python_frame *frame, struct python_place *place)
    __attribute__((visibility("hidden")));
uintptr_t bash_address(void) __attribute__((visibility("hidden")));
uintptr_t perl_address(void) __attribute__((visibility("hidden")));
uintptr_t v8_address(void) __attribute__((visibility("hidden")));
uintptr_t java_address(void) __attribute__((visibility("hidden")));
/* Each function returns the mark (hash) after adding to it the name of a frame's file, or of its
 * class and method. */
uint64_t v8_mark(uint64_t mark, const struct python_frame *frame)
    __attribute__((visibility("hidden")));
uint64_t java_mark(uint64_t mark, const struct python_frame *frame)
    __attribute__((visibility("hidden")));

#endif
