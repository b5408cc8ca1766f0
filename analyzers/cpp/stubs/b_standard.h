// The C++ standard library, in names.
#pragma clang force_cuda_host_device begin
namespace std {
using ::size_t; using ::ptrdiff_t; using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t; using ::uint8_t; using ::uint16_t; using ::uint32_t;
using ::uint64_t; using ::intptr_t; using ::uintptr_t; typedef decltype(nullptr) nullptr_t;
#define F(n) using ::n;
F(printf) F(fprintf) F(snprintf) F(sprintf) F(memcpy) F(memset) F(memmove) F(memcmp) F(malloc) F(free) F(exit) F(abort) F(strlen) F(strcmp) F(getenv) F(abs) F(exp) F(exp2)
F(expm1) F(log) F(log2) F(log10) F(log1p) F(sqrt) F(cbrt) F(pow) F(sin) F(cos) F(tan) F(asin) F(acos) F(atan) F(atan2) F(sinh) F(cosh) F(tanh) F(asinh) F(acosh)
F(atanh) F(erf) F(erfc) F(lgamma) F(tgamma) F(floor) F(ceil) F(round) F(rint) F(nearbyint) F(trunc) F(fabs) F(fmod) F(fma) F(fmax) F(fmin) F(hypot) F(copysign)
F(ldexp) F(frexp) F(modf) F(isnan) F(isinf) F(isfinite) F(signbit) F(rand) F(max) F(min) F(lrint)
#undef F
typedef unsigned char byte_t;
enum class byte : unsigned char {};

template <class T, T v> struct integral_constant { static constexpr T value = v; typedef T value_type; typedef integral_constant type; constexpr operator T() const { return v; } constexpr T operator()() const { return v; } };
template <bool b> using bool_constant = integral_constant<bool, b>;
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
#define F(n, ...) template <class T> struct n : bool_constant<__VA_ARGS__> {}; template <class T> inline constexpr bool n##_v = __VA_ARGS__;
F(is_integral, __is_integral(T)) F(is_floating_point, __is_floating_point(T)) F(is_arithmetic, __is_arithmetic(T)) F(is_signed, __is_signed(T)) F(is_unsigned, __is_unsigned(T))
F(is_pointer, __is_pointer(T)) F(is_enum, __is_enum(T)) F(is_class, __is_class(T)) F(is_void, __is_void(T)) F(is_const, __is_const(T)) F(is_array, __is_array(T))
F(is_reference, __is_reference(T)) F(is_lvalue_reference, __is_lvalue_reference(T)) F(is_trivially_copyable, __is_trivially_copyable(T)) F(is_empty, __is_empty(T))
F(is_function, __is_function(T)) F(is_trivial, __is_trivial(T)) F(is_pod, __is_pod(T)) F(is_standard_layout, __is_standard_layout(T)) F(is_fundamental, __is_fundamental(T))
F(is_default_constructible, true) F(is_copy_constructible, true) F(is_abstract, __is_abstract(T)) F(is_final, __is_final(T)) F(is_union, __is_union(T)) F(is_null_pointer, false)
#undef F
#define F(n, ...) template <class T, class U> struct n : bool_constant<__VA_ARGS__> {}; template <class T, class U> inline constexpr bool n##_v = __VA_ARGS__;
F(is_same, __is_same(T, U)) F(is_base_of, __is_base_of(T, U)) F(is_convertible, __is_convertible(T, U)) F(is_assignable, true)
#undef F
template <class T, class... A> struct is_constructible : true_type {};
template <class T, class... A> struct is_invocable : true_type {};
template <class T, class... A> inline constexpr bool is_constructible_v = true;
template <class T, class... A> inline constexpr bool is_invocable_v = true;
template <bool b, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool b, class T = void> using enable_if_t = typename enable_if<b, T>::type;
template <bool b, class T, class U> struct conditional { typedef T type; };
template <class T, class U> struct conditional<false, T, U> { typedef U type; };
template <bool b, class T, class U> using conditional_t = typename conditional<b, T, U>::type;
#define F(n, ...) template <class T> struct n { typedef __VA_ARGS__ type; }; template <class T> using n##_t = __VA_ARGS__;
F(remove_cv, __remove_cv(T)) F(remove_const, __remove_const(T)) F(remove_volatile, __remove_volatile(T)) F(remove_reference, __remove_reference_t(T)) F(remove_pointer, __remove_pointer(T))
F(remove_cvref, __remove_cvref(T)) F(decay, __decay(T)) F(add_pointer, __add_pointer(T)) F(add_lvalue_reference, __add_lvalue_reference(T)) F(add_rvalue_reference, __add_rvalue_reference(T))
F(make_unsigned, __make_unsigned(T)) F(make_signed, __make_signed(T)) F(underlying_type, __underlying_type(T)) F(remove_extent, __remove_extent(T)) F(add_const, const T) F(type_identity, T)
#undef F
template <class... T> using void_t = void;
template <class T, class... U> struct common_type { typedef T type; };
template <class T, class... U> using common_type_t = T;
template <class F, class... A> struct invoke_result { typedef tp::Any type; };
template <class F, class... A> using invoke_result_t = tp::Any;
template <class F> struct result_of { typedef tp::Any type; };
template <class T> struct alignment_of : integral_constant<size_t, alignof(T)> {};
template <class... B> struct conjunction : bool_constant<(B::value && ...)> {};
template <class... B> struct disjunction : bool_constant<(B::value || ...)> {};
template <class B> struct negation : bool_constant<!B::value> {};
template <class... B> inline constexpr bool conjunction_v = (B::value && ...);
template <class... B> inline constexpr bool disjunction_v = (B::value || ...);
template <size_t n, size_t a = 16> struct aligned_storage { struct type { alignas(a) unsigned char data[n]; }; };
template <class T> T&& declval();
template <class T> constexpr __remove_reference_t(T)&& move(T&& t) { return static_cast<__remove_reference_t(T)&&>(t); }
template <class T> constexpr T&& forward(__remove_reference_t(T)& t) { return static_cast<T&&>(t); }
template <class T, class U = T> T exchange(T&, U&&);
template <class T> void swap(T&, T&);
template <class T> constexpr const T& as_const(T& t) { return t; }
template <class T> T* addressof(T& t);
template <class T> T* launder(T*);
template <class T, T... i> struct integer_sequence { static constexpr size_t size() { return sizeof...(i); } };
template <size_t... i> using index_sequence = integer_sequence<size_t, i...>;
template <class T, T n> using make_integer_sequence = __make_integer_seq<integer_sequence, T, n>;
template <size_t n> using make_index_sequence = make_integer_sequence<size_t, n>;
template <class... T> using index_sequence_for = make_index_sequence<sizeof...(T)>;
struct in_place_t {};
template <class T> struct in_place_type_t {};

template <class T> struct numeric_limits {
  static constexpr bool is_signed = __is_signed(T), is_integer = __is_integral(T), has_infinity = true, is_specialized = true;
  static constexpr int digits = 24, digits10 = 6, max_digits10 = 9;
  static constexpr T max() { return T(); }
  static constexpr T min() { return T(); }
  static constexpr T lowest() { return T(); }
  static constexpr T infinity() { return T(); }
  static constexpr T epsilon() { return T(); }
  static constexpr T quiet_NaN() { return T(); }
  static constexpr T denorm_min() { return T(); }
};

template <class E> class initializer_list {
  const E* begin_; size_t size_;
 public:
  typedef E value_type;
  constexpr size_t size() const { return size_; }
  constexpr const E* begin() const { return begin_; }
  constexpr const E* end() const { return begin_ + size_; }
};

template <class A, class B> struct pair { A first; B second; pair(); pair(const A&, const B&); template <class U, class V> pair(U&&, V&&); typedef A first_type; typedef B second_type; };
template <class A, class B> pair<__decay(A), __decay(B)> make_pair(A&&, B&&);
template <class... T> struct tuple { tuple(); template <class... U> tuple(U&&...); template <class U> tuple& operator=(U&&); };
template <class... T> tuple(T...) -> tuple<T...>;
template <size_t i, class T> struct tuple_element;
template <class T, class... R> struct tuple_element<0, tuple<T, R...>> { typedef T type; };
template <size_t i, class T, class... R> struct tuple_element<i, tuple<T, R...>> : tuple_element<i - 1, tuple<R...>> {};
template <class A, class B> struct tuple_element<0, pair<A, B>> { typedef A type; };
template <class A, class B> struct tuple_element<1, pair<A, B>> { typedef B type; };
template <size_t i, class T> using tuple_element_t = typename tuple_element<i, T>::type;
template <class T> struct tuple_size;
template <class... T> struct tuple_size<tuple<T...>> : integral_constant<size_t, sizeof...(T)> {};
template <class A, class B> struct tuple_size<pair<A, B>> : integral_constant<size_t, 2> {};
template <class T> inline constexpr size_t tuple_size_v = tuple_size<T>::value;
template <size_t i, class... T> typename tuple_element<i, tuple<T...>>::type& get(const tuple<T...>&);
template <size_t i, class A, class B> typename tuple_element<i, pair<A, B>>::type& get(const pair<A, B>&);
template <class T, class U> T& get(const U&);
template <class... T> tuple<__decay(T)...> make_tuple(T&&...);
template <class... T> tuple<T&...> tie(T&...);
template <class... T> tuple<T&&...> forward_as_tuple(T&&...);
template <class F, class T> tp::Any apply(F&&, T&&);
struct tp_ignore { template <class T> const tp_ignore& operator=(const T&) const; };
inline constexpr tp_ignore ignore{};
#pragma clang force_cuda_host_device end
}  // namespace std
