// The rest of torch: registration, autograd, pybind11, and its macros, which keep what is written in them.
#pragma clang force_cuda_host_device begin
namespace torch {
using namespace at; using at::Tensor; using at::TensorOptions; using ::c10::Device; using ::c10::DeviceType; using ::c10::kCUDA; using ::c10::kCPU; using ::c10::Half; using ::c10::BFloat16;
#define F(n) using c10::k##n;
F(Byte) F(Char) F(Short) F(Int) F(Long) F(Half) F(Float) F(Double) F(Bool) F(BFloat16) F(Float32) F(Float64) F(Float16) F(Int8) F(Int16) F(Int32) F(Int64) F(UInt8) F(Float8_e4m3fn) F(Float8_e5m2)
#undef F
namespace cuda { bool is_available(); size_t device_count(); void synchronize(int64_t = -1); } typedef c10::ScalarType Dtype; using c10::ScalarType; template <class T, size_t n, template <class> class P = at::DefaultPtrTraits> using PackedTensorAccessor32 = at::PackedTensorAccessor<T, n, P, int>; template <class T, size_t n, template <class> class P = at::DefaultPtrTraits> using PackedTensorAccessor64 = at::PackedTensorAccessor<T, n, P, int64_t>; using at::RestrictPtrTraits; using at::DefaultPtrTraits; using at::TensorAccessor; using at::PackedTensorAccessor; using c10::optional; using std::nullopt; typedef std::vector<Tensor> TensorListTp;
struct CppFunction { template <class T> CppFunction(T&&); }; struct Library { template <class... A> Library& def(A&&...); template <class... A> Library& impl(A&&...); template <class... A> Library& fallback(A&&...); template <class T> tp::Any class_(const char*); void set_python_module(const char*, const char* = ""); void impl_abstract_pystub(const char*, const char* = ""); }; struct RegisterOperators { template <class... A> RegisterOperators(A&&...); template <class... A> RegisterOperators& op(A&&...); static RegisterOperators options(); }; template <class... A> tp::Any dispatch(A&&...); template <class... A> tp::Any schema(A&&...); struct CustomClassHolder {}; template <class T> tp::Any class_(const char*); template <class... T> struct arg {}; TP_GIVES(tp::Any, tp_init)
namespace jit { using ::torch::RegisterOperators; struct Operator {}; } namespace autograd { typedef std::vector<Tensor> variable_list; typedef Tensor Variable; struct AutogradContext { void save_for_backward(variable_list); variable_list get_saved_variables() const; std::map<std::string, c10::IValue> saved_data; void mark_dirty(const variable_list&); void mark_non_differentiable(const variable_list&); bool needs_input_grad(size_t) const; void set_materialize_grads(bool); }; template <class T> struct Function { template <class... A> static tp::Any apply(A&&...); }; typedef variable_list tensor_list; }
namespace nn { namespace functional { TP_GIVES(Tensor, pad) TP_GIVES(Tensor, interpolate) TP_GIVES(Tensor, softmax) TP_GIVES(Tensor, linear) struct PadFuncOptions { template <class... A> PadFuncOptions(A&&...); }; } } namespace headeronly { using c10::ScalarType; } namespace stable { struct Tensor : at::Tensor {}; namespace accelerator { struct DeviceGuard { DeviceGuard(int); }; } } namespace linalg { TP_GIVES(Tensor, inv) TP_GIVES(Tensor, norm) }
template <class... A> void save(A&&...); template <class... A> void load(A&&...);
}  // namespace torch
namespace c10 { using torch::Library; using torch::RegisterOperators; struct OperatorHandle {}; struct Dispatcher { static Dispatcher& singleton(); template <class... A> OperatorHandle findSchemaOrThrow(A&&...); }; namespace d { struct ProcessGroup {}; } } namespace c10d { struct ProcessGroup {}; struct ProcessGroupNCCL : ProcessGroup {}; struct Work {}; struct Store {}; }
using c10::kByte; typedef at::Tensor tp_tensor;
namespace pybind11 { struct handle { template <class T> T cast() const; tp::Any attr(const char*) const; template <class... A> tp::Any operator()(A&&...) const; void* ptr() const; bool is_none() const; }; struct object : handle {}; struct module_ : object { template <class... A> module_& def(A&&...); template <class... A> module_ def_submodule(A&&...); static module_ import(const char*); template <class... A> void add_object(A&&...); tp::Any attr(const char*); const char*& doc(); }; typedef module_ module; struct dict : object {}; struct list : object {}; struct tuple : object {}; struct str : object { template <class T> str(T); }; struct bytes : object { template <class... A> bytes(A&&...); }; struct buffer : object {}; struct function : object {}; struct none : object {}; struct capsule : object {}; template <class T, int f = 0> struct array_t : object { T* data() const; }; struct array : object {}; struct arg { arg(const char*); template <class T> arg& operator=(T&&); }; template <class... T> struct call_guard {}; struct gil_scoped_release {}; struct gil_scoped_acquire {};
template <class... T> struct class_ { template <class... A> class_(A&&...); template <class... A> class_& def(A&&...); template <class... A> class_& def_readwrite(A&&...); template <class... A> class_& def_readonly(A&&...); template <class... A> class_& def_property_readonly(A&&...); template <class... A> class_& def_static(A&&...); template <class... A> class_& def_property(A&&...); }; template <class T> struct enum_ { template <class... A> enum_(A&&...); template <class... A> enum_& value(A&&...); enum_& export_values(); }; template <class... A> tp::Any init(A&&...); template <class... A> struct tp_init {}; template <class... A> tp::Any cast(A&&...); template <class... A> tp::Any make_tuple(A&&...); namespace literals { arg operator""_a(const char*, size_t); } template <class... A> tp::Any overload_cast(A&&...); struct error_already_set : std::exception {}; }
namespace py = pybind11;
typedef struct _object PyObject; TP_GIVES(PyObject*, PyModule_Create) TP_GIVES(PyObject*, THPVariable_Wrap) struct PyModuleDef { int tp; }; struct THCState; extern THCState* state; TP_GIVES(void, THCudaCheck_tp) TP_GIVES(void*, THCudaMalloc) TP_GIVES(void, THCudaFree) template <class T> T THCCeilDiv(T, T); TP_GIVES(cudaStream_t, THCState_getCurrentStream) struct DLManagedTensor; namespace fmt { TP_GIVES(std::string, format) TP_GIVES(void, print) }
#pragma clang force_cuda_host_device end

