/* Callbacks before the merger creates or renames a file. They let a later merger finish. */
#ifndef DARSHAN_MERGE_FILE_HOOKS_H
#define DARSHAN_MERGE_FILE_HOOKS_H

struct inside_watch {
  void *context;
  void (*creates)(void *context, const char *path);
  void (*names)(void *context, const char *from, const char *to);
};
extern struct inside_watch inside_watch;

#endif
