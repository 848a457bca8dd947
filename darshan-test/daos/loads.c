/* Loads the plugin that it is given, whose libraries no other object sees, and runs it. */
#include <dlfcn.h>
#include <stdint.h>

int main(int argc, char **argv) {
  (void)argc;
  void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!plugin) return 1;
  int (*every)(const char *) = (int (*)(const char *))(uintptr_t)dlsym(plugin, "every");
  return every ? every("") : 1;
}
