/* Passes the names of open files to a program that is about to start. */
#include "../posix.h"

#include "../../../door/door.h"
#include "../../../life/run/run.h"

/* Limits of the number of names and of the descriptors whose names are passed, so that no exec has
 * to wait long: a program mostly opens its own files. */
enum { MOST = 16, HIGHEST = 1024 };

static int closes(int fd) {
  return SYS3(SYS_fcntl, fd, F_GETFD, 0) != 0; /* 1 also if the descriptor is closed already */
}

/* Passes the names of at most MOST open files to a program that is about to start. but_closing: 1:
 * without those of descriptors that exec closes. */
static void hand_on(int but_closing) {
  int asked = 0;
  for (int fd = fd_next(-1); fd >= 0 && fd < HIGHEST && asked < MOST; fd = fd_next(fd)) {
    const struct posix_file *file = posix_file_of(fd);
    if (!file || file->overflow || !file->name || file->name[0] != '/') continue;
    if (but_closing && closes(fd)) continue;
    run_name_tell(fd, file->name, file->name_length);
    asked++;
  }
}

void posix_hand_on(void) {
  /* Includes descriptors that exec closes, because the new process may get any descriptor under
   * another number. */
  if (darshan_hot.fd_limit && fd_may_change()) hand_on(0);
}

void posix_hand_on_by_exec(void) {
  if (darshan_hot.fd_limit) hand_on(fd_may_change());
}
