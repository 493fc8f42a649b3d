import type { RuleOutcome } from './scenario.ts'

/** Addresses that do what their name says, beside the four of the contract (`delivery/verdict.ts`). docs/scenarios.md lists them. */
const READY_MADE = {
  greylisted: { greylisted: 1 },
  softbounced: { reply: '552 5.2.2 The mailbox is full' },
  delayed: { delayed: '10 minutes' },
  opened: { opened: {} },
  clicked: { opened: {}, clicked: {} },
  scanned: { opened: { by: 'scanner' }, clicked: { by: 'scanner' } },
  unsubscribed: { unsubscribed: {} },
  replied: { replied: { text: 'Thank you, I got it.' } },
} as const satisfies Record<string, RuleOutcome>

const ADDRESS = new RegExp(`^(${Object.keys(READY_MADE).join('|')})(?:\\+[^@]*)?@resend\\.dev$`, 'i')

/** What becomes of mail to a ready-made address; null for any other address. */
export function readyMadeOutcome(recipient: string): RuleOutcome | null {
  const name = ADDRESS.exec(recipient)?.[1]?.toLowerCase()
  return name === undefined ? null : READY_MADE[name as keyof typeof READY_MADE]
}
