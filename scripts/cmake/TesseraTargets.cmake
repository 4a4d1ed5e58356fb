# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
# Flags that every target of ours has, and the function that makes one library per folder.

add_library(tessera_flags INTERFACE)
target_compile_options(tessera_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wno-unknown-pragmas
    -Wno-missing-field-initializers>  # members left out of an aggregate take their defaults
  # No contraction, no reassociation: the recipes promise bits. The other two flags change no value and
  # let the compiler use vector instructions for square roots and selections.
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off -fno-math-errno -fno-trapping-math>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC bug 105651: concatenated strings are reported as overlapping copies.
  target_compile_options(tessera_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(TESSERA_WERROR)
  target_compile_options(tessera_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(TESSERA_SANITIZE)
  target_compile_options(tessera_flags INTERFACE -fsanitize=${TESSERA_SANITIZE} -fno-omit-frame-pointer -g)
  target_link_options(tessera_flags INTERFACE -fsanitize=${TESSERA_SANITIZE})
endif()
target_include_directories(tessera_flags INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/kernels)

if(CMAKE_CXX_FLAGS MATCHES "-ffast-math|-Ofast|-funsafe-math" )
  message(FATAL_ERROR "tessera can't be built with fast-math flags: the recipes promise bits")
endif()

# tessera_library(NAME [LINK targets...]): all .cpp files of the current folder make lib tessera_NAME.
function(tessera_library name)
  cmake_parse_arguments(ARG "" "" "LINK;EXCLUDE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  if(ARG_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${ARG_EXCLUDE}")
  endif()
  if(NOT sources)
    add_library(tessera_${name} INTERFACE)
    target_link_libraries(tessera_${name} INTERFACE tessera_flags ${ARG_LINK})
  else()
    add_library(tessera_${name} STATIC ${sources})
    target_link_libraries(tessera_${name} PUBLIC tessera_flags ${ARG_LINK})
  endif()
endfunction()
