/* Calls by which another process can get a descriptor (SCM_RIGHTS), for remedies that keep
 * something of a descriptor in this process. The recorder itself has no wrappers of them. */
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
