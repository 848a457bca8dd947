/* Finds CPython in this process, and the layout of its release (python-layout.h). */
#include <libc-loader.h>
#include <link.h>
#include <string.h>

#include "../../intercept/loader/libc-direct.h"
#include "../../intercept/loader/loader.h"
#include "../../intercept/stack.h"
#include "python-layout.h"

struct python python;
int python_state = PYTHON_NONE;
static const char *refused;
static int is_taken; /* 1: a thread is filling in `python`, or has done so */
static int closing;  /* number of calls of dlclose in progress */

enum { FINAL_RELEASE = 0xf, LEAST_OF_3_11 = 0x030b };

/* Offsets that are the same in 3.8 to 3.12. */
#define OBJECTS .type = 8, .size = 16, .text_length = 16, .text_state = 32, .bytes = 32
#define FRAME_OBJECTS                                                                              \
  .code_size = 176, .file = 104, .name = 112, .qualified_name = 112, .line_table = 120,            \
  .first_line = 40, .first_instruction = 48, .ascii_size = 48, .compact_size = 72, OBJECTS
#define CODE_OF_3_11 .file = 112, .name = 120, .qualified_name = 128, .line_table = 136, OBJECTS

struct known {
  int minor;
  struct python_layout layout;
};
static const struct known known[] = {
#define LAYOUT(minor, ...) {minor, {__VA_ARGS__}},
#define PUBLISHED(...)
#define IMPORTER(name)
#define READER(name)
#define FIRST(name)
#include "python-layouts.def"
#undef LAYOUT
#undef PUBLISHED
};

/* Indexes of words in CPython's struct _Py_DebugOffsets, for a minor release. */
struct published {
  int minor;
  uint8_t thread, frame, owner, code, adaptive, object, bytes, text;
};
static const struct published published[] = {
#define LAYOUT(minor, ...)
#define PUBLISHED(...) {__VA_ARGS__},
#include "python-layouts.def"
#undef LAYOUT
#undef PUBLISHED
#undef IMPORTER
#undef READER
#undef FIRST
};

/* Words of _Py_DebugOffsets that have the same index in all releases; and distances of words from
 * the word with the size of their struct. */
enum { WORD_VERSION = 1, WORD_FREE_THREADED = 2, WORD_RUNTIME = 3, WORD_FINALIZING = 4 };
enum { THREAD_FRAME = 4 };
enum { FRAME_PREVIOUS = 1, FRAME_CODE = 2, FRAME_INSTRUCTION = 3 };
enum { CODE_FILE = 1, CODE_NAME = 2, CODE_QUALIFIED = 3, CODE_LINES = 4, CODE_FIRST_LINE = 5 };
enum { OBJECT_TYPE = 1 };
enum { BYTES_SIZE = 1, BYTES_START = 2 };
enum { TEXT_STATE = 1, TEXT_LENGTH = 2, TEXT_ASCII = 3 };

void python_refuse(const char *reason) {
  __atomic_store_n(&refused, reason, __ATOMIC_RELEASE);
  __atomic_store_n(&python_state, PYTHON_REFUSED, __ATOMIC_RELEASE);
}

const char *python_why_not(void) {
  return __atomic_load_n(&refused, __ATOMIC_ACQUIRE);
}

unsigned python_release(void) {
  return __atomic_load_n(&python_state, __ATOMIC_ACQUIRE) == PYTHON_NONE
             ? 0
             : 3u << 8 | (unsigned)python.minor;
}

/* Returns the address of a variable that this object defines. If the program was not linked as
 * position-independent code, it has a copy of the variable, which the library uses, too. */
static const void *variable(const struct link_map *object, const char *name) {
  const void *copy = straight_symbol(libc_first_object(), name);
  return copy ? copy : straight_symbol(object, name);
}

/* Returns the version in the form of sys.hexversion; 0 if it is older than 3.8. Before 3.11 no
 * variable has the version, but the functions that the library defines show it. */
