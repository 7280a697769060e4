# bristle_add_model(<description> [<twin>...]): generate, compile for each platform, pack.

set(suffix_linux64 .so)
set(suffix_aarch64-linux .so)
set(suffix_win64 .dll)
set(suffix_darwin64 .dylib)
set(targets_linux64 x86_64-linux-gnu.2.17)
set(targets_aarch64-linux aarch64-linux-gnu.2.17) # which FMI 2.0 has no name for
set(targets_win64 x86_64-windows-gnu)
set(targets_darwin64 x86_64-macos.11.0 aarch64-macos.11.0) # joined into one library for FMI 2.0

# The folder of a target's library in an FMU of FMI 3.0.
function(bristle_name_in_fmi3 name target)
    string(REGEX REPLACE "^([^-]+)-([^-.]+).*$" "\\1-\\2" found "${target}")
    string(REPLACE "macos" "darwin" found "${found}")
    if(target STREQUAL native)
        set(found x86_64-linux)
    endif()
    set(${name} ${found} PARENT_SCOPE)
endfunction()

set(flags -std=c99 -fPIC -fvisibility=hidden -ffp-contract=off
    -DFMI2_OVERRIDE_FUNCTION_PREFIX -DFMI3_OVERRIDE_FUNCTION_PREFIX
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
    -Wno-tautological-compare) # a size may be zero

if(BRISTLE_SANITIZE OR BRISTLE_DEBUG)
    set(BRISTLE_PLATFORMS linux64)
    set(targets_linux64 native)
    if(BRISTLE_SANITIZE)
        set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined)
        set(optimization -O1)
        set(without_references --no-references) # Python cannot load a library with sanitizers
    else()
        set(optimization -O0)
    endif()
    # Lines and variables for those who look, but not where each variable is at each instruction of
    # optimized code: that takes as long as all else.
    set(native_flags ${flags} ${optimization} -g $<$<C_COMPILER_ID:GNU>:-fno-var-tracking>
        -fno-omit-frame-pointer ${sanitizers})
else()
    foreach(platform IN LISTS BRISTLE_PLATFORMS)
        if(NOT DEFINED targets_${platform})
            message(FATAL_ERROR
                "BRISTLE_PLATFORMS: \"${platform}\" is none of linux64, win64, darwin64 and "
                "aarch64-linux")
        endif()
        foreach(target IN LISTS targets_${platform})
            set(compile_${target} "${zig}" cc -target ${target} ${flags} -O2 -g0
                -fomit-frame-pointer -fno-sanitize=undefined)
            set(link_${target} "${zig}" cc -target ${target} -shared -O2 -s)
        endforeach()
    endforeach()
endif()
set(libraries_linux64 -lm)
set(libraries_aarch64-linux -lm)

# The layers of FMI 2.0 and 3.0 are compiled once, with the model. A library exports the functions
# of one, and the linker leaves out what only the other needs.
foreach(version 2 3)
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/fmi${version}.map"
         CONTENT "{ global: fmi${version}*; local: *; };\n")
    set(only_${version} -Wl,--gc-sections -Wl,--hash-style=gnu
        "-Wl,--version-script=${PROJECT_BINARY_DIR}/fmi${version}.map")
endforeach()
set(drop_win64 -Wl,--gc-sections)
set(drop_darwin64 -Wl,-dead_strip)

# Platforms of FMI 2.0, which are also those of the runner.
set(platforms ${BRISTLE_PLATFORMS})
list(REMOVE_ITEM platforms aarch64-linux)

# Windows' own C runtime and the few functions that it lacks, instead of mingw's library, which
# takes minutes to build. zig's, which probes the stack for large frames, is as large as an FMU and
# comes as a whole: only the runner and the systems need it.
if("win64" IN_LIST BRISTLE_PLATFORMS)
    set(runtime "${PROJECT_SOURCE_DIR}/fmu_src/runtime/win64.c")
    set(runtime_object "${PROJECT_BINARY_DIR}/win64_runtime.o")
    add_custom_command(
        OUTPUT "${runtime_object}"
        COMMAND ${compile_${targets_win64}} -c "${runtime}" -o "${runtime_object}"
        DEPENDS "${runtime}"
        COMMENT "Compiling the runtime for win64"
        VERBATIM)
    add_custom_target(win64_runtime DEPENDS "${runtime_object}")
    set(libraries_win64 "${runtime_object}" -nostdlib
        -lapi-ms-win-crt-math-l1-1-0 -lapi-ms-win-crt-stdio-l1-1-0 -lapi-ms-win-crt-string-l1-1-0
        -lapi-ms-win-crt-heap-l1-1-0 -lapi-ms-win-crt-time-l1-1-0
        -lapi-ms-win-crt-convert-l1-1-0 -lapi-ms-win-crt-private-l1-1-0)
    set(needs_win64 win64_runtime "${runtime_object}")
