/* Wrappers of calls that can send a descriptor to another process (SCM_RIGHTS), which libdarshan.so
 * does not wrap. They only forward. They exist so that remedies which delay writes or store a
 * descriptor's position can replace the real function. */
#include <sys/socket.h>

#include "../intercept/real.h"
#include "remedies.h"

#define SLOT(type, name, params)                                                                   \
  static type(*real_##name) params;                                                                \
  EXPORT type handing_##name params __asm__(#name);
SLOT(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags))
SLOT(int, sendmmsg, (int fd, struct mmsghdr *messages, unsigned int n, int flags))
#undef SLOT

ssize_t handing_sendmsg(int fd, const struct msghdr *message, int flags) {
  return REAL(sendmsg)(fd, message, flags);
}

int handing_sendmmsg(int fd, struct mmsghdr *messages, unsigned int n, int flags) {
  return REAL(sendmmsg)(fd, messages, n, flags);
}
