/** The other processes of one `postwren serve` (`POSTWREN_PROCESSES`), which answer on the same ports. */
export interface Siblings {
  /** The number of this process among them, from 1. It stays the same when the process is restarted. */
  readonly number: number
  /** What each of the others answers. One that has ended, or takes too long, is left out. */
  ask(question: string, payload?: unknown): Promise<unknown[]>
  /** How this process answers when one of the others asks. The payload and the answer cross as JSON. */
  answer(question: string, by: (payload: unknown) => Promise<unknown>): void
}
