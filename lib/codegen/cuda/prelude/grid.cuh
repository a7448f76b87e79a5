// How kernels run: blocks of threads that reduce together, failures that they note for the host, launches, and
// single elements that the host reads and writes.

//- mlgc_fail: notes a failure of a function (unit.h), and tells the host of the first one
MLGC_DEVICE void mlgc_fail(mlgc_failure* failure, unsigned int message, int64_t a = 0, int64_t b = 0,
                                        int64_t c = 0, int64_t d = 0) {
  if (atomicCAS(&failure->message, 0u, message) != 0 || atomicCAS(failure->first, 0u, message) != 0) return;
  mlgc_noted* const noted = failure->noted;
  noted->function = failure->function;
  noted->values[0] = a;
  noted->values[1] = b;
  noted->values[2] = c;
  noted->values[3] = d;
  __threadfence_system();  // the host that sees the message sees the values
  *const_cast<volatile unsigned int*>(&noted->message) = message;
}

//- mlgc_cuda_status: what the runtime calls an error
MLGC_HOST mlgc_i32 mlgc_cuda_status(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return MLGC_OK;
    case cudaErrorMemoryAllocation: return MLGC_LIMIT;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInvalidDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorNoKernelImageForDevice: return MLGC_UNSUPPORTED;
    default: return MLGC_DEVICE_FAILED;
  }
}

//- mlgc_refuse: ends a call because of the device
MLGC_HOST int32_t mlgc_refuse(const mlgc_runtime* runtime, cudaError_t error) {
  return runtime->fail_device(runtime, mlgc_cuda_status(error), cudaGetErrorString(error));
}

//- mlgc_queueing: what the runtime says to units for a device
MLGC_HOST const mlgc_device_runtime* mlgc_queueing(const mlgc_runtime* runtime) {
  return static_cast<const mlgc_device_runtime*>(runtime);
}

//- mlgc_wait: until all before is done
MLGC_HOST int32_t mlgc_wait(const mlgc_runtime* runtime) {
  const cudaError_t error = cudaStreamSynchronize(static_cast<cudaStream_t>(runtime->stream));
  return error == cudaSuccess ? 0 : mlgc_refuse(runtime, error);
}

//- mlgc_settle: until all before is done, and none of it has failed
MLGC_HOST int32_t mlgc_settle(const mlgc_runtime* runtime) { return mlgc_queueing(runtime)->settle(runtime); }

//- mlgc_shuffle_down: the value of the thread so many further in a warp, or in a group of a warp
template <int kThreads = 32, class T>
MLGC_DEVICE T mlgc_shuffle_down(T value, int distance) {
  if constexpr (sizeof(T) < 4)
    return static_cast<T>(__shfl_down_sync(0xffffffffu, static_cast<int32_t>(value), distance, kThreads));
  else
    return __shfl_down_sync(0xffffffffu, value, distance, kThreads);
}

//- mlgc_shuffle_first: the value of the first thread of a warp, or of a group of a warp
template <int kThreads = 32, class T>
MLGC_DEVICE T mlgc_shuffle_first(T value) {
  if constexpr (sizeof(T) < 4)
    return static_cast<T>(__shfl_sync(0xffffffffu, static_cast<int32_t>(value), 0, kThreads));
  else
    return __shfl_sync(0xffffffffu, value, 0, kThreads);
}

//- mlgc_piece: neighbouring elements that a thread reads or writes at once
template <class T, int kCount>
struct alignas(sizeof(T) * kCount < 16 ? sizeof(T) * kCount : 16) mlgc_piece {
  T values[kCount];
};

//- mlgc_read_piece: in accesses of up to 16 bytes, where the address is aligned to them
template <int kCount, class T>
MLGC_DEVICE mlgc_piece<T, kCount> mlgc_read_piece(const T* from) {
  typedef mlgc_piece<T, kCount> Piece;
  if (reinterpret_cast<uintptr_t>(from) % alignof(Piece) == 0) return *reinterpret_cast<const Piece*>(from);
  Piece piece;
#pragma unroll
  for (int i = 0; i < kCount; ++i) piece.values[i] = from[i];
  return piece;
}

