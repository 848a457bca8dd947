/* A list of paths (path-list.h). */
#define _GNU_SOURCE
#include "path-list.h"

#include <stdlib.h>
#include <string.h>

void path_list_add(struct path_list *list, const char *path) {
  char **paths = realloc(list->paths, (list->count + 1) * sizeof(char *));
  char *copy = strdup(path);
  if (paths) list->paths = paths;
  if (paths && copy)
    list->paths[list->count++] = copy;
  else
    free(copy);
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

void path_list_sort(struct path_list *list, size_t first) {
  if (list->count > first) qsort(list->paths + first, list->count - first, sizeof(char *), by_name);
}

void path_list_free(struct path_list *list) {
  for (size_t i = 0; i < list->count; i++)
    free(list->paths[i]);
  free(list->paths);
  *list = (struct path_list){NULL, 0};
}
