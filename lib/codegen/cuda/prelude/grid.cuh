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

//- mlgc_shift_in: element by element, neighbours move down by one, and `next` becomes the last one
// A loop of such steps, which is not unrolled, is how pieces at other addresses are accessed. Unrolled, its loads would stand
// beside each access of 16 bytes, and compilers would take the words of that apart into elements.
template <class T, int kCount>
MLGC_DEVICE void mlgc_shift_in(mlgc_piece<T, kCount>& piece, T next) {
  if constexpr (sizeof(T) < 4 && sizeof piece % 4 == 0) {
    constexpr int kWords = sizeof piece / 4, kBits = 8 * sizeof(T);
    uint32_t words[kWords], last = 0;
    memcpy(words, &piece, sizeof piece);
    memcpy(&last, &next, sizeof next);
#pragma unroll
    for (int i = 0; i < kWords; ++i)
      words[i] = words[i] >> kBits | (i + 1 < kWords ? words[i + 1] : last) << (32 - kBits);
    memcpy(&piece, words, sizeof piece);
  } else {
#pragma unroll
    for (int i = 0; i < kCount; ++i) piece.values[i] = i + 1 < kCount ? piece.values[i + 1] : next;
  }
}

//- mlgc_read_piece: in accesses of up to 16 bytes, where the address is aligned to them; kAligned: it is
template <int kCount, bool kAligned = false, class T>
MLGC_DEVICE mlgc_piece<T, kCount> mlgc_read_piece(const T* from) {
  typedef mlgc_piece<T, kCount> Piece;
  if (kAligned || reinterpret_cast<uintptr_t>(from) % alignof(Piece) == 0) return *reinterpret_cast<const Piece*>(from);
  Piece piece = {};
#pragma unroll 1
  for (int i = 0; i < kCount; ++i) mlgc_shift_in(piece, from[i]);
  return piece;
}

//- mlgc_read_parts: likewise, from anywhere: as parts of kPart elements, where the address is aligned to these
template <int kPart, int kCount, class T>
MLGC_DEVICE mlgc_piece<T, kCount> mlgc_read_parts(const T* from) {
  mlgc_piece<T, kCount> piece;
#pragma unroll
  for (int i = 0; i < kCount; i += kPart) {
    const mlgc_piece<T, kPart> part = *reinterpret_cast<const mlgc_piece<T, kPart>*>(from + i);
#pragma unroll
    for (int k = 0; k < kPart; ++k) piece.values[i + k] = part.values[k];
  }
  return piece;
}
template <int kCount, class T>
MLGC_DEVICE mlgc_piece<T, kCount> mlgc_read_parts(const T* from) {
  typedef mlgc_piece<T, kCount> Piece;
  const uintptr_t address = reinterpret_cast<uintptr_t>(from);
  if (address % alignof(Piece) == 0) return *reinterpret_cast<const Piece*>(from);
  if constexpr (kCount > 2) {
    if (address % (8 < alignof(Piece) ? 8 : alignof(Piece)) == 0) return mlgc_read_parts<8 / sizeof(T), kCount>(from);
    if constexpr (sizeof(T) < 4)
      if (address % (2 * sizeof(T)) == 0) return mlgc_read_parts<2, kCount>(from);
    // Pairs between the first element and the last one.
    Piece piece;
    piece.values[0] = from[0];
#pragma unroll
    for (int i = 1; i < kCount - 1; i += 2) {
      const mlgc_piece<T, 2> pair = *reinterpret_cast<const mlgc_piece<T, 2>*>(from + i);
      piece.values[i] = pair.values[0];
      piece.values[i + 1] = pair.values[1];
    }
    piece.values[kCount - 1] = from[kCount - 1];
    return piece;
  } else {
    Piece piece;
#pragma unroll
    for (int i = 0; i < kCount; ++i) piece.values[i] = from[i];
    return piece;
  }
}

