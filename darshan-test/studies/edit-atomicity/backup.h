/* A whole copy of the file, .NAME.bck, that is complete as soon as it has its name. */
#ifndef STUDY_BACKUP_H
#define STUDY_BACKUP_H

/* Copies the file to a temporary name and renames the copy to the backup, replacing an older one.
 * All functions return 0, or -1 after a message. */
int backup_make(const char *path);

/* Renames the backup to the file: returns 1 if there was a backup, 0 if not. */
int backup_restore(const char *path);

/* Removes the backup of a file that is complete. Returns 0, or not 0 after a message. */
int backup_remove(const char *path);

#endif
