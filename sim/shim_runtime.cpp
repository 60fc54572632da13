// SPDX-License-Identifier: Apache-2.0
/* Verilator's runtime, with the hooks of shim.cpp in place of printing and ending the program. */
extern "C" int crl_shim_printf(const char *format, ...);
#define VL_PRINTF crl_shim_printf
#define VL_USER_FINISH
#define VL_USER_STOP
#define VL_USER_FATAL
#include "verilated.cpp"
#include "verilated_threads.cpp"
