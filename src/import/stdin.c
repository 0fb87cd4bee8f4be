/*
 * Debian's libjansson.a reads the variable stdin (in json_loadf, which is not
 * used here) in a way that the linker refuses in a shared object, unless the
 * variable is the object's own. So there is one, hidden and never read.
 */
extern void *const stdin __attribute__((visibility("hidden")));
void *const stdin = 0;
