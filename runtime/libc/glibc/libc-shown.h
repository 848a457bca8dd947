/* 1 if the loader finds symbols of hidden versions for references without a version. */
#ifndef DARSHAN_LIBC_SHOWN_H
#define DARSHAN_LIBC_SHOWN_H

#define LIBC_HIDES_VERSIONS 1

#endif
