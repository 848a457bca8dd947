/* State of the SITES module that is not part of a record.
 *
 * A (call) site is a stack of the program from which calls are made; it has a record. The name of
 * the record has the return addresses of the native frames and, with an interpreter, the lines of
 * Python or of a script. A known stack is a stack that was walked before and stored in a table with
 * its call site, so that it can be recognized by its return addresses. */
#ifndef DARSHAN_SITES_STATE_H
#define DARSHAN_SITES_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "../../intercept/guard.h"
#include "../../memory/segments.h"
#include "../../stacks/python/python-frames.h"
#include "../../stacks/walk.h"
#include "sites.h"

enum {
  SITES_MOST = 1024, /* largest number of call sites of a process */
  SITE_STACKS =
      4096, /* largest number of known stacks of a process; several may have the same call site */
  SITE_ENDS = 256,  /* largest number of known ends of stacks (sites_state.ends) */
  SITE_ALIKE = 256, /* largest number of known stacks that have one key (site-stacks.c) */
  SITE_STACKS_BY_WORDS = 2048, /* from so many on, none with Java or JavaScript is added */
  SITE_HEADS = 1024            /* number of chains of the table of known stacks */
};

struct darshan_sites_record;

/* Length of each of the two lists in a call site's record: files with most calls, files with most
 * bytes. */
enum { SITE_FILES = 4 };
/* The file of a call site's last call. The arrays have an element for each list: by calls, by
 * bytes. slot: the file's last index in the list, if it is in the list. run: if it is not in the
 * list, the number of successive calls on it, and their bytes. */
struct site_last_file {
  uint64_t id; /* id of the file's record; 0: none */
  int64_t run[2];
  unsigned slot[2];
};

/* State of a call site's record that is not in the record. */
struct site_part {
  int lock;
  uint32_t file;      /* POSIX file of the last transfer; 0: none */
  int64_t start, end; /* offsets at which that transfer began and ended */
  struct darshan_sites_record *record;
  struct site_last_file last;
  uint64_t first, longest; /* begin of the first call, duration of the longest, in ticks */
};

/* A return address of a known stack, stored `offset` bytes above the frame of sites_count_inside.
 * It does not change once the stack is in the table. */
struct site_slot {
  uintptr_t offset, address;
};
/* A known stack: its return addresses, its lines of Python or of a script, and its call site. */
struct site_stack {
  struct site_stack *next; /* in its chain (sites_state.head) */
  uint64_t key;            /* a hash (site-stacks.c: key_of) */
  /* The frames of Python or of a script, innermost first. Stacks are equal if the code and the
   * instruction of each frame are equal. The addresses of the frames are those of the first such
   * stack. */
  const struct python_frame *line;
  uint32_t lines;          /* number of these frames */
  uint32_t by_words;       /* 1: the slots also identify the lines (script_words) */
  uint64_t mark;           /* hash of the lines' texts (site_mark) */
  uint64_t checked;        /* time at which the running lines had this mark, in ticks */
  uint32_t forgotten;      /* value of sites_state.forgotten when the stack was added */
  struct site_part *part;  /* state of its record */
  uint32_t count;          /* number of slots */
  uint32_t span;           /* bytes above the frame that hold all return addresses */
  struct site_slot slot[]; /* `count` slots, then one that never matches */
};

struct script_words;

/* The frames of Python or of a script on the running stack. imports: 1 if the innermost frames
 * belong to the import machinery of Python, or the interpreter is loading a program's text. The
 * first frame is then the line that imports, and native frames are omitted. */
struct site_python {
  const struct python_frame *frame; /* innermost first */
  uint32_t lines;                   /* number of frames; 0: none */
  uint16_t imports;
  uint16_t by_words; /* 1: the words behind the frames identify the lines (words_of) */
};

/* A program or library that contains addresses of stacks. has_record: 1 if its record was made;
 * written with the store's lock held. */
struct site_object {
  struct site_object *next;
  uintptr_t start, end, base; /* its addresses, end exclusive; base: offsets are counted from it */
  uint32_t forgotten;         /* value of sites_state.forgotten when the object was examined */
  int has_record;
  char text[]; /* short name of the object */
};

