// A CUDA driver that runs kernels on the host. EMULATION names this folder, EMULATION_CACHE that of compiled kernels,
// EMULATION_COMPILER the command that compiles them.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

typedef void (*Emulate)(void *, unsigned, unsigned, const void *);

struct Module {
    void *library;
    // Held while a kernel runs: the fibers of a library serve all of its callers.
    std::mutex runs;
};

struct Function {
    Module *module;
    void *kernel;
    unsigned parameter_bytes;
    Emulate emulate;
};

struct Start {
    Function *function;
    unsigned blocks, threads;
    std::vector<char> parameters;

    void run() const
    {
        std::lock_guard<std::mutex> guard(function->module->runs);
        function->emulate(function->kernel, blocks, threads, parameters.data());
    }
};

struct Stream {
    bool captures = false;
    std::vector<Start> captured;
};

typedef std::vector<Start> Graph;

static const size_t MEMORY = size_t(1) << 33;

static void replace(std::string &text, const std::string &from, const std::string &to)
{
    const size_t place = text.find(from);
    if (place == std::string::npos) {
        fprintf(stderr, "the emulation does not find: %s\n", from.c_str());
        abort();
    }
    text.replace(place, from.size(), to);
}

// Replaces each piece of text from `from` up to `to`.
static void cut_all(std::string &text, const std::string &from, const std::string &to, const std::string &instead)
{
    for (size_t begin; (begin = text.find(from)) != std::string::npos;) {
        const size_t end = text.find(to, begin) + to.size();
        text.replace(begin, end - begin, instead);
    }
}

static std::string adapted(std::string text)
{
    const bool block = text.find(" beadwork_block(") != std::string::npos || text.find(" beadwork_lanes(") != std::string::npos ||
                       text.find(" beadwork_bricks(") != std::string::npos;
    const bool samplers = text.find(" beadwork_monte_carlo(") != std::string::npos;
    // The type of the parameter of the text's kernels, which is the same for all.
    const std::string mark = "const __grid_constant__ ";
    const size_t type = text.find(mark) + mark.size();
    const std::string parameters = text.substr(type, text.find(' ', type) - type);
    // A CPU has no instructions for estimates; IEEE operations give the refined results.
    cut_all(text, "    asm(", ");\n", "estimate = 0;\n");
    if (text.find("typedef float real;") != std::string::npos) {
        replace(text, "return fmaf(estimate, fmaf(-y, estimate, 1.0f), estimate);", "return 1.0f / y;");
        replace(text, "return fmaf(fmaf(-near, near, x), 0.5f * estimate, near);", "return sqrtf(x);");
    }
    cut_all(text, "_Pragma(\"unroll", ")", "");
    if (block || samplers) replace(text, "extern __shared__ __align__(16) u64 memory[];", "u64 *const memory = reinterpret_cast<u64 *>(emulated_shared_memory[emulated_rank]);");
    const std::string folder = getenv("EMULATION");
    if (text.find("#define CLUSTER 1\n") == std::string::npos && block) {
        cut_all(text, "// Blocks of a cluster do not wait", "    return done;\n}\n", "#include \"" + folder + "/exchange.h\"\n");
    }
    // Blocks of these kernels wait for each other; those of the grid plan let the others run meanwhile.
    const bool grid = text.find("#define GRID 1\n") != std::string::npos;
    if (grid) replace(text, "    return static_cast<u32>(arrivals) == awaited;", "    if (static_cast<u32>(arrivals) != awaited) wait_as(RUNNING);\n    return static_cast<u32>(arrivals) == awaited;");
    if (samplers || grid) text = "#define TOGETHER\n" + text;
    return "#include \"prelude.h\"\n" + text + "\n#define EMULATED_PARAMETERS " + parameters + "\n#include \"" + folder + "/epilogue.h\"\n";
}

// Held while a library is compiled, so that a text is compiled once and different texts at the same time.
static std::mutex &of_library(const std::string &library)
{
    static std::mutex all;
    static std::map<std::string, std::mutex> libraries;
    std::lock_guard<std::mutex> guard(all);
    return libraries[library];
}

extern "C" {
int cuInit(unsigned) { return 0; }
int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return 0;
}
int cuDeviceGet(int *device, int number)
{
    *device = number;
    return 0;
}
int cuDeviceGetCount(int *count)
{
    const char *cards = getenv("EMULATED_CARDS");
    *count = cards ? atoi(cards) : 1;
    return 0;
}
int cuDeviceGetName(char *name, int, int)
{
    strcpy(name, "emulated card");
    return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int)
{
    switch (attribute) {
    case 75: *value = 9; break;       // compute capability, major
    case 76: *value = 0; break;       // and minor
    case 16: *value = 4; break;       // multiprocessors
    case 97: *value = 232448; break;  // shared memory of a block
    default: *value = 65536;
    }
    return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int)
{
    static char card;
    *context = &card;
    return 0;
}
int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int)
{
    *bytes = MEMORY;
    return 0;
}
int cuCtxSetCurrent(void *) { return 0; }
int cuFuncGetAttribute(int *value, int, void *)
{
    *value = 0;
    return 0;
}
int cuFuncGetParamInfo(Function *function, size_t index, size_t *offset, size_t *bytes)
{
    if (index > 0) return 1;
    *offset = 0;
    *bytes = function->parameter_bytes;
    return 0;
}
int cuFuncSetAttribute(void *, int, int) { return 0; }
// What memory holds before anything is written there.
static int filling()
{
    const char *const text = getenv("EMULATION_FILL");
    return text ? static_cast<int>(strtol(text, nullptr, 0)) : 0xa5;
}

