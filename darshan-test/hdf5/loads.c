/* Loads and unloads four times a plug-in that is linked with HDF5, or HDF5 itself, whose functions
 * are then looked up by dlsym. Prints after each time the size of the file written, and whether the
 * library is still loaded.
 *
 * Arguments: PLUGIN, or "-" for HDF5 itself; the path of the HDF5 library as the loader knows it;
 * the name of the plug-in's function. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

typedef int use_function(const char *name, int n);

/* Stores the address of a symbol in `function`, a pointer to a function pointer. Returns NULL if
 * there is no such symbol. */
static void *function_of(void *handle, const char *name, void *function) {
  void *symbol = dlsym(handle, name);
  memcpy(function, &symbol, sizeof(symbol));
  return symbol;
}

/* Loads HDF5, creates and closes the file ROUND.h5 by functions from dlsym, whose calls no wrapper
 * sees, and unloads HDF5. Returns 0, or -1 on failure. */
static int use_directly(const char *library, int round) {
  int (*open_library)(void), (*close_file)(int64_t);
  int64_t (*create_file)(const char *, unsigned, int64_t, int64_t);
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle || !function_of(handle, "H5open", &open_library) ||
      !function_of(handle, "H5Fcreate", &create_file) ||
      !function_of(handle, "H5Fclose", &close_file)) {
    fprintf(stderr, "%s\n", dlerror());
    return -1;
  }
  char name[16];
  snprintf(name, sizeof(name), "%d.h5", round);
  int result = open_library() < 0 ? -1 : close_file(create_file(name, 2, 0, 0));
  printf("round %d: %d\n", round, result);
  dlclose(handle);
  return result;
}

/* Calls the plug-in's function and unloads the plug-in. Returns its result, or -1 on failure. */
static int use(const char *plugin, const char *name_of_function, int round) {
  void *handle = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    fprintf(stderr, "%s\n", dlerror());
    return -1;
  }
  use_function *function = NULL;
  function_of(handle, name_of_function, &function);
  char name[16];
  snprintf(name, sizeof(name), "%d.h5", round);
  int result = function ? function(name, 8 * (round + 1)) : -1;
  printf("round %d: %d\n", round, result);
  dlclose(handle);
  return result;
}

/* Prints the size in bytes of the file of this round; -1 if it does not exist. HDF5 writes open
 * files when it is unloaded, not when the program ends. */
static void show_size(int round) {
  char name[16];
  struct stat file;
  snprintf(name, sizeof(name), "%d.h5", round);
  printf("%s: %ld bytes\n", name, stat(name, &file) == 0 ? (long)file.st_size : -1);
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  for (int round = 0; round < 4; round++) {
    int direct = strcmp(argv[1], "-") == 0;
    if ((direct ? use_directly(argv[2], round) : use(argv[1], argv[3], round)) != 0) return 1;
    show_size(round);
    void *left = dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD);
    printf("library %s\n", left ? "still there" : "gone");
    if (left) dlclose(left);
    /* Occupies the library's old address, so that it is loaded elsewhere the next time. */
    void *block = mmap(NULL, 8u << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return 1;
  }
  return 0;
}
