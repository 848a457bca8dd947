/* The subcommands run and stat. */
#ifndef DARSHAN_FRONT_RUN_H
#define DARSHAN_FRONT_RUN_H

/* Runs a program with the runtime; command_stat also prints a summary. argv[0] is the subcommand.
 * Both return an exit status if no program was run; otherwise they end this process as the
 * application ended. */
int command_run(int argc, char **argv);
int command_stat(int argc, char **argv);

#endif
