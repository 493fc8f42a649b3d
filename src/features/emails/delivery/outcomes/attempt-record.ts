import Type, { type Static } from 'typebox'
import { Id, IsoTimestamp, nullable, oneOf } from '../../../../kernel/http/shapes.ts'
import { domainOf } from '../../../../mail/address.ts'
import { parseReply } from '../../../../mail/replies/parse-reply.ts'
import { REPLY_ABOUT, REPLY_CLASSES, REPLY_MEANS } from '../../../../mail/reply-class.ts'
import type { Email } from '../email.ts'
import type { Claimed, SettledRow } from '../ledger/queries.ts'
import { type AttemptFacts, durationOf, momentIn, TLS_POLICIES } from './attempt-facts.ts'
import type { Verdict } from './verdict.ts'

/** Raised when a field goes or means something else. New fields come without notice. */
export const ATTEMPT_VERSION = 1

/** What one attempt came to. `postponed`: nobody was asked, because its mail waits for something. */
export const ATTEMPT_OUTCOMES = [
  'delivered',
  'deferred',
  'bounced',
  'complained',
  'suppressed',
  'failed',
  'postponed',
] as const
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number]

const described = <Schema extends Type.TSchema>(description: string, schema: Schema) =>
  ({ ...schema, description }) as Schema

/**
 * One attempt at one recipient: the record that operators get, and what docs/operations/attempts.md is made from. Every field is there in every
 * record; null says that there was nothing to say.
 */
export const AttemptRecord = Type.Object({
  object: described('Always `attempt`.', Type.Literal('attempt')),
  version: described(
    'Of this format. It is raised when a field goes or changes its meaning, not when one is added.',
    Type.Literal(ATTEMPT_VERSION),
  ),
  at: described('When it was over: the answer, or the decision not to ask.', IsoTimestamp),
  node: described('The process that made it, by its number in the log.', Type.Integer()),
  team: described('The team that sends.', Id),
  email: described('The email.', Id),
  broadcast: described('The broadcast that the email is part of.', nullable(Id)),
  position: described('The place of the recipient among `to`, `cc` and `bcc`, in this order, from 0.', Type.Integer()),
  recipient: described(
    'The address, or what the log calls it: 16 hexadecimal digits unless `POSTWREN_LOG_ADDRESSES=on`.',
    Type.String(),
  ),
  domain: described('The domain of the recipient.', Type.String()),
  attempt: described('Which attempt this is, from 1. One that was postponed is counted again.', Type.Integer()),
  outcome: described('What it came to. `postponed`: nobody was asked, `reply` says why.', oneOf(ATTEMPT_OUTCOMES)),
  state: described(
    'What the recipient is afterwards: `waiting` is due again.',
    oneOf(['waiting', 'delivered', 'bounced', 'suppressed', 'failed']),
  ),
  next_attempt_at: described('When it is due again, if it waits.', nullable(IsoTimestamp)),
  suppressed: described('Whether the address was added to the suppression list.', Type.Boolean()),
  settled: described('False: another process had the recipient by then, and has a record of its own.', Type.Boolean()),
  code: described('Of the reply.', nullable(Type.Integer())),
  enhanced_code: described('Of the reply (RFC 3463).', nullable(Type.String())),
  reply: described('What the server said, in its own words; where none did, what went wrong.', nullable(Type.String())),
  class: described('What the reply was understood as; null for a yes.', nullable(oneOf(REPLY_CLASSES))),
  rule: described('The rule that decided.', nullable(Type.String())),
  about: described('Whom the reply speaks of.', nullable(oneOf(REPLY_ABOUT))),
  means: described('What follows from it.', nullable(oneOf(REPLY_MEANS))),
  bounce_type: described('Of a bounce, as in its event.', nullable(Type.String())),
  bounce_subtype: described('The same.', nullable(Type.String())),
  route: described('Which way out: `direct`, `relay`, or the name of a route.', nullable(Type.String())),
  destination: described('The provider, or else the mail servers that are asked first.', nullable(Type.String())),
  provider: described('The provider, if it is a known one.', nullable(Type.String())),
  site: described('The mail servers that are asked first.', nullable(Type.String())),
  host: described('The server that was spoken with last.', nullable(Type.String())),
  address: described('Its IP address.', nullable(Type.String())),
  port: described('Its port.', nullable(Type.Integer())),
  source: described('The IP address that it was spoken with from.', nullable(Type.String())),
  helo: described('What we called ourselves (EHLO).', nullable(Type.String())),
  netblock: described(
    'Its network, as pauses name it; `default` where no setting says where mail leaves from.',
    nullable(Type.String()),
  ),
  spf_domain: described('The domain of the return path.', nullable(Type.String())),
  dkim_domains: described('The domains that signed.', Type.Array(Type.String())),
  url_domains: described(
    'The domains that the email links to. Null: nobody had to look, which is so unless a server blames a link or such mail is paused.',
    nullable(Type.Array(Type.String())),
  ),
  tls_version: described('Null: the session was not encrypted.', nullable(Type.String())),
  tls_cipher: described('Of an encrypted session.', nullable(Type.String())),
  tls_verified: described('Whether the server had proved its name.', nullable(Type.Boolean())),
  tls_policy: described(
    'Why it had to be encrypted: `mta-sts` of the domain, `required` by the sender or a ceiling, or `opportunistic`.',
    nullable(oneOf(TLS_POLICIES)),
  ),
  queued_at: described('When the email was accepted.', IsoTimestamp),
  due_at: described('When this attempt was due.', IsoTimestamp),
  started_at: described('When the process began with it, having claimed it.', nullable(IsoTimestamp)),
  connected_at: described(
    'When the session was open; one that was open before, when it was taken.',
    nullable(IsoTimestamp),
  ),
  sent_at: described('When the whole message had been sent.', nullable(IsoTimestamp)),
  ms: described('Milliseconds from `started_at` to `at`.', Type.Integer()),
})
export type AttemptRecord = Static<typeof AttemptRecord>

