# The playground: all models and twins in one WebAssembly module, compiled from the sources of FMUs,
# together with the rig's assembly and those of its systems that playground/situations.toml names,
# and the page around it: dist/playground/index.html. The module is part of the page, and that of
# the wheel, so it is compiled for size.

set(playground "${PROJECT_SOURCE_DIR}/playground")
set(rig "${PROJECT_SOURCE_DIR}/rig")
set(wasm_folder "${PROJECT_BINARY_DIR}/playground")
set(wasm_zig "${zig}" cc -target wasm32-wasi)
set(wasm_flags ${flags})
# the names of all models are in one module
list(REMOVE_ITEM wasm_flags -DFMI2_OVERRIDE_FUNCTION_PREFIX)
set(wasm_compile ${wasm_zig} ${wasm_flags} -Os -g0 -fno-sanitize=undefined -DINTEGRATOR_ROOM=24
    -I "${playground}" -I "${rig}"
    -I "${PROJECT_SOURCE_DIR}/fmu_src" -isystem "${FMI2_INCLUDE_DIR}")
# The headers of FMPy put no prefix before the names of the functions; as headers of the sources
# they leave it to these.
foreach(header fmi2Functions.h fmi2FunctionTypes.h fmi2TypesPlatform.h)
    file(COPY "${FMI2_INCLUDE_DIR}/${header}" DESTINATION "${wasm_folder}/headers")
endforeach()
file(GLOB wasm_headers CONFIGURE_DEPENDS "${playground}/*.h" "${rig}/*.h" "${rig}/systems/*.h"
     "${PROJECT_SOURCE_DIR}/fmu_src/solver/*")

# Compiles one source; further arguments are options and, after DEPENDS, what it depends on.
function(bristle_add_wasm_object source name)
    cmake_parse_arguments(PARSE_ARGV 2 this "" "" "OPTIONS;DEPENDS")
    set(object "${wasm_folder}/${name}.o")
    add_custom_command(
        OUTPUT "${object}"
        COMMAND ${wasm_compile} ${this_OPTIONS} -c "${source}" -o "${object}"
        DEPENDS "${source}" ${this_DEPENDS}
        COMMENT "Compiling ${name} for wasm32"
        VERBATIM)
    set(wasm_objects ${wasm_objects} "${object}" PARENT_SCOPE)
endfunction()

set(wasm_objects "")
set(generated_pages "")
foreach(model IN LISTS models)
    set(generated "${PROJECT_BINARY_DIR}/generated/${model}")
    bristle_add_wasm_object("${generated}/fmu.c" ${model} OPTIONS -I "${generated}"
        -I "${wasm_folder}" -DBRISTLE_OWN_HEADERS)
    list(APPEND generated_pages "${generated}/fmu.c")
endforeach()

set(elements "${wasm_folder}/elements.c")
set(elements_text "/* Generated. */\n#include \"elements.h\"\n\n#include <stddef.h>\n\n")
foreach(model IN LISTS models)
    string(APPEND elements_text "DECLARE_ELEMENT(${model})\n")
endforeach()
string(APPEND elements_text "\nconst LinkedElement linked_elements[] = {\n")
foreach(model IN LISTS models)
    string(APPEND elements_text "    LINKED_ELEMENT(${model})\n")
endforeach()
string(APPEND elements_text "    {.name = NULL},\n};\n")
file(CONFIGURE OUTPUT "${elements}" CONTENT "${elements_text}" @ONLY)

file(GLOB set_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/resources/*.toml")
set(registry "${wasm_folder}/registry.c")
add_custom_command(
    OUTPUT "${registry}"
    COMMAND "${Python3_EXECUTABLE}" "${rig}/registry.py" "${rig}/systems"
        "${PROJECT_SOURCE_DIR}/resources" "${registry}" ${situations}
    DEPENDS "${rig}/registry.py" ${set_files} "${playground}/situations.toml"
    COMMENT "Listing the situations and parameter sets"
    VERBATIM)

foreach(source "${playground}/element.c" "${playground}/fixed_step.c" "${playground}/hand.c"
        "${playground}/page.c" "${elements}" "${registry}" "${rig}/integrator.c" "${rig}/assembly.c"
        "${rig}/instance.c" "${rig}/memory.c" "${rig}/surfaces.c" "${rig}/variables.c")
    cmake_path(GET source STEM name)
    bristle_add_wasm_object("${source}" host_${name} DEPENDS ${wasm_headers})
endforeach()
foreach(situation IN LISTS situations)
    bristle_add_wasm_object("${rig}/systems/${situation}.c" system_${situation} DEPENDS
        ${wasm_headers})
endforeach()

set(wasm_module "${wasm_folder}/elements.wasm")
add_custom_command(
    OUTPUT "${wasm_module}"
    COMMAND ${wasm_zig} -mexec-model=reactor -Os -s ${wasm_objects} -o "${wasm_module}"
    DEPENDS ${wasm_objects}
    COMMENT "Linking the playground"
    VERBATIM)

file(GLOB page_parts CONFIGURE_DEPENDS "${playground}/*.js" "${playground}/*.css"
    "${playground}/*.html" "${playground}/*.toml")
set(page "${BRISTLE_DIST}/playground/index.html")
set(BRISTLE_PLAYGROUND_PAGE "${page}") # part of the wheel
add_custom_command(
    OUTPUT "${page}"
    COMMAND ${run_generator} playground --descriptions "${PROJECT_SOURCE_DIR}/modelDescription"
        --generated "${PROJECT_BINARY_DIR}/generated"
            --module "${wasm_module}" --out "${page}" --elements ${models}
    DEPENDS "${wasm_module}" ${generated_pages} ${page_parts} ${generator}
    COMMENT "Writing the playground"
    VERBATIM)
add_custom_target(playground ALL DEPENDS "${page}")
