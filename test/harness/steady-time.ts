import { onTestFinished, vi } from 'vitest'

/**
 * Holds the steady time of the process, by which rates are counted, to the end of the test: a busy machine takes seconds for a few requests.
 * It goes on from where it is, since an app that was handed on has counted by it before.
 */
export function holdSteadyTime() {
  let now = performance.now()
  const held = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => held.mockRestore())
  return {
    advance(milliseconds: number) {
      now += milliseconds
    },
  }
}
