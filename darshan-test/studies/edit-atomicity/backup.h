/* A whole copy of the file, .NAME.bck, that is complete as soon as it has its name. */
#ifndef STUDY_BACKUP_H
#define STUDY_BACKUP_H

/* Copies the file to a temporary name, then gives it the backup's, in place of an older
 * one.  All return 0, or -1 after a message. */
int backup_make(const char *path);

/* Puts the backup in the place of the file, if there is one: 1 if so, 0 if none. */
int backup_restore(const char *path);

/* Removes the backup of a file that is complete. */
int backup_remove(const char *path);

#endif
