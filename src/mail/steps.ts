/**
 * Work in steps of some milliseconds. What is small is done at once; what can be large is done in turns with everything else that a
 * process has to do, by whoever has a clock: 50 MB of html take seconds.
 */
export type Steps<Result> = Generator<undefined, Result, undefined>

export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
