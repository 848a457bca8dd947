/* Why a program left no log. */
#ifndef DARSHAN_FRONT_REASON_H
#define DARSHAN_FRONT_REASON_H

#include <limits.h>
#include <stddef.h>

#include "../../runtime/format/run.h"

/* The file that a command, looked for in PATH, is; of a script that of its interpreter.
 * 0, or -1: there is none. */
int program_of_command(char path[PATH_MAX], const char *command);

/* A reason that can be seen from outside, as a phrase for one line; command is
 * what was run, looked for in PATH. */
void reason_for_no_log(char *out, size_t room, const char *command);

/* The same as a run's rows have it, RUN_WATCHED if there is none; and the program's name. */
enum run_unwatched reason_of_row(const char *command, char name[RUN_PROGRAM]);

/* 1 if the loader of this program, or of the interpreter that it is a script for, would
 * not start it with the runtime preloaded (another C library), or would complain on stderr
 * (another word size or processor). */
int reason_to_leave_alone(const char *command);

#endif