static unsigned long version_of(const struct link_map *object) {
  const unsigned long *version = variable(object, "Py_Version");
  if (version) return *version;
  if (straight_symbol(object, "PyModule_AddObjectRef")) return 0x030a00f0;
  if (straight_symbol(object, "PyFrame_GetCode")) return 0x030900f0;
  if (straight_symbol(object, "PyCode_NewWithPosOnlyArgs")) return 0x030800f0;
  return 0;
}

static bool fits(const uint64_t *words, unsigned size_word, unsigned field) {
  return words[size_word] < UINT16_MAX && words[size_word + field] < words[size_word];
}

/* Fills in the layout from the offsets that CPython publishes. Returns NULL, or the reason why they
 * cannot be used. */
static const char *read_published(struct python *found, const struct published *at,
                                  unsigned long version) {
  const uint64_t *words = (const uint64_t *)found->runtime;
  const unsigned frame = at->frame, code = at->code, text = at->text;
  if (memcmp(words, "xdebugpy", 8) != 0 || words[WORD_VERSION] != version)
    return "its table of offsets is not that of its release";
  if (words[WORD_FREE_THREADED]) return "it has no GIL, and such builds are not known";
  if (words[WORD_FINALIZING] >= words[WORD_RUNTIME] || words[WORD_FINALIZING] > UINT16_MAX ||
      !fits(words, at->thread, THREAD_FRAME) || !fits(words, frame, FRAME_PREVIOUS) ||
      !fits(words, frame, FRAME_CODE) || !fits(words, frame, FRAME_INSTRUCTION) ||
      !fits(words, frame, at->owner - frame) || !fits(words, code, CODE_FILE) ||
      !fits(words, code, CODE_QUALIFIED) || !fits(words, code, CODE_LINES) ||
      !fits(words, code, CODE_FIRST_LINE) || !fits(words, code, at->adaptive - code) ||
      !fits(words, at->object, OBJECT_TYPE) || !fits(words, at->bytes, BYTES_SIZE) ||
      !fits(words, at->bytes, BYTES_START) || !fits(words, text, TEXT_STATE) ||
      !fits(words, text, TEXT_LENGTH) || !fits(words, text, TEXT_ASCII))
    return "its table of offsets has an unknown form";
  found->layout = (struct python_layout){
      .form = PYTHON_ADDRESS,
      .lines = PYTHON_LOCATIONS,
      .finalizing = (uint16_t)words[WORD_FINALIZING],
      .thread_frame = (uint16_t)words[at->thread + THREAD_FRAME],
      .previous = (uint16_t)words[frame + FRAME_PREVIOUS],
      .code = (uint16_t)words[frame + FRAME_CODE],
      .instruction = (uint16_t)words[frame + FRAME_INSTRUCTION],
      .owner = (uint16_t)words[at->owner],
      .code_size = (uint16_t)words[code],
      .file = (uint16_t)words[code + CODE_FILE],
      .name = (uint16_t)words[code + CODE_NAME],
      .qualified_name = (uint16_t)words[code + CODE_QUALIFIED],
      .line_table = (uint16_t)words[code + CODE_LINES],
      .first_line = (uint16_t)words[code + CODE_FIRST_LINE],
      .first_instruction = (uint16_t)words[at->adaptive],
      .type = (uint16_t)words[at->object + OBJECT_TYPE],
      .size = (uint16_t)words[at->bytes + BYTES_SIZE],
      .text_length = (uint16_t)words[text + TEXT_LENGTH],
      .text_state = (uint16_t)words[text + TEXT_STATE],
      .ascii_size = (uint16_t)words[text + TEXT_ASCII],
      /* The length and the address of the text as UTF-8 follow the header. */
      .compact_size = (uint16_t)(words[text + TEXT_ASCII] + 16),
      .bytes = (uint16_t)words[at->bytes + BYTES_START],
  };
  return NULL;
}

