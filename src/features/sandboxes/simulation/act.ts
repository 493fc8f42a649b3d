import type { VisitorName } from './scenario.ts'

/** Something that the other side does after a mail was delivered. */
export type Act =
  | { readonly kind: 'opened'; readonly by: VisitorName }
  | { readonly kind: 'clicked'; readonly by: VisitorName; readonly link?: string }
  | { readonly kind: 'replied'; readonly text: string; readonly subject?: string }
  | { readonly kind: 'unsubscribed' }
  | { readonly kind: 'bounced'; readonly reply: string }
  | { readonly kind: 'complained' }

/** What is done at one moment, in this order. */
export interface Later {
  readonly afterSeconds: number
  readonly acts: readonly Act[]
}

/** The job that does it. Its row is written with the delivery that it follows. */
export const ACT_JOB = 'scenario.act'

export interface ActPayload {
  readonly team: string
  /** Of the job itself: it ends in the transaction of what it does. */
  readonly id: string
  readonly email: string
  readonly recipient: string
  /** Of the recipient in the ledger. Jobs of older versions have none. */
  readonly position?: number
  /** In the time of the team. */
  readonly deliveredAt: string
  readonly acts: readonly Act[]
}
