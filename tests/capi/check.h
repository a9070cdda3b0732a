/* Shared by the C tests: checks that print the failure and end the program, and a store. */
#ifndef KLIP_TESTS_CAPI_CHECK_H
#define KLIP_TESTS_CAPI_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "klip/klip.h"

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

/* The call must succeed. Its errors go to `error`, a variable of the caller. */
#define OK(call)                                                                                                     \
  do {                                                                                                               \
    if ((call) != KLIP_OK) {                                                                                         \
      fprintf(stderr, "%s:%d: %s: %s: %s\n", __FILE__, __LINE__, #call, klip_code_name((int)klip_error_code(error)), \
              klip_error_message(error));                                                                            \
      exit(1);                                                                                                       \
    }                                                                                                                \
  } while (0)

/* The call must fail with this code, and its message must contain the words. */
#define FAILS(code, words, call)                                                              \
  do {                                                                                        \
    CHECK((call) == (code));                                                                  \
    CHECK(klip_error_code(error) == (code));                                                  \
    if (strstr(klip_error_message(error), (words)) == NULL) {                                 \
      fprintf(stderr, "%s:%d: message: %s\n", __FILE__, __LINE__, klip_error_message(error)); \
      exit(1);                                                                                \
    }                                                                                         \
    klip_error_free(error);                                                                   \
    error = NULL;                                                                             \
  } while (0)

static inline int same(klip_bytes bytes, const char* text) {
  return bytes.size == strlen(text) && memcmp(bytes.data, text, bytes.size) == 0;
}

#endif
