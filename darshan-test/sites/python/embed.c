/* Opens libpython by dlopen, runs a Python text, ends the interpreter and closes the library, TIMES
 * times: embed LIBPYTHON TIMES TEXT
 *
 * Prints a line each time: 1 if the library is no longer loaded, else 0, and the result of
 * probe_closed (probe.c). Returns 1 if the library cannot be opened. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#pragma weak probe_closing
#pragma weak probe_closed
void probe_closing(void);
int probe_closed(void);

int main(int count, char **words) {
  for (int i = atoi(words[2]); count == 4 && i > 0; i--) {
    void *library = dlopen(words[1], RTLD_NOW | RTLD_GLOBAL);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
    void (*begin)(int) = (void (*)(int))dlsym(library, "Py_InitializeEx");
    int (*run)(const char *, void *) =
        (int (*)(const char *, void *))dlsym(library, "PyRun_SimpleStringFlags");
    int (*end)(void) = (int (*)(void))dlsym(library, "Py_FinalizeEx");
    begin(0);
    if (run(words[3], NULL)) return 1;
    end();
    probe_closing();
    dlclose(library);
    int frames = probe_closed();
    int is_gone = !dlopen(words[1], RTLD_NOW | RTLD_NOLOAD);
    printf("%d %d\n", is_gone, frames);
  }
  return 0;
}
