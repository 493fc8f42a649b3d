/** Something to be done in a thread. */
export interface Work {
  readonly name: string
  /** Made when the work begins, and again if it has to begin anew. What is in `transfer` moves to the thread. */
  readonly input: () => { readonly value: unknown; readonly transfer?: readonly ArrayBuffer[] }
  readonly isLight: boolean
  /** How long it may keep a thread busy. Waiting for answers does not count. */
  readonly limitMs: number
  /** Answers what the work asks. */
  readonly answer?: (question: unknown) => Promise<unknown>
}

/** The work was ended before it was done; the message goes on where "it" begins a sentence. */
export class ThreadLimitReached extends Error {}
