/**
 * Automations whose emails may start one another in a row. What happens to an email never starts the automation that has sent it; two
 * that start each other would otherwise go on for ever, each email being the next one's event.
 */
export const MAX_CHAIN_DEPTH = 5

/** The run that has sent an email. */
export interface SendingRun {
  readonly automationId: string
  readonly depth: number
}

/** The place in its chain of a run that begins with something that happened to this email, or with anything else. */
export const nextDepth = (sender: SendingRun | null): number => (sender ? sender.depth + 1 : 1)

export const CHAIN_ENDS = {
  name: 'chain_too_long',
  message: `Emails of automations have started one another ${MAX_CHAIN_DEPTH} times in a row. The chain ends here.`,
}