/* Fills in the layout of this release. Returns NULL, or the reason why it cannot be used. */
static const char *choose_layout(struct python *found, unsigned long version) {
  unsigned release = (unsigned)(version >> 16);
  found->minor = (int)(release & 0xff);
  if (release < 0x0308) return "its release is older than 3.8";
  if (release >= LEAST_OF_3_11 && (version >> 4 & 0xf) != FINAL_RELEASE)
    return "it is a preview of a release";
  for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
    if (release >> 8 == 3 && known[i].minor == found->minor) {
      found->layout = known[i].layout;
      return NULL;
    }
  for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++)
    if (release >> 8 == 3 && published[i].minor == found->minor)
      return read_published(found, &published[i], version);
  return "its release is newer than all that are known";
}

/* If the object contains an interpreter, stores it in `python` and returns true, also if its
 * release cannot be used (python_refuse). Only the first interpreter that is found is used.
 * may_be_unloaded: true if dlopen has loaded the object. */
static bool consider(const struct link_map *object, bool may_be_unloaded) {
  void *thread_state = straight_symbol(object, "PyGILState_GetThisThreadState");
  if (!thread_state || __atomic_exchange_n(&is_taken, 1, __ATOMIC_ACQ_REL)) return false;
  struct python found = {
      .thread_state = (void *(*)(void))thread_state,
      .runtime = (uintptr_t)variable(object, "_PyRuntime"),
      .code_type = (uintptr_t)variable(object, "PyCode_Type"),
      .text_type = (uintptr_t)variable(object, "PyUnicode_Type"),
      .bytes_type = (uintptr_t)variable(object, "PyBytes_Type"),
      .object = may_be_unloaded ? object->l_ld : NULL,
  };
  const char *reason = "it is not CPython 3.8 or newer";
  if (found.runtime && found.code_type && found.text_type && found.bytes_type)
    reason = choose_layout(&found, version_of(object));
  python = found;
  if (reason)
    python_refuse(reason);
  else
    __atomic_store_n(&python_state, PYTHON_UNCHECKED, __ATOMIC_RELEASE);
  return true;
}

void python_look(void) {
  if (!loader_is_there()) return;
  const struct link_map *object = libc_first_object();
  for (; object; object = object->l_next)
    if (consider(object, false)) return;
}

void python_look_at(const struct link_map *object) {
  if (__atomic_load_n(&is_taken, __ATOMIC_RELAXED) || !object) return;
  consider(object, true);
}

/* --- an interpreter that dlopen brought may be unloaded ---------------------------------- */

void python_closing(void) {
  if (!__atomic_load_n(&python.object, __ATOMIC_ACQUIRE)) return;
  __atomic_add_fetch(&closing, 1, __ATOMIC_ACQ_REL);
  int state = __atomic_load_n(&python_state, __ATOMIC_ACQUIRE);
  while ((state == PYTHON_UNCHECKED || state == PYTHON_TRUSTED) &&
         !__atomic_compare_exchange_n(&python_state, &state, PYTHON_PAUSED, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE))
    ;
}

/* Called after a dlclose: checks whether the interpreter is still loaded. If so, lets threads use
 * it again, otherwise forgets it. Runs by stack_run_anyway, because before glibc 2.35 it walks the
 * loader's list. */
static void look_again(void *nothing) {
  struct loaded_object object;
  int paused = PYTHON_PAUSED;
  (void)nothing;
  bool is_there = loader_object_of((const void *)python.thread_state, &object) == 0 && object.map &&
                  object.map->l_ld == python.object;
  int then = is_there ? PYTHON_UNCHECKED : PYTHON_NONE;
  if (!is_there) __atomic_store_n(&python.object, NULL, __ATOMIC_RELEASE);
  __atomic_compare_exchange_n(&python_state, &paused, then, false, __ATOMIC_ACQ_REL,
                              __ATOMIC_ACQUIRE);
  if (!is_there) __atomic_store_n(&is_taken, 0, __ATOMIC_RELEASE);
}

void python_closed(void) {
  if (!__atomic_load_n(&python.object, __ATOMIC_ACQUIRE)) return;
  if (__atomic_sub_fetch(&closing, 1, __ATOMIC_ACQ_REL) > 0) return;
  if (__atomic_load_n(&python_state, __ATOMIC_ACQUIRE) == PYTHON_PAUSED)
    stack_run_anyway(look_again, NULL);
}
