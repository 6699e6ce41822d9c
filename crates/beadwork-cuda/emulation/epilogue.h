// Runs a kernel block after block, and the fibers of a block until all of them have ended.
typedef void (*EmulatedKernel)(const EMULATED_PARAMETERS);
static EmulatedKernel emulated_kernel;
static EMULATED_PARAMETERS emulated_parameters;

extern "C" unsigned emulated_parameter_bytes() { return sizeof(EMULATED_PARAMETERS); }

static Fiber *born;

// Each round runs one thread of a block; the fiber then serves the next block.
static void run_fiber()
{
    if (_setjmp(born->place) == 0) _longjmp(scheduler, 1);
    for (;;) {
        emulated_kernel(emulated_parameters);
        wait_as(DONE);
    }
}

static void start_fiber(Fiber &fiber)
{
    fiber.state = RUNNING;
    fiber.exchanges = fiber.barriers = fiber.meetings = 0;
    if (fiber.stack) return;
    const size_t bytes = 1 << 18;
    // The host provides memory only for the pages of a stack that are used.
    fiber.stack = static_cast<char *>(malloc(bytes));
    // A context starts the fiber. After that `_setjmp` and `_longjmp` switch between it and the scheduler: unlike `swapcontext`
    // they make no system calls.
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = fiber.stack;
    context.uc_stack.ss_size = bytes;
    context.uc_link = nullptr;
    makecontext(&context, run_fiber, 0);
    born = &fiber;
    if (_setjmp(scheduler) == 0) setcontext(&context);
}

// Runs a fiber until it waits or ends.
static void resume(Fiber &fiber)
{
    if (_setjmp(scheduler) == 0) _longjmp(fiber.place, 1);
}

// Resumes the fibers from `first` to `end` if all that have not ended wait at the same barrier.
static bool let_go(unsigned first, unsigned end, State state)
{
    bool any = false;
    for (unsigned fiber = first; fiber < end; ++fiber) {
        if (fibers[fiber].state == DONE) continue;
        if (fibers[fiber].state != state) return false;
        any = true;
    }
    for (unsigned fiber = first; any && fiber < end; ++fiber) {
        if (fibers[fiber].state == state) fibers[fiber].state = RUNNING;
    }
    return any;
}

// Runs the blocks of a cluster, from number `first_block` on; without clusters, one block.
static void run_cluster(unsigned first_block, unsigned blocks)
{
    const bool reverse = getenv("EMULATION_REVERSE");
    const unsigned threads = blockDim.x, all = blocks * threads;
    unsigned barriers[MOST_BLOCKS] = {};
    std::vector<int> asleep(all / 32 + 1);
    for (;;) {
        bool moved = false, done = true;
        for (int &rounds : asleep) {
            if (!fuzz) break;
            if (rounds > 0) {
                --rounds;
                moved = true;
            } else if (dice(500) == 0) {
                rounds = dice(300);
                moved = true;
            }
        }
        for (size_t k = 0; k < late.size();) {
            moved = true;
            if (late[k].due-- > 0) {
                ++k;
                continue;
            }
            late[k].arrive();
            late[k] = late.back();
            late.pop_back();
        }
        for (unsigned k = 0; k < all; ++k) {
            const unsigned fiber = reverse ? all - 1 - k : k;
            if (fibers[fiber].state != RUNNING || asleep[fiber / 32] > 0) continue;
            threadIdx.x = fiber % threads;
            emulated_rank = fiber / threads;
            blockIdx.x = first_block + emulated_rank;
            resume(fibers[fiber]);
            moved = true;
        }
        for (unsigned block = 0; block < blocks; ++block) {
            const unsigned first = block * threads, end = first + threads;
            for (unsigned warp = first; warp < end; warp += 32) moved |= let_go(warp, std::min(warp + 32, end), AT_WARP);
            if (let_go(first, end, AT_BARRIER)) {
                predicates[block][++barriers[block] & 1] = 0;
                moved = true;
                // Delays a warp at the barrier while the others continue to the next one.
                if (fuzz && blocks > 1 && dice(4) == 0) asleep[(end - 1) / 32] = dice(3000);
            }
        }
        moved |= let_go(0, all, AT_CLUSTER);
        for (unsigned fiber = 0; fiber < all; ++fiber) done &= fibers[fiber].state == DONE;
        for (const Late &one : late) {
            if (fibers[one.block * threads].state != DONE) continue;
            fprintf(stderr, "a message was sent to a block that has ended\n");
            abort();
        }
        if (done) return;
        if (!moved) {
            fprintf(stderr, "deadlock in block %u, threads wait for (1 the block, 2 the cluster, 3 their warp, 4 done): ", first_block);
            for (unsigned fiber = 0; fiber < all; ++fiber) fprintf(stderr, "%d", fibers[fiber].state);
            fprintf(stderr, "\n");
            abort();
        }
    }
}

extern "C" void emulate(EmulatedKernel kernel, unsigned blocks, unsigned threads, const void *parameters)
{
#ifdef TOGETHER
    const unsigned cluster = std::min(blocks, MOST_BLOCKS);
#elif defined(CLUSTER)
    const unsigned cluster = CLUSTER;
#else
    const unsigned cluster = 1;
#endif
    emulated_kernel = kernel;
    std::memcpy(&emulated_parameters, parameters, sizeof emulated_parameters);
    blockDim = {threads, 1, 1};
    gridDim = {blocks, 1, 1};
    if (fibers.size() < cluster * threads) fibers.resize(cluster * threads);
    for (unsigned block = 0; block < blocks; block += cluster) {
        std::memset(predicates, 0, sizeof predicates);
        std::memset(arrivals, 0, sizeof arrivals);
        // Fills memory with a pattern, since unwritten memory must not look like zeros.
        std::memset(emulated_shared_memory, 0xa5, cluster * sizeof emulated_shared_memory[0]);
        const unsigned beside = std::min(cluster, blocks - block);
        for (unsigned fiber = 0; fiber < beside * threads; ++fiber) start_fiber(fibers[fiber]);
        run_cluster(block, beside);
    }
}
