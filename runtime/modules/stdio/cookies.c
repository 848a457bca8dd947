/* Streams with functions of the application (fopencookie). At exit libc flushes them through these
 * functions, which may write files when recording has already ended. So the runtime flushes these
 * streams shortly before. */
#include "stdio-module.h"

enum { STDIO_COOKIES = 256 };               /* largest number of such open streams */
SELDOM static FILE *cookies[STDIO_COOKIES]; /* NULL: free */

void stdio_cookie_opened(FILE *file) {
  for (int i = 0; i < STDIO_COOKIES; i++) {
    FILE *nobody = NULL;
    if (__atomic_compare_exchange_n(&cookies[i], &nobody, file, 0, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return;
  }
  runtime_table_full(); /* the stream's writes at exit are then not counted */
}

void stdio_cookie_closing(FILE *file) {
  for (int i = 0; i < STDIO_COOKIES; i++) {
    FILE *closing = file;
    if (__atomic_compare_exchange_n(&cookies[i], &closing, NULL, 0, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return;
  }
}

void stdio_flush_cookies(void) {
  /* Begins with the newest stream, like libc. Skips a stream that another thread has locked; libc
   * does not wait for it either. */
  if (!darshan_hot.fd_limit || !fd_may_change()) return;
  for (int i = STDIO_COOKIES - 1; i >= 0; i--) {
    FILE *file = __atomic_load_n(&cookies[i], __ATOMIC_RELAXED);
    if (!file || ftrylockfile(file) != 0) continue;
    fflush_unlocked(file);
    funlockfile(file);
  }
}
