/* Finds the word that the user probably meant. */
#ifndef DARSHAN_FRONT_SUGGEST_H
#define DARSHAN_FRONT_SUGGEST_H

#include <stddef.h>

/* Returns the most similar of the words, or NULL if none is similar: at most a third of the typed
 * characters differ, or the typed word is the beginning of exactly one. */
const char *suggest(const char *typed, const char *const *words, size_t count);

#endif
