import { onTestFinished, vi } from 'vitest'

/** Holds the steady time of the process, by which rates are counted, to the end of the test: a busy machine takes seconds for a few requests. */
export function holdSteadyTime() {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  return { advance: (milliseconds: number) => void vi.advanceTimersByTime(milliseconds) }
}
