/// <reference types="postwren/testing/vitest" />
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['*.test.ts'],
    // One Postwren for all tests, on free ports. It starts in about a second, and ends with them.
    globalSetup: 'postwren/testing/setup',
    // `toHaveSubject`, `toHaveLink`, `toHaveCode` …
    setupFiles: 'postwren/testing/vitest',
  },
})
