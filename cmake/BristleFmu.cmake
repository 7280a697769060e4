# bristle_add_fmu(<description>): generate, compile for each platform, pack.

set(suffix_linux64 .so)
set(suffix_win64 .dll)
set(suffix_darwin64 .dylib)
set(target_linux64 x86_64-linux-gnu.2.17)
set(target_win64 x86_64-windows-gnu)
set(target_darwin64 x86_64-macos.11.0)

set(flags -std=c99 -fPIC -fvisibility=hidden -ffp-contract=off
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
    -Wno-unused-function # a model takes from the shared headers what it needs
    -Wno-tautological-compare) # a size may be zero

if(BRISTLE_SANITIZE)
    set(BRISTLE_PLATFORMS linux64)
    set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined)
    set(compile_linux64 gcc ${flags} -O1 -g -fno-omit-frame-pointer ${sanitizers})
    set(link_linux64 gcc -shared ${sanitizers})
    set(libraries_linux64 -lm)
else()
    foreach(platform IN LISTS BRISTLE_PLATFORMS)
        if(NOT DEFINED target_${platform})
            message(FATAL_ERROR "BRISTLE_PLATFORMS: \"${platform}\" is not linux64, win64 or darwin64")
        endif()
        set(zig "${Python3_EXECUTABLE}" -m ziglang cc -target ${target_${platform}})
        set(compile_${platform} ${zig} ${flags} -O2 -fno-sanitize=undefined)
        set(link_${platform} ${zig} -shared -s)
        set(libraries_${platform} -lm)
    endforeach()
endif()

# Windows' own C runtime and the few functions that it lacks, instead of mingw's library, which takes minutes to build.
if("win64" IN_LIST BRISTLE_PLATFORMS)
    set(runtime "${PROJECT_SOURCE_DIR}/cmake/win64_runtime.c")
    set(runtime_object "${PROJECT_BINARY_DIR}/win64_runtime.o")
    add_custom_command(
        OUTPUT "${runtime_object}"
        COMMAND ${compile_win64} -c "${runtime}" -o "${runtime_object}"
        DEPENDS "${runtime}"
        COMMENT "Compiling the runtime for win64"
        VERBATIM)
    add_custom_target(win64_runtime DEPENDS "${runtime_object}")
    set(libraries_win64 "${runtime_object}" -nostdlib -rtlib=compiler-rt
        -lapi-ms-win-crt-math-l1-1-0 -lapi-ms-win-crt-stdio-l1-1-0 -lapi-ms-win-crt-string-l1-1-0)
    set(needs_win64 win64_runtime "${runtime_object}")
endif()

file(GLOB generator CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/bristle/*.py")

function(bristle_add_fmu description)
    cmake_path(GET description STEM model)
    set(generated "${PROJECT_BINARY_DIR}/generated/${model}")
    file(GLOB parameter_sets CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/resources/${model}/*.ssv")
    file(GLOB pictures CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/modelDescription/pictures/${model}/*")

    # Every source is part of the GUID, so whatever changes comes through here; the depfile names it all.
    add_custom_command(
        OUTPUT "${generated}/fmu.c" "${generated}/${model}.h" "${generated}/${model}_slopes.c"
               "${generated}/modelDescription.xml" "${generated}/documentation/index.html" "${generated}/model.png"
        COMMAND ${bristle} generate "${description}" --out "${generated}" --fmi-include "${FMI2_INCLUDE_DIR}"
                --depfile "${generated}/generate.d"
        DEPENDS "${description}" ${generator} ${parameter_sets} ${pictures}
        DEPFILE "${generated}/generate.d"
        COMMENT "Generating ${model}"
        VERBATIM)

    foreach(platform IN LISTS BRISTLE_PLATFORMS)
        set(folder "${PROJECT_BINARY_DIR}/binaries/${model}/${platform}")
        set(library "${folder}/${model}${suffix_${platform}}")
        file(MAKE_DIRECTORY "${folder}")
        add_custom_command(
            OUTPUT "${library}"
            COMMAND ${compile_${platform}} -I "${generated}" -I "${PROJECT_SOURCE_DIR}/fmu_src"
                    -isystem "${FMI2_INCLUDE_DIR}" -c "${generated}/fmu.c" -o "${folder}/fmu.o"
            COMMAND ${link_${platform}} "${folder}/fmu.o" -o "${library}" ${libraries_${platform}}
            DEPENDS "${generated}/fmu.c" "${generated}/${model}.h" ${needs_${platform}}
            COMMENT "Compiling ${model} for ${platform}"
            VERBATIM)
        list(APPEND libraries "${library}")
    endforeach()

    add_custom_command(
        OUTPUT "${BRISTLE_DIST}/${model}.fmu"
        COMMAND ${bristle} package "${description}" --generated "${generated}" --fmi-include "${FMI2_INCLUDE_DIR}"
                --out "${BRISTLE_DIST}/${model}.fmu" --libraries ${libraries}
        DEPENDS ${libraries} "${generated}/modelDescription.xml" "${PROJECT_SOURCE_DIR}/LICENSE"
        COMMENT "Packing ${model}.fmu"
        VERBATIM)
    add_custom_target(${model} ALL DEPENDS "${BRISTLE_DIST}/${model}.fmu")
endfunction()
