/* Walks the Java frames of this thread. While a thread of Java is in native code, the machine
 * stores where its Java frames begin (the anchor of the thread); the walk begins there. A frame of
 * the interpreter has the method and the current bytecode at fixed offsets below its frame pointer.
 * The frame of a compiled method has a fixed size; java-compiled.c finds its methods. An entry
 * frame, in which native code called Java, has the anchor of the Java frames before it. */
#include "../../intercept/sys/sys.h"
#include "java-layout.h"

enum { WORD = sizeof(uintptr_t) };
enum { STEPS = 1024 }; /* largest number of frames of a walk, including stubs */

/* --- the thread --------------------------------------------------------------------------- */

enum { KEYS = 64, NO_KEY = -1 };
static int key =
    NO_KEY; /* key of pthread_getspecific under which the machine stores its thread structure */

/* Returns true if the value is the machine's structure of this thread, otherwise false. */
static bool is_thread(uintptr_t value) {
  uintptr_t system;
  int32_t id;
  return value && value % WORD == 0 &&
         python_read_fresh(&system, value + java.at.thread_system, sizeof(system)) && system &&
         python_read_fresh(&id, system + java.at.system_id, sizeof(id)) &&
         id == (int32_t)sys_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

static uintptr_t find_thread(void) {
  for (int i = 0; i < KEYS; i++) {
    uintptr_t value = (uintptr_t)java.own_value((unsigned)i);
    if (!is_thread(value)) continue;
    __atomic_store_n(&key, i, __ATOMIC_RELAXED);
    return value;
  }
  return 0;
}

static uintptr_t own_thread(void) {
  int known = __atomic_load_n(&key, __ATOMIC_RELAXED);
  return known == NO_KEY ? find_thread() : (uintptr_t)java.own_value((unsigned)known);
}

/* --- steps -------------------------------------------------------------------------------- */

/* A frame: its stack pointer, its frame pointer (0: unknown), and the address at which it
 * continues. */
struct place {
  uintptr_t stack, frame, code;
};

static bool read_anchor(uintptr_t anchor, struct place *place) {
  if (!java_word(anchor + java.at.anchor_stack, &place->stack) ||
      !java_word(anchor + java.at.anchor_code, &place->code) ||
      !java_word(anchor + java.at.anchor_frame, &place->frame) || !place->stack)
    return false;
  return place->code || java_word(place->stack - WORD, &place->code);
}

/* Moves *place to the caller's frame. Returns true, or false if that is not above the current
 * frame. */
static bool go(struct place *place, struct place caller) {
  if (caller.stack <= place->stack || caller.stack % WORD != 0) return false;
  *place = caller;
  return true;
}

static bool is_interpreted(uintptr_t code) {
  uintptr_t queue, start;
  uint32_t size;
  return java_word(java.at.interpreter, &queue) && java_word(queue + java.at.stubs_begin, &start) &&
         java_number(queue + java.at.stubs_size, &size) && code - start < size;
}

/* Returns the index of the current bytecode of an interpreted method. The offset of the word that
 * has its address, below the frame pointer, differs between releases: the word is recognized
 * because no other word points into the bytecodes. Returns JAVA_NO_INSTRUCTION if there is no such
 * word. */
static uintptr_t bytecode_of(struct script_sink *sink, uintptr_t frame,
                             const struct java_method *method) {
  enum { FIRST = 7, LAST = 9 };
  for (int i = FIRST; i <= LAST; i++) {
    uintptr_t address, from = frame - (uintptr_t)i * WORD;
    if (!java_word(from, &address)) break;
    if (address - method->bytecodes >= method->size) continue;
    script_note(sink, from);
    return address - method->bytecodes;
  }
  return JAVA_NO_INSTRUCTION;
}

/* Passes a frame to the sink. Returns false if the sink needs no further frames, otherwise true.
 * Frames within a loader of classes are dropped, with all frames that they called: what the loader
 * reads belongs to its caller. */
static bool give(struct script_sink *sink, uintptr_t method, uintptr_t instruction) {
  if (java_loads_classes(method)) {
    sink->count = 0;
    sink->loads = true;
    return sink->to != NULL;
  }
  return script_give(sink, (struct python_frame){0, method, instruction});
}

static bool interpreted(struct script_sink *sink, struct place *place) {
  enum { SENDER = 1, METHOD = 3 };
  struct java_method method;
  uintptr_t address;
  struct place caller;
  if (!place->frame || !java_word(place->frame - METHOD * WORD, &address) ||
      !java_method_at(address, &method))
    return false;
  script_note(sink, place->frame - METHOD * WORD);
  script_note(sink, place->frame + WORD);
  if (method.size && !give(sink, address, bytecode_of(sink, place->frame, &method))) return false;
  return java_word(place->frame - SENDER * WORD, &caller.stack) &&
         java_word(place->frame, &caller.frame) && java_word(place->frame + WORD, &caller.code) &&
         go(place, caller);
}

static bool compiled(struct script_sink *sink, struct place *place) {
  struct java_blob blob;
  if (!java_blob_of(place->code, &blob) || blob.frame < 2 * WORD) return false;
  if (blob.is_compiled && !java_give_compiled(sink, &blob, place->stack, place->code, give))
    return false;
  struct place caller = {.stack = place->stack + blob.frame};
  script_note(sink, caller.stack - WORD);
  return java_word(caller.stack - WORD, &caller.code) &&
         java_word(caller.stack - 2 * WORD, &caller.frame) && go(place, caller);
}

/* Moves from an entry frame, in which native code called Java, to the Java frames before it.
 * Returns true, or false if the walk ends there. */
static bool entered(struct script_sink *sink, struct place *place) {
  enum { WRAPPER = 6 };
  uintptr_t wrapper, anchor;
  struct place before;
  if (!place->frame || !java_word(place->frame - WRAPPER * WORD, &wrapper) || !wrapper)
    return false;
  anchor = wrapper + java.at.wrapper_anchor;
  if (!read_anchor(anchor, &before) || !go(place, before)) return false;
  script_note(sink, anchor + java.at.anchor_stack);
  script_note(sink, anchor + java.at.anchor_code);
  script_note(sink, before.stack - WORD);
  return true;
}

bool java_walk(struct script_sink *sink) {
  uintptr_t thread = own_thread(), entry = 0;
  struct place place;
  if (!thread || !read_anchor(thread + java.at.thread_anchor, &place)) return false;
  java_word(java.at.entry_return, &entry);
  script_note(sink, place.stack - WORD); /* the slot of the native code's return address */
  for (int i = 0; i < STEPS; i++) {
    bool goes_on;
    if (place.code == entry)
      goes_on = entered(sink, &place);
    else if (is_interpreted(place.code))
      goes_on = interpreted(sink, &place);
    else
      goes_on = compiled(sink, &place);
    if (!goes_on) break;
  }
  return sink->loads;
}
