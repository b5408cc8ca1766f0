// Containers, strings, streams and the rest of the standard library.
#pragma clang force_cuda_host_device begin
namespace std {
struct random_access_iterator_tag {}; struct forward_iterator_tag {}; struct input_iterator_tag {}; struct output_iterator_tag {};
template <class I> struct iterator_traits { typedef __decay(decltype(*declval<I&>())) value_type; typedef ptrdiff_t difference_type; typedef value_type& reference; typedef value_type* pointer; typedef random_access_iterator_tag iterator_category; };
template <class T> struct allocator {};

#define TP_MANY(T)                                                                                                                              \
  typedef T value_type; typedef size_t size_type; typedef T* iterator; typedef const T* const_iterator; typedef T& reference; typedef const T& const_reference; \
  T* begin() const; T* end() const; const T* cbegin() const; const T* cend() const; T* rbegin() const; T* rend() const; size_t size() const; bool empty() const; void clear();        \
  template <class... A> T* insert(A&&...); template <class... A> T* erase(A&&...); template <class... A> T& emplace(A&&...); template <class U> size_t count(const U&) const; \
  template <class U> T* find(const U&) const; template <class... A> void swap(A&&...); template <class... A> void merge(A&&...); void insert(initializer_list<T>); \
  template <class... A> void reserve(A&&...); template <class... A> void resize(A&&...); template <class... A> void assign(A&&...); void assign(initializer_list<T>); size_t max_size() const;  size_t capacity() const; void shrink_to_fit();
#define TP_ROW(T)                                                                                                                               \
  T& operator[](size_t) const; T& at(size_t) const; T& front() const; T& back() const; T* data() const; void push_back(const T&); void pop_back();     \
  template <class... A> T& emplace_back(A&&...); void push_front(const T&); void pop_front(); template <class... A> T& emplace_front(A&&...);
template <class T, class Alloc = allocator<T>> struct vector {
  TP_MANY(T) TP_ROW(T) vector(); vector(const vector&); vector(vector&&); vector(initializer_list<T>); explicit vector(size_t); vector(size_t, const T&); template <class I> vector(I, I);
  vector& operator=(const vector&); vector& operator=(initializer_list<T>);
};
template <class T> vector(initializer_list<T>) -> vector<T>;
template <class T> struct deque : vector<T> { using vector<T>::vector; };
template <class T> struct list : vector<T> { using vector<T>::vector; };
template <class T> struct queue : vector<T> { template <class U> void push(U&&); void pop(); };
template <class T> struct stack : vector<T> { template <class U> void push(U&&); void pop(); T& top(); };
template <class T, class... R> struct priority_queue : vector<T> { template <class U> void push(U&&); void pop(); T& top(); };
template <class T, size_t n> struct array { T tp_elements[n ? n : 1]; TP_MANY(T) T& operator[](size_t) const; T& at(size_t) const; T& front() const; T& back() const; T* data() const; void fill(const T&); };
template <class T, class... U> array(T, U...) -> array<T, 1 + sizeof...(U)>;
template <size_t i, class T, size_t n> T& get(const array<T, n>&);
template <class K, class V, class... R> struct map { typedef K key_type; typedef V mapped_type; typedef pair<K, V> tp_item; TP_MANY(tp_item) map(); map(const map&); map(initializer_list<tp_item>); V& operator[](const K&); V& at(const K&) const; template <class... B> pair<tp_item*, bool> try_emplace(B&&...); template <class... B> pair<tp_item*, bool> insert_or_assign(B&&...); bool contains(const K&) const; };
template <class K, class V, class... R> struct unordered_map : map<K, V> { using map<K, V>::map; };
template <class K, class V, class... R> struct multimap : map<K, V> { using map<K, V>::map; };
template <class T, class... R> struct set { TP_MANY(T) set(); set(const set&); set(initializer_list<T>); template <class I> set(I, I); bool contains(const T&) const; };
template <class T, class... R> struct unordered_set : set<T> { using set<T>::set; };
template <class T> struct hash { size_t operator()(const T&) const; };
template <class T = void> struct less {}; template <class T = void> struct greater {}; template <class T = void> struct plus {}; template <class T = void> struct multiplies {}; template <class T = void> struct equal_to {};

template <class C> struct basic_string_view;
template <class C> struct basic_string {
  TP_MANY(C) TP_ROW(C) basic_string(); basic_string(const C*); basic_string(const basic_string&); basic_string(size_t, C); template <class I> basic_string(I, I); basic_string(const basic_string_view<C>&);
  const C* c_str() const; size_t length() const; basic_string substr(size_t, size_t = 0) const; template <class... A> size_t find(A&&...) const; template <class... A> size_t rfind(A&&...) const;
  template <class... A> basic_string& append(A&&...); template <class... A> basic_string& replace(A&&...); template <class... A> int compare(A&&...) const; template <class U> basic_string& operator+=(const U&);
  template <class... A> size_t find_first_of(A&&...) const; template <class... A> size_t find_last_of(A&&...) const; template <class... A> size_t find_first_not_of(A&&...) const;
  template <class U> basic_string& operator=(const U&); static constexpr size_t npos = ~size_t(0);
};
template <class C> struct basic_string_view : basic_string<C> { using basic_string<C>::basic_string; basic_string_view(const basic_string<C>&); };
typedef basic_string<char> string; typedef basic_string_view<char> string_view; typedef basic_string<wchar_t> wstring;
template <class C, class U> basic_string<C> operator+(const basic_string<C>&, const U&);
template <class C> basic_string<C> operator+(const C*, const basic_string<C>&);
template <class C, class U> bool operator==(const basic_string<C>&, const U&);
template <class C, class U> bool operator!=(const basic_string<C>&, const U&);
template <class C, class U> bool operator<(const basic_string<C>&, const U&);
template <class T> string to_string(const T&);
#define F(n) TP_GIVES(int, n)
F(stoi) F(stol) F(stoll) F(stof) F(stod) F(stoul)
#undef F

struct nullopt_t {}; inline constexpr nullopt_t nullopt{};
template <class T> struct optional { optional(); optional(nullopt_t); template <class U> optional(U&&); T& value() const; bool has_value() const; template <class U> T value_or(U&&) const; T& operator*() const; T* operator->() const; explicit operator bool() const; void reset(); template <class... A> T& emplace(A&&...); template <class U> optional& operator=(U&&); };
template <class T> optional<__decay(T)> make_optional(T&&);
template <class... T> struct variant { variant(); template <class U> variant(U&&); size_t index() const; };
template <class F, class... V> tp::Any visit(F&&, V&&...);
template <class T, class U> bool holds_alternative(const U&);
struct monostate {}; struct any { any(); template <class T> any(T&&); };
template <class S> struct function;
template <class R, class... P> struct function<R(P...)> { function(); template <class F> function(F&&); template <class... A> R operator()(A&&...) const; explicit operator bool() const; };
template <class... A> tp::Any bind(A&&...); template <class T> T& ref(T&); template <class T> const T& cref(const T&);
template <class T> struct default_delete {};
template <class T, class D = default_delete<T>> struct unique_ptr { unique_ptr(); template <class... A> unique_ptr(A&&...); T* get() const; T* release(); template <class... A> void reset(A&&...); T* operator->() const; T& operator*() const; T& operator[](size_t) const; explicit operator bool() const; };
template <class T, class D> struct unique_ptr<T[], D> { template <class... A> unique_ptr(A&&...); T* get() const; T& operator[](size_t) const; };
template <class T> struct shared_ptr : unique_ptr<T> { using unique_ptr<T>::unique_ptr; long use_count() const; };
template <class T> struct weak_ptr { shared_ptr<T> lock() const; };
template <class T> struct enable_shared_from_this {};
template <class T, class... A> unique_ptr<T> make_unique(A&&...); template <class T, class... A> shared_ptr<T> make_shared(A&&...);
template <class T, class U> shared_ptr<T> static_pointer_cast(const U&); template <class T, class U> shared_ptr<T> dynamic_pointer_cast(const U&);

struct exception { virtual const char* what() const; }; struct runtime_error : exception { template <class T> runtime_error(const T&); }; struct logic_error : runtime_error { using runtime_error::runtime_error; };
struct invalid_argument : logic_error { using logic_error::logic_error; }; struct out_of_range : logic_error { using logic_error::logic_error; }; struct bad_alloc : exception {}; struct domain_error : logic_error { using logic_error::logic_error; };
struct ostream { template <class T> ostream& operator<<(const T&); ostream& operator<<(ostream& (*)(ostream&)); template <class... A> ostream& write(A&&...); void flush(); int precision(int); };
struct istream { template <class T> istream& operator>>(T&); template <class... A> istream& read(A&&...); explicit operator bool() const; bool eof(); };
struct stringstream : ostream, istream { stringstream(); stringstream(const string&); string str() const; }; struct ostringstream : ostream { string str() const; }; struct istringstream : istream { istringstream(const string&); };
struct ofstream : ostream { template <class... A> ofstream(A&&...); void close(); bool is_open(); }; struct ifstream : istream { template <class... A> ifstream(A&&...); void close(); bool is_open(); };
extern ostream cout, cerr, clog; ostream& endl(ostream&); ostream& flush(ostream&); ostream& hex(ostream&); template <class... A> tp::Any setw(A&&...); template <class... A> tp::Any setprecision(A&&...); template <class... A> bool getline(A&&...);
struct mutex { void lock(); void unlock(); bool try_lock(); }; struct recursive_mutex : mutex {}; struct shared_mutex : mutex {};
template <class M = mutex> struct lock_guard { lock_guard(M&); }; template <class M = mutex> struct unique_lock { unique_lock(M&); void lock(); void unlock(); }; template <class... M> struct scoped_lock { scoped_lock(M&...); };
struct condition_variable { template <class... A> void wait(A&&...); void notify_one(); void notify_all(); }; struct once_flag {}; template <class... A> void call_once(A&&...);
struct thread { thread(); template <class... A> thread(A&&...); void join(); void detach(); static unsigned hardware_concurrency(); };
enum memory_order { memory_order_relaxed, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };
template <class T> struct atomic { atomic(); atomic(T); T load(memory_order = memory_order_seq_cst) const; void store(T, memory_order = memory_order_seq_cst); T fetch_add(T, memory_order = memory_order_seq_cst); operator T() const; T operator++(); T operator++(int); T operator=(T); template <class... A> bool compare_exchange_weak(A&&...); template <class... A> bool compare_exchange_strong(A&&...); };
template <class T> struct complex { T r, i; complex(); complex(T, T = T()); T real() const; T imag() const; };
struct mt19937 { template <class... A> mt19937(A&&...); unsigned operator()(); };
namespace chrono { struct high_resolution_clock { static tp::Any now(); }; typedef high_resolution_clock steady_clock, system_clock; template <class... A> struct duration { template <class U> duration(U&&); double count() const; }; template <class T, class U> T duration_cast(const U&); struct milliseconds { template <class U> milliseconds(U&&); long count() const; }; typedef milliseconds microseconds, nanoseconds, seconds; }
#define F(n) TP_GIVES(tp::Any, n)
F(sort) F(stable_sort) F(find) F(find_if) F(copy) F(copy_n) F(fill) F(fill_n) F(transform) F(for_each) F(any_of) F(all_of) F(none_of) F(reverse) F(unique) F(remove) F(remove_if)
F(lower_bound) F(upper_bound) F(max_element) F(min_element) F(swap_ranges) F(iota) F(count_if) F(nth_element) F(partial_sort) F(equal) F(back_inserter) F(distance) F(next) F(prev)
F(advance) F(generate) F(shuffle) F(inner_product) F(partial_sum) F(minmax) F(clamp) F(rotate) F(begin) F(end) F(data) F(size) F(invoke) F(replace) F(search) F(binary_search)
#undef F
template <class I, class T, class... A> T accumulate(I, I, T, A&&...); template <class I, class T, class... A> T reduce(I, I, T, A&&...);
template <class T> T max(initializer_list<T>); template <class T> T min(initializer_list<T>); template <class T, class U> T bit_cast(const U&);
namespace filesystem { struct path { template <class T> path(const T&); string string() const; }; TP_GIVES(bool, exists) }
}  // namespace std
using std::swap;
#pragma clang force_cuda_host_device end