endif()

file(GLOB generator CONFIGURE_DEPENDS
     "${PROJECT_SOURCE_DIR}/generator/*.py" "${PROJECT_SOURCE_DIR}/generator/*/*.py"
     "${PROJECT_SOURCE_DIR}/generator/*.css"
     "${PROJECT_SOURCE_DIR}/python/bristle/__init__.py"
     "${PROJECT_SOURCE_DIR}/python/bristle/format/*.py")

# Compiles and links one source, or a list of them, for one target; what they include is in the
# folders, and changes with the files named after.
function(bristle_add_thin_library library source platform target folders)
    cmake_path(GET library PARENT_PATH folder)
    cmake_path(GET library STEM name)
    file(MAKE_DIRECTORY "${folder}" "${PROJECT_BINARY_DIR}/objects/${target}/${name}")
    if(platform STREQUAL darwin64)
        set(libraries_darwin64 "-Wl,-install_name,@rpath/${name}.dylib")
    endif()
    if(platform STREQUAL win64)
        list(APPEND libraries_win64 -rtlib=compiler-rt)
    endif()
    list(TRANSFORM folders PREPEND "-I")
    foreach(file IN LISTS source)
        cmake_path(GET file STEM part)
        set(object "${PROJECT_BINARY_DIR}/objects/${target}/${name}/${part}.o")
        list(APPEND objects "${object}")
        list(APPEND steps COMMAND ${compile_${target}} ${folders} -isystem "${FMI2_INCLUDE_DIR}"
            -c "${file}" -o "${object}")
    endforeach()
    add_custom_command(
        OUTPUT "${library}"
        ${steps}
        COMMAND ${link_${target}} ${objects} -o "${library}" ${libraries_${platform}}
        DEPENDS ${source} ${ARGN} ${needs_${platform}}
        COMMENT "Compiling ${name} for ${target}"
        VERBATIM)
endfunction()

# The same as a target of CMake, by the compiler of this machine; further arguments are options of
# the linker.
function(bristle_add_native_library target library source folders)
    cmake_path(GET library PARENT_PATH folder)
    cmake_path(GET library STEM name)
    add_library(${target} MODULE ${source})
    set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name} LINKER_LANGUAGE C
        LIBRARY_OUTPUT_DIRECTORY "${folder}")
    bristle_compile_natively(${target} "${folders}")
    target_link_options(${target} PRIVATE ${sanitizers} ${ARGN})
    target_link_libraries(${target} PRIVATE m)
endfunction()

function(bristle_compile_natively target folders)
    target_include_directories(${target} PRIVATE ${folders})
    target_include_directories(${target} SYSTEM PRIVATE "${FMI2_INCLUDE_DIR}")
    target_compile_options(${target} PRIVATE ${native_flags})
endfunction()

# Compiles and links one source for a platform, for all its processors in one library.
function(bristle_add_library library source platform folders)
    cmake_path(GET library FILENAME file)
    if(targets_${platform} STREQUAL native)
        cmake_path(GET library STEM name)
        bristle_add_native_library(${name}_library "${library}" "${source}" "${folders}")
        return()
    endif()
    list(LENGTH targets_${platform} count)
    if(count EQUAL 1)
        bristle_add_thin_library("${library}" "${source}" ${platform} ${targets_${platform}}
            "${folders}" ${ARGN})
        return()
    endif()
    foreach(target IN LISTS targets_${platform})
        set(part "${PROJECT_BINARY_DIR}/thin/${target}/${file}")
        bristle_add_thin_library("${part}" "${source}" ${platform} ${target} "${folders}" ${ARGN})
        list(APPEND parts "${part}")
    endforeach()
    bristle_join("${library}" ${parts})
