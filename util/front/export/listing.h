/* Finds journals and parts of runs in folders that other users can write to. */
#ifndef DARSHAN_EXPORT_LISTING_H
#define DARSHAN_EXPORT_LISTING_H

#include "followed.h"

/* Passes the journals of a folder and of its run directories to followed_found, of this user or, if
 * this is root, of all. No link inside the folder is followed. Returns 0, or -1 with errno set if
 * the folder cannot be read. */
int listing_find(struct followed *followed, const char *folder);

#endif
