/* What the program was compiled from: advice about its I/O uses the words of that language. */
#ifndef DARSHAN_LANGUAGE_H
#define DARSHAN_LANGUAGE_H

/* "C", "C++", "Fortran", "Rust", "Go" or "Fortran,C++"; an empty text where nothing tells, as in
 * a static program.  Libraries that the
 * main program itself names, and its notes, tell it: what those load in turn does not. */
const char *darshan_language(void) __attribute__((visibility("hidden")));

#endif
