// Ruby's C API, and the rules by which this folder uses it.
//
// Ruby reports errors by longjmp, which runs no C++ destructors. So a native method has two layers: Border (border.h) is called by
// Ruby, holds no C++ object and may raise; the function inside returns an Answer, a value or a Status, and calls only what
// cannot raise but for lack of memory.
#pragma once

#include <ruby.h>
#include <ruby/encoding.h>
#include <ruby/thread.h>