struct sites_state {
  uint32_t sites;  /* number of call sites; overflow and objects do not count */
  uint32_t stacks; /* stacks in the table, or about to be added */
  /* Ends of stacks in the table, or about to be added: once there are SITE_STACKS stacks, or
   * SITE_ALIKE stacks with a key, only the innermost frames of further ones are remembered. */
  uint32_t ends;
  uint32_t forgotten;    /* number of times the table was emptied */
  struct segments parts; /* site_part, by number of the record */
  struct site_object *objects;
  uint32_t known_objects;    /* number of objects that are known or about to be */
  struct site_part *unknown; /* state of the record of calls without a walk; NULL: no record yet */
  struct site_stack *head[SITE_HEADS];
};
extern struct sites_state sites_state __attribute__((visibility("hidden")));

/* State of a thread for this module. */
struct site_thread {
  struct span stack; /* the thread's own stack; end 0: unknown */
  int is_first;      /* 1: it is the thread that started the program */
  /* The last known stack that was running on the thread's own stack and outside of an import. */
  struct site_stack *last;
  uint64_t last_end;         /* end of this thread's last call, in ticks; 0: no call yet */
  uint64_t last_t1, last_t2; /* begin and end of the last call that moved no bytes */
  enum site_kind last_kind;
  uint64_t now;     /* end of the call that is being counted, in ticks */
  uintptr_t frame;  /* frame of sites_count_inside in that call */
  uint64_t untimed; /* ticks of quick calls since last_end */
  int forks;        /* 1: the call is a fork */
  int walked;       /* 1: the call's stack was walked, which took time */
  uint64_t walks,
      walk_after; /* number of stack walks; time in ticks before which no further stack is walked */
  /* Known stacks are compared again after check_age. Comparisons took in_checks since checks_since.
   * All three are in ticks. */
  uint64_t check_age, in_checks, checks_since;
};
extern __thread struct site_thread site_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Returns 1 if the stack above the stack frame at address `frame` (of sites_count_inside) has the
 * return addresses of the known stack, otherwise 0. The caller ensures that all their locations are
 * in readable memory. */
static inline int site_is_same(const struct site_stack *stack, uintptr_t frame) {
  const struct site_slot *slot = stack->slot;
#pragma GCC unroll 4
  while (*(const uintptr_t *)(frame + slot->offset) == slot->address)
    slot++;
  return slot == stack->slot + stack->count; /* the slot at `count` never matches */
}

/* Return the state of the call site's record for the running stack, which is made if necessary: the
 * first for a stack without Python frames, the second for one with them or with frames of a script.
 * Return NULL if there is no record. frame: address of the stack frame of sites_count_inside;
 * returns: its return address. Take no lock if the stack is known; otherwise walk the stack, on a
 * stack of the runtime. Called in an update. */
struct site_part *site_of_native_stack(uintptr_t frame, uintptr_t returns);
struct site_part *site_of_python_stack(uintptr_t frame, uintptr_t returns);
/* Returns the state of the call site's record if words on the running stack show that it is a known
 * stack with lines of Java or JavaScript (script_words); else NULL. frame, returns: as above. */
struct site_part *site_of_words(uintptr_t frame, uintptr_t returns);
/* Returns 0 if the frames of Java or JavaScript must not be walked: the rest of the table is
 * reserved for stacks without such lines, which are fewer, or this thread has spent too much time
 * on walks. Otherwise returns 1. */
int site_has_more_lines(void);
/* Returns 1 if the lines of Python or of a script on the running stack are those of the known
 * stack, otherwise 0. May also return 0 if they are; the stack is then compared in other ways. */
int site_has_lines(struct site_stack *stack);
/* Returns 1 if the running stack has exactly the lines of a script (script-frames.h) that the known
 * stack has; otherwise 0, and also if there is no stack of the runtime to compare them. */
int site_has_script_lines(const struct site_stack *stack);
/* Returns a hash of the texts of the running stack's lines, whose addresses must be those of this
 * stack's lines; 0 if unknown. */
uint64_t site_mark(const struct site_stack *stack);

/* Returns the state of the call site's record if the running stack is the last known one of this
 * thread, with or without Python frames; else NULL. frame: address of the stack frame of
 * sites_count_inside. It is the fast path: calls in a loop need nothing else. */
static inline ALWAYS_INLINE struct site_part *site_of_last_stack(uintptr_t frame) {
  const struct site_thread *thread = &site_thread;
  struct site_stack *last = thread->last;
  const struct span *own = &thread->stack;
  if (UNLIKELY(!last) || frame - own->start >= own->end - own->start) return NULL;
  if (last->span > own->end - frame) return NULL;
  if (last->forgotten != __atomic_load_n(&sites_state.forgotten, __ATOMIC_ACQUIRE)) return NULL;
  if (UNLIKELY(!site_is_same(last, frame))) return NULL;
  if ((python_is_here() || last->lines) && !site_has_lines(last)) return NULL;
  return last->part;
}

