/* Functions of the subcommands that are part of the program `darshan`, one for each row OWN of
 * commands.def. A function receives the arguments after `darshan`; argv[0] is the subcommand, with
 * the name for messages. It returns the exit status. If command_run and command_stat run a program,
 * they do not return: they end this process as the program ended. */
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
