import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'

const FAULTS = ['src/platform/postgres/crash.test.ts', 'test/faults/**/*.test.ts']
const PROCESSES = ['src/platform/postgres/**/*.test.ts', 'test/e2e/**/*.test.ts']

/** Not inherited from the root: a project that extends it would start a PostgreSQL of its own. */
const project = (test: NonNullable<TestProjectInlineConfiguration['test']>): TestProjectInlineConfiguration => ({
  test: {
    pool: 'forks',
    // For a machine that does other things as well; what a test proves does not depend on it.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    ...test,
  },
})

export default defineConfig({
  test: {
    globalSetup: 'test/harness/global-setup.ts',
    // One more than the two cores of the machine that the promise is about: a quarter of the time tests wait.
    maxWorkers: 3,
    projects: [
      // Everything that runs inside the test's own process. Files of one worker share what they have imported: loading the
      // program anew for each of them was more than half of the CPU time of all tests.
      project({
        name: 'inside',
        include: ['src/**/*.test.ts', 'test/*.test.ts'],
        exclude: [...PROCESSES, ...FAULTS],
        isolate: false,
      }),
      // The program as a user starts it.
      project({ name: 'processes', include: PROCESSES, exclude: FAULTS }),
      // What is killed, cut off or silent under load: `npm run test:faults`.
      project({ name: 'faults', include: FAULTS }),
    ],
  },
})
