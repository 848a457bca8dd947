/* Finds the interpreter of a script in this process, and composes the texts of its frames
 * (script-frames.h). */
#include <libc-loader.h>
#include <link.h>
#include <string.h>

#include "../../intercept/guard.h"
#include "../../intercept/loader/libc-direct.h"
#include "../../intercept/loader/loader.h"
#include "../../intercept/sys/sys.h"
#include "script-layout.h"

int script_kind = SCRIPT_NONE;

/* The folder in which the program started, with a slash at its end; empty: unknown. */
enum { FOLDER_ROOM = 1024 };
SELDOM static char folder[FOLDER_ROOM];

static void note_folder(void) {
  ssize_t n = sys_getcwd(folder, FOLDER_ROOM - 1); /* with the NUL */
  if (n < 2 || folder[0] != '/') {
    folder[0] = '\0';
    return;
  }
  if (folder[n - 2] == '/') return;
  folder[n - 1] = '/';
  folder[n] = '\0';
}

void script_look(void) {
  if (!loader_is_there()) return;
  const struct link_map *object = libc_first_object();
  int found = bash_consider(object) ? SCRIPT_BASH : SCRIPT_NONE;
  for (; object && !found; object = object->l_next) {
    if (perl_consider(object))
      found = SCRIPT_PERL;
    else if (java_consider(object))
      found = SCRIPT_JAVA;
    else if (v8_consider(object))
      found = SCRIPT_V8;
  }
  if (!found) return;
  note_folder();
  script_kind = found;
}

void script_look_at(const struct link_map *object) {
  static int is_taken;
  if (script_is_here() || __atomic_load_n(&is_taken, __ATOMIC_RELAXED) || !object ||
      !straight_symbol(object, "gHotSpotVMStructs") ||
      __atomic_exchange_n(&is_taken, 1, __ATOMIC_ACQ_REL))
    return;
  if (java_consider(object)) {
    note_folder();
    __atomic_store_n(&script_kind, SCRIPT_JAVA, __ATOMIC_RELEASE);
  }
}

bool script_give(struct script_sink *sink, struct python_frame frame) {
  size_t at = sink->count;
  if (at >= sink->limit) {
    sink->is_full = true;
    return false;
  }
  sink->count++;
  if (sink->to) {
    sink->to[at] = frame;
    return true;
  }
  const struct python_frame *known = &sink->known[at];
  sink->differs |= known->code != frame.code || known->instruction != frame.instruction;
  return !sink->differs;
}

void script_note(struct script_sink *sink, uintptr_t address) {
  struct script_words *words = sink->words;
  if (!words) return;
  if (words->count < SCRIPT_WORDS) words->address[words->count] = address;
  words->count++;
}

static bool walk(struct script_sink *sink) {
  if (script_kind == SCRIPT_JAVA) return java_walk(sink);
  if (script_kind == SCRIPT_V8) return v8_walk(sink);
  return script_kind == SCRIPT_BASH ? bash_walk(sink) : perl_walk(sink);
}

size_t script_frames(struct python_frame *frames, size_t limit, bool *imports,
                     struct script_words *words, const struct script_call *call) {
  struct script_sink sink = {.to = frames, .limit = limit < SCRIPT_FRAMES ? limit : SCRIPT_FRAMES};
  if (words) words->count = 0;
  sink.words = words;
  sink.call = call;
  *imports = walk(&sink);
  return sink.count;
}

bool script_frames_are(const struct python_frame *known, size_t count,
                       const struct script_call *call) {
  struct script_sink sink = {.known = known, .limit = count, .call = call};
  bool imports = walk(&sink);
  if (imports || sink.differs || sink.count != count) return false;
  return !sink.is_full || count == SCRIPT_FRAMES; /* frames beyond these are unknown */
}

bool script_describe(const struct python_frame *frame, struct python_place *place) {
  if (place->room < PYTHON_LEAST_ROOM) return false;
  place->is_cut = false;
  if (script_kind == SCRIPT_JAVA) return java_describe(frame, place);
  if (script_kind == SCRIPT_V8) return v8_describe(frame, place);
  return script_kind == SCRIPT_BASH ? bash_describe(frame, place) : perl_describe(frame, place);
}

