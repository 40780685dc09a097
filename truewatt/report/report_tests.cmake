# Tests of what the report writes as files: JSON Schemas, and the page in a real browser.
add_executable(truewatt_report_samples report_samples.cpp sample_burtscher.cpp sample_profile.cpp sample_results.cpp)
target_link_libraries(truewatt_report_samples PRIVATE truewatt_report)
find_program(TRUEWATT_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT TRUEWATT_PYTHON)
  message(STATUS "No /usr/bin/python3: the report's schema and browser tests are left out")
  return()
endif()

set(samples ${CMAKE_CURRENT_BINARY_DIR}/samples)
add_test(NAME report_samples COMMAND truewatt_report_samples ${samples})
set_tests_properties(report_samples PROPERTIES FIXTURES_SETUP report_samples LABELS golden)

set(schemas ${CMAKE_SOURCE_DIR}/docs/schemas)
function(truewatt_schema_test name schema)
  add_test(NAME report_schema.${name}
           COMMAND ${TRUEWATT_PYTHON} ${CMAKE_SOURCE_DIR}/tests/validate_json.py
                   ${schemas}/${schema}.schema.json ${ARGN})
  set_tests_properties(report_schema.${name} PROPERTIES
    FIXTURES_REQUIRED report_samples LABELS golden SKIP_RETURN_CODE 77)
endfunction()
truewatt_schema_test(energy energy ${samples}/energy.json ${samples}/energy_command.json
                     ${samples}/energy_node.json)
truewatt_schema_test(analysis analysis ${samples}/analysis.json)
truewatt_schema_test(profile profile ${CMAKE_SOURCE_DIR}/tests/data/golden/profile_example.json)
truewatt_schema_test(calibration calibration
                     ${CMAKE_SOURCE_DIR}/tests/data/golden/calibration_example.json)
truewatt_schema_test(catalogue catalogue ${samples}/catalogue.json ${samples}/catalogue_profile.json)
truewatt_schema_test(unknown_needs_a_reason energy ${samples}/energy_without_reasons.json)
set_tests_properties(report_schema.unknown_needs_a_reason PROPERTIES WILL_FAIL TRUE)

# The pages of a measurement, of a characterization and of paper 001's protocol.
function(truewatt_browser_test name page)
  add_test(NAME ${name}
           COMMAND ${TRUEWATT_AGAIN_WHEN_LATE}
                   ${TRUEWATT_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/browser_test.py
                   ${samples}/${page}.html ${CMAKE_CURRENT_BINARY_DIR}/screenshots/${page})
  set_tests_properties(${name} PROPERTIES
    FIXTURES_REQUIRED report_samples LABELS browser SKIP_RETURN_CODE 77 TIMEOUT 300 RUN_SERIAL TRUE)
endfunction()
truewatt_browser_test(report_browser page)
truewatt_browser_test(report_browser_profile profile)
truewatt_browser_test(report_browser_burtscher burtscher)