int cuMemAlloc_v2(unsigned long long *address, size_t bytes)
{
    void *const memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (!memory) return 2;
    memset(memory, filling(), bytes);
    *address = reinterpret_cast<unsigned long long>(memory);
    return 0;
}
int cuMemFree_v2(unsigned long long address)
{
    free(reinterpret_cast<void *>(address));
    return 0;
}
int cuMemGetInfo_v2(size_t *free_bytes, size_t *bytes)
{
    *free_bytes = *bytes = MEMORY;
    return 0;
}
int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes, void *)
{
    memcpy(to, reinterpret_cast<void *>(from), bytes);
    return 0;
}
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes, void *)
{
    memcpy(reinterpret_cast<void *>(to), from, bytes);
    return 0;
}
int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes, void *)
{
    memcpy(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), bytes);
    return 0;
}
int cuMemsetD8Async(unsigned long long address, unsigned char value, size_t bytes, void *)
{
    memset(reinterpret_cast<void *>(address), value, bytes);
    return 0;
}
int cuModuleLoadData(Module **module, const void *image)
{
    static std::atomic<int> opened{0};
    const std::string text = adapted(static_cast<const char *>(image));
    const std::string base = std::string(getenv("EMULATION_CACHE")) + "/" + std::to_string(std::hash<std::string>()(text));
    const std::string library = base + ".so", own = base + "." + std::to_string(getpid()) + "." + std::to_string(opened++);
    {
        std::lock_guard<std::mutex> guard(of_library(library));
        if (access(library.c_str(), R_OK)) {
            std::ofstream(own + ".cpp") << text;
            const std::string compile = getenv("EMULATION_COMPILER") + (" -shared -o " + own + ".so " + own) + ".cpp && mv " + own + ".so " +
                                        library + " && rm " + own + ".cpp";
            if (system(compile.c_str())) return 209;
        }
    }
    // Each load has its own static data, as on a GPU.
    if (system(("cp " + library + " " + own + ".so").c_str())) return 209;
    void *const opened_library = dlopen((own + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    unlink((own + ".so").c_str());
    if (!opened_library) return 209;
    *module = new Module{opened_library, {}};
    return 0;
}
int cuModuleUnload(void *) { return 0; }
int cuModuleGetFunction(Function **function, Module *module, const char *name)
{
    void *const kernel = dlsym(module->library, name);
    const auto bytes = reinterpret_cast<unsigned (*)()>(dlsym(module->library, "emulated_parameter_bytes"));
    if (!kernel || !bytes) return 500;
    *function = new Function{module, kernel, bytes(), reinterpret_cast<Emulate>(dlsym(module->library, "emulate"))};
    return 0;
}
int cuOccupancyMaxActiveClusters(int *clusters, void *, void *)
{
    *clusters = 1;
    return 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *, int, size_t)
{
    *blocks = 1;
    return 0;
}
int cuStreamCreate(Stream **stream, unsigned)
{
    *stream = new Stream;
    return 0;
}
int cuStreamDestroy_v2(Stream *stream)
{
    delete stream;
    return 0;
}
int cuEventCreate(void **event, unsigned)
{
    *event = new char;
    return 0;
}
int cuEventDestroy_v2(char *event)
{
    delete event;
    return 0;
}
int cuEventRecord(void *, Stream *stream) { return stream->captures ? 900 : 0; }
int cuEventSynchronize(void *) { return 0; }
int cuStreamSynchronize(Stream *stream) { return stream->captures ? 900 : 0; }
int cuStreamBeginCapture_v2(Stream *stream, int)
{
    stream->captures = true;
    stream->captured.clear();
    return 0;
}
int cuStreamEndCapture(Stream *stream, Graph **graph)
{
    stream->captures = false;
    *graph = new Graph(stream->captured);
    return 0;
}
int cuGraphInstantiateWithFlags(Graph **executable, Graph *graph, unsigned long long)
{
    *executable = new Graph(*graph);
    return 0;
}
int cuGraphDestroy(Graph *graph)
{
    delete graph;
    return 0;
}
int cuGraphExecDestroy(Graph *graph)
{
    delete graph;
    return 0;
}
int cuGraphLaunch(Graph *graph, Stream *)
{
    for (const Start &start : *graph) start.run();
    return 0;
}
int cuLaunchKernel(Function *function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned, unsigned,
                   Stream *stream, void **parameters, void **)
{
    if (blocks == 0 || threads == 0 || threads > 1024) return 1;
    const char *const bytes = static_cast<const char *>(parameters[0]);
    const Start start = {function, blocks, threads, std::vector<char>(bytes, bytes + function->parameter_bytes)};
    if (stream->captures) {
        stream->captured.push_back(start);
        return 0;
    }
    start.run();
    return 0;
}
int cuLaunchCooperativeKernel(Function *function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned, unsigned shared,
                              Stream *stream, void **parameters)
{
    // No more blocks than run at a time.
    return blocks > 8 ? 720 : cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, shared, stream, parameters, nullptr);
}
int cuGetErrorString(int, const char **text)
{
    *text = "emulated";
    return 0;
}
int cuGetErrorName(int, const char **text)
{
    *text = "emulated";
    return 0;
}
}
