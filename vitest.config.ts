import { relative } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The lives of whole processes, our own and PostgreSQL's: how they start, stop, share, and what outlives a crash. And what is large, slow
 * or silent on purpose.
 */
const LONG = [
  ...['src/adapters/postgres/**/*.test.ts', 'test/processes/**/*.test.ts', 'test/faults/**/*.test.ts'],
  '**/*.long.test.ts',
]

/** What is built for machines of others: images, and packages with Node inside. */
const PACKAGES = ['test/processes/image.test.ts', 'test/processes/tarball.test.ts']

/** Not inherited from the root: a project that extends it would start a PostgreSQL of its own. */
const project = (test: NonNullable<TestProjectInlineConfiguration['test']>): TestProjectInlineConfiguration => ({
  test: {
    pool: 'forks',
    setupFiles: 'test/harness/end-of-file.ts',
    // For a machine that does other things as well; what a test proves does not depend on it.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // An app is handed on from test to test, and with it what somebody has spied on.
    restoreMocks: true,
    // As patient as `eventually`: the runner's own second is over sooner than a busy machine has done anything.
    expect: { poll: { timeout: 45_000, interval: 20 } },
    ...test,
  },
})

/**
 * What is long begins early, and what is short fills up the end: first whole processes, which wait much, then the suites that walk
 * all endpoints, then the rest.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const path = relative(import.meta.dirname, moduleId)
      return path.startsWith('test/e2e/') ? 0 : path.startsWith('test/') ? 1 : 2
    }
    return (await super.sort(files)).sort((a, b) => place(a) - place(b))
  }
}

export default defineConfig({
  test: {
    globalSetup: 'test/harness/global-setup.ts',
    sequence: { sequencer: LongestFirst },
    // One more than the cores of the machine that the promise is about, since tests wait. More of them get in each other's way: of the same
    // tests 3 took 473 s of CPU and 299 s, 4 took 530 and 329, 6 took 594 and 380.
    maxWorkers: 3,
    projects: [
      // Files of one worker share what they have imported: loading the program anew for each of them was more than half of the
      // CPU time of all tests.
      project({
        name: 'tests',
        include: [
          'src/**/*.test.ts',
          'test/**/*.test.ts',
          'testkit/**/*.test.ts',
          'simulate/**/*.test.ts',
          'dashboard/src/**/*.test.ts',
        ],
        exclude: LONG,
        isolate: false,
        // A worker holds the whole program and makes an app for every other test, most of which lives as long as the test: a young generation of
        // 16 MB was collected four times as often.
        execArgv: ['--max-semi-space-size=64'],
      }),
      // `npm run test:long`.
      project({ name: 'long', include: LONG, exclude: [...PACKAGES, '**/node_modules/**'] }),
      // The end of it: they compile and compress on all cores, and whoever waits for a signal beside them waits too long.
      project({ name: 'packages', include: PACKAGES, sequence: { groupOrder: 1 } }),
    ],
  },
})
