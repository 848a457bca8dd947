/* The subcommand watch: what running processes do at the moment, from their journals. */
#ifndef DARSHAN_FRONT_WATCH_H
#define DARSHAN_FRONT_WATCH_H

/* Runs `darshan watch`. argv[0] is "watch". Returns the exit status. */
int command_watch(int argc, char **argv);

#endif
