// CUDA's runtime and driver: types, built-in variables, intrinsics, calls.
#pragma clang force_cuda_host_device begin
struct uint3 { unsigned x, y, z; };
struct dim3 { unsigned x, y, z; constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {} constexpr dim3(uint3 u) : x(u.x), y(u.y), z(u.z) {} operator uint3() const; };
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
extern const int warpSize;
#define F(n, T)                                                                                                                                         \
  struct n##1 { T x; }; struct n##2 { T x, y; }; struct n##3 { T x, y, z; }; struct n##4 { T x, y, z, w; };                                              \
  n##1 make_##n##1(T); n##2 make_##n##2(T, T); n##3 make_##n##3(T, T, T); n##4 make_##n##4(T, T, T, T);
F(char, signed char) F(uchar, unsigned char) F(short, short) F(ushort, unsigned short) F(int, int) F(long, long) F(ulong, unsigned long) F(longlong, long long)
F(ulonglong, unsigned long long) F(float, float) F(double, double)
#undef F
struct uint1 { unsigned x; }; struct uint2 { unsigned x, y; }; struct uint4 { unsigned x, y, z, w; };
uint1 make_uint1(unsigned); uint2 make_uint2(unsigned, unsigned); uint3 make_uint3(unsigned, unsigned, unsigned); uint4 make_uint4(unsigned, unsigned, unsigned, unsigned);

typedef struct CUstream_st* cudaStream_t; typedef struct CUevent_st* cudaEvent_t; typedef struct CUgraph_st* cudaGraph_t; typedef struct CUgraphExec_st* cudaGraphExec_t;
typedef struct CUarray_st* cudaArray_t; typedef struct CUmemPool_st* cudaMemPool_t; typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t; typedef void* cudaFunction_t;
typedef struct CUctx_st* CUcontext; typedef struct CUmod_st* CUmodule; typedef struct CUfunc_st* CUfunction; typedef cudaStream_t CUstream; typedef cudaEvent_t CUevent; typedef int CUdevice;
typedef unsigned long long CUdeviceptr; struct CUtensorMap { unsigned long long tp[16]; }; struct cudaUUID_t { char bytes[16]; };
enum cudaError_t { cudaSuccess, cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorNotReady, cudaErrorUnknown, cudaErrorInvalidConfiguration, cudaErrorPeerAccessAlreadyEnabled, cudaErrorNoDevice, cudaErrorNotSupported };
typedef cudaError_t cudaError;
enum CUresult { CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_OUT_OF_MEMORY };
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount, cudaDevAttrMaxSharedMemoryPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlock, cudaDevAttrMaxSharedMemoryPerMultiprocessor, cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor, cudaDevAttrMaxThreadsPerBlock, cudaDevAttrMaxGridDimX, cudaDevAttrWarpSize, cudaDevAttrL2CacheSize, cudaDevAttrCooperativeLaunch, cudaDevAttrClockRate };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize, cudaFuncAttributePreferredSharedMemoryCarveout, cudaFuncAttributeNonPortableClusterSizeAllowed, cudaFuncAttributeMax };
enum cudaDataType_t { CUDA_R_32F, CUDA_R_16F, CUDA_R_16BF, CUDA_R_64F, CUDA_R_8I, CUDA_R_32I, CUDA_R_8F_E4M3, CUDA_R_8F_E5M2, CUDA_R_8U, CUDA_C_32F, CUDA_C_64F, CUDA_R_4F_E2M1, CUDA_R_64I };
typedef cudaDataType_t cudaDataType;
enum tp_cuda_flags { cudaEventDefault, cudaEventDisableTiming, cudaEventBlockingSync, cudaEventInterprocess, cudaStreamDefault, cudaStreamNonBlocking, cudaHostAllocDefault, cudaHostAllocMapped, cudaHostAllocPortable, cudaHostRegisterPortable, cudaHostRegisterDefault, cudaMemAttachGlobal, cudaIpcMemLazyEnablePeerAccess,
  cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferNone, cudaSharedMemBankSizeEightByte, cudaSharedmemCarveoutMaxShared, cudaLimitMallocHeapSize, cudaLimitPersistingL2CacheSize, cudaCpuDeviceId, cudaLaunchAttributeClusterDimension, cudaLaunchAttributeCooperative, cudaLaunchAttributeProgrammaticStreamSerialization, cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed, cudaMemLocationTypeDevice };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated };
