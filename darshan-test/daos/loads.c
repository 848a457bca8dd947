/* Loads a plugin, whose path is its argument, with dlopen's RTLD_LOCAL, so that no other object
 * sees the libraries of DAOS that the plugin is linked with, and runs it. */
#include <dlfcn.h>
#include <stdint.h>

int main(int argc, char **argv) {
  (void)argc;
  void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!plugin) return 1;
  int (*every)(const char *) = (int (*)(const char *))(uintptr_t)dlsym(plugin, "every");
  return every ? every("") : 1;
}