#define TORCH_EXTENSION_NAME tp_extension
#define PYBIND11_MODULE(name, m) static void TP_CAT(tp_module_, __COUNTER__)(pybind11::module_& m)
#define TORCH_LIBRARY(ns, m) static void TP_CAT(tp_library_, __COUNTER__)(torch::Library& m)
#define TORCH_LIBRARY_FRAGMENT(ns, m) TORCH_LIBRARY(ns, m)
#define TORCH_LIBRARY_IMPL(ns, key, m) TORCH_LIBRARY(ns, m)
#define STABLE_TORCH_LIBRARY(ns, m) TORCH_LIBRARY(ns, m)
#define STABLE_TORCH_LIBRARY_FRAGMENT(ns, m) TORCH_LIBRARY(ns, m)
#define STABLE_TORCH_LIBRARY_IMPL(ns, key, m) TORCH_LIBRARY(ns, m)
#define TORCH_FN(f) (&f)
#define TORCH_BOX(f) (&f)
#define TORCH_SELECTIVE_NAME(n) n
#define PYBIND11_OVERLOAD(...)
#define PyMODINIT_FUNC extern "C" PyObject*

#define TP_TAKE(...) ::tp::take(__VA_ARGS__)
#define TORCH_CHECK TP_TAKE
#define TORCH_CHECK_EQ TP_TAKE
#define TORCH_CHECK_NE TP_TAKE
#define TORCH_CHECK_GT TP_TAKE
#define TORCH_CHECK_GE TP_TAKE
#define TORCH_CHECK_LT TP_TAKE
#define TORCH_CHECK_LE TP_TAKE
#define TORCH_CHECK_ARG TP_TAKE
#define TORCH_CHECK_INDEX TP_TAKE
#define TORCH_CHECK_VALUE TP_TAKE
#define TORCH_CHECK_TYPE TP_TAKE
#define TORCH_CHECK_NOT_IMPLEMENTED TP_TAKE
#define TORCH_INTERNAL_ASSERT TP_TAKE
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY TP_TAKE
#define STD_TORCH_CHECK TP_TAKE
#define AT_ASSERT TP_TAKE
#define AT_ASSERTM TP_TAKE
#define AT_CHECK TP_TAKE
#define AT_ERROR TP_TAKE
#define TORCH_WARN TP_TAKE
#define TORCH_WARN_ONCE TP_TAKE
#define AT_CUDA_CHECK TP_TAKE
#define C10_CUDA_CHECK TP_TAKE
#define C10_CUDA_CHECK_WARN TP_TAKE
#define C10_CUDA_ERROR_HANDLED TP_TAKE
#define C10_CUDA_IGNORE_ERROR TP_TAKE
#define C10_CUDA_KERNEL_LAUNCH_CHECK TP_TAKE
#define STD_CUDA_KERNEL_LAUNCH_CHECK TP_TAKE
#define TORCH_CUDA_KERNEL_LAUNCH_CHECK TP_TAKE
#define AT_CUDA_DRIVER_CHECK TP_TAKE
#define C10_CUDA_DRIVER_CHECK TP_TAKE
#define TORCH_CUDABLAS_CHECK TP_TAKE
#define TORCH_CUDASPARSE_CHECK TP_TAKE
#define THCudaCheck TP_TAKE
#define CUDA_KERNEL_ASSERT TP_TAKE
#define CUDA_KERNEL_ASSERT2 TP_TAKE
#define CUDA_KERNEL_ASSERT_MSG TP_TAKE
#define RECORD_FUNCTION TP_TAKE
#define C10_UNUSED [[maybe_unused]]
#define C10_ALWAYS_INLINE inline
#define C10_RESTRICT __restrict
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_LAUNCH_BOUNDS_0
#define C10_LAUNCH_BOUNDS_1(a) __launch_bounds__(a)
#define C10_LAUNCH_BOUNDS_2(a, b) __launch_bounds__(a, b)
#define C10_LAUNCH_BOUNDS(...) __launch_bounds__(__VA_ARGS__)
#define C10_WARP_SIZE 32
#define C10_EXPORT
#define C10_API
#define TORCH_API
#define TORCH_CUDA_API
#define TORCH_CUDA_CU_API
#define TORCH_CUDA_CPP_API
#define C10_LIKELY(x) (x)
#define C10_UNLIKELY(x) (x)
#define C10_DIAGNOSTIC_PUSH_AND_IGNORED_IF_DEFINED(...)
#define C10_DIAGNOSTIC_POP()
#define DEVICE_GUARD_tp
#define CUDA_KERNEL_LOOP_TYPE(i, n, T) for (T i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#define AT_PRIVATE_CASE_TYPE(...) { __VA_ARGS__(); }

