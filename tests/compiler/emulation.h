/* Lets a C++ compiler for the processor compile a kernel that is written for a GPU, and runs it: every thread of a block
   is a thread of the operating system, and the blocks take turns. It is slow, but waits exactly where a GPU would wait,
   so that a missing SYNC is a race that a tool can find. Comes before cuda.h and has the same constants. */
#include <math.h>
#include <pthread.h>

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(threads)
#define __grid_constant__
#define __shared__ static

struct place {
    unsigned x;
};
static thread_local place threadIdx, blockIdx;
static pthread_barrier_t all_threads, of_warp[BLOCK / WARP];

static inline void __syncthreads() { pthread_barrier_wait(&all_threads); }

template <typename T> static inline T __ldg(const T *address) { return *address; }

/* The value of the thread `far` further on in the same warp, one's own past its end. Only the warp waits. */
template <typename T> static inline T __shfl_down_sync(unsigned, T value, int far)
{
    static T offered[BLOCK];
    const int me = threadIdx.x;
    offered[me] = value;
    pthread_barrier_wait(&of_warp[me / WARP]);
    const T result = me % WARP + far < WARP ? offered[me + far] : value;
    pthread_barrier_wait(&of_warp[me / WARP]);
    return result;
}

/* After the kernel: defines launch(blocks, its argument). */
#define EMULATE(kernel)                                                                                                \
    struct work {                                                                                                      \
        const arguments *given;                                                                                        \
        unsigned blocks, thread;                                                                                       \
    };                                                                                                                 \
    static void *one_thread(void *of)                                                                                  \
    {                                                                                                                  \
        const work mine = *(const work *)of;                                                                           \
        threadIdx.x = mine.thread;                                                                                     \
        for (blockIdx.x = 0; blockIdx.x < mine.blocks; blockIdx.x++) {                                                 \
            kernel(*mine.given);                                                                                       \
            __syncthreads();                                                                                           \
        }                                                                                                              \
        return 0;                                                                                                      \
    }                                                                                                                  \
    extern "C" void launch(unsigned blocks, const arguments *given)                                                    \
    {                                                                                                                  \
        pthread_t threads[BLOCK];                                                                                      \
        work works[BLOCK];                                                                                             \
        pthread_barrier_init(&all_threads, 0, BLOCK);                                                                  \
        for (unsigned k = 0; k < BLOCK / WARP; k++) pthread_barrier_init(&of_warp[k], 0, WARP);                        \
        for (unsigned k = 0; k < BLOCK; k++) {                                                                         \
            works[k] = {given, blocks, k};                                                                             \
            pthread_create(&threads[k], 0, one_thread, &works[k]);                                                     \
        }                                                                                                              \
        for (unsigned k = 0; k < BLOCK; k++) pthread_join(threads[k], 0);                                              \
        pthread_barrier_destroy(&all_threads);                                                                         \
        for (unsigned k = 0; k < BLOCK / WARP; k++) pthread_barrier_destroy(&of_warp[k]);                              \
    }
