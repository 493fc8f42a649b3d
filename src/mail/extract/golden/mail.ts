/** A mail as services send it, all names invented, and the codes that people would take from it. */
export interface GoldenMail {
  readonly subject: string
  readonly text?: string
  readonly html?: string
  readonly codes: readonly string[]
}
