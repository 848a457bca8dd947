/* Declares the functions of the subcommands that are part of the program `darshan`, one for each
 * row OWN of commands.def. argv[0] is the name for messages, for example "darshan run"; the
 * arguments after the subcommand follow. A function returns the exit status. After command_run and
 * command_stat have run a program, they do not return: they end this process as the program ended
 * (child_end_like). */
#ifndef DARSHAN_FRONT_COMMANDS_H
#define DARSHAN_FRONT_COMMANDS_H

#define GROUP(name)
#define OWN(word, function, arguments, line) int function(int argc, char **argv);
#define TOOL(word, program, folder, arguments, line)
#include "commands.def"
#undef GROUP
#undef OWN
#undef TOOL

#endif
