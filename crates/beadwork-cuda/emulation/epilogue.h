// Runs a kernel: block after block, the fibers of each until all are done.
typedef void (*EmulatedKernel)(const EMULATED_PARAMETERS);
static EmulatedKernel emulated_kernel;
static EMULATED_PARAMETERS emulated_parameters;

extern "C" unsigned emulated_parameter_bytes() { return sizeof(EMULATED_PARAMETERS); }

static void run_fiber()
{
    emulated_kernel(emulated_parameters);
    fibers[threadIdx.x].state = DONE;
    swapcontext(&fibers[threadIdx.x].context, &scheduler);
}

static void start_fiber(Fiber &fiber)
{
    fiber.stack.resize(1 << 18);
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = fiber.stack.size();
    fiber.context.uc_link = &scheduler;
    fiber.state = RUNNING;
    fiber.exchanges = fiber.barriers = 0;
    makecontext(&fiber.context, run_fiber, 0);
}

// Lets go the fibers from `first` to `end` if all that are not done wait alike.
static bool let_go(unsigned first, unsigned end, State state)
{
    bool any = false;
    for (unsigned thread = first; thread < end; ++thread) {
        if (fibers[thread].state == DONE) continue;
        if (fibers[thread].state != state) return false;
        any = true;
    }
    for (unsigned thread = first; any && thread < end; ++thread) {
        if (fibers[thread].state == state) fibers[thread].state = RUNNING;
    }
    return any;
}

static void run_block(unsigned threads)
{
    const bool reverse = getenv("EMULATION_REVERSE");
    unsigned barriers = 0;
    for (;;) {
        bool moved = false, done = true;
        for (unsigned k = 0; k < threads; ++k) {
            const unsigned thread = reverse ? threads - 1 - k : k;
            if (fibers[thread].state != RUNNING) continue;
            threadIdx.x = thread;
            swapcontext(&scheduler, &fibers[thread].context);
            moved = true;
        }
        for (unsigned warp = 0; warp < threads; warp += 32) moved |= let_go(warp, std::min(warp + 32, threads), AT_WARP);
        if (let_go(0, threads, AT_BARRIER)) {
            ++barriers;
            told[barriers & 1] = 0;
            moved = true;
        }
        for (unsigned thread = 0; thread < threads; ++thread) done &= fibers[thread].state == DONE;
        if (done) return;
        if (!moved) {
            fprintf(stderr, "deadlock in block %u, threads wait for (1 the block, 2 their warp, 3 done): ", blockIdx.x);
            for (unsigned thread = 0; thread < threads; ++thread) fprintf(stderr, "%d", fibers[thread].state);
            fprintf(stderr, "\n");
            abort();
        }
    }
}

extern "C" void emulate(EmulatedKernel kernel, unsigned blocks, unsigned threads, const void *parameters)
{
    emulated_kernel = kernel;
    std::memcpy(&emulated_parameters, parameters, sizeof emulated_parameters);
    blockDim = {threads, 1, 1};
    gridDim = {blocks, 1, 1};
    if (fibers.size() < threads) fibers.resize(threads);
    for (unsigned block = 0; block < blocks; ++block) {
        blockIdx = {block, 0, 0};
        told[0] = told[1] = 0;
        // What nobody has written must not pass for a zero.
        std::memset(emulated_shared_memory, 0xa5, sizeof emulated_shared_memory);
        for (unsigned thread = 0; thread < threads; ++thread) start_fiber(fibers[thread]);
        run_block(threads);
    }
}
