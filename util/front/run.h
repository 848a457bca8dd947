/* The sub-commands run and stat. */
#ifndef DARSHAN_FRONT_RUN_H
#define DARSHAN_FRONT_RUN_H

/* argv[0] is the sub-command.  Both return an exit status where nothing could
 * be run, and otherwise end the process as the application ended. */
int command_run(int argc, char **argv);
int command_stat(int argc, char **argv);

#endif
