import type { Transport } from './deliver.ts'

export const KEPT = { kind: 'delivered', reply: '250 2.0.0 kept in the inbox', host: 'inbox' } as const

/** Nothing leaves: accepted mail is there to be looked at, and that is its delivery. */
export const inboxTransport: Transport = {
  send: async ({ recipients }, tell) => tell(recipients.map((recipient) => ({ recipient, verdict: KEPT }))),
  close: async () => {},
}
