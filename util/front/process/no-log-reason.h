/* Determines why a program left no log, or why its log lacks some of its calls. */
#ifndef DARSHAN_FRONT_NO_LOG_REASON_H
#define DARSHAN_FRONT_NO_LOG_REASON_H

#include <limits.h>
#include <stddef.h>

#include "../../../runtime/format/run.h"

/* Writes the path of the file that a command executes: the program, or a script's interpreter. A
 * name without a slash is looked up in PATH. Returns 0, or -1 if it is not there; a path with a
 * slash is not checked. */
int program_of_command(char path[PATH_MAX], const char *command);

/* Writes the most likely reason why a program left no log, as a phrase for one line of a message.
 * room: bytes at `out`. command: the program's name, searched in PATH. Returns 1, or 0 if the
 * reason is unknown; the phrase then refers to the settings. */
int reason_for_no_log(char *out, size_t room, const char *command);

/* Returns why the runtime cannot record this program, or not completely, as rows of the event file
 * say it; RUN_WATCHED if no reason is known. name: receives the command's name without folders. */
enum run_unwatched reason_of_row(const char *command, char name[RUN_PROGRAM]);

/* Returns 1 if the dynamic linker of this program, or of this script's interpreter, would not start
 * it with the runtime (it belongs to another C library), or would print an error (it has another
 * word size or processor). Otherwise returns 0. */
int reason_to_leave_alone(const char *command);

enum { INSIDE_ROOM = 64 }; /* bytes of the names, with NUL */

/* Writes the names of known I/O libraries that are linked statically into the program at `path`,
 * for example "HDF5 and MPI". Returns 1 if there are any, 0 if there are none or the file is
 * unreadable. Returns 0 for a program that is linked with the runtime, because its calls reach the
 * wrappers. */
int inside_program(char out[INSIDE_ROOM], const char *path);

#endif
