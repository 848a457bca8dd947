/* Declares statx, which glibc has since 2.28. */
#include <sys/stat.h>
