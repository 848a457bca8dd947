/* A backup of the whole file NAME, .NAME.bck in the same folder, which is complete as soon as it
 * has this name. All functions print a message on failure. */
#ifndef STUDY_BACKUP_H
#define STUDY_BACKUP_H

/* Makes the backup: copies the file to a temporary name and renames the copy, which replaces an
 * older backup. Returns 0, or -1 after a message. */
int backup_make(const char *path);

/* Renames the backup to the file, which it replaces. Returns 1 if there was a backup, 0 if not, -1
 * after a message. */
int backup_restore(const char *path);

/* Removes the backup of a file that is complete. Returns 0, or -1 on failure. */
int backup_remove(const char *path);

#endif
