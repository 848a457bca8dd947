/* darshan list: the newest logs, one line each. */
#ifndef DARSHAN_FRONT_LIST_H
#define DARSHAN_FRONT_LIST_H

/* Runs `darshan list`. argv[0] is the name for messages. Returns the exit status. */
int command_list(int argc, char **argv);

#endif
