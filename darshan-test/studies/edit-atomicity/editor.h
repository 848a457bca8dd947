/* Checks and executes commands of h5edit on an HDF5 file. */
#ifndef STUDY_EDITOR_H
#define STUDY_EDITOR_H

#include <hdf5.h>

#include "commands.h"

/* Opens the file for reading and checks that every command can be executed: its object exists, its
 * attribute does not. Returns 0; -1 with the first mistake; -2 without one if the file cannot be
 * read as HDF5. */
int editor_check(const char *path, const struct commands *commands, struct mistake *mistake);

/* Opens the file with this access property list, executes `count` commands in order until one
 * fails, and closes the file. Returns the number of executed commands; -1 if the file could not be
 * opened or closed. */
long editor_execute(const char *path, hid_t access, const struct command *items, size_t count);

#endif