/** An attempt that was written down, or was not ours any more. */
export interface SettledAttempt {
  readonly email: Pick<Email, 'createdAt' | 'broadcastId'>
  readonly row: Claimed
  readonly verdict: Verdict
  readonly facts?: AttemptFacts | undefined
  readonly settledRow: SettledRow
  readonly isSuppressed: boolean
  readonly isSettled: boolean
  /** By the clock, when it was settled. */
  readonly at: Date
}

/** Null: it was put back without anybody having decided anything, which is no attempt. */
export function outcomeOf(verdict: Verdict): AttemptOutcome | null {
  if (verdict.kind === 'postponed' || verdict.kind === 'parked') return null
  if (verdict.kind === 'held') return verdict.isTried ? 'deferred' : 'postponed'
  return verdict.kind
}

/** What the other side said itself, and otherwise what we say about it. */
export function replyIn(verdict: Verdict): string | null {
  if (verdict.kind === 'failed') return verdict.reason
  if (!('reply' in verdict)) return null
  return ('serverReply' in verdict && verdict.serverReply) || verdict.reply
}

/** Undefined: it was no attempt. */
export function recordOf(attempt: SettledAttempt, node: number): AttemptRecord | undefined {
  const { email, row, verdict, settledRow, facts } = attempt
  const outcome = outcomeOf(verdict)
  if (outcome === null) return undefined
  const reply = replyIn(verdict)
  const parsed = reply === null ? null : parseReply(reply)
  const understood = 'class' in verdict ? verdict : null
  const bounce = verdict.kind === 'bounced' ? verdict.bounce : null
  return {
    object: 'attempt',
    version: ATTEMPT_VERSION,
    at: iso(facts?.endedMs == null ? attempt.at : momentIn(facts, facts.endedMs)!),
    node,
    team: row.team,
    email: row.emailId,
    broadcast: email.broadcastId ?? null,
    position: row.position,
    recipient: row.recipient,
    domain: domainOf(row.recipient).toLowerCase(),
    attempt: row.attempts,
    outcome,
    state: settledRow.state,
    next_attempt_at: settledRow.state === 'waiting' ? iso(settledRow.dueAt ?? row.dueAt) : null,
    suppressed: attempt.isSuppressed,
    settled: attempt.isSettled,
    code: parsed?.code ?? null,
    enhanced_code: parsed?.enhanced ?? null,
    reply,
    class: understood?.class ?? null,
    rule: understood?.rule ?? null,
    about: understood?.about ?? null,
    means: understood?.means ?? null,
    bounce_type: bounce?.type ?? null,
    bounce_subtype: bounce?.subType ?? null,
    ...wayOf(verdict, facts),
    queued_at: iso(email.createdAt),
    due_at: iso(row.dueAt),
    ...timesOf(facts),
  }
}

type Way =
  | 'route'
  | 'destination'
  | 'provider'
  | 'site'
  | 'host'
  | 'address'
  | 'port'
  | 'source'
  | 'helo'
  | 'netblock'
  | 'spf_domain'
  | 'dkim_domains'
  | 'url_domains'
  | 'tls_version'
  | 'tls_cipher'
  | 'tls_verified'
  | 'tls_policy'

function wayOf(verdict: Verdict, facts: AttemptFacts | undefined): Pick<AttemptRecord, Way> {
  const { destination = null, identities, conversation } = facts ?? {}
  const peer = conversation?.peer ?? null
  const tls = peer?.tls ?? null
  const said = 'host' in verdict ? verdict.host : undefined
  return {
    route: facts?.route ?? null,
    destination: destination?.name ?? null,
    provider: destination?.provider ?? null,
    site: destination ? (destination.site ?? destination.name) : null,
    host: peer?.host ?? said ?? null,
    address: peer?.address ?? null,
    port: peer?.port ?? null,
    source: peer?.localAddress ?? null,
    helo: peer?.heloName ?? null,
    netblock: identities?.netblock ?? null,
    spf_domain: identities?.spf_domain ?? null,
    dkim_domains: [...(facts?.dkimDomains ?? [])],
    url_domains: facts?.urlDomains ? [...facts.urlDomains] : null,
    tls_version: tls?.version ?? null,
    tls_cipher: tls?.cipher ?? null,
    tls_verified: tls?.isTrusted ?? null,
    tls_policy: facts?.tlsPolicy ?? null,
  }
}

function timesOf(
  facts: AttemptFacts | undefined,
): Pick<AttemptRecord, 'started_at' | 'connected_at' | 'sent_at' | 'ms'> {
  if (!facts) return { started_at: null, connected_at: null, sent_at: null, ms: 0 }
  const { conversation, startedAt } = facts
  const moment = (ms: number | null) => {
    const found = momentIn(facts, ms)
    return found && iso(found)
  }
  return {
    started_at: iso(startedAt),
    connected_at: moment(conversation.connectedMs),
    sent_at: moment(conversation.sentMs),
    ms: durationOf(facts),
  }
}

const iso = (moment: Date) => moment.toISOString()