//- mlgc_write_piece: likewise
template <class T, int kCount>
MLGC_DEVICE void mlgc_write_piece(T* to, const mlgc_piece<T, kCount>& piece) {
  typedef mlgc_piece<T, kCount> Piece;
  if (reinterpret_cast<uintptr_t>(to) % alignof(Piece) == 0) {
    if constexpr (sizeof(Piece) == 16) {
      // As one number: compilers take a structure apart, and do not always put it together again.
      __extension__ typedef unsigned __int128 Whole;
      uint64_t words[2];
      memcpy(words, &piece, sizeof words);
      *reinterpret_cast<Whole*>(to) = words[0] | static_cast<Whole>(words[1]) << 64;
    } else {
      *reinterpret_cast<Piece*>(to) = piece;
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < kCount; ++i) to[i] = piece.values[i];
}

//- mlgc_place_if: a place in a buffer where there is an element, else the first one. The place is computed in any case:
// a jump around the computation would have a thread ask for its elements one after the other.
template <class T>
MLGC_DEVICE T mlgc_place_if(bool holds, T place) {
  return holds ? place : T{0};
}

//- mlgc_combine: the values of the first kLanes threads of a block, halves of them added until one is left, for all
// threads of the block, each of which calls it: for half = kLanes/2 ... 1, value[l] = op(value[l], value[l + half]). Of up
// to 256 values all warps compute the same, and one barrier is enough: `round` counts the calls in a kernel, two of which
// in a row use different memory. More than 256 values are combined by one warp.
template <int kLanes, class T, class Op>
MLGC_DEVICE T mlgc_combine(T value, unsigned int& round, Op op) {
  constexpr int kRows = kLanes > 32 ? kLanes / 32 : 1, kWide = kLanes > 32 ? 32 : kLanes;
  constexpr bool kByAll = kLanes <= 256;
  __shared__ T memory[kByAll ? 2 : 1][kLanes];
  __shared__ T all;
  T* const values = memory[kByAll ? round % 2 : 0];
  ++round;
  if (threadIdx.x < kLanes) values[threadIdx.x] = value;
  __syncthreads();
  if (kByAll || threadIdx.x < 32) {
    T own[kRows];
#pragma unroll
    for (int row = 0; row < kRows; ++row) own[row] = values[threadIdx.x % kWide + 32 * row];
#pragma unroll
    for (int half = kRows / 2; half >= 1; half /= 2)
#pragma unroll
      for (int row = 0; row < half; ++row) own[row] = op(own[row], own[row + half]);
#pragma unroll
    for (int half = kWide / 2; half >= 1; half /= 2) own[0] = op(own[0], mlgc_shuffle_down(own[0], half));
    value = mlgc_shuffle_first(own[0]);
    if (!kByAll && threadIdx.x == 0) all = value;
  }
  if (kByAll) return value;
  __syncthreads();
  return all;
}

//- mlgc_combine_in_warp: likewise the values of the first kLanes threads of each kThreads of a warp, for all of these
template <int kLanes, int kThreads = 32, class T, class Op>
MLGC_DEVICE T mlgc_combine_in_warp(T value, Op op) {
#pragma unroll
  for (int half = kLanes / 2; half >= 1; half /= 2) value = op(value, mlgc_shuffle_down<kThreads>(value, half));
  return mlgc_shuffle_first<kThreads>(value);
}

//- mlgc_combine_across: likewise for each of kColumns columns of a block, whose thread t has the value t / kColumns of column
// t % kColumns, for all threads of the column; all threads of the block call it. Of up to 8 values all threads of a column
// compute the same. Of more, some combine four each before.
template <int kLanes, int kColumns, class T, class Op>
MLGC_DEVICE T mlgc_combine_across(T value, unsigned int& round, Op op) {
  constexpr int kParts = kLanes > 8 ? 8 : kLanes, kOfPart = kLanes / kParts;
  __shared__ T memory[2][kLanes][kColumns];
  __shared__ T parts[kParts][kColumns];
  T(*const values)[kColumns] = memory[round % 2];
  ++round;
  const int lane = threadIdx.x / kColumns, column = threadIdx.x % kColumns;
  if (lane < kLanes) values[lane][column] = value;
  __syncthreads();
  if (kOfPart > 1) {
    if (lane < kParts) {
      T own[kOfPart];
#pragma unroll
      for (int i = 0; i < kOfPart; ++i) own[i] = values[lane + i * kParts][column];
#pragma unroll
      for (int half = kOfPart / 2; half >= 1; half /= 2)
#pragma unroll
        for (int i = 0; i < half; ++i) own[i] = op(own[i], own[i + half]);
      parts[lane][column] = own[0];
    }
    __syncthreads();
  }
  T own[kParts];
#pragma unroll
  for (int i = 0; i < kParts; ++i) own[i] = kOfPart > 1 ? parts[i][column] : values[i][column];
#pragma unroll
  for (int half = kParts / 2; half >= 1; half /= 2)
#pragma unroll
    for (int i = 0; i < half; ++i) own[i] = op(own[i], own[i + half]);
  return own[0];
}

//- mlgc_chip_bytes: bytes on the chip that each block of the kernel may have for scratch
template <class... P>
MLGC_HOST int64_t mlgc_chip_bytes(void (*kernel)(P...)) {
  int device = 0, bytes = 0;
  cudaFuncAttributes own;
  if (cudaGetDevice(&device) != cudaSuccess || cudaFuncGetAttributes(&own, kernel) != cudaSuccess) return 0;
  if (cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) != cudaSuccess) return 0;
  return bytes - static_cast<int64_t>(own.sharedSizeBytes);
}

