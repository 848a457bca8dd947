/* The language that the program was written in; reports give code examples in that language. */
#ifndef DARSHAN_LANGUAGE_H
#define DARSHAN_LANGUAGE_H

/* Returns "C", "C++", "Fortran", "Rust", "Go" or "Fortran,C++", or "" if it cannot be determined,
 * as in a static program.  Considers the executable's own notes and needed libraries (DT_NEEDED),
 * but not what those libraries need. */
const char *darshan_language(void) __attribute__((visibility("hidden")));

#endif
