# Runs PROGRAM with DIRECTORY, which does not exist before and is removed after.
file(REMOVE_RECURSE ${DIRECTORY})
execute_process(COMMAND ${PROGRAM} ${DIRECTORY} RESULT_VARIABLE result)
file(REMOVE_RECURSE ${DIRECTORY})
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${result}")
endif()