//- mlgc_write_piece: likewise, at a place of a buffer
template <bool kAligned = false, class T, int kCount>
MLGC_DEVICE void mlgc_write_piece(T* buffer, int64_t place, const mlgc_piece<T, kCount>& piece) {
  typedef mlgc_piece<T, kCount> Piece;
#ifdef __CUDACC__
  asm("" : "+l"(place));  // nvcc 13 splits the access where it sees that a remainder is part of the place
#endif
  T* const to = buffer + place;
  if (kAligned || reinterpret_cast<uintptr_t>(to) % alignof(Piece) == 0) {
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
  Piece left = piece;
#pragma unroll 1
  for (int i = 0; i < kCount; ++i) {
    to[i] = left.values[0];
    mlgc_shift_in(left, T{});
  }
}

//- mlgc_bfloats_of: numbers rounded, two at a time
template <int kCount>
MLGC_DEVICE mlgc_piece<uint16_t, kCount> mlgc_bfloats_of(const mlgc_piece<float, kCount>& numbers) {
  mlgc_piece<uint16_t, kCount> piece;
  uint32_t pairs[kCount / 2];
#pragma unroll
  for (int i = 0; i < kCount / 2; ++i) pairs[i] = mlgc_to_bfloats(numbers.values[2 * i], numbers.values[2 * i + 1]);
  memcpy(&piece, pairs, sizeof piece);
  return piece;
}

//- mlgc_halves_of: likewise
template <int kCount>
MLGC_DEVICE mlgc_piece<uint16_t, kCount> mlgc_halves_of(const mlgc_piece<float, kCount>& numbers) {
  mlgc_piece<uint16_t, kCount> piece;
  uint32_t pairs[kCount / 2];
#pragma unroll
  for (int i = 0; i < kCount / 2; ++i) pairs[i] = mlgc_to_halves(numbers.values[2 * i], numbers.values[2 * i + 1]);
  memcpy(&piece, pairs, sizeof piece);
  return piece;
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

//- mlgc_kernel_call: what a launch is given, whatever the types of its arguments
struct mlgc_kernel_call {
  const void* kernel;
  unsigned int blocks, threads;
  int64_t shared;
  void** arguments;
  const unsigned int* sizes;  // of the arguments, in bytes
  int count;
};
// Of the words of a launch (mlgc_recording): its node, the kernel, grid and block, shared memory; then the arguments.
enum { mlgc_node_word, mlgc_kernel_word, mlgc_grid_word, mlgc_shared_word, mlgc_first_argument };
MLGC_HOST int64_t mlgc_words_of(unsigned int bytes) { return (int64_t{bytes} + 7) / 8; }
// Whether the words of the launch say something else; now they say what is given, but for the node and the kernel.
MLGC_HOST bool mlgc_note_given(unsigned long long* words, const mlgc_kernel_call& given) {
  const unsigned long long grid = (static_cast<unsigned long long>(given.blocks) << 32) | given.threads;
  bool changed = words[mlgc_grid_word] != grid || words[mlgc_shared_word] != static_cast<uint64_t>(given.shared);
  words[mlgc_grid_word] = grid;
  words[mlgc_shared_word] = static_cast<uint64_t>(given.shared);
  unsigned long long* place = words + mlgc_first_argument;
  for (int i = 0; i < given.count; place += mlgc_words_of(given.sizes[i]), ++i) {
    if (memcmp(place, given.arguments[i], given.sizes[i]) == 0) continue;
    memcpy(place, given.arguments[i], given.sizes[i]);
    changed = true;
  }
  return changed;
}

//- mlgc_are_aligned: whether accesses of 16 bytes may begin at each of these addresses
template <class... T>
MLGC_HOST bool mlgc_are_aligned(const T*... addresses) {
  return ((reinterpret_cast<uintptr_t>(addresses) % 16 == 0) && ...);
}

//- mlgc_allow_shared: lets blocks of a kernel have so much memory on the chip; what reductions hold counts too, so more than
// 48 KiB together is asked for
MLGC_HOST cudaError_t mlgc_allow_shared(const void* kernel, int64_t shared) {
  if (shared <= 0) return cudaSuccess;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
}

//- mlgc_record: notes a launch that was captured
MLGC_HOST cudaError_t mlgc_record(const mlgc_runtime* runtime, mlgc_recording& recording, const mlgc_kernel_call& given) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaGraphNode_t* last = nullptr;  // what the next launch waits for: the node of this one
  size_t count = 0;
  const cudaStream_t stream = static_cast<cudaStream_t>(runtime->stream);
#if CUDART_VERSION >= 13000
  const cudaGraphEdgeData* edges = nullptr;
  const cudaError_t error = cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &last, &edges, &count);
#elif CUDART_VERSION >= 12030
  const cudaGraphEdgeData* edges = nullptr;
  const cudaError_t error = cudaStreamGetCaptureInfo_v3(stream, &status, nullptr, nullptr, &last, &edges, &count);
#else
  const cudaError_t error = cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, nullptr, &last, &count);
#endif
  if (error != cudaSuccess) return error;
  if (count != 1) return cudaErrorUnknown;
  int64_t size = mlgc_first_argument;
  for (int i = 0; i < given.count; ++i) size += mlgc_words_of(given.sizes[i]);
  if (mlgc_queueing(runtime)->grow(&recording, size) == 0) return cudaErrorMemoryAllocation;
  unsigned long long* const words = recording.words + recording.at;
  words[mlgc_node_word] = reinterpret_cast<uintptr_t>(last[0]);
  words[mlgc_kernel_word] = reinterpret_cast<uintptr_t>(given.kernel);
  (void)mlgc_note_given(words, given);
  recording.at += size;
  return cudaSuccess;
}

