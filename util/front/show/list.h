/* darshan list: the newest logs, one line each. */
#ifndef DARSHAN_FRONT_LIST_H
#define DARSHAN_FRONT_LIST_H

/* Returns the exit status. argv[0] is the name for messages. */
int command_list(int argc, char **argv);

#endif
