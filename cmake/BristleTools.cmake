# Finds Python with the required packages (the project's .venv first) and the FMI headers.

cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH repository)

if(NOT DEFINED Python3_EXECUTABLE)
    find_program(Python3_EXECUTABLE python
                 PATHS "${repository}/.venv/bin" "${repository}/.venv/Scripts"
                 NO_DEFAULT_PATH)
    if(NOT Python3_EXECUTABLE)
        unset(Python3_EXECUTABLE CACHE)
    endif()
endif()
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)

set(find_packages [[
import importlib.util, pathlib
packages = ["fmpy", "ziglang", "pycparser", "latex2mathml", "PIL", "setuptools"]
missing = [name for name in packages if importlib.util.find_spec(name) is None]
folder = lambda name: pathlib.Path(importlib.util.find_spec(name).origin).parent
print(" ".join(missing) or f'{(folder("fmpy") / "c-code").as_posix()};'
      f'{(folder("ziglang") / "zig").as_posix()}')
raise SystemExit(bool(missing))
]])
execute_process(COMMAND "${Python3_EXECUTABLE}" -c "${find_packages}"
                OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR "${Python3_EXECUTABLE} lacks ${found}: "
        "run \"${Python3_EXECUTABLE}\" -m pip install -r requirements.txt")
endif()

list(POP_FRONT found fmi_headers zig)
set(FMI2_INCLUDE_DIR "${fmi_headers}" CACHE PATH "Folder with fmi2Functions.h and fmi3Functions.h")
foreach(header fmi2Functions.h fmi3Functions.h)
    if(NOT EXISTS "${FMI2_INCLUDE_DIR}/${header}")
        message(FATAL_ERROR "FMI2_INCLUDE_DIR: there is no ${header} in ${FMI2_INCLUDE_DIR}")
    endif()
endforeach()

# ninja shows a command that fails in full above what it says, so commands are kept short.
# Compiled modules are kept in the build folder, not beside the sources, which get packed and
# hashed.
set(run_generator "${Python3_EXECUTABLE}" -X "pycache_prefix=${PROJECT_BINARY_DIR}/pycache"
    "${repository}/generator")
