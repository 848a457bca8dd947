/* Descriptors that others opened: sent over a socket, fetched from a process; by a stream. */
#include "posix.h"

#include <sys/socket.h>

#include "../../door/door.h"
#include "../../names/fd-name.h"
#include "../stdio/stdio-module.h"

/* Where the descriptor stands; it may be shared with who opened it, so from here
 * on the position is what this process makes of it. */
static void place_at(struct posix_file *file, int fd) {
  long position = SYS3(SYS_lseek, fd, 0, SEEK_CUR);
  if (position >= 0) file->offset = position;
}

void posix_arrived(int fd) {
  struct posix_name name;
  if (!fd_can_follow(fd) || !fd_may_change()) return;
  fd_dropped(fd);
  if (!fd_is_regular(fd)) return;
  if (!posix_name_of(&name, DARSHAN_MOD_POSIX, fd, "")) return;
  uint32_t number = posix_file_enter(&name, fd);
  posix_name_done(&name);
  if (!number) return;
  struct posix_file *file = posix_file_at(number);
  __atomic_add_fetch(&file->descriptors, 1, __ATOMIC_RELAXED);
  fd_set_file(fd, number);
  if (!posix_lock(file)) return;
  place_at(file, fd);
  posix_unlock(file);
}

/* No call has named it: neither an open nor a fileno is counted. */
struct posix_file *posix_file_of_stream(int fd) {
  struct posix_name name;
  if (!stdio_name_at(fd, &name) || !fd_may_change()) return NULL;
  if (!module_is_on(DARSHAN_MOD_POSIX)) return NULL;
  if (name.length && name.text[0] == '/' /* else one of ours */ &&
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
  const struct fd_entry *entry = fd_entry_far(fd);
  struct posix_file *file = entry ? __atomic_load_n(&entry->file, __ATOMIC_RELAXED) : NULL;
  if (file || !entry || !__atomic_load_n(&entry->stream, __ATOMIC_RELAXED)) return file;
  return posix_file_of_stream(fd);
}

/* Not by the macros of libc, which call a function of it. */
void posix_message(const struct msghdr *message) {
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
