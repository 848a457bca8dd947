/* Loads and unloads a plug-in that is linked with HDF5, several times.
 * Arguments: PLUGIN, name of the HDF5 library file as the loader knows it. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

typedef int use_function(const char *name, int n);

static int use(const char *plugin, int round) {
  void *handle = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    fprintf(stderr, "%s\n", dlerror());
    return -1;
  }
  void *symbol = dlsym(handle, "use_hdf5");
  use_function *function = NULL;
  memcpy(&function, &symbol, sizeof(function));
  char name[16];
  snprintf(name, sizeof(name), "%d.h5", round);
  int result = function ? function(name, 8 * (round + 1)) : -1;
  printf("round %d: %d\n", round, result);
  dlclose(handle);
  return result;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  for (int round = 0; round < 4; round++) {
    if (use(argv[1], round) != 0) return 1;
    void *left = dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD);
    printf("library %s\n", left ? "still there" : "gone");
    if (left) dlclose(left);
    /* Takes the place where the library was, so that it comes back elsewhere. */
    void *block = mmap(NULL, 8u << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return 1;
  }
  return 0;
}
