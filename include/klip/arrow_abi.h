/* The structs by which programs hand each other columns of data in one process, without copying: Apache Arrow's C data and C stream
 * interfaces, as its specification gives them. A program that includes another copy of them gets one definition. */
#ifndef KLIP_ARROW_ABI_H
#define KLIP_ARROW_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

/* A type. */
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*); /* NULL: released */
  void* private_data;
};

/* Values of a type. */
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*); /* NULL: released */
  void* private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

/* Arrays of one type, one after the other. The first two calls return 0 or an errno. */
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out); /* out->release is NULL at the end */
  const char* (*get_last_error)(struct ArrowArrayStream*);           /* valid until the next call */
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

#endif

#ifdef __cplusplus
}
#endif

#endif