endfunction()

# Joins libraries for several processors into one.
function(bristle_join library)
    cmake_path(GET library PARENT_PATH folder)
    cmake_path(GET library FILENAME file)
    file(MAKE_DIRECTORY "${folder}")
    add_custom_command(
        OUTPUT "${library}"
        COMMAND ${run_generator} universal --out "${library}" ${ARGN}
        DEPENDS ${ARGN} ${generator}
        COMMENT "Joining ${file}"
        VERBATIM)
endfunction()

# Compiles both.c for one target and links it for FMI 3.0 and, unless the name of that library is
# empty, for 2.0.
function(bristle_add_both model generated platform target library3 library2)
    set(object "${PROJECT_BINARY_DIR}/objects/${target}/${model}/both.o")
    set(linked2 "${object}" ${only_2})
    set(linked3 "${object}" ${only_3})
    if(DEFINED drop_${platform})
        set(hide COMMAND ${run_generator} hide "${object}")
        string(REPLACE "both.o" "both2.o" linked2 "${object};${drop_${platform}}")
        string(REPLACE "both.o" "both3.o" linked3 "${object};${drop_${platform}}")
    endif()
    set(libraries ${libraries_${platform}})
    if(platform STREQUAL darwin64)
        set(libraries "-Wl,-install_name,@rpath/${model}.dylib")
    endif()
    foreach(version 2 3)
        if(library${version})
            list(APPEND outputs "${library${version}}")
            list(APPEND links COMMAND ${link_${target}} ${linked${version}}
                -o "${library${version}}" ${libraries})
        endif()
    endforeach()
    foreach(file "${object}" ${outputs})
        cmake_path(GET file PARENT_PATH folder)
        file(MAKE_DIRECTORY "${folder}")
    endforeach()
    add_custom_command(
        OUTPUT ${outputs}
        COMMAND ${compile_${target}} -ffunction-sections -fdata-sections "-I${generated}"
            "-I${PROJECT_SOURCE_DIR}/fmu_src" -isystem "${FMI2_INCLUDE_DIR}"
            -c "${generated}/both.c" -o "${object}"
        ${hide}
        ${links}
        DEPENDS "${generated}/fmu.c" ${needs_${platform}}
        COMMENT "Compiling ${model} for ${target}"
        VERBATIM)
endfunction()