/* Returns the state of the record for a walked stack, which is made if necessary; NULL if there is
 * no space. first: index of the first frame that may belong to the program. is_cut: 1 if the walk
 * has only the innermost frames: these name the site, or the called function alone if there are
 * frames of Python or of a script, or no frame of the program. If there are
 * Python frames, the walk has ended with the first frame of the interpreter, which is not part of
 * the name. Called on a stack of the runtime, in an update. */
struct site_part *site_record(const struct walk *walk, unsigned first, int is_cut,
                              const struct site_python *python);
/* Returns the state of the record named "?", for calls whose stack and function are unknown; NULL
 * if there is no space. */
struct site_part *site_unknown(void);
/* Returns 1 if an address is in this library, or in the program that this library is linked into.
 * Otherwise returns 0. */
int site_is_ours(uintptr_t address);

/* Called in a forked child: forgets the stacks of quick calls. */
void sites_quick_forked(void);

/* Counts a call of the call site `part` in the call site's lists of most used files. id: id of the
 * record of the call's file or object. is_new: 1 for a new call; 0 for another event of the last
 * call, for which only the bytes are added, unless the id differs. The caller holds the lock of the
 * part. */
void site_count_file(struct site_part *part, uint64_t id, int is_new, int64_t bytes);

/* Bytes for the text of a call site's name, which is truncated to the longest name that a log can
 * have. */
enum { SITE_NAME_ROOM = 4096 };
/* A name that is being composed. The functions that append to it append nothing, and set is_full,
 * if the text does not fit or is_full is set already. */
struct site_name {
  size_t length; /* bytes of the text without its NUL */
  int is_full;   /* 1: something did not fit */
  char text[SITE_NAME_ROOM];
};
void site_name_add(struct site_name *name, const char *text);
void site_name_add_bytes(struct site_name *name, const char *text, size_t length);
/* Appends a text from a file (a path) to a name; control characters, ";" and "%" become %XX. */
void site_name_add_escaped(struct site_name *name, const char *text);
/* Appends the name of a function to the name. Escapes the same characters as site_name_add_escaped,
 * and also colons. */
void site_name_add_function(struct site_name *name, const char *text);
void site_name_add_hex(struct site_name *name, uint64_t number);
void site_name_add_number(struct site_name *name, uint64_t number);

/* Writes the name of the record of a program or library: "object", its short name, its build id
 * ("-" if it has none) and its path. */
void site_object_name(struct site_name *name, const struct object *object);
/* Returns the program or library that contains the address, and adds it to the known objects if
 * necessary; NULL if no object contains the address, or if there is no space. */
struct site_object *site_object_of(uintptr_t address);
/* Appends the element for a return address to a name: ";", its object's short name, "+" and its
 * offset there in hexadecimal; nothing if no object contains the address. */
void site_add_address(struct site_name *name, uintptr_t address);
/* Called in a forked child, which has no records yet: notes that no object has a record. */
void site_objects_forked(void);
/* Appends the element for a frame of Python or of a script to a name: ";file:line:function", or
 * ";?" if it cannot be read. */
void site_add_line(struct site_name *name, const struct python_frame *frame);
/* Stores in *span the bounds of the stack that contains this stack frame; {0, 0} if unknown.
 * Returns 1 if it is this thread's own stack, whose bounds are stored for later calls; else 0.
 * Needs nine kilobytes of stack if the bounds were not known before. */
int site_bounds(uintptr_t frame, struct span *span);
/* Returns the first address, and the address behind the last one, of the program or library that
 * contains the interpreter of Python or of a script; zeros if there is none. */
struct span site_interpreter(void);
/* Copies at most `most` frames of Python or of a script of this thread to `frames`, and describes
 * them in *python, which points to them. words: NULL, or where to store the words that identify the
 * frames of a script; the memory behind them has space for a struct registers_kept. */
void site_take_python(struct site_python *python, struct python_frame *frames, size_t most,
                      struct script_words *words);

/* Makes each later fork of the application be counted for its call site (pthread_atfork). */
void sites_watch_forks(void);

/* Returns the name of the function of this library that contains the address, from the library's
 * symbol table; NULL if there is none. */
const char *site_function(uintptr_t address);

#endif
