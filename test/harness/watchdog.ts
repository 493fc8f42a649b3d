import { runInNewContext } from 'node:vm'

/** Far longer than what is linear takes on any machine, and far shorter than what is not takes for the input of these tests. */
const MAX_MS = 60_000

/**
 * The result of work that holds the event loop, which no timer of the test runner can end: V8 ends it, and the test fails. Give it so much that
 * an algorithm that is not linear needs many minutes for it. A slow machine changes nothing then, and no time has to be compared.
 */
export const terminates = <Result>(work: () => Result): Result =>
  runInNewContext('work()', { work }, { timeout: MAX_MS })