#define cudaStreamPerThread ((cudaStream_t)2)
struct cudaDeviceProp { char name[256]; int major, minor, multiProcessorCount, warpSize, maxThreadsPerBlock, maxThreadsPerMultiProcessor, sharedMemPerBlockOptinX, regsPerBlock, clockRate, l2CacheSize, maxThreadsDim[3], maxGridSize[3]; size_t sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor, totalGlobalMem; };
struct cudaFuncAttributes { size_t sharedSizeBytes; int maxThreadsPerBlock, numRegs, binaryVersion, ptxVersion, maxDynamicSharedSizeBytes; };
struct cudaLaunchAttributeValue { struct { unsigned x, y, z; } clusterDim; int cooperative, programmaticStreamSerializationAllowed, priority; };
struct cudaLaunchAttribute { int id; cudaLaunchAttributeValue val; };
struct cudaLaunchConfig_t { dim3 gridDim, blockDim; size_t dynamicSmemBytes; cudaStream_t stream; cudaLaunchAttribute* attrs; unsigned numAttrs; };
struct cudaPointerAttributes { int type, device; void *devicePointer, *hostPointer; }; struct cudaIpcMemHandle_t { char reserved[64]; }; struct cudaIpcEventHandle_t { char reserved[64]; };
struct cudaExtent { size_t width, height, depth; }; struct cudaPitchedPtr { void* ptr; }; struct cudaChannelFormatDesc {}; struct cudaResourceDesc {}; struct cudaTextureDesc {};
template <class T, int d = 1, int m = 0> struct texture {}; template <class T, int d = 1> struct surface {};
struct cudaAccessPolicyWindow { void* base_ptr; size_t num_bytes; float hitRatio; int hitProp, missProp; }; struct cudaStreamAttrValue { cudaAccessPolicyWindow accessPolicyWindow; };

// What clang asks for behind <<<>>>, on the host and on the device.
extern "C" int cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void* = 0);
extern "C" cudaError_t cudaLaunchDevice(void*, void*, dim3, dim3, unsigned, cudaStream_t);
extern "C" void* cudaGetParameterBuffer(size_t, size_t);

