// Ruby's C API, and the rules for using it in this folder.
//
// Ruby reports errors by longjmp, which runs no C++ destructors. So a native method has two layers. Ruby calls Border
// (border.h), which holds no C++ object and may raise. The function inside returns an Answer, a value or a Status, and
// calls only functions that cannot raise except when memory runs out.
#pragma once

// clang-format off: Ruby's headers define memcpy as a macro, which klip/bytes.h uses.
#include "klip/bytes.h"
// clang-format on

#include <ruby.h>
#include <ruby/encoding.h>
#include <ruby/thread.h>
