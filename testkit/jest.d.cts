// With the names that @types/jest and jest itself give their parameters: declarations of one interface must agree in them.
import type { PostwrenMatchers } from './matchers.cjs'

declare global {
  namespace jest {
    // biome-ignore lint/complexity/noBannedTypes: as @types/jest has it
    interface Matchers<R, T = {}> extends PostwrenMatchers<R> {}
  }
}

declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends PostwrenMatchers<R> {}
}
