import { defineConfig } from 'vitest/config'

const FAULTS = ['src/platform/postgres/crash.test.ts', 'test/faults/**/*.test.ts']
const PROCESSES = ['src/platform/postgres/**/*.test.ts', 'test/e2e/**/*.test.ts']

export default defineConfig({
  test: {
    globalSetup: 'test/harness/global-setup.ts',
    pool: 'forks',
    maxWorkers: 2,
    // For a machine that does other things as well; what a test proves does not depend on it.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    projects: [
      {
        // Everything that runs inside the test's own process. Files of one worker share what they have imported: loading the
        // program anew for each of them was more than half of the CPU time of all tests.
        extends: true,
        test: {
          name: 'inside',
          include: ['src/**/*.test.ts', 'test/*.test.ts'],
          exclude: [...PROCESSES, ...FAULTS],
          isolate: false,
        },
      },
      // The program as a user starts it.
      { extends: true, test: { name: 'processes', include: PROCESSES, exclude: FAULTS } },
      // What is killed, cut off or silent under load: `npm run test:faults`.
      { extends: true, test: { name: 'faults', include: FAULTS } },
    ],
  },
})
