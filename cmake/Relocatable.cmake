# One folder copied to another machine runs there: the C++ runtime is linked in, and nothing is
# asked of glibc that version 2.34 does not have. tests/release/ holds the result to that.
#
# Debian 12's libstdc++.a and libgcc_eh.a were built against glibc 2.36 and ask for two functions
# that are newer than 2.34; older_glibc.c provides both. `-u` makes the linker take them from our
# archive, because the references only appear after it, in the compiler's own archives.
# A target with the property TRUEWATT_SHARED_RUNTIME keeps the shared C++ runtime (benchmarks do,
# because libbenchmark.so brings it along).
if(NOT TRUEWATT_RELOCATABLE)
  return()
endif()
add_library(truewatt_older_glibc STATIC ${CMAKE_CURRENT_LIST_DIR}/older_glibc.c)
target_link_libraries(truewatt_options INTERFACE truewatt_older_glibc)
set(relocatable
  -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL -Wl,-u,_dl_find_object -Wl,-u,arc4random)
target_link_options(truewatt_options INTERFACE
  "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:TRUEWATT_SHARED_RUNTIME>>>:${relocatable}>" -s)
