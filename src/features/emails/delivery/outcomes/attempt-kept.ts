import { type Peer, type PeerTls, readSummary } from '../../../../adapters/smtp-client/conversation.ts'
import type { SettledRow } from '../ledger/queries.ts'
import { type AttemptFacts, durationOf, momentIn } from './attempt-facts.ts'
import type { Verdict } from './verdict.ts'

// What the ledger keeps of how attempts went. Most mail is taken at first, and there are millions of rows for it: of an attempt that went well
// it is two short texts beside the reply, of the others the dialogue of the last ones.

/** An attempt that was not taken, as the ledger keeps it; `at` is that of its reply. */
export interface KeptAttempt {
  readonly attempt: number
  readonly route: string
  readonly destination?: string
  /** The machines that DNS named, best first. */
  readonly servers?: readonly string[]
  readonly host?: string
  readonly address?: string
  readonly source?: string
  readonly helo?: string
  readonly tls?: string
  readonly tls_policy?: string
  readonly ms: number
  readonly connected_ms?: number
  readonly sent_ms?: number
  readonly dialogue: string
}

const MAX_SERVERS = 8
const MAX_NAME_LENGTH = 255
/** Of the host of a reply: with TLS and time the text stays within 60 bytes for nearly all of them. */
const UNENCRYPTED = 'plain'

/** `mx.example.com TLSv1.3 120`: who has taken it, encrypted how, after how many milliseconds. */
export const viaOf = (peer: Peer, ms: number): string =>
  `${peer.host.slice(0, MAX_NAME_LENGTH)} ${peer.tls?.version ?? UNENCRYPTED} ${ms}`

const VIA = /^(\S+) (\S+) (\d+)$/

export interface RouteUsed {
  readonly host: string
  /** Null: not encrypted. */
  readonly tls: string | null
  readonly ms: number
}

export function readVia(text: string): RouteUsed | null {
  const [, host, tls, ms] = VIA.exec(text) ?? []
  if (host === undefined) return null
  return { host, tls: tls === UNENCRYPTED ? null : tls!, ms: Number(ms) }
}

const NONE = '-'

/**
 * `direct 1 192.0.2.7 203.0.113.5 - 14 96 2<220E5<250…`: the rest of what is worth knowing of an attempt that went well, some 100 bytes:
 * route, attempt, the server's address and ours, why it had to be encrypted, milliseconds until it was connected and until the message was sent, and
 * `Conversation.summary`.
 */
export function sessionOf(facts: AttemptFacts, peer: Peer, attempt: number): string {
  const { route, conversation, tlsPolicy } = facts
  const { connectedMs, sentMs } = conversation
  const policy = tlsPolicy === 'opportunistic' ? NONE : tlsPolicy
  const words = [attempt, peer.address, peer.localAddress ?? NONE, policy, sinceIn(facts, connectedMs) ?? NONE]
  return [route, ...words, sinceIn(facts, sentMs) ?? NONE, conversation.summary].join(' ').trimEnd()
}

const SESSION = /^(\S+) (\d+) (\S+) (\S+) (\S+) (\S+) (\S+)(?: (.*))?$/

/** What is known of an attempt that was taken, in the words of one that was not. Without names: these are in `via`. */
export function readSession(text: string): Omit<KeptAttempt, 'ms'> | null {
  const [, route, attempt, address, source, policy, connected, sent, summary] = SESSION.exec(text) ?? []
  if (route === undefined) return null
  return {
    attempt: Number(attempt),
    route,
    address: address!,
    ...(source !== NONE && { source: source! }),
    tls_policy: policy === NONE ? 'opportunistic' : policy!,
    ...(connected !== NONE && { connected_ms: Number(connected) }),
    ...(sent !== NONE && { sent_ms: Number(sent) }),
    dialogue: readSummary(summary ?? ''),
  }
}

/** What is written with a row that is settled or put back. Nothing, where nobody was asked. */
export function keptOfAttempt(
  facts: AttemptFacts | undefined,
  verdict: Verdict,
  attempt: number,
): Pick<SettledRow, 'via' | 'session' | 'kept'> | null {
  if (!facts) return null
  switch (verdict.kind) {
    case 'delivered': {
      const { peer } = facts.conversation
      return peer && { via: viaOf(peer, durationOf(facts)), session: sessionOf(facts, peer, attempt) }
    }
    case 'deferred':
    case 'bounced':
      return { kept: keptAttempt(facts, attempt) }
    case 'held':
      return verdict.isTried ? { kept: keptAttempt(facts, attempt) } : null
    default:
      return null
  }
}

function keptAttempt(facts: AttemptFacts, attempt: number): KeptAttempt {
  const { route, destination, conversation, tlsPolicy } = facts
  const { peer } = conversation
  const connectedMs = sinceIn(facts, conversation.connectedMs)
  const sentMs = sinceIn(facts, conversation.sentMs)
  return {
    attempt,
    route,
    ...(destination && {
      destination: destination.name.slice(0, MAX_NAME_LENGTH),
      servers: serversOf(destination.hosts),
    }),
    ...(peer && { host: peer.host.slice(0, MAX_NAME_LENGTH), address: peer.address }),
    ...(peer?.localAddress && { source: peer.localAddress }),
    ...(peer?.heloName && { helo: peer.heloName }),
    ...(peer?.tls && { tls: tlsInWords(peer.tls) }),
    tls_policy: tlsPolicy,
    ms: durationOf(facts),
    ...(connectedMs !== null && { connected_ms: connectedMs }),
    ...(sentMs !== null && { sent_ms: sentMs }),
    dialogue: conversation.dialogue,
  }
}

/** Milliseconds from the beginning of the attempt. */
const sinceIn = (facts: AttemptFacts, ms: number | null): number | null => {
  const moment = momentIn(facts, ms)
  return moment && moment.getTime() - facts.startedAt.getTime()
}

const serversOf = (hosts: readonly { readonly host: string; readonly address: string }[]) =>
  hosts.slice(0, MAX_SERVERS).map(({ host, address }) => `${host.slice(0, MAX_NAME_LENGTH)} (${address})`)

export const tlsInWords = ({ version, cipher, isTrusted }: PeerTls) =>
  `${version} ${cipher}${isTrusted ? ', verified' : ''}`
