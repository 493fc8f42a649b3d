import type { Score } from './score.ts'

/** What is wrong and stays so, each with its reason. */
const KNOWN: readonly { client: RegExp; call: RegExp; reason: RegExp; because: string }[] = [
  {
    client: /^SDK for Node/,
    call: /^batch\.(send|create)\(/,
    reason: /required property 'errors'/,
    because: 'A strict batch has no `errors`; the type asks for them only when the options of the call say permissive.',
  },
  {
    client: /^SDK for Node/,
    call: /^broadcasts\.list\(/,
    reason: /status must be equal/,
    because:
      'The types know draft, queued and sent; `scheduled` and `canceled` are documented, and shown by the service itself.',
  },
  {
    client: /^SDK for Node 2\./,
    call: /^audiences\.create\(/,
    reason: /object must be equal/,
    because: 'The type promises `created_at`, which the service has never answered here.',
  },
]

export const isKnown = (score: Score, wrong: { call: string; reason: string }): boolean =>
  KNOWN.some(
    ({ client, call, reason }) =>
      client.test(`${score.client} ${score.version}`) && call.test(wrong.call) && reason.test(wrong.reason),
  )
