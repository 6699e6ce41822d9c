// A stand-in for NVRTC that returns the text itself with all that it includes; `driver.cpp` compiles it.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

struct Program {
    std::string text;
};

// The text with what it includes in place of directives, but with its macros and comments, in which the driver looks for words.
static bool include_all(std::string &text, int count, const char **contents, const char **names)
{
    char folder[] = "/tmp/beadwork-kernel-XXXXXX";
    if (!mkdtemp(folder)) return false;
    const std::filesystem::path root = folder;
    for (int k = 0; k < count; ++k) {
        std::filesystem::create_directories((root / names[k]).parent_path());
        std::ofstream(root / names[k]) << contents[k];
    }
    std::ofstream(root / "main.cpp") << text;
    const std::string at = root.string();
    const std::string command = "g++ -E -undef -nostdinc -P -C -fdirectives-only -I" + at + " " + at + "/main.cpp -o " + at + "/all";
    const bool done = system(command.c_str()) == 0;
    std::stringstream all;
    std::ifstream output(root / "all");
    for (std::string line; std::getline(output, line);) {
        // The preprocessor's own names.
        if (line.rfind("#define _", 0) != 0) all << line << '\n';
    }
    text = all.str();
    std::filesystem::remove_all(root);
    return done;
}

extern "C" {
int nvrtcVersion(int *major, int *minor)
{
    *major = 13;
    *minor = 0;
    return 0;
}
int nvrtcGetNumSupportedArchs(int *count)
{
    *count = 1;
    return 0;
}
int nvrtcGetSupportedArchs(int *architectures)
{
    architectures[0] = 90;
    return 0;
}
const char *nvrtcGetErrorString(int) { return "emulated"; }
int nvrtcCreateProgram(Program **program, const char *text, const char *, int count, const char **contents, const char **names)
{
    *program = new Program{text};
    return include_all((*program)->text, count, contents, names) ? 0 : 6;
}
int nvrtcDestroyProgram(Program **program)
{
    delete *program;
    return 0;
}
int nvrtcCompileProgram(Program *, int, const char **) { return 0; }
int nvrtcGetCUBINSize(Program *program, size_t *bytes)
{
    *bytes = program->text.size() + 1;
    return 0;
}
int nvrtcGetCUBIN(Program *program, char *to)
{
    std::memcpy(to, program->text.c_str(), program->text.size() + 1);
    return 0;
}
int nvrtcGetProgramLogSize(Program *, size_t *bytes)
{
    *bytes = 1;
    return 0;
}
int nvrtcGetProgramLog(Program *, char *log)
{
    *log = 0;
    return 0;
}
}
