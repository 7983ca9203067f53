import { GCProfiler, getHeapSpaceStatistics } from 'node:v8'

/**
 * Begins to count the bytes that this process allocates on V8's heap, and returns what tells them, once. These are
 * what the young generation had before each collection, less what the collection before had left in it. Objects that
 * V8 makes old at once are not in it, nor is memory outside of the heap, such as that of large buffers.
 */
export function countAllocations(): () => number {
  const profiler = new GCProfiler()
  let leftBytes = youngBytesNow()
  profiler.start()
  return () => {
    let bytes = 0
    for (const { beforeGC, afterGC } of profiler.stop().statistics) {
      bytes += youngBytes(beforeGC.heapSpaceStatistics) - leftBytes
      leftBytes = youngBytes(afterGC.heapSpaceStatistics)
    }
    return bytes + youngBytesNow() - leftBytes
  }
}

interface Space {
  readonly spaceName: string
  readonly spaceUsedSize: number
}

function youngBytes(spaces: readonly Space[]): number {
  return spaces
    .filter(({ spaceName }) => spaceName === 'new_space' || spaceName === 'new_large_object_space')
    .reduce((sum, { spaceUsedSize }) => sum + spaceUsedSize, 0)
}

function youngBytesNow(): number {
  return youngBytes(
    getHeapSpaceStatistics().map(({ space_name, space_used_size }) => ({
      spaceName: space_name,
      spaceUsedSize: space_used_size,
    })),
  )
}