//- mlgc_update_node: sets the node of a launch that was captured to what the launch is given now, if that is something else
MLGC_HOST int32_t mlgc_update_node(mlgc_recording& recording, const mlgc_kernel_call& given) {
  unsigned long long* const words = recording.words + recording.at;
  if (recording.at >= recording.size || words[mlgc_kernel_word] != reinterpret_cast<uintptr_t>(given.kernel)) {
    recording.differs = 1;
    return MLGC_INTERNAL;
  }
  recording.at += mlgc_first_argument;
  for (int i = 0; i < given.count; ++i) recording.at += mlgc_words_of(given.sizes[i]);
  if (!mlgc_note_given(words, given)) return 0;
  ++recording.changed;
  cudaKernelNodeParams launch = {};
  launch.func = const_cast<void*>(given.kernel);
  launch.gridDim = dim3(given.blocks);
  launch.blockDim = dim3(given.threads);
  launch.sharedMemBytes = static_cast<unsigned int>(given.shared);
  launch.kernelParams = given.arguments;
  cudaError_t error = mlgc_allow_shared(given.kernel, given.shared);
  if (error == cudaSuccess)
    error = cudaGraphExecKernelNodeSetParams(static_cast<cudaGraphExec_t>(recording.executable),
                                             reinterpret_cast<cudaGraphNode_t>(words[mlgc_node_word]), &launch);
  if (error == cudaSuccess) return 0;
  (void)cudaGetLastError();  // what cannot be updated is captured again
  recording.differs = 1;
  return MLGC_INTERNAL;
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
  static const unsigned int sizes[] = {static_cast<unsigned int>(sizeof(P))..., 0};
  void* values[] = {const_cast<void*>(static_cast<const volatile void*>(&arguments))..., nullptr};
  const mlgc_kernel_call given = {reinterpret_cast<const void*>(kernel),
                            static_cast<unsigned int>(blocks < 0x7fffffff ? blocks : 0x7fffffff),
                            static_cast<unsigned int>(threads), shared, values, sizes, sizeof...(P)};
  mlgc_recording* const recording = mlgc_queueing(runtime)->recording;
  if (recording != nullptr && recording->updates != 0) return mlgc_update_node(*recording, given);
  cudaError_t error = mlgc_allow_shared(given.kernel, shared);
  if (error != cudaSuccess) return mlgc_refuse(runtime, error);
  cudaLaunchAttribute overlap = {};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(given.blocks);
  config.blockDim = dim3(given.threads);
  config.dynamicSmemBytes = static_cast<size_t>(shared);
  config.stream = static_cast<cudaStream_t>(runtime->stream);
  config.attrs = &overlap;
  config.numAttrs = mlgc_queueing(runtime)->overlap != 0 ? 1 : 0;
  error = cudaLaunchKernelEx(&config, kernel, arguments...);
  if (error == cudaSuccess && recording != nullptr) error = mlgc_record(runtime, *recording, given);
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
// Lets this thread allocate, and wait for other streams, while some of its own are captured, which the capture would else
// forbid: no graph depends on it.
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
  const mlgc_cuda_unsafe allowed;
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
static __global__ void mlgc_cuda_probe() { mlgc_begin_kernel(); }
// Relaxed: nothing that is captured here is unsafe, and loading a kernel on its first launch may allocate.
MLGC_HOST mlgc_i32 mlgc_cuda_begin_capture(void** capture, mlgc_i32* overlaps, const char** text) {
  // The code that runs is what was compiled for this virtual architecture, as __CUDA_ARCH__ had it.
  cudaFuncAttributes own;
  const cudaError_t known = cudaFuncGetAttributes(&own, mlgc_cuda_probe);
  if (known != cudaSuccess) return mlgc_cuda_result(known, text);
  *overlaps = own.ptxVersion >= 90;
  cudaStream_t stream = static_cast<cudaStream_t>(*capture);
  if (stream == nullptr) {
    const mlgc_cuda_unsafe allowed;
    const cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (error != cudaSuccess) return mlgc_cuda_result(error, text);
    *capture = stream;
  }
  return mlgc_cuda_result(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), text);
}
MLGC_HOST void mlgc_cuda_release_graph(mlgc_recording* recording) {
  if (recording->executable != nullptr) (void)cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(recording->executable));
  if (recording->captured != nullptr) (void)cudaGraphDestroy(static_cast<cudaGraph_t>(recording->captured));
  recording->executable = recording->captured = nullptr;
}
MLGC_HOST mlgc_i32 mlgc_cuda_end_capture(void* capture, mlgc_recording* recording, void* stream, const char** text) {
  cudaGraph_t captured = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaError_t error = cudaStreamEndCapture(static_cast<cudaStream_t>(capture), &captured);
  if (recording != nullptr && recording->executable != nullptr) {
    const cudaError_t idle = cudaStreamSynchronize(static_cast<cudaStream_t>(stream));
    if (error == cudaSuccess) error = idle;
    mlgc_cuda_release_graph(recording);
  }
  if (error == cudaSuccess && recording != nullptr) error = cudaGraphInstantiate(&exec, captured, 0);
  if (error == cudaSuccess && recording != nullptr) {
    recording->executable = exec;
    recording->captured = captured;  // nodes of `executable` are named by those of this
  } else if (captured != nullptr) {
    (void)cudaGraphDestroy(captured);
  }
  return mlgc_cuda_result(error, text);
}
MLGC_HOST mlgc_i32 mlgc_cuda_launch_graph(const mlgc_recording* recording, void* stream, const char** text) {
  return mlgc_cuda_result(
      cudaGraphLaunch(static_cast<cudaGraphExec_t>(recording->executable), static_cast<cudaStream_t>(stream)), text);
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
