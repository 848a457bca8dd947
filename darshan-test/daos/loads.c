/* Loads a plugin, whose path is the argument, and runs it. No other object sees the libraries of
 * the plugin. */
#include <dlfcn.h>
#include <stdint.h>

int main(int argc, char **argv) {
  (void)argc;
  void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!plugin) return 1;
  int (*every)(const char *) = (int (*)(const char *))(uintptr_t)dlsym(plugin, "every");
  return every ? every("") : 1;
}
