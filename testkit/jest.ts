// A set-up file for jest: `setupFilesAfterEnv: ['postwren/testing/jest']`. Its types are in jest.d.cts: jest is not installed here.
import { matchers } from './matchers.ts'

const { expect } = globalThis as unknown as { expect: { extend(given: typeof matchers): void } }
expect.extend(matchers)