#define F(n) TP_GIVES(cudaError_t, n)
F(cudaMalloc) F(cudaFree) F(cudaMallocHost) F(cudaFreeHost) F(cudaHostAlloc) F(cudaMallocManaged) F(cudaMallocAsync) F(cudaFreeAsync) F(cudaMallocPitch) F(cudaMalloc3D) F(cudaMemcpy)
F(cudaMemcpyAsync) F(cudaMemcpy2D) F(cudaMemcpy2DAsync) F(cudaMemcpyPeer) F(cudaMemcpyPeerAsync) F(cudaMemcpyToSymbol) F(cudaMemcpyToSymbolAsync) F(cudaMemcpyFromSymbol) F(cudaMemset) F(cudaMemsetAsync) F(cudaMemset2D)
F(cudaMemGetInfo) F(cudaMemPrefetchAsync) F(cudaMemAdvise) F(cudaHostRegister) F(cudaHostUnregister) F(cudaHostGetDevicePointer) F(cudaPointerGetAttributes) F(cudaGetSymbolAddress)
F(cudaDeviceSynchronize) F(cudaThreadSynchronize) F(cudaDeviceReset) F(cudaGetDevice) F(cudaSetDevice) F(cudaGetDeviceCount) F(cudaGetDeviceProperties) F(cudaDeviceGetAttribute) F(cudaDeviceSetLimit) F(cudaDeviceGetLimit)
F(cudaDeviceSetCacheConfig) F(cudaDeviceCanAccessPeer) F(cudaDeviceEnablePeerAccess) F(cudaDeviceGetStreamPriorityRange) F(cudaDeviceGetDefaultMemPool) F(cudaRuntimeGetVersion) F(cudaDriverGetVersion)
F(cudaGetLastError) F(cudaPeekAtLastError) F(cudaStreamCreate) F(cudaStreamCreateWithFlags) F(cudaStreamCreateWithPriority) F(cudaStreamDestroy) F(cudaStreamSynchronize) F(cudaStreamWaitEvent) F(cudaStreamQuery)
F(cudaStreamAddCallback) F(cudaLaunchHostFunc) F(cudaStreamBeginCapture) F(cudaStreamEndCapture) F(cudaStreamIsCapturing) F(cudaStreamSetAttribute) F(cudaStreamGetCaptureInfo) F(cudaEventCreate) F(cudaEventCreateWithFlags) F(cudaEventDestroy)
F(cudaEventRecord) F(cudaEventSynchronize) F(cudaEventQuery) F(cudaEventElapsedTime) F(cudaLaunchKernel) F(cudaLaunchKernelEx) F(cudaLaunchKernelExC) F(cudaLaunchCooperativeKernel) F(cudaLaunchCooperativeKernelMultiDevice)
F(cudaFuncSetAttribute) F(cudaFuncGetAttributes) F(cudaFuncSetCacheConfig) F(cudaFuncSetSharedMemConfig) F(cudaOccupancyMaxActiveBlocksPerMultiprocessor) F(cudaOccupancyMaxPotentialBlockSize) F(cudaOccupancyMaxActiveClusters)
F(cudaGraphCreate) F(cudaGraphInstantiate) F(cudaGraphLaunch) F(cudaGraphDestroy) F(cudaGraphExecDestroy) F(cudaGraphExecUpdate) F(cudaIpcGetMemHandle) F(cudaIpcOpenMemHandle) F(cudaIpcCloseMemHandle) F(cudaIpcGetEventHandle)
F(cudaBindTexture) F(cudaUnbindTexture) F(cudaCreateTextureObject) F(cudaDestroyTextureObject) F(cudaProfilerStart) F(cudaProfilerStop) F(cudaGetDriverEntryPoint) F(cudaMemPoolSetAttribute) F(cudaMemcpyBatchAsync) F(cudaCtxResetPersistingL2Cache)
#undef F
TP_GIVES(const char*, cudaGetErrorString) TP_GIVES(const char*, cudaGetErrorName) TP_GIVES(cudaExtent, make_cudaExtent)
#define F(n) TP_GIVES(CUresult, n)
F(cuInit) F(cuDeviceGet) F(cuDeviceGetAttribute) F(cuDeviceGetCount) F(cuCtxCreate) F(cuCtxDestroy) F(cuCtxGetCurrent) F(cuCtxSetCurrent) F(cuCtxGetDevice) F(cuModuleLoad) F(cuModuleLoadData) F(cuModuleLoadDataEx) F(cuModuleUnload) F(cuModuleGetFunction)
F(cuModuleGetGlobal) F(cuFuncSetAttribute) F(cuFuncGetAttribute) F(cuLaunchKernel) F(cuLaunchKernelEx) F(cuLaunchCooperativeKernel) F(cuMemAlloc) F(cuMemFree) F(cuMemcpyHtoD) F(cuMemcpyDtoH) F(cuMemcpyHtoDAsync) F(cuMemcpyAsync) F(cuMemsetD32)
F(cuMemsetD32Async) F(cuMemCreate) F(cuMemMap) F(cuMemUnmap) F(cuMemRelease) F(cuMemSetAccess) F(cuMemAddressReserve) F(cuMemAddressFree) F(cuGetErrorString) F(cuGetErrorName) F(cuStreamSynchronize) F(cuStreamWaitValue32) F(cuStreamWriteValue32)
F(cuTensorMapEncodeTiled) F(cuTensorMapEncodeIm2col) F(cuGetProcAddress) F(cuMemGetAllocationGranularity) F(cuMemExportToShareableHandle) F(cuMemImportFromShareableHandle) F(cuMulticastCreate) F(cuMulticastBindMem) F(cuMulticastAddDevice)
#undef F

