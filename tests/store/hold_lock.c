/* Preloaded into a process, holds its first request for an exclusive file lock: makes the file $HELD, waits until
   the file $RELEASED is there, and then asks. DuckDB reads a database's headers just before it asks. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

typedef int (*fcntl_function)(int, int, ...);

static int held(const char *name, int fd, int command, void *argument) {
    static int was_held = 0;
    const char *mark = getenv("HELD"), *release = getenv("RELEASED");
    if (command == F_SETLK && ((struct flock *)argument)->l_type == F_WRLCK && !was_held) {
        was_held = 1;
        close(open(mark, O_CREAT | O_WRONLY, 0600));
        while (access(release, F_OK) != 0) usleep(5000);
    }
    return ((fcntl_function)dlsym(RTLD_NEXT, name))(fd, command, argument);
}

#define INTERPOSE(name)                                  \
    int name(int fd, int command, ...) {                 \
        va_list rest;                                    \
        va_start(rest, command);                         \
        void *argument = va_arg(rest, void *);           \
        va_end(rest);                                    \
        return held(#name, fd, command, argument);       \
    }

INTERPOSE(fcntl)
INTERPOSE(fcntl64)
