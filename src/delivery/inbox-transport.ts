import type { Transport } from './deliver.ts'

/** Nothing leaves: accepted mail is there to be looked at, and that is its delivery. */
export const inboxTransport: Transport = {
  send: async ({ recipients }) =>
    recipients.map(() => ({ kind: 'delivered', reply: '250 2.0.0 kept in the inbox', host: 'inbox' })),
  close: async () => {},
}