//- mlgc_begin_kernel: waits until earlier launches have ended; every kernel does this before it touches memory
// A launch that may overlap starts kernel k as soon as each block of kernel k-1 has passed the wait below or has ended.
// So k-1 may still run, and blocks of k take what it leaves free. Why this is as safe as one after the other:
//   - The wait lets a thread go on once the kernel that was launched before, k-1, has ended as a whole and what it wrote
//     is visible.
//   - k-1 cannot end before its threads have passed this wait, their first statement. So k-2 has ended, and so on: all
//     earlier kernels of the graph have. The first one has no earlier one: a graph begins after all that its stream had
//     before, and what follows on the stream begins after all kernels of the graph.
//   - The trigger says only that k+1 may start. It is no promise about memory, and k+1 waits as well: where the trigger
//     stands does not matter for results. It stands after the wait, so that at most one kernel waits beside the one that
//     computes. That one keeps no block of an earlier kernel from starting, as all of those have started.
// Launched without overlap, both statements do nothing. Before sm_90 there are none, and launches do not overlap.
MLGC_DEVICE void mlgc_begin_kernel() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

//- mlgc_launch: runs a kernel, which takes its iterations in turns where blocks are fewer. Where the runtime allows overlap,
// a kernel whose code waits itself may start before the one before has ended.
template <class T>
struct mlgc_same {
  typedef T type;
};
template <class... P>
MLGC_HOST int32_t mlgc_launch(const mlgc_runtime* runtime, void (*kernel)(P...), int64_t blocks, int threads,
                           int64_t shared, typename mlgc_same<P>::type... arguments) {
  if (blocks <= 0) return 0;
  if (shared > 0) {  // what reductions hold counts too: more than 48 KiB together is asked for
    const cudaError_t error =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
    if (error != cudaSuccess) return mlgc_refuse(runtime, error);
  }
  cudaLaunchAttribute overlap = {};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned int>(blocks < 0x7fffffff ? blocks : 0x7fffffff));
  config.blockDim = dim3(static_cast<unsigned int>(threads));
  config.dynamicSmemBytes = static_cast<size_t>(shared);
  config.stream = static_cast<cudaStream_t>(runtime->stream);
  config.attrs = &overlap;
  if (mlgc_queueing(runtime)->overlap != 0) {
    // The code that runs is what was compiled for this virtual architecture, as __CUDA_ARCH__ had it.
    cudaFuncAttributes own;
    const cudaError_t error = cudaFuncGetAttributes(&own, kernel);
    if (error != cudaSuccess) return mlgc_refuse(runtime, error);
    config.numAttrs = own.ptxVersion >= 90 ? 1 : 0;
  }
  const cudaError_t error = cudaLaunchKernelEx(&config, kernel, arguments...);
  return error == cudaSuccess ? 0 : mlgc_refuse(runtime, error);
}

//- mlgc_fetch: one element of the device's memory, which is idle (mlgc_wait, mlgc_settle)
template <class T>
MLGC_HOST T mlgc_fetch(const mlgc_runtime* runtime, const T* place) {
  T value = {};
  const cudaStream_t stream = static_cast<cudaStream_t>(runtime->stream);
  void* const pinned = mlgc_queueing(runtime)->pinned;
  cudaError_t error = cudaMemcpyAsync(pinned, place, sizeof value, cudaMemcpyDeviceToHost, stream);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
  if (error == cudaSuccess)
    memcpy(&value, pinned, sizeof value);
  else
    (void)mlgc_refuse(runtime, error);  // the call has failed, whatever it goes on to do
  return value;
}

//- mlgc_put: writes one element of the device's memory
template <class T>
MLGC_HOST void mlgc_put(const mlgc_runtime* runtime, T* place, T value) {
  const cudaStream_t stream = static_cast<cudaStream_t>(runtime->stream);
  cudaError_t error = cudaMemcpyAsync(place, &value, sizeof value, cudaMemcpyHostToDevice, stream);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
  if (error != cudaSuccess) (void)mlgc_refuse(runtime, error);
}