// One body for all types: it is looked at once, as if for float.
#define TP_DISPATCH(type, name, ...) [&] { (void)(type); (void)(name); using scalar_t [[maybe_unused]] = float; return __VA_ARGS__(); }()
#define TP_DISPATCH1(a, type, name, ...) TP_DISPATCH(type, name, __VA_ARGS__)
#define TP_DISPATCH2(a, b, type, name, ...) TP_DISPATCH(type, name, __VA_ARGS__)
#define TP_DISPATCH3(a, b, c, type, name, ...) TP_DISPATCH(type, name, __VA_ARGS__)
#define TP_DISPATCH4(a, b, c, d, type, name, ...) TP_DISPATCH(type, name, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES TP_DISPATCH
#define AT_DISPATCH_ALL_TYPES_AND TP_DISPATCH1
#define AT_DISPATCH_ALL_TYPES_AND2 TP_DISPATCH2
#define AT_DISPATCH_ALL_TYPES_AND3 TP_DISPATCH3
#define AT_DISPATCH_ALL_TYPES_AND4 TP_DISPATCH4
#define AT_DISPATCH_ALL_TYPES_AND_HALF TP_DISPATCH
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX TP_DISPATCH
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND TP_DISPATCH1
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2 TP_DISPATCH2
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3 TP_DISPATCH3
#define AT_DISPATCH_FLOATING_TYPES TP_DISPATCH
#define AT_DISPATCH_FLOATING_TYPES_AND TP_DISPATCH1
#define AT_DISPATCH_FLOATING_TYPES_AND2 TP_DISPATCH2
#define AT_DISPATCH_FLOATING_TYPES_AND3 TP_DISPATCH3
#define AT_DISPATCH_FLOATING_TYPES_AND4 TP_DISPATCH4
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF TP_DISPATCH
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES TP_DISPATCH
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND1 TP_DISPATCH1
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2 TP_DISPATCH2
#define AT_DISPATCH_REDUCED_FLOATING_TYPES TP_DISPATCH
#define AT_DISPATCH_INTEGRAL_TYPES TP_DISPATCH
#define AT_DISPATCH_INTEGRAL_TYPES_AND TP_DISPATCH1
#define AT_DISPATCH_COMPLEX_TYPES TP_DISPATCH
#define AT_DISPATCH_QINT_TYPES TP_DISPATCH
#define AT_DISPATCH_INDEX_TYPES(type, name, ...) [&] { (void)(type); using index_t [[maybe_unused]] = int; return __VA_ARGS__(); }()
#define AT_DISPATCH_SWITCH(type, name, ...) [&] { (void)(type); (void)(name); __VA_ARGS__ }()
#define AT_DISPATCH_CASE(type, ...) { using scalar_t [[maybe_unused]] = float; __VA_ARGS__(); }
#define AT_DISPATCH_CASE_FLOATING_TYPES(...) AT_DISPATCH_CASE(0, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND(a, ...) AT_DISPATCH_CASE(0, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES(...) AT_DISPATCH_CASE(0, __VA_ARGS__)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...) AT_DISPATCH_CASE(0, __VA_ARGS__)
#define AT_WRAP(...) __VA_ARGS__

