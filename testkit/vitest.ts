// A set-up file for vitest: `setupFiles: ['postwren/testing/vitest']`. An ES module, since vitest cannot be required.
import { expect } from 'vitest'
import { matchers, type PostwrenMatchers } from './matchers.ts'

declare module 'vitest' {
  interface Assertion<T> extends PostwrenMatchers<void> {}
  interface AsymmetricMatchersContaining extends PostwrenMatchers {}
}

expect.extend(matchers)
