/* Prints the message of a job that ends without MPI_Finalize, in one rank, which this file elects.
 * Ranks cannot communicate any more, but each can compute the names of all journals of the job. A
 * rank locks the lowest-ranked journal on its node, prints the message and marks the journal. If
 * that rank is killed before it prints, the lock is free for the next rank. */
#include "life.h"

#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <time.h>

#include "../intercept/sys/sys.h"
#include "../job/runtime.h"
#include "../job/text/text.h"
#include "../log/write.h"

enum {
  SAID = S_ISVTX, /* the mark: a mode bit that has no meaning for files */
  TRIES = 100,    /* attempts to get the lock, and checks whether stderr has been read */
  PAUSE_NS = 2000000,
  BUSY = -11 /* EAGAIN */
};

SELDOM static char path[DARSHAN_PATH_ROOM]; /* too large for a stack; used by one thread at exit */

/* Stores the path of a rank's journal in `path` and returns its length; 0 if it is too long. The
 * journal is in the folder of this rank's journal; without one, in the folder where it would be. */
static size_t name_of(int rank) {
  const struct journal *own = &darshan_store.journal;
  struct darshan_log_identity identity = runtime_journal_identity();
  identity.rank = rank;
  if (!own->has_file) return darshan_journal_path(path, sizeof(path), &darshan_config, &identity);
  struct darshan_text text = darshan_text_in(path, sizeof(path));
  darshan_text_bytes(&text, own->path, (size_t)(strrchr(own->path, '-') - own->path));
  darshan_text_add(&text, "-");
  darshan_text_signed(&text, rank);
  darshan_text_add(&text, strrchr(own->path, '.'));
  return darshan_text_length(&text);
}

/* Opens a rank's journal. Returns the descriptor, negative if this node has no such file. *said
 * becomes 1 if a rank has marked the journal as reported, or if that is unknown. */
static int open_one(int rank, int *said) {
  struct stat st;
  int fd = name_of(rank) ? sys_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0) : -1;
  if (fd < 0) return fd;
  *said = SYS2(SYS_fstat, fd, &st) < 0 || (st.st_mode & SAID);
  return fd;
}

static int take_lock(int fd) {
  struct timespec pause = {0, PAUSE_NS};
  for (int i = 0; i < TRIES; i++) {
    if (SYS2(SYS_flock, fd, LOCK_EX | LOCK_NB) != BUSY)
      return 1; /* locked, or the file system has no locks */
    SYS2(SYS_nanosleep, &pause, NULL);
  }
  return 0; /* another rank is printing the message */
}

/* Returns the descriptor of the locked journal, or a negative value if this rank must not print. */
static int claim(void) {
  int first = -1, said = 0;
  for (int rank = 0; rank < mpi_state.size && !said; rank++) {
    int fd = open_one(rank, &said);
    if (fd >= 0 && first < 0 && !said && take_lock(fd)) {
      first = fd;
      struct stat st; /* read again, because another rank may have marked the journal meanwhile */
      said = SYS2(SYS_fstat, fd, &st) < 0 || (st.st_mode & SAID);
    } else if (fd >= 0) {
      if (first < 0) said = 1;
      sys_close(fd);
    }
  }
  if (said && first >= 0) sys_close(first);
  return said ? -1 : first;
}

/* Waits until the pipe at stderr is empty, TRIES pauses at most, because a launcher may discard
 * unread output when it sees that the rank has ended. */
static void wait_until_read(void) {
  struct timespec pause = {0, PAUSE_NS};
  struct stat st;
  int left = 0;
  if (SYS2(SYS_fstat, 2, &st) < 0 || !S_ISFIFO(st.st_mode)) return;
  for (int i = 0; i < TRIES; i++) {
    if (SYS3(SYS_ioctl, 2, FIONREAD, &left) < 0 || left <= 0) return;
    SYS2(SYS_nanosleep, &pause, NULL);
  }
}

void last_word_say(const char *subject) {
  enum { MODE = 0600 };
  static const char all_ranks[] = "-*.darshan";
  int fd = claim();
  unsigned others = darshan_problems.count;
  darshan_problems.count =
      0; /* this message must be the first; every rank has the other problems */
  if (fd < 0) return;
  name_of(0);
  char *end = strrchr(path, '-');
  if ((size_t)(end - path) + sizeof(all_ranks) <= sizeof(path))
    memcpy(end, all_ranks, sizeof(all_ranks));
  DARSHAN_MESSAGE(&darshan_problems, subject,
                  "; make a log of the ranks' records with: darshan-merge -o LOG ", path);
  darshan_problems.count += others;
  log_say_problems();
  wait_until_read();
  sys_fchmod(fd, MODE | SAID);
  sys_close(fd); /* unlocks */
}
