/* Let programs see business time: the machine's clock and as many nanoseconds more as a file says.

   Preloaded into every process of an installation, PostgreSQL included. Only the clock that people
   read is moved. Sleeps and time-outs go by the steady clock, as they do while a machine works; a
   wait until an instant is brought back to the machine's time. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t SECOND = 1000000000;
static const volatile int64_t *ahead;

__attribute__((constructor)) static void open_clock(void) {
    const char *path = getenv("TEST_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *mapped = mmap(NULL, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED) ahead = mapped;
}

static void move(struct timespec *at, int64_t by) {
    int64_t all = at->tv_sec * SECOND + at->tv_nsec + by;
    at->tv_sec = all / SECOND;
    at->tv_nsec = all % SECOND;
}

int clock_gettime(clockid_t clock, struct timespec *at) {
    int failed = syscall(SYS_clock_gettime, clock, at);
    if (!failed && ahead && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        move(at, *ahead);
    return failed;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *at) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}

/* An instant of the steady clock, which some waits take, counts from the machine's start. */
static struct timespec real(const struct timespec *until) {
    struct timespec at = *until;
    if (ahead && at.tv_sec > 1000000000) move(&at, -*ahead);
    return at;
}

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *at) {
    static int (*original)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    if (!original) original = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    struct timespec until = real(at);
    return original(cond, mutex, &until);
}

int sem_timedwait(sem_t *semaphore, const struct timespec *at) {
    static int (*original)(sem_t *, const struct timespec *);
    if (!original) original = dlsym(RTLD_NEXT, "sem_timedwait");
    struct timespec until = real(at);
    return original(semaphore, &until);
}
