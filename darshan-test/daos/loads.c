/* Loads a plugin, whose path is its argument, so that no other object sees the plugin's libraries,
 * and runs it. */
#include <dlfcn.h>
#include <stdint.h>

int main(int argc, char **argv) {
  (void)argc;
  void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!plugin) return 1;
  int (*every)(const char *) = (int (*)(const char *))(uintptr_t)dlsym(plugin, "every");
  return every ? every("") : 1;
}
