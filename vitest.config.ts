import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const FAULTS = ['src/platform/postgres/crash.test.ts', 'test/faults/**/*.test.ts']
const PROCESSES = ['src/platform/postgres/**/*.test.ts', 'test/e2e/**/*.test.ts']

/** Not inherited from the root: a project that extends it would start a PostgreSQL of its own. */
const project = (test: NonNullable<TestProjectInlineConfiguration['test']>): TestProjectInlineConfiguration => ({
  test: {
    pool: 'forks',
    setupFiles: 'test/harness/end-of-file.ts',
    // For a machine that does other things as well; what a test proves does not depend on it.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    ...test,
  },
})

/** Whole processes first: what is long and waits much begins early, and what is short fills up the end. */
class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project }: TestSpecification) => (project.name === 'processes' ? 0 : 1)
    return (await super.sort(files)).sort((a, b) => place(a) - place(b))
  }
}

export default defineConfig({
  test: {
    globalSetup: 'test/harness/global-setup.ts',
    sequence: { sequencer: ProcessesFirst },
    // Twice the cores of the machine that the promise is about. With three workers a fifth of both cores was idle.
    maxWorkers: 4,
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
      project({ name: 'processes', include: PROCESSES, exclude: FAULTS, isolate: false }),
      // What is killed, cut off or silent under load: `npm run test:faults`.
      project({ name: 'faults', include: FAULTS }),
    ],
  },
})
