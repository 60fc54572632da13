// SPDX-License-Identifier: Apache-2.0
// Headers that simulators include, whatever their machine: build.c has the compiler read them once for many.
#ifndef CRL_SHIM_HEADERS_H
#define CRL_SHIM_HEADERS_H

#include "verilated.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

#endif
