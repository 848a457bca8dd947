/* The functions of subcommands that are part of the program `darshan`, one for each row OWN of
 * commands.def. A function gets the arguments behind `darshan`; argv[0] is the subcommand, the name
 * for messages. It returns the exit status. If command_run and command_stat run a program, they end
 * this process as the program ended, and do not return. */
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
