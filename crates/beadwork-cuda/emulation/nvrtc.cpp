// A stand-in for NVRTC that returns the text itself; `driver.cpp` compiles it.
#include <cstring>
#include <string>

struct Program {
    std::string text;
};

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
int nvrtcCreateProgram(Program **program, const char *text, const char *, int, const char **, const char **)
{
    *program = new Program{text};
    return 0;
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