//- MLGC_CUDA_DEVICE: what the runtime calls, for functions of which `queues` says more, and messages of failures
MLGC_HOST mlgc_i32 mlgc_cuda_result(cudaError_t error, const char** text) {
  if (error != cudaSuccess) *text = cudaGetErrorString(error);
  return mlgc_cuda_status(error);
}
// Lets this thread allocate while its streams are captured, which the capture would else forbid: no graph depends on it.
struct mlgc_cuda_unsafe {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  mlgc_cuda_unsafe() { (void)cudaThreadExchangeStreamCaptureMode(&mode); }
  ~mlgc_cuda_unsafe() { (void)cudaThreadExchangeStreamCaptureMode(&mode); }
};
MLGC_HOST mlgc_i32 mlgc_cuda_allocate(mlgc_i64 bytes, void** data, const char** text) {
  const mlgc_cuda_unsafe allowed;
  return mlgc_cuda_result(cudaMalloc(data, static_cast<size_t>(bytes > 0 ? bytes : 1)), text);
}
MLGC_HOST void mlgc_cuda_release(void* data) {
  const mlgc_cuda_unsafe allowed;
  (void)cudaFree(data);
}
MLGC_HOST mlgc_i32 mlgc_cuda_copy(void* to, const void* from, mlgc_i64 bytes, void* stream, const char** text) {
  return mlgc_cuda_result(cudaMemcpyAsync(to, from, static_cast<size_t>(bytes), cudaMemcpyDefault,
                                          static_cast<cudaStream_t>(stream)),
                          text);
}
MLGC_HOST mlgc_i32 mlgc_cuda_synchronize(void* stream, const char** text) {
  return mlgc_cuda_result(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), text);
}
MLGC_HOST mlgc_i32 mlgc_cuda_copy_out(void* to, const void* from, mlgc_i64 bytes, void* stream, const char** text) {
  const mlgc_i32 status = mlgc_cuda_copy(to, from, bytes, stream, text);
  return status != 0 ? status : mlgc_cuda_synchronize(stream, text);
}
MLGC_HOST mlgc_i32 mlgc_cuda_allocate_host(mlgc_i64 bytes, void** data, const char** text) {
  const mlgc_cuda_unsafe allowed;
  return mlgc_cuda_result(cudaMallocHost(data, static_cast<size_t>(bytes)), text);
}
MLGC_HOST void mlgc_cuda_release_host(void* data) {
  const mlgc_cuda_unsafe allowed;
  (void)cudaFreeHost(data);
}
MLGC_HOST mlgc_i32 mlgc_cuda_is_capturing(void* stream, mlgc_i32* capturing, const char** text) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaError_t error = cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &status);
  *capturing = status != cudaStreamCaptureStatusNone;
  return mlgc_cuda_result(error, text);
}
// Relaxed: nothing that is captured here is unsafe, and loading a kernel on its first launch may allocate.
MLGC_HOST mlgc_i32 mlgc_cuda_begin_capture(void** capture, const char** text) {
  cudaStream_t stream = static_cast<cudaStream_t>(*capture);
  if (stream == nullptr) {
    const cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (error != cudaSuccess) return mlgc_cuda_result(error, text);
    *capture = stream;
  }
  return mlgc_cuda_result(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), text);
}
MLGC_HOST mlgc_i32 mlgc_cuda_end_capture(void* capture, void** graph, void* stream, mlgc_i32* instantiated,
                                         const char** text) {
  cudaGraph_t captured = nullptr;
  cudaError_t error = cudaStreamEndCapture(static_cast<cudaStream_t>(capture), &captured);
  if (error == cudaSuccess && graph != nullptr) {
    cudaGraphExec_t exec = static_cast<cudaGraphExec_t>(*graph);
    if (exec != nullptr) {
      cudaGraphExecUpdateResultInfo info = {};
      if (cudaGraphExecUpdate(exec, captured, &info) != cudaSuccess) {
        (void)cudaGetLastError();  // what cannot be updated is made again
        error = cudaStreamSynchronize(static_cast<cudaStream_t>(stream));
        (void)cudaGraphExecDestroy(exec);
        exec = nullptr;
      }
    }
    *instantiated = exec == nullptr;
    if (error == cudaSuccess && exec == nullptr) error = cudaGraphInstantiate(&exec, captured, 0);
    *graph = error == cudaSuccess ? exec : nullptr;
  }
  if (captured != nullptr) (void)cudaGraphDestroy(captured);
  return mlgc_cuda_result(error, text);
}
MLGC_HOST mlgc_i32 mlgc_cuda_launch_graph(void* graph, void* stream, const char** text) {
  return mlgc_cuda_result(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), static_cast<cudaStream_t>(stream)), text);
}
MLGC_HOST void mlgc_cuda_release_graph(void* graph) {
  (void)cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph));
}
MLGC_HOST void mlgc_cuda_release_capture(void* capture) {
  (void)cudaStreamDestroy(static_cast<cudaStream_t>(capture));
}
// Virtual architectures that the unit was compiled for, as nvcc lists them: 900 is compute capability 9.0.
#ifdef __CUDA_ARCH_LIST__
static const int mlgc_cuda_codes[] = {__CUDA_ARCH_LIST__};
#else
static const int mlgc_cuda_codes[] = {0};
#endif
static __global__ void mlgc_cuda_probe() { mlgc_begin_kernel(); }
MLGC_HOST mlgc_i32 mlgc_cuda_open(mlgc_i32 number, const char** text) {
  static thread_local char said[256];
  int count = 0, driver = 0, major = 0, minor = 0;
  const cudaError_t counted = cudaGetDeviceCount(&count);
  if (counted == cudaErrorInsufficientDriver) {
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
      snprintf(said, sizeof said, "there is no NVIDIA driver on this machine");
    else
      snprintf(said, sizeof said, "the driver is for CUDA %d.%d and older, the model was compiled with CUDA %d.%d",
               driver / 1000, driver / 10 % 100, CUDART_VERSION / 1000, CUDART_VERSION / 10 % 100);
    return *text = said, MLGC_UNSUPPORTED;
  }
  if (counted != cudaSuccess) return mlgc_cuda_result(counted, text);
  if (number < 0 || number >= count) {
    snprintf(said, sizeof said, "this machine has %d, numbered from 0", count);
    return *text = said, MLGC_UNSUPPORTED;
  }
  int before = 0;
  cudaError_t error = cudaGetDevice(&before);
  if (error == cudaSuccess) error = cudaSetDevice(number);
  if (error != cudaSuccess) return mlgc_cuda_result(error, text);
  cudaFuncAttributes own;
  error = cudaFuncGetAttributes(&own, mlgc_cuda_probe);
  (void)cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, number);
  (void)cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, number);
  (void)cudaSetDevice(before);
  if (mlgc_cuda_status(error) != MLGC_UNSUPPORTED) return mlgc_cuda_result(error, text);
  int used = snprintf(said, sizeof said, "it is of compute capability %d.%d, the model has code for", major, minor);
  for (const int code : mlgc_cuda_codes)
    if (used < static_cast<int>(sizeof said) - 8)
      used += snprintf(said + used, sizeof said - static_cast<size_t>(used), " %d.%d", code / 100, code / 10 % 10);
  return *text = said, MLGC_UNSUPPORTED;
}
MLGC_HOST mlgc_i32 mlgc_cuda_select(mlgc_i32 number, mlgc_i32* previous, const char** text) {
  cudaError_t error = cudaGetDevice(previous);
  if (error == cudaSuccess && *previous != number) error = cudaSetDevice(number);
  return mlgc_cuda_result(error, text);
}
MLGC_HOST mlgc_i32 mlgc_cuda_locate(const void* data, mlgc_i32* number, const char** text) {
  cudaPointerAttributes found;
  int device = 0;
  *number = -1;
  cudaError_t error = cudaPointerGetAttributes(&found, data);
  if (error != cudaSuccess || found.type == cudaMemoryTypeUnregistered) return mlgc_cuda_result(error, text);
  *number = found.device;
  if (found.type == cudaMemoryTypeDevice) return MLGC_OK;
  error = cudaGetDevice(&device);  // managed or pinned: any device reaches it
  *number = device;
  return mlgc_cuda_result(error, text);
}
#define MLGC_CUDA_DEVICE(queues, messages)                                                                           \
  {MLGC_CUDA, mlgc_cuda_allocate, mlgc_cuda_release, mlgc_cuda_copy, mlgc_cuda_copy_out, mlgc_cuda_synchronize,     \
   mlgc_cuda_allocate_host, mlgc_cuda_release_host, mlgc_cuda_is_capturing, mlgc_cuda_begin_capture,                \
   mlgc_cuda_end_capture, mlgc_cuda_launch_graph, mlgc_cuda_release_graph, mlgc_cuda_release_capture,               \
   mlgc_cuda_open, mlgc_cuda_select, mlgc_cuda_locate, queues, messages}
