import type { Score } from './score.ts'

interface Known {
  readonly client: RegExp
  readonly call: RegExp
  readonly reason: RegExp
  readonly because: string
}

/** What is wrong and stays so, each with its reason. */
const KNOWN: readonly Known[] = [
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
  {
    client: /^SDK for Elixir /,
    call: /^ReceivedEmails\./,
    reason: /endpoint does not exist/,
    because:
      'The four functions of `ReceivedEmails` call `/received-emails`; the operations are at `/emails/receiving`. Read received mail by the API.',
  },
  {
    client: /^SDK for Elixir /,
    call: /^Emails\.get_attachment$/,
    reason: /unexpected reply: %Resend\.Emails\.Attachment/,
    because: 'An attachment of a sent email has neither `id` nor `download_url`: its struct drops them.',
  },
  {
    client: /^SDK for Elixir /,
    call: /^Contacts\.list_topics$/,
    reason: /subscribed: nil/,
    because: '`Contacts.list_topics` says `subscribed: nil` of each topic: the field is `subscription`.',
  },
  {
    client: /^SDK for Elixir /,
    call: /^Templates\.get$/,
    reason: /subject: nil/,
    because:
      '`Templates.update` sends null for what it is not given, which clears `subject` and `from`. Give it the whole template.',
  },
  {
    client: /^SDK for Elixir /,
    call: /^Broadcasts\.send$/,
    reason: /key :client not found/,
    because:
      '`Broadcasts.send(id, opts)` takes the id for a client. `Broadcasts.send(Resend.client(), id, opts)` is right.',
  },
  {
    client: /^SDK for Go /,
    call: /^Contacts\.Update/,
    reason: /"data":\{"created_at":""/,
    because:
      '`Contacts.Update` gives an empty reply: its type expects the contact inside `data`. The contact is changed.',
  },
  {
    client: /^SDK for Java /,
    call: /^domains\.update$/,
    reason: /Invalid `tls` field/,
    because:
      '`domains().update` sends the name of its constant as `tls` (`ENFORCED`), which is refused. Set it by the API.',
  },
  {
    client: /^SDK for PHP /,
    call: /^domains\.claims\./,
    reason: /Method not allowed|endpoint does not exist/,
    because:
      'The three methods about claims of domains call `/domains/claims`; the operations are at `/domains/claim`. Claim by the API or the dashboard.',
  },
  {
    client: /^SDK for Rust /,
    call: /^emails\.send$/,
    reason: /invalid_api_key/,
    because: 'A wrong key is an error of the kind `Unrecognized`: the SDK does not know the name `invalid_api_key`.',
  },
  {
    client: /^SDK for Rust /,
    call: /^domains\.(claim|get_claim|verify_claim)$/,
    reason: /unknown variant `TXT`/,
    because:
      'The three methods about claims of domains expect a record of the type `t_x_t`; it is `TXT`. The claim is made.',
  },
  {
    client: /^SDK for Rust /,
    call: /^domains\.create$/,
    reason: /unknown variant `Receiving`/,
    because:
      '`domains.create` and `domains.get` refuse a domain that receives: the SDK expects a record of the kind `Receiving MX`; it is `Receiving`. Read it by the list, the API or the dashboard.',
  },
]

/** What is known of a client, for its readers. */
export const reasonsOf = (client: string): string[] =>
  KNOWN.filter((known) => known.client.test(`${client} `)).map(({ because }) => because)

export const isKnown = (score: Score, wrong: { call: string; reason: string }): boolean =>
  KNOWN.some(
    ({ client, call, reason }) =>
      client.test(`${score.client} ${score.version}`) && call.test(wrong.call) && reason.test(wrong.reason),
  )
