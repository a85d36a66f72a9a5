from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t, uint64_t

ctypedef const double[::1] Floats
ctypedef const int64_t[::1] Offsets
ctypedef const int32_t[::1] Indices
ctypedef const unsigned char[::1] Bools
ctypedef const uint32_t[::1] Letters
# The same types for arrays that a kernel writes to.
ctypedef double[::1] FloatsOut
ctypedef int64_t[::1] OffsetsOut
ctypedef int32_t[::1] IndicesOut
ctypedef uint32_t[::1] LettersOut
ctypedef int8_t[::1] StatesOut
ctypedef unsigned char[::1] BoolsOut
ctypedef double[:, ::1] Table
