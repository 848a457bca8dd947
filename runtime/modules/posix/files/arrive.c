/* Finds the files of descriptors that this process did not open itself: inherited, received over a
 * socket, fetched from another process, or opened by a stream. */
#include "../posix.h"

#include <sys/socket.h>

#include "../../../door/door.h"
#include "../../../life/run/run.h"
#include "../../../names/descriptors.h"
#include "../../stdio/stdio-module.h"
#include "modules/posix/records.h"
#include "record-id.h"

/* Sets the tracked position of a file to the kernel's position of a descriptor. A pipe, which has
 * none, changes nothing. The caller holds the record's lock. */
static void place_at(struct posix_file *file, int fd) {
  long position = SYS3(SYS_lseek, fd, 0, SEEK_CUR);
  if (position >= 0) file->offset = position;
}

void posix_stream_joined(struct posix_file *file, int fd) {
  if (!posix_lock(file)) return;
  if (__atomic_load_n(&file->descriptors, __ATOMIC_RELAXED) == 1) {
    posix_anchored(file);
    file->last_byte[POSIX_READ] = file->last_byte[POSIX_WRITE] = 0;
  }
  if (!file->adrift) place_at(file, fd);
  posix_unlock(file);
}

/* Forgets what this descriptor was before, because it was received from another process. The next
 * call on the descriptor classifies it. */
void posix_arrived(int fd) {
  fd_dropped(fd);
}

int posix_name_behind(struct posix_name *name, int module, int fd, const struct fd_facts *facts) {
  if (!module_is_on(module)) return 0;
  name->file = 0;
  name->is_new = 0;
  name->folder.hash = 0;
  name->buffer = path_buffer_take();
  if (!name->buffer) return 0;
  name->text = name->buffer->bytes;
  size_t length = fd_file_name(name->buffer->bytes, DARSHAN_PATH_ROOM, 0, fd, facts);
  if (length) length = run_name_heard(name->buffer->bytes, length, facts);
  if (!length || length > DARSHAN_NAME_MAX || name_is_excluded(module, name->text, length)) {
    posix_name_done(name);
    return 0;
  }
  name->length = (uint32_t)length;
  name->id = darshan_hash(name->text, length, 0);
  return 1;
}

/* Marks the position of the file as unknown, because the process that opened the file may still
 * move it. */
static void set_adrift(struct posix_file *file, int fd) {
  long flags = SYS3(SYS_fcntl, fd, F_GETFL, 0);
  record_make_room(STORE_POSIX_EXT);
  if (!posix_lock(file)) return;
  posix_set_adrift(file, flags >= 0 && (flags & O_APPEND));
  posix_ext_locked(file, POSIX_EXT_UNPLACED_READ, 0);
  posix_unlock(file);
}

/* Assigns the file of this name, which is made if necessary, to the descriptor, and returns the
 * file. Returns NULL in a signal handler, and if the file cannot be recorded; in the second case,
 * later calls on the descriptor are not counted. If another thread has classified the descriptor in
 * the meantime, returns what that thread has found. block: the file system's preferred transfer
 * size in bytes. */
static struct posix_file *found(int fd, const struct posix_name *name, uint32_t block) {
  if (!runtime_enter())
    return NULL; /* in a signal handler; the next call on the descriptor tries again */
  uint32_t number = posix_file_unasked(name, block);
  runtime_leave();
  if (!number) {
    fd_looked_at(fd, FD_OTHER);
    return NULL;
  }
  struct posix_file *file = posix_file_at(number);
  if (!fd_looked_at(fd, file)) return posix_file_of(fd);
  set_adrift(file, fd);
  return file;
}

/* Classifies a descriptor by querying the kernel. Returns its file, or NULL if it is not recorded:
 * the entry is then FD_OTHER or FD_EXCLUDED, or stays unclassified if fd is closed. Enters the
 * runtime only for a file that is recorded. */
static __attribute__((noinline)) struct posix_file *look(int fd) {
  struct fd_facts facts;
  struct posix_name name;
  int result = fd_look(fd, &facts);
  if (result < 0 && !fd_entry(fd)) return NULL; /* fd is closed, so it needs no entry */
  if (result < 0 || !facts.is_regular || !posix_name_behind(&name, DARSHAN_MOD_POSIX, fd, &facts)) {
    int excluded = result == 0 && facts.is_regular && module_is_on(DARSHAN_MOD_POSIX);
    fd_looked_at(fd, excluded ? FD_EXCLUDED : FD_OTHER);
    return NULL;
  }
  struct posix_file *file = found(fd, &name, facts.block);
  posix_name_done(&name);
  return file;
}

struct posix_file *posix_file_look(int fd) {
  if (!fd_can_follow(fd) || !fd_may_change()) return NULL;
  const struct fd_entry *entry = fd_entry(fd);
  if (entry && __atomic_load_n(&entry->stream, __ATOMIC_RELAXED)) {
    struct posix_name name;
    if (stdio_name_at(fd, &name)) return posix_file_of_stream(fd);
  }
  return look(fd);
}

/* Returns the file of a descriptor that a stream opened (no POSIX call has named it), and assigns
 * it to the descriptor. Counts neither an open nor a fileno. Returns NULL if the file is not
 * recorded. */
struct posix_file *posix_file_of_stream(int fd) {
  struct posix_name name;
  if (!stdio_name_at(fd, &name) || !fd_may_change()) return NULL;
  if (!module_is_on(DARSHAN_MOD_POSIX)) return NULL;
  if (name.length && name.text[0] == '/' /* else a name that Darshan made */ &&
      name_is_excluded(DARSHAN_MOD_POSIX, name.text, name.length))
    return NULL;
  uint32_t number = posix_file_enter(&name, fd);
  if (!number) return NULL;
  struct posix_file *file = posix_file_at(number);
  if (!fd_found_file(fd, file)) return posix_file_of(fd);
  if (!posix_lock(file)) return file;
  place_at(file, fd);
  posix_unlock(file);
  return file;
}

struct posix_file *posix_file_behind_far(int fd) {
  if (!fd_can_follow(fd))
    return NULL; /* the usual case: nothing is recorded, or fd is not a file */
  const struct fd_entry *entry = fd_entry_far(fd);
  struct posix_file *file = entry ? __atomic_load_n(&entry->file, __ATOMIC_RELAXED) : NULL;
  return file ? fd_followed(file) : posix_file_look(fd);
}

struct posix_file *posix_file_or_excluded(int fd) {
  struct posix_file *file = posix_file_look(fd);
  if (file || (uint32_t)fd >= darshan_hot.fd_limit) return file;
  return __atomic_load_n(&darshan_hot.fds[fd].file, __ATOMIC_RELAXED);
}

void posix_message(const struct msghdr *message) {
  /* Does not use CMSG_NXTHDR, because it calls a function of libc. */
  const char *at = message->msg_control;
  size_t left = at ? message->msg_controllen : 0;
  while (left >= sizeof(struct cmsghdr)) {
    const struct cmsghdr *part = (const struct cmsghdr *)at;
    if (part->cmsg_len < sizeof(*part) || part->cmsg_len > left) return;
    if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS) {
      const int *fds = (const int *)CMSG_DATA(part);
      for (size_t n = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int); n > 0; n--)
        posix_arrived(*fds++);
    }
    size_t step = CMSG_ALIGN(part->cmsg_len);
    if (step > left) return;
    at += step;
    left -= step;
  }
}

void posix_messages(const struct mmsghdr *messages, int n) {
  for (int i = 0; i < n; i++)
    posix_message(&messages[i].msg_hdr);
}
