/** One way to hurt the service, run while a victim team goes on sending. */
export interface Attack {
  readonly name: string
  /** Attacks until the signal aborts; the runner measures what the victim feels meanwhile. `target` is the service under attack, with a key of the attacking team. */
  run(target: { url: string; token: string; smtpPort: number }, signal: AbortSignal): Promise<void>
}
