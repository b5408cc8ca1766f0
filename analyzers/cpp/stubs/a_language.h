// Stand-ins for what CUDA's compiler and the C and C++ libraries bring, so that a file parses on a machine without them: names, with as much of a type as
// tells what calls what. Nothing here is ever run, and most functions take whatever they are given. The stubs are read in the order of their names.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __grid_constant__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define CUDART_VERSION 12080
#define CUDA_VERSION 12080
#define CUBLAS_VERSION 120803
#define CUDNN_VERSION 90800
#define CUDNN_MAJOR 9
#define NCCL_VERSION_CODE 22703
#define TORCH_VERSION_MAJOR 2
#define TORCH_VERSION_MINOR 13
#define TORCH_VERSION_PATCH 0

#define TP_CAT2(a, b) a##b
#define TP_CAT(a, b) TP_CAT2(a, b)
#define NULL 0
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define CUDART_INF_F (__builtin_inff())
#define CUDART_INF (__builtin_inf())
#define CUDART_NAN_F (__builtin_nanf(""))
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_SQRT1_2 0.70710678118654752440
#define M_SQRT2 1.41421356237309504880
#define M_2_SQRTPI 1.12837916709551257390
#define M_LOG2E 1.4426950408889634074
#define M_LN2 0.69314718055994530942
#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#define DBL_MAX __DBL_MAX__
#define DBL_MIN __DBL_MIN__
#define DBL_EPSILON __DBL_EPSILON__
#define INT_MAX __INT_MAX__
#define INT_MIN (-__INT_MAX__ - 1)
#define UINT_MAX (__INT_MAX__ * 2U + 1U)
#define LONG_MAX __LONG_MAX__
#define LLONG_MAX __LONG_LONG_MAX__
#define ULLONG_MAX (__LONG_LONG_MAX__ * 2ULL + 1ULL)
#define INT8_MAX 127
#define INT8_MIN (-128)
#define UINT8_MAX 255
#define INT16_MAX 32767
#define INT32_MAX __INT_MAX__
#define INT32_MIN (-__INT_MAX__ - 1)
#define INT64_MAX __LONG_LONG_MAX__
#define INT64_MIN (-__LONG_LONG_MAX__ - 1LL)
#define UINT32_MAX (__INT_MAX__ * 2U + 1U)
#define UINT64_MAX (__LONG_LONG_MAX__ * 2ULL + 1ULL)
#define CHAR_BIT 8
#define SIZE_MAX (~(size_t)0)
#define EXIT_FAILURE 1
#define EXIT_SUCCESS 0
#define UINT64_C(x) x##ULL
#define INT64_C(x) x##LL
#define PRId64 "ld"
#define PRIu64 "lu"
#define static_assert(...) _Static_assert(true, "")
#define offsetof(t, m) __builtin_offsetof(t, m)
#define va_start(a, b) __builtin_va_start(a, b)
#define va_end(a) __builtin_va_end(a)
#define va_arg(a, t) __builtin_va_arg(a, t)
#define va_list __builtin_va_list
#define assert(...) ((void)(__VA_ARGS__))
#define stderr ((FILE*)0)
#define stdout ((FILE*)0)

typedef decltype(sizeof(0)) size_t;
typedef decltype((char*)0 - (char*)0) ptrdiff_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef long ssize_t;
typedef unsigned int uint;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned long ulong;
typedef struct tp_file FILE;

namespace tp {
// Takes all, gives what may stand for anything.
struct Any {
  template <class T> operator T() const;
  template <class... A> Any operator()(A&&...) const;
  template <class T> Any operator[](T&&) const;
};
template <class... A> void take(A&&...);
template <class... A> Any any(A&&...);
template <class T, class...> struct First { typedef T type; };
}  // namespace tp

// One declaration a name: TP_GIVES(result, name) is a function of that name that takes whatever it is given.
#define TP_GIVES(R, n) template <class... A> R n(A&&...);
// ... and gives what its first argument is, or what that points to.
#define TP_SAME(n) template <class T, class... A> T n(T, A...);
#define TP_POINTEE(n) template <class T, class... A> T n(T*, A...);

#define F(n) TP_GIVES(int, n)
F(printf) F(fprintf) F(sprintf) F(snprintf) F(puts) F(fflush) F(memcmp) F(strcmp) F(strncmp) F(atoi) F(rand) F(setenv) F(system) F(fclose)
F(posix_memalign) F(abs) F(sscanf) F(isnan) F(isinf) F(isfinite) F(signbit) F(__isnan) F(__isinf) F(usleep)
#undef F
#define F(n) TP_GIVES(void, n)
F(free) F(exit) F(abort) F(srand) F(__threadfence) F(__threadfence_block) F(__threadfence_system) F(__syncthreads) F(__syncwarp) F(__trap) F(__nanosleep)
F(__prof_trigger) F(__builtin_assume_true) F(__brkpt)
#undef F
#define F(n) TP_GIVES(tp::Any, n)
F(malloc) F(calloc) F(realloc) F(memcpy) F(memset) F(memmove) F(aligned_alloc) F(getenv) F(fopen) F(strstr) F(strchr) F(alloca)
#undef F
#define F(n) TP_GIVES(size_t, n)
F(strlen) F(fread) F(fwrite) F(__cvta_generic_to_shared) F(__cvta_generic_to_global) F(__cvta_shared_to_generic) F(clock64) F(clock)
#undef F
#define F(n) TP_SAME(n)
F(exp) F(exp2) F(exp10) F(expm1) F(log) F(log2) F(log10) F(log1p) F(sqrt) F(rsqrt) F(cbrt) F(rcbrt) F(pow) F(powi) F(sin) F(cos) F(tan) F(asin) F(acos) F(atan)
F(atan2) F(sinh) F(cosh) F(tanh) F(asinh) F(acosh) F(atanh) F(erf) F(erfc) F(erfinv) F(erfcx) F(normcdf) F(lgamma) F(tgamma) F(floor) F(ceil) F(round) F(rint)
F(nearbyint) F(trunc) F(fabs) F(fmod) F(remainder) F(fma) F(fmax) F(fmin) F(fdim) F(hypot) F(copysign) F(ldexp) F(frexp) F(modf) F(max) F(min) F(nextafter)
F(expf) F(exp2f) F(exp10f) F(expm1f) F(logf) F(log2f) F(log10f) F(log1pf) F(sqrtf) F(rsqrtf) F(cbrtf) F(powf) F(sinf) F(cosf) F(tanf) F(asinf) F(acosf) F(atanf)
F(atan2f) F(sinhf) F(coshf) F(tanhf) F(erff) F(erfcf) F(lgammaf) F(tgammaf) F(floorf) F(ceilf) F(roundf) F(rintf) F(nearbyintf) F(truncf) F(fabsf) F(fmodf)
F(fmaf) F(fmaxf) F(fminf) F(hypotf) F(copysignf) F(ldexpf) F(normcdff) F(sincosf) F(sincos) F(sincospi) F(sinpi) F(cospi) F(llabs) F(labs) F(lrint) F(lrintf)
F(llrintf) F(lroundf) F(fdividef) F(saturate) F(umin) F(umax) F(llmin) F(llmax) F(norm3df) F(norm3d) F(rnorm3df)
#undef F
