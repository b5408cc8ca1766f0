// What PyTorch asks of an accelerator besides operators: the current device, streams, events, generators, and the hooks that lead to them.
// Every call has done its work when it returns, so streams keep only their identity and events only a time.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <atomic>
#include <chrono>

#include "simulator.h"

namespace torchport::simulator {
namespace {

using c10::Device;
using c10::DeviceIndex;
using c10::Stream;
using Clock = std::chrono::steady_clock;

thread_local c10::StreamId current_stream = 0;

struct Event {
  Clock::time_point time;
};

struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return kDeviceType; }
  DeviceIndex deviceCount() const noexcept override { return kDeviceCount; }
  Device getDevice() const override { return Device(kDeviceType, 0); }
  Device exchangeDevice(Device device) const override {
    check_index(device.index());
    return getDevice();
  }
  void setDevice(Device device) const override { check_index(device.index()); }
  void uncheckedSetDevice(Device) const noexcept override {}

  Stream getStream(Device) const override { return stream(current_stream); }
  Stream getDefaultStream(Device) const override { return stream(0); }
  Stream getStreamFromGlobalPool(Device device, bool) const override { return getNewStream(device); }
  Stream getNewStream(Device, int = 0) const override {
    static std::atomic<c10::StreamId> last{0};
    return stream(++last);
  }
  Stream exchangeStream(Stream next) const override {
    const Stream previous = stream(current_stream);
    current_stream = next.id();
    return previous;
  }
  bool queryStream(const Stream&) const override { return true; }
  void synchronizeStream(const Stream&) const override {}
  void synchronizeDevice(DeviceIndex) const override {}
  c10::DeviceCapability getDeviceCapability(Device) const override { return {}; }  // every type
  void recordDataPtrOnStream(const c10::DataPtr&, const Stream&) const override {}

  void record(void** event, const Stream&, DeviceIndex, c10::EventFlag) const override {
    if (*event == nullptr) *event = new Event;
    static_cast<Event*>(*event)->time = Clock::now();
  }
  void destroyEvent(void* event, DeviceIndex) const noexcept override { delete static_cast<Event*>(event); }
  void block(void*, const Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void synchronizeEvent(void*) const override {}
  double elapsedTime(void* begin, void* end, DeviceIndex) const override {
    TORCH_CHECK(begin != nullptr && end != nullptr, "both events must be recorded before the time between them is known");
    return std::chrono::duration<double, std::milli>(static_cast<Event*>(end)->time - static_cast<Event*>(begin)->time).count();
  }

 private:
  static Stream stream(c10::StreamId id) { return Stream(Stream::UNSAFE, Device(kDeviceType, 0), id); }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

class GeneratorImpl final : public c10::GeneratorImpl {
 public:
  explicit GeneratorImpl(DeviceIndex index, at::Generator host = at::detail::createCPUGenerator())
      : c10::GeneratorImpl(Device(kDeviceType, index < 0 ? DeviceIndex{0} : index), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
        host_(std::move(host)) {}

  const at::Generator& host() const { return host_; }
  void set_current_seed(uint64_t seed) override { host_.set_current_seed(seed); }
  uint64_t current_seed() const override { return host_.current_seed(); }
  uint64_t seed() override { return host_.seed(); }
  void set_offset(uint64_t offset) override { host_.set_offset(offset); }
  uint64_t get_offset() const override { return host_.get_offset(); }
  void set_state(const c10::TensorImpl& state) override { host_.unsafeGetGeneratorImpl()->set_state(state); }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override { return host_.unsafeGetGeneratorImpl()->get_state(); }

 private:
  GeneratorImpl* clone_impl() const override { return new GeneratorImpl(device_.index(), host_.clone()); }

  at::Generator host_;
};

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(DeviceIndex) const override { return true; }
  void init() const override {}
  DeviceIndex deviceCount() const override { return kDeviceCount; }
  DeviceIndex getCurrentDevice() const override { return 0; }
  void setCurrentDevice(DeviceIndex device) const override { check_index(device); }
  DeviceIndex exchangeDevice(DeviceIndex device) const override {
    check_index(device);
    return 0;
  }
  DeviceIndex maybeExchangeDevice(DeviceIndex) const override { return 0; }

  bool isPinnedPtr(const void* data) const override { return is_pinned(data); }
  c10::Allocator* getPinnedMemoryAllocator() const override { return &pinned_allocator(); }
  Device getDeviceFromPtr(void*) const override { return Device(kDeviceType, 0); }

  const at::Generator& getDefaultGenerator(DeviceIndex) const override { return default_generator(); }
  at::Generator getNewGenerator(DeviceIndex index) const override { return new_generator(index); }

  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override {
    auto data = device_allocator().allocate(bytes);
    if (storage.data() != nullptr) device_allocator().copy_data(data.get(), storage.data(), std::min(bytes, storage.nbytes()));
    storage.unsafeGetStorageImpl()->set_data_ptr_noswap(std::move(data));
    storage.unsafeGetStorageImpl()->set_nbytes(bytes);
  }
};

[[maybe_unused]] const bool hooks_registered = [] {
  at::RegisterPrivateUse1HooksInterface(new Hooks);
  return true;
}();

// What the Python side needs; torch.ops reaches it without a Python binding of our own.
TORCH_LIBRARY(torchport_simulator, library) {
  library.def("manual_seed(int seed) -> ()", [](int64_t seed) {
    at::Generator generator = default_generator();
    std::lock_guard lock(generator.mutex());
    generator.set_current_seed(static_cast<uint64_t>(seed));
  });
  library.def("host_view(Tensor(a) tensor) -> Tensor(a)", as_host);
  library.def("initial_seed() -> int", [] { return static_cast<int64_t>(default_generator().current_seed()); });
  library.def("rng_state() -> Tensor", [] { return default_generator().get_state(); });
  library.def("set_rng_state(Tensor state) -> ()", [](const at::Tensor& state) {
    at::Generator generator = default_generator();
    std::lock_guard lock(generator.mutex());
    generator.set_state(state);
  });
}

}  // namespace

void check_index(DeviceIndex index) {
  TORCH_CHECK(index >= -1 && index < kDeviceCount, "invalid device index ", static_cast<int>(index), ": the simulated accelerator has ",
              static_cast<int>(kDeviceCount), " device");
}

at::Generator new_generator(DeviceIndex index) {
  check_index(index);
  return at::make_generator<GeneratorImpl>(index);
}
const at::Generator& default_generator() {
  static const auto* generator = new at::Generator(new_generator(0));
  return *generator;
}
at::Generator host_side(const at::Generator& generator) {
  return generator.device().type() == kDeviceType ? generator.get<GeneratorImpl>()->host() : generator;
}

}  // namespace torchport::simulator
