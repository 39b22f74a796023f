/* Sets the clock on the wall of one program: adds the seconds in a file to what the machine says.
   Time that only passes (CLOCK_MONOTONIC) is as it was. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *ahead;

__attribute__((constructor)) static void look(void) {
  const char *path = getenv("KINGSCORE_TEST_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *place = mmap(NULL, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
  if (place != MAP_FAILED) ahead = place;
  close(file);
}

int clock_gettime(clockid_t which, struct timespec *at) {
  int failed = (int)syscall(SYS_clock_gettime, which, at);
  int on_wall = which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE;
  if (!failed && on_wall && ahead) at->tv_sec += *ahead;
  return failed;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}
