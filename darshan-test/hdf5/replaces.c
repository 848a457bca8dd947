/* Loads a plug-in, calls and unloads it, and loads another plug-in, which then has the same
 * address. Prints the results of both, and whether plug-ins and libraries had the same addresses.
 * Arguments: the first plug-in; "program" or "libc"; the second plug-in.
 *
 * "program": unloads by the ordinary dlclose. "libc": unloads by a pointer to libc's own dlclose,
 * which no wrapper sees, and then occupies the old address of the first plug-in's library, so that
 * the second one's is loaded elsewhere. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

typedef int create_and_flush(const char *name);
typedef int unload(void *handle);

/* Stores the address of a symbol in `function`, a pointer to a function pointer. Returns NULL if
 * there is no such symbol. */
static void *function_of(void *handle, const char *name, void *function) {
  void *symbol = dlsym(handle, name);
  memcpy(function, &symbol, sizeof(symbol));
  return symbol;
}

/* Addresses at which a plug-in and its library are loaded. */
struct places {
  void *plugin, *library;
};

/* Returns the address at which the object of a function is loaded; NULL if there is no such
 * function. */
static void *base_of(void *handle, const char *function) {
  Dl_info info;
  void *address = dlsym(handle, function);
  return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Loads a plug-in, calls it with a file's name (or NULL) and prints its result. Sets the addresses.
 * Returns the handle, or NULL if it cannot be loaded. */
static void *call(const char *plugin, const char *file, struct places *places) {
  create_and_flush *function = NULL;
  void *handle = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
  if (!handle || !function_of(handle, "create_and_flush", &function)) {
    fprintf(stderr, "%s\n", dlerror());
    return NULL;
  }
  *places =
      (struct places){base_of(handle, "create_and_flush"), base_of(handle, "H5get_libversion")};
  printf("answer %d\n", function(file));
  return handle;
}

int main(int argc, char **argv) {
  struct places first, second;
  unload *close_library = &dlclose;
  if (argc != 4) return 2;
  int past_us = strcmp(argv[2], "libc") == 0;
  if (past_us) {
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    if (!libc || !function_of(libc, "dlclose", &close_library)) return 1;
  }
  void *handle = call(argv[1], "1.h5", &first);
  if (!handle || close_library(handle) != 0) return 1;
  if (past_us && mmap(first.library, 4096, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != first.library)
    return 1;
  if (!call(argv[3], NULL, &second)) return 1;
  printf("%s place\n", first.plugin == second.plugin ? "the same" : "another");
  printf("%s library\n", first.library == second.library ? "the same" : "another");
  return 0;
}
