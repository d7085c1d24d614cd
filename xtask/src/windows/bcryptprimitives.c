/* The one function of bcryptprimitives.dll that Rust's standard library calls. Versions of wine before 9
   lack this library. */
#include <windows.h>

/* RtlGenRandom; no header of mingw declares it under the name that advapi32 exports. */
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T length) {
    return SystemFunction036(bytes, (ULONG)length);
}
