/* Makes environments for exec. Memory of the application is checked before it is read: at an
 * unmapped address, exec must fail with EFAULT, and the runtime must not crash. */
#include "unwatched.h"

#include <string.h>
#include <sys/auxv.h>

#include "../../intercept/spin.h"
#include "../../intercept/sys/sys.h"
#include "../../job/run-state.h"
#include "../../job/text/text.h"
#include "../../names/path-buffers.h"

static int populate(const void *address) {
  enum { POPULATE_READ = 22 };
  uintptr_t size = getauxval(AT_PAGESZ);
  return sys_madvise((void *)((uintptr_t)address & ~(size - 1)), size, POPULATE_READ);
}

/* Returns 1 if the application's memory can be read at this address, otherwise 0. *known: the page
 * that was found readable last; its address is not tested again. EINVAL means a page without read
 * permission, or a kernel before Linux 5.14, which has no MADV_POPULATE_READ. A second call with a
 * readable page distinguishes the two; on such a kernel the result is 1. */
static int is_there(const void *address, uintptr_t *known) {
  enum { NO_MEMORY = -12, BAD_ADDRESS = -14, NOT_ALLOWED = -22 };
  uintptr_t page = (uintptr_t)address & ~(uintptr_t)(getauxval(AT_PAGESZ) - 1);
  if (page == *known) return 1;
  int answer = populate(address);
  if (answer == NO_MEMORY || answer == BAD_ADDRESS) return 0;
  if (answer == NOT_ALLOWED && populate(known) == 0) return 0;
  *known = page;
  return 1;
}

static const char preload[] = "LD_PRELOAD=";
static const char ours[] = "libdarshan";
enum { PRELOAD = sizeof(preload) - 1 };

int environment_is_watched(char *const *envp) {
  static const char run[] = "DARSHAN_ENABLE_NONMPI=";
  int by_preload = 0, knows_run = 0;
  uintptr_t list = 1, string = 1; /* 1: an address in no page, so the first checks are made */
  for (; envp; envp++) {
    if (!is_there(envp, &list)) return 0;
    if (!*envp) break;
    if (!is_there(*envp, &string)) return 0;
    if (strncmp(*envp, preload, PRELOAD) == 0)
      by_preload = strstr(*envp, ours) != NULL;
    else if (strncmp(*envp, run, sizeof(run) - 1) == 0)
      knows_run = run_is_found_by(*envp + sizeof(run) - 1);
  }
  return knows_run && (by_preload || sys_faccess("/etc/ld.so.preload", F_OK) == 0);
}

int environment_preloads(char *const *envp) {
  uintptr_t list = 1, string = 1; /* 1: an address in no page, so the first checks are made */
  for (; envp && is_there(envp, &list) && *envp && is_there(*envp, &string); envp++)
    if (strncmp(*envp, preload, PRELOAD) == 0 && strstr(*envp + PRELOAD, ours)) return 1;
  return 0;
}

/* The path buffers in which this thread copies an environment. A vfork child never releases them:
 * its parent has the same thread-local storage and uses them again, unless another call has taken
 * them since (path-buffers.h). */
struct room {
  struct path_buffer *buffer;
  const char *frame;
};
static __thread struct room list_room, text_room;

static char *room_of(struct room *room) {
  struct path_buffer *buffer = room->buffer;
  if (buffer && buffer->owner == spin_token() && buffer->frame == room->frame) return buffer->bytes;
  room->buffer = buffer = path_buffer_take();
  room->frame = buffer ? buffer->frame : NULL;
  return buffer ? buffer->bytes : NULL;
}

static void give_back(struct room *room) {
  struct path_buffer *buffer = room->buffer;
  room->buffer = NULL;
  if (buffer && buffer->owner == spin_token() && buffer->frame == room->frame)
    path_buffer_give(buffer);
}

void environment_done(void) {
  if (list_room.buffer) give_back(&list_room);
  if (text_room.buffer) give_back(&text_room);
}

static int is_ours(const char *word, size_t length) {
  size_t from = length;
  while (from && word[from - 1] != '/')
    from--;
  return length - from >= sizeof(ours) - 1 && memcmp(word + from, ours, sizeof(ours) - 1) == 0;
}

/* Appends a copy of an LD_PRELOAD entry without this library to text, and returns the copy. Returns
 * NULL if the entry has no other library. The caller checks text->overflow. */
static char *without_us(struct darshan_text *text, const char *entry) {
  char *start = text->bytes + text->length;
  int words = 0;
  darshan_text_add(text, preload);
  for (const char *word = entry + PRELOAD; *word;) {
    size_t length = strcspn(word, ": ");
    if (length && !is_ours(word, length)) {
      if (words++) darshan_text_add(text, ":");
      darshan_text_bytes(text, word, length);
    }
    word += length;
    word += strspn(word, ": ");
  }
  darshan_text_bytes(text, "", 1);
  return words ? start : NULL;
}

char *const *environment_without_us(char *const *envp) {
  enum { MOST = DARSHAN_PATH_ROOM / sizeof(char *) - 1 };
  if (!environment_preloads(envp)) return envp;
  char **list = (char **)(void *)room_of(&list_room), *values = room_of(&text_room);
  if (!list || !values) return envp;
  struct darshan_text text = darshan_text_in(values, DARSHAN_PATH_ROOM);
  size_t n = 0;
  for (char *const *from = envp; *from; from++) {
    char *entry = *from;
    if (n == MOST) return envp;
    if (strncmp(entry, preload, PRELOAD) == 0) entry = without_us(&text, entry);
    if (entry) list[n++] = entry;
  }
  list[n] = NULL;
  return text.overflow ? envp : list;
}
