/* Includes <sys/stat.h>, in which glibc declares statx since 2.28. libc-statx.h in ../musl also
 * declares it if musl's headers do not. */
#include <sys/stat.h>