#define F(n) TP_POINTEE(n)
F(atomicAdd) F(atomicSub) F(atomicMax) F(atomicMin) F(atomicInc) F(atomicDec) F(atomicExch) F(atomicCAS) F(atomicAnd) F(atomicOr) F(atomicXor) F(atomicAdd_block) F(atomicAdd_system) F(atomicMax_block) F(atomicCAS_system) F(atomicExch_system)
F(gpuAtomicAdd) F(gpuAtomicAddNoReturn) F(gpuAtomicMax) F(gpuAtomicMin) F(gpuAtomicMul) F(atomicAddNoRet) F(__ldg) F(__ldcg) F(__ldcs) F(__ldca) F(__ldlu) F(__ldcv) F(__stcg) F(__stcs) F(__stwb) F(__stwt)
#undef F
#define F(n) template <class T, class... A> T n(unsigned, T, A...);
F(__shfl_sync) F(__shfl_up_sync) F(__shfl_down_sync) F(__shfl_xor_sync) F(__reduce_add_sync) F(__reduce_min_sync) F(__reduce_max_sync) F(__reduce_and_sync) F(__reduce_or_sync) F(__reduce_xor_sync)
#undef F
#define F(n) TP_SAME(n)
F(__shfl) F(__shfl_up) F(__shfl_down) F(__shfl_xor) F(WARP_SHFL) F(WARP_SHFL_UP) F(WARP_SHFL_DOWN) F(WARP_SHFL_XOR) F(__expf) F(__exp10f) F(__logf) F(__log2f) F(__log10f) F(__sinf) F(__cosf) F(__tanf) F(__powf) F(__fdividef) F(__saturatef) F(__frcp_rn) F(__frsqrt_rn) F(__fsqrt_rn)
F(__fadd_rn) F(__fsub_rn) F(__fmul_rn) F(__fmaf_rn) F(__fdiv_rn) F(__fmaf_rz) F(__fmul_rz) F(__fadd_rz) F(__dadd_rn) F(__dmul_rn) F(__fma_rn) F(__ddiv_rn) F(__drcp_rn) F(__dsqrt_rn) F(__brev) F(__brevll) F(__byte_perm) F(__funnelshift_l) F(__funnelshift_r) F(__funnelshift_rc) F(__mul24) F(__umul24) F(__mulhi) F(__umulhi)
F(__mul64hi) F(__umul64hi) F(__sad) F(__usad) F(__hadd_int) F(__rhadd) F(__vadd4) F(__vsub4) F(__vabsdiffu4) F(__vmaxs4) F(__vmins4) F(__vcmpeq4) F(__vcmpgtu4) F(__vadd2) F(__vabs4) F(__vsubss4) F(__vcmpne4)
#undef F
#define F(n) TP_GIVES(int, n)
F(__dp4a) F(__dp2a_lo) F(__dp2a_hi) F(__popc) F(__popcll) F(__clz) F(__clzll) F(__ffs) F(__ffsll) F(__any) F(__all) F(__any_sync) F(__all_sync) F(__syncthreads_count) F(__syncthreads_or) F(__syncthreads_and) F(__float2int_rn) F(__float2int_rz) F(__float2int_ru) F(__float2int_rd)
F(__double2int_rn) F(__double2int_rz) F(__float_as_int) F(__double2hiint) F(__double2loint) F(WARP_ANY) F(__isGlobal) F(__isShared)
#undef F
#define F(n) TP_GIVES(unsigned, n)
F(__ballot) F(__ballot_sync) F(__activemask) F(__match_any_sync) F(__match_all_sync) F(WARP_BALLOT) F(ACTIVE_MASK) F(__lane_id) F(__float_as_uint) F(__float2uint_rn) F(__float2uint_rz) F(__smid) F(__fns) F(__nvvm_get_smem_pointer)
#undef F
#define F(n) TP_GIVES(float, n)
F(__int_as_float) F(__uint_as_float) F(__int2float_rn) F(__uint2float_rn) F(__int2float_rz) F(__double2float_rn) F(__ll2float_rn) F(__ull2float_rn) F(tp_float)
#undef F
TP_GIVES(double, __longlong_as_double) TP_GIVES(long long, __double_as_longlong) TP_GIVES(double, __hiloint2double) TP_GIVES(long long, __float2ll_rn) TP_GIVES(double, __int2double_rn)
#define F(n) template <class T, class... A> T n(A&&...);
F(tex1D) F(tex2D) F(tex3D) F(tex1Dfetch) F(tex2DLod) F(tex2DLayered) F(texCubemap) F(tex2Dgather) F(surf2Dread) F(cudaCreateChannelDesc)
#undef F
TP_GIVES(void, surf2Dwrite) TP_GIVES(void, __pipeline_memcpy_async) TP_GIVES(void, __pipeline_commit) TP_GIVES(void, __pipeline_wait_prior)
#pragma clang force_cuda_host_device end