uint64_t script_mark(const struct python_frame *frames, size_t count) {
  char text[512];
  uint64_t mark = 1;
  if (script_has_words()) {
    for (size_t i = 0; i < count; i++)
      mark = script_kind == SCRIPT_JAVA ? java_mark(mark, &frames[i]) : v8_mark(mark, &frames[i]);
    return mark | 1;
  }
  if (script_kind != SCRIPT_PERL) return 0;
  for (size_t i = 0; i < count; i++) {
    struct python_place place = {.text = text, .room = sizeof(text)};
    if (!script_describe(&frames[i], &place)) continue;
    mark = python_mark_bytes(mark, place.file, place.file_length);
    mark = python_mark_bytes(mark, place.function, place.function_length);
  }
  return mark | 1;
}

uintptr_t script_interpreter(void) {
  if (script_kind == SCRIPT_JAVA) return java_address();
  if (script_kind == SCRIPT_V8) return v8_address();
  return script_kind == SCRIPT_BASH ? bash_address() : perl_address();
}

/* --- texts -------------------------------------------------------------------------------- */

long script_text(char *to, size_t room, uintptr_t from, bool *is_cut) {
  enum { AT_ONCE = 64 };
  size_t n = 0;
  to[0] = '\0';
  while (n + 1 < room) {
    size_t wanted = room - 1 - n < AT_ONCE ? room - 1 - n : AT_ONCE;
    size_t got = python_read_some(to + n, from + n, wanted);
    for (size_t i = 0; i < got; i++, n++) {
      if (to[n] == '\0') return (long)n;
      if ((unsigned char)to[n] < ' ' || to[n] == 127) to[n] = '?';
    }
    to[n] = '\0';
    if (got == 0) return -1;
  }
  *is_cut = true;
  return (long)n;
}

/* Inserts the folder, and `below` after it, before a relative path, if a file exists there. */
static void make_absolute(struct python_place *place, size_t room, const char *below) {
  const char *relative = place->text;
  size_t folders = strlen(folder), before = folders + strlen(below), length = place->file_length;
  if (relative[0] == '/' || relative[0] == '<' || folders == 0 || before + length + 1 > room)
    return;
  while (relative[0] == '.' && relative[1] == '/') {
    relative += 2;
    length -= 2;
  }
  memmove(place->text + before, relative, length + 1);
  memcpy(place->text, folder, folders);
  memcpy(place->text + folders, below, before - folders);
  if (sys_faccess(place->text, 0) == 0) {
    place->file_length = before + length;
    return;
  }
  memmove(place->text, place->text + before, length + 1);
  place->file_length = length;
}

/* Returns how many bytes of the buffer of a place the path may use. The rest is for the function's
 * name, whose length is reduced if it is too long. */
static size_t room_for_path(const struct python_place *place, size_t *function) {
  if (*function > place->room / 2) *function = place->room / 2;
  return place->room - *function - 1;
}

static bool add_function(struct python_place *place, const char *function, size_t length) {
  char *to = place->text + place->file_length + 1;
  memcpy(to, function, length);
  to[length] = '\0';
  place->file = place->text;
  place->function = to;
  place->function_length = length;
  return true;
}

bool script_place(struct python_place *place, uintptr_t file, const char *without_file,
                  const char *function) {
  size_t length = strlen(function), room = room_for_path(place, &length);
  if (file) {
    long n = script_text(place->text, room, file, &place->is_cut);
    if (n <= 0) return false;
    place->file_length = (size_t)n;
    make_absolute(place, room, "");
  } else {
    place->file_length = strlen(without_file);
    if (place->file_length >= room) return false;
    memcpy(place->text, without_file, place->file_length + 1);
  }
  return add_function(place, function, length);
}

bool script_place_named(struct python_place *place, const char *path, const char *function) {
  size_t length = strlen(function), room = room_for_path(place, &length);
  place->file_length = strlen(path);
  if (place->file_length >= room) return false;
  memcpy(place->text, path, place->file_length + 1);
  return add_function(place, function, length);
}

bool script_place_below(struct python_place *place, const char *path, const char *function) {
  static const char *const folders[] = {"", "src/", "src/main/java/"};
  size_t length = strlen(function), room = room_for_path(place, &length), n = strlen(path);
  if (n >= room) return false;
  memcpy(place->text, path, n + 1);
  place->file_length = n;
  for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && place->file_length == n; i++)
    make_absolute(place, room, folders[i]);
  return add_function(place, function, length);
}
