/* The dynamic loader's functions, which a fully static program does not have:
 * referred to weakly, so that linking the runtime into one brings none in.  In
 * libdarshan.a dlopen is never found: it is there, for its own purposes, in
 * many static programs, and the linker warns of whoever refers to it. */
#ifndef DARSHAN_LOADER_H
#define DARSHAN_LOADER_H

#include <dlfcn.h>
#include <link.h>

#pragma weak dladdr
#pragma weak dladdr1
#pragma weak dl_iterate_phdr
#pragma weak dlclose
#pragma weak dlerror
#pragma weak dlinfo
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dlvsym

static inline int loader_is_there(void) {
  return dlsym && dlvsym && dlopen && dlclose && dlinfo && dladdr && dladdr1 && dl_iterate_phdr;
}

#endif
