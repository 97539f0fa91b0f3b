/* Threads that share out the pieces of a job without a word to the interpreter: to wake a thread, hand it the
   interpreter and wait for it takes 50 to 100 us, about as long as a kernel runs for a small batch.

   Helpers are the interpreter's own threads. They come here (`linger`), take pieces of whatever job there is, and leave
   when there has been none for a while. */
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
__declspec(dllimport) int SwitchToThread(void);
#define YIELD() SwitchToThread()
#else
#include <sched.h>
#define EXPORT
#define YIELD() sched_yield()
#endif
#if defined __x86_64__ || defined __i386__
#define PAUSE() __builtin_ia32_pause()
#else
#define PAUSE() (void)0
#endif
#define PAUSES 64 /* between two looks at the clock */

typedef void (*task)(const void *job, long piece);

static struct {
    _Atomic uint64_t ticket; /* the job's number, and below it how many of its pieces nobody has taken yet */
    _Atomic long undone;
    _Atomic int busy;
    _Atomic(task) function;
    _Atomic(const void *) job;
} team;

static void rest(void)
{
    for (int k = 0; k < PAUSES; k++) PAUSE();
    YIELD(); /* who else wants this core is not kept from it */
}

/* Does one piece, if there is one to be taken. Function and job are of the ticket that was read with them, for neither
   changes as long as a piece of it is left. */
static int take(void)
{
    uint64_t ticket = team.ticket;
    while ((uint32_t)ticket) {
        const task function = team.function;
        const void *const job = team.job;
        if (atomic_compare_exchange_weak(&team.ticket, &ticket, ticket - 1)) {
            function(job, (long)(uint32_t)ticket - 1);
            team.undone--;
            return 1;
        }
    }
    return 0;
}

/* function(job, piece) for each of the pieces, by this thread and those that linger. Where the team has a job of
   somebody else's already, by this thread alone. */
EXPORT void share_out(task function, const void *job, long pieces)
{
    if (pieces < 2 || atomic_exchange(&team.busy, 1)) {
        for (long piece = 0; piece < pieces; piece++) function(job, piece);
        return;
    }
    team.function = function, team.job = job, team.undone = pieces;
    team.ticket = ((team.ticket >> 32) + 1) << 32 | (uint64_t)pieces;
    while (take()) continue;
    while (team.undone) rest();
    team.busy = 0;
}

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Take pieces until there have been none for so many seconds. */
EXPORT void linger(double seconds)
{
    for (double since = now(); now() - since < seconds;)
        if (take())
            since = now();
        else
            rest();
}

/* In a process that was forked off while there was a job: nobody is here. */
EXPORT void disband(void)
{
    team.ticket = 0, team.busy = 0;
}
