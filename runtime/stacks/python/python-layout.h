/* The CPython interpreter of this process: its address, and the offsets of its release
 * (python-layouts.def). Only for files of this folder; others include python-frames.h. */
#ifndef DARSHAN_PYTHON_LAYOUT_H
#define DARSHAN_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "python-frames.h"

/* How a frame stores its current instruction: as the offset in bytes, as the offset in units of 2
 * bytes (an int), or as the address. */
enum python_form { PYTHON_BYTES, PYTHON_UNITS, PYTHON_ADDRESS };
/* Forms of line tables (python-lines.c). */
enum python_lines { PYTHON_LNOTAB, PYTHON_LINETABLE, PYTHON_LOCATIONS };

/* Offsets and sizes in bytes; the comments name the struct in which they are. has_cframe is 1 if
 * thread_frame has the address of a cframe, whose member at cframe_frame is the frame. */
struct python_layout {
  uint16_t form, lines;                           /* enum python_form, enum python_lines */
  uint16_t finalizing;                            /* of _PyRuntime */
  uint16_t thread_frame, has_cframe;              /* of a thread state */
  uint16_t cframe_frame;                          /* of a cframe */
  uint16_t previous, code, instruction, owner;    /* of a frame */
  uint16_t code_size, file, name, qualified_name; /* of a code object */
  uint16_t line_table, first_line;
  uint16_t first_instruction;        /* the instructions themselves, or 3.8 to 3.10: the bytes
                                        object that has them */
  uint16_t type, size;               /* of an object */
  uint16_t text_length, text_state;  /* of a str */
  uint16_t ascii_size, compact_size; /* of both headers of a str */
  uint16_t bytes;                    /* of a bytes object */
};

/* Values of a frame's owner, from 3.11 on. From PYTHON_OWNER_INTERPRETER on, the frame is the
 * interpreter's own and has no code of the program (FRAME_OWNED_BY_CSTACK, since 3.14 also
 * FRAME_OWNED_BY_INTERPRETER). */
enum { PYTHON_OWNER_GENERATOR = 1, PYTHON_OWNER_INTERPRETER = 3 };
/* Distance, in bytes, from the member _co_firsttraceable of a code object to its first instruction
 * (from 3.11 on). The member is the number of the unit of 2 bytes from which on a frame is
 * visible. */
enum { PYTHON_TRACEABLE_BEFORE = 16 };
/* From 3.14 on, the lowest bits of a frame's pointer to its code are a tag. */
#define PYTHON_TAG ((uintptr_t)7)

struct python {
  struct python_layout layout;
  int minor;                   /* of 3.MINOR */
  void *(*thread_state)(void); /* PyGILState_GetThisThreadState */
  uintptr_t runtime;           /* &_PyRuntime */
  uintptr_t code_type, text_type, bytes_type;
  const void *object; /* dynamic section of the object that was loaded by dlopen, or NULL */
};
/* The interpreter of this process. Written once, before python_state changes from PYTHON_NONE. */
extern struct python python __attribute__((visibility("hidden")));

/* Switches Python frames off. reason: a constant string. */
void python_refuse(const char *reason) __attribute__((visibility("hidden")));

/* Copies n bytes from an address of this process. Returns true, or false if not all of them are
 * mapped and readable; the first bytes may then have been copied. */
bool python_read(void *to, uintptr_t from, size_t n) __attribute__((visibility("hidden")));
/* Reads n bytes from an address that may be wrong, in memory that may be unmapped later. In
 * contrast to python_read, the kernel makes each of these reads. Returns true, or false if the
 * memory cannot be read. */
bool python_read_fresh(void *to, uintptr_t from, size_t n) __attribute__((visibility("hidden")));
/* Copies as many of the n bytes at an address as are mapped. Returns their number. */
size_t python_read_some(void *to, uintptr_t from, size_t n) __attribute__((visibility("hidden")));

/* A hash table of pages from which the kernel has copied, by number of the page. Threads read and
 * write it without a lock. */
enum { PYTHON_PAGE = 4096 /* or a part of a larger one */, PYTHON_PAGES = 512 };
extern uintptr_t python_pages[PYTHON_PAGES] __attribute__((visibility("hidden")));

static inline uintptr_t *python_place_of(uintptr_t page) {
  return &python_pages[(page ^ page / PYTHON_PAGES) % PYTHON_PAGES];
}
static inline bool python_is_known(uintptr_t page) {
  return page && __atomic_load_n(python_place_of(page), __ATOMIC_RELAXED) == page;
}

/* Reads n bytes like python_read. Faster if n is constant and the page was read before. Returns
 * true, or false if the memory cannot be read. */
static inline bool python_read_few(void *to, uintptr_t from, size_t n) {
  uintptr_t first = from / PYTHON_PAGE, last = (from + n - 1) / PYTHON_PAGE;
  if (!python_is_known(first) || (last != first && (last != first + 1 || !python_is_known(last))))
    return python_read(to, from, n);
  __builtin_memcpy(to, (const void *)from, n);
  return true;
}

/* Returns a mark (hash; python_mark, script_mark) after adding a text to it. If the text is very
 * long, adds only its end. */
static inline uint64_t python_mark_bytes(uint64_t mark, const char *text, size_t length) {
  enum { MOST = 1024 };
  const uint64_t factor = 0x9e3779b97f4a7c15u;
  size_t at = length < MOST ? 0 : length - MOST;
  mark = (mark ^ length) * factor;
  while (at < length) {
    uint64_t word = 0;
    size_t n = length - at < sizeof(word) ? 1 : sizeof(word);
    if (n > 1)
      __builtin_memcpy(&word, text + at, sizeof(word));
    else
      word = (unsigned char)text[at];
    mark = (mark ^ word) * factor;
    mark ^= mark >> 32;
    at += n;
  }
  return mark;
}

/* The members of a code object that are used. Texts are addresses of str objects. */
struct python_code {
  uintptr_t file, name;
  uintptr_t line_table; /* address of the bytes themselves */
  size_t line_table_size;
  uint32_t first_line;
  long instruction; /* byte offset of the frame's instruction; -1: before the first */
};
/* Reads the code object of a frame. Returns true, or false if it is not a code object, or has
 * unexpected values. */
bool python_code_of(const struct python_frame *frame, struct python_code *code)
    __attribute__((visibility("hidden")));

#endif