// CUTLASS and CuTe: without these words their users' functions are lost.
#define CUTLASS_HOST_DEVICE inline __host__ __device__
#define CUTLASS_DEVICE inline __device__
#define CUTLASS_HOST inline __host__
#define CUTLASS_GLOBAL __global__
#define CUTLASS_PRAGMA_UNROLL
#define CUTLASS_PRAGMA_NO_UNROLL
#define CUTLASS_ASSERT TP_TAKE
#define CUTLASS_GRID_CONSTANT
#define CUTLASS_CHECK TP_TAKE
#define CUTE_HOST_DEVICE inline __host__ __device__
#define CUTE_DEVICE inline __device__
#define CUTE_HOST inline __host__
#define CUTE_UNROLL
#define CUTE_NO_UNROLL
#define CUTE_STATIC_ASSERT(...)
#define CUTE_STATIC_ASSERT_V(...)
#define CUTE_INLINE_CONSTANT static constexpr
#define CUTE_GRID_CONSTANT
#define CUTE_CHECK_ERROR TP_TAKE
namespace cutlass { struct half_t { half_t(); template <class T> half_t(T); operator float() const; }; struct bfloat16_t : half_t { using half_t::half_t; }; struct float_e4m3_t : half_t { using half_t::half_t; }; struct float_e5m2_t : half_t { using half_t::half_t; }; struct tfloat32_t : half_t { using half_t::half_t; }; template <class T, int n, bool b = true> struct Array { T tp[n]; T& operator[](int); void clear(); }; template <class... T> struct NumericArrayConverter { template <class... A> tp::Any operator()(A&&...) const; static tp::Any convert(...); }; enum class Status { kSuccess }; namespace arch { enum class ReservedNamedBarriers { FirstUserBarrier }; } namespace layout { struct RowMajor {}; struct ColumnMajor {}; } namespace gemm { } namespace epilogue { } }
namespace cute { template <class...> struct Layout {}; template <class...> struct Shape {}; template <class...> struct Stride {}; template <int n> struct Int { static constexpr int value = n; constexpr operator int() const { return n; } }; template <class... T> struct Tensor {}; struct Underscore {}; inline constexpr Underscore _{}; }
