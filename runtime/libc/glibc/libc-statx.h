/* Declares statx: <sys/stat.h> of glibc has it since 2.28. For musl, libc-statx.h in ../musl
 * declares it if musl's headers do not. */
#include <sys/stat.h>