# A model and, where named, its twins, which are generated together: they have in common what is
# read and loaded.
function(bristle_add_model description)
    cmake_path(GET description STEM law)
    set(generated "${PROJECT_BINARY_DIR}/generated/${law}")
    foreach(twin IN ITEMS "" ${ARGN})
        list(APPEND files "${generated}${twin}/fmu.c")
        list(APPEND byproducts "${generated}${twin}/both.c" "${generated}${twin}/fmi3/fmu.c")
    endforeach()
    if(ARGN)
        set(twins --twins ${ARGN})
    endif()
    file(GLOB parameter_sets CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/resources/*.toml")
    file(GLOB pictures CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/modelDescription/pictures/${law}/*")

    # Every source is part of the GUID, so whatever changes comes through here; the depfile names it
    # all. fmu.c stands for all files that are generated: they are written together.
    add_custom_command(
        OUTPUT ${files}
        BYPRODUCTS ${byproducts}
        COMMAND ${run_generator} generate "${description}" --out "${generated}"
            --fmi-include "${FMI2_INCLUDE_DIR}" ${twins}
        DEPENDS "${description}" ${generator} ${parameter_sets} ${pictures}
        DEPFILE "${generated}/generate.d"
        COMMENT "Generating ${law}"
        VERBATIM)
    foreach(twin IN ITEMS "" ${ARGN})
        bristle_add_fmu("${description}" ${law} ${law}${twin})
    endforeach()
endfunction()

# The FMUs of a model, or of a twin, of what has been generated.
function(bristle_add_fmu description law model)
    set(generated "${PROJECT_BINARY_DIR}/generated/${model}")

    foreach(platform IN LISTS BRISTLE_PLATFORMS)
        set(file "${model}${suffix_${platform}}")
        set(library "${PROJECT_BINARY_DIR}/binaries/${model}/${platform}/${file}")
        list(LENGTH targets_${platform} count)
        set(parts "")
        foreach(target IN LISTS targets_${platform})
            bristle_name_in_fmi3(name ${target})
            set(library3 "${PROJECT_BINARY_DIR}/binaries3/${model}/${name}/${file}")
            set(library2 "${library}")
            if(count GREATER 1)
                set(library2 "${PROJECT_BINARY_DIR}/thin/${target}/${file}")
                list(APPEND parts "${library2}")
            elseif(NOT platform IN_LIST platforms)
                set(library2 "")
            endif()
            if(target STREQUAL native)
                set(folders "${generated};${PROJECT_SOURCE_DIR}/fmu_src")
                add_library(${model}_both OBJECT "${generated}/both.c")
                bristle_compile_natively(${model}_both "${folders}")
                set(object "$<TARGET_OBJECTS:${model}_both>")
                bristle_add_native_library(${model}_library "${library2}" "${object}" "${folders}"
                    ${only_2})
                bristle_add_native_library(${model}_library3 "${library3}" "${object}"
                    "${folders}" ${only_3})
            else()
                bristle_add_both(${model} "${generated}" ${platform} ${target} "${library3}"
                    "${library2}")
            endif()
            list(APPEND libraries3 "${library3}")
        endforeach()
        if(parts)
            bristle_join("${library}" ${parts})
        endif()
        if(platform IN_LIST platforms)
            list(APPEND libraries "${library}")
        endif()
    endforeach()

    add_custom_command(
        OUTPUT "${BRISTLE_DIST}/${model}.fmu" "${BRISTLE_DIST}/fmi3/${model}.fmu"
        COMMAND ${run_generator} package "${description}" --generated "${generated}"
                --fmi-include "${FMI2_INCLUDE_DIR}" --out "${BRISTLE_DIST}/${model}.fmu"
                ${without_references} --libraries ${libraries} --libraries3 ${libraries3}
        DEPENDS ${libraries} ${libraries3} ${generator} "${generated}/fmu.c"
                "${PROJECT_SOURCE_DIR}/LICENSE"
        COMMENT "Packing ${model}.fmu"
        VERBATIM)
    add_custom_target(${model} ALL DEPENDS "${BRISTLE_DIST}/${model}.fmu")
    add_dependencies(${model} runner) # by which the command and the tests take it through a record

    # For editors: how the model and its FMU would be compiled by any compiler.
    list(JOIN flags " " flag_text)
    set(files "${generated}/fmu.c")
    if(model STREQUAL law) # a law is listed once, as part of its model
        list(APPEND files "${PROJECT_SOURCE_DIR}/fmu_src/models/${law}.c")
    endif()
    foreach(file IN LISTS files)
        string(CONCAT command "cc ${flag_text} '-I${generated}' '-I${PROJECT_SOURCE_DIR}/fmu_src' "
            "-isystem '${FMI2_INCLUDE_DIR}' -c '${file}'")
        set_property(GLOBAL APPEND PROPERTY bristle_compile_commands
            "{\"directory\": \"${PROJECT_BINARY_DIR}\", \
\"file\": \"${file}\", \"command\": \"${command}\"}")
    endforeach()
endfunction()

# compile_commands.json of all models that were added.
function(bristle_write_compile_commands)
    get_property(entries GLOBAL PROPERTY bristle_compile_commands)
    list(JOIN entries ",\n" text)
    file(WRITE "${PROJECT_BINARY_DIR}/compile_commands.json" "[\n${text}\n]\n")
endfunction()

# The runner, which takes records through an FMU: beside the FMUs, where the Python package looks
# for it.
function(bristle_add_runner)
    file(GLOB solver_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/fmu_src/solver/*")
    foreach(platform IN LISTS platforms)
        set(library "${BRISTLE_DIST}/runner/${platform}/runner${suffix_${platform}}")
        bristle_add_library("${library}" "${PROJECT_SOURCE_DIR}/runner/runner.c" ${platform}
                            "${PROJECT_SOURCE_DIR}/runner;${PROJECT_SOURCE_DIR}/fmu_src"
                            "${PROJECT_SOURCE_DIR}/runner/runner.h"
                            "${PROJECT_SOURCE_DIR}/runner/sensitivities.c"
                            "${PROJECT_SOURCE_DIR}/runner/jumps.c"
                            ${solver_files})
        list(APPEND libraries "${library}")
    endforeach()
    add_custom_target(runner ALL DEPENDS ${libraries})
    set(BRISTLE_RUNNERS ${libraries} PARENT_SCOPE)
endfunction()

# The systems of the rig as a library, beside the runner: all but those that read a motion, for
# which the runner is there.
function(bristle_add_systems)
    set(rig "${PROJECT_SOURCE_DIR}/rig")
    if(NOT EXISTS "${rig}")
        return()
    endif()
    file(GLOB system_files CONFIGURE_DEPENDS "${rig}/systems/*.c")
    list(REMOVE_ITEM system_files "${rig}/systems/prescribed.c")
    file(GLOB set_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/resources/*.toml")
    file(GLOB headers CONFIGURE_DEPENDS "${rig}/*.h" "${rig}/systems/*.h"
        "${PROJECT_SOURCE_DIR}/runner/*.h" "${PROJECT_SOURCE_DIR}/fmu_src/solver/*")
    foreach(file IN LISTS system_files)
        cmake_path(GET file STEM name)
        list(APPEND names ${name})
    endforeach()
    set(registry "${PROJECT_BINARY_DIR}/systems/registry.c")
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/systems")
    add_custom_command(
        OUTPUT "${registry}"
        COMMAND "${Python3_EXECUTABLE}" "${rig}/registry.py" "${rig}/systems"
            "${PROJECT_SOURCE_DIR}/resources" "${registry}" ${names}
        DEPENDS "${rig}/registry.py" ${system_files} ${set_files}
        COMMENT "Listing the systems and parameter sets"
        VERBATIM)
    set(sources "${PROJECT_SOURCE_DIR}/runner/systems.c"
                "${PROJECT_SOURCE_DIR}/runner/integration.c" "${registry}" ${system_files})
    foreach(name integrator assembly instance memory surfaces variables)
        list(APPEND sources "${rig}/${name}.c")
    endforeach()
    foreach(platform IN LISTS platforms)
        set(library "${BRISTLE_DIST}/runner/${platform}/systems${suffix_${platform}}")
        bristle_add_library("${library}" "${sources}" ${platform}
            "${PROJECT_SOURCE_DIR}/runner;${rig};${PROJECT_SOURCE_DIR}/fmu_src" ${headers})
        list(APPEND libraries "${library}")
    endforeach()
    add_custom_target(systems ALL DEPENDS ${libraries})
    set(BRISTLE_SYSTEMS ${libraries} PARENT_SCOPE)
endfunction()

# The wheel, with the FMUs, the playground, the runner and the systems in it; every platform has to
# be there, for it is one for all.
function(bristle_add_wheel fmus version)
    file(GLOB_RECURSE package CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/*.py"
        "${PROJECT_SOURCE_DIR}/python/*.toml"
         "${PROJECT_SOURCE_DIR}/python/*.typed")
    set(metadata pyproject.toml setup.py README.md LICENSE)
    list(TRANSFORM metadata PREPEND "${PROJECT_SOURCE_DIR}/")
    set(wheel "${BRISTLE_DIST}/bristle-${version}-py3-none-any.whl")
    add_custom_command(
        OUTPUT "${wheel}"
        COMMAND "${CMAKE_COMMAND}" -E rm -rf "${PROJECT_SOURCE_DIR}/build/package"
        COMMAND "${CMAKE_COMMAND}" -E env SOURCE_DATE_EPOCH=315532800 "BRISTLE_DIST=${BRISTLE_DIST}"
            "${Python3_EXECUTABLE}" -c
            "__import__('setuptools.build_meta').build_meta.build_wheel(r'${BRISTLE_DIST}', \
{'--global-option': ['--quiet']})"
        DEPENDS ${fmus} ${BRISTLE_RUNNERS} ${BRISTLE_SYSTEMS} ${BRISTLE_PLAYGROUND_PAGE} ${package}
                ${metadata}
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
        COMMENT "Packing the wheel"
        VERBATIM)
    add_custom_target(wheel ALL DEPENDS "${wheel}")
endfunction()
