/* Reads the layouts of files on Lustre when they are closed, stores their records in memory, and
 * adds them to the log. */
#include "lustre.h"

#include <errno.h>
#include <string.h>

#include "../../door/door.h"
#include "../../intercept/spin.h"
#include "../../names/path-buffers.h"
#include "../posix/posix-fds.h"
#include "../stdio/stdio-module.h"
#include "layout.h"

struct lustre_state lustre_state;

enum { BYTES_PER_RECORD = 1024 };

/* Allocates the memory for layouts when the first file on Lustre is used, so that other processes
 * do not need it. Returns 0, or -1 if out of memory. The caller holds the lock. */
static int prepare(struct lustre_state *lustre) {
  if (lustre->slots) return 0;
  lustre->limit = module_limit(DARSHAN_MOD_LUSTRE);
  lustre->size = (size_t)lustre->limit * BYTES_PER_RECORD + LUSTRE_LAYOUT_MAX;
  lustre->bytes = runtime_module_memory(lustre->size);
  if (lustre->bytes)
    lustre->slots = runtime_module_memory(((size_t)lustre->limit + 1) * sizeof(*lustre->slots));
  return lustre->slots ? 0 : -1;
}

/* Makes the file's record from the reply, n bytes of a layout, at the end of the used memory. If
 * the record fits into the space of the file's former record, moves it there. A reply that is no
 * layout, or a layout without space, changes nothing. If there is no slot for a new record, counts
 * the file as refused. The caller holds the lock. */
static void keep(struct lustre_state *lustre, struct store_entry *entry, const char *reply,
                 size_t n) {
  int settled = 0;
  struct lustre_slot *slot = entry->lustre ? &lustre->slots[entry->lustre] : NULL;
  char *out = lustre->bytes + lustre->used;
  if (!slot && lustre->count == lustre->limit) {
    lustre->refused++;
    return;
  }
  size_t length = lustre_record(out, lustre->size - lustre->used, entry->id,
                                store_rank(&darshan_store), reply, n, &settled);
  if (length == 0) return;
  if (!slot) {
    entry->lustre = ++lustre->count;
    slot = &lustre->slots[entry->lustre];
  }
  if (length <= slot->room) {
    memcpy(lustre->bytes + slot->offset, out, length);
  } else {
    slot->offset = lustre->used;
    slot->room = length;
    lustre->used += length;
  }
  slot->length = length;
  slot->settled = settled;
}

/* Reads the layout of an open file by one system call, or by two if the layout is long, and stores
 * its record (keep). Errors are ignored. */
static void ask(struct store_entry *entry, int fd) {
  static const char name[] = "lustre.lov";
  struct lustre_state *lustre = &lustre_state;
  struct path_buffer *usual = path_buffer_take();
  if (!usual) return;
  char *reply = usual->bytes;
  long n = SYS4(SYS_fgetxattr, fd, name, reply, DARSHAN_PATH_ROOM);
  if (n == -ERANGE) {
    reply = runtime_module_memory(LUSTRE_LAYOUT_MAX);
    if (reply) n = SYS4(SYS_fgetxattr, fd, name, reply, LUSTRE_LAYOUT_MAX);
  }
  if (n > 0 && n <= LUSTRE_LAYOUT_MAX && spin_lock(SPIN_RECORD, &lustre->lock)) {
    if (prepare(lustre) == 0) keep(lustre, entry, reply, (size_t)n);
    spin_unlock(&lustre->lock);
  }
  if (reply && reply != usual->bytes) sys_munmap(reply, LUSTRE_LAYOUT_MAX);
  path_buffer_give(usual);
}

void lustre_closing(uint64_t id, int fd) {
  if (!module_is_on(DARSHAN_MOD_LUSTRE) || !runtime_enter()) return;
  struct store_entry *entry = store_find(&darshan_store, id);
  if (entry && entry->name[0] == '/' &&
      !(entry->lustre && lustre_state.slots[entry->lustre].settled))
    ask(entry, fd);
  runtime_leave();
}

void lustre_finish(void) {
  uint32_t phase = runtime_phase();
  if (phase != RUNTIME_RECORDING && phase != RUNTIME_SHARED) return;
  for (int fd = fd_next(-1); fd >= 0; fd = fd_next(fd)) {
    const struct posix_file *file = posix_file_of(fd);
    if (file && file->on_lustre) lustre_closing(file->id, fd);
  }
  for (uint32_t i = 1; i <= stdio_state.used_streams; i++) {
    const struct stdio_stream *stream = stdio_stream_at(i);
    if (stream->file && stream->record) stdio_closing(stream, stream_fd(stream->file));
  }
}

void lustre_forked(void) {
  lustre_state = (struct lustre_state){.lock = 0};
}

void lustre_add_part(struct log_content *content) {
  const struct lustre_state *lustre = &lustre_state;
  char *records = lustre->count ? runtime_module_memory(lustre->used) : NULL;
  size_t length = 0;
  if (!records) return;
  for (uint32_t i = 1; i <= lustre->count; i++) {
    const struct lustre_slot *slot = &lustre->slots[i];
    memcpy(records + length, lustre->bytes + slot->offset, slot->length);
    length += slot->length;
  }
  log_add_part(content, DARSHAN_MOD_LUSTRE, DARSHAN_VERSION_LUSTRE, records, length,
               lustre->refused != 0, 0);
}
