import type { Peer, PeerTls } from '../../../../adapters/smtp-client/conversation.ts'
import type { SettledRow } from '../ledger/queries.ts'
import { type AttemptFacts, durationOf, momentIn } from './attempt-facts.ts'
import type { Verdict } from './verdict.ts'

// What the ledger keeps of how attempts went. Most mail is taken at first, and there are millions of rows for it: of an attempt that went well
// it is one short text beside the reply, of the others the dialogue of the last ones.

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

/** What is written with a row that is settled or put back. Nothing, where nobody was asked. */
export function keptOfAttempt(
  facts: AttemptFacts | undefined,
  verdict: Verdict,
  attempt: number,
): Pick<SettledRow, 'via' | 'kept'> | null {
  if (!facts) return null
  switch (verdict.kind) {
    case 'delivered': {
      const { peer } = facts.conversation
      return peer && { via: viaOf(peer, durationOf(facts)) }
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
  const { route, destination, conversation, startedAt, tlsPolicy } = facts
  const { peer, connectedMs, sentMs } = conversation
  const since = (ms: number | null) => momentIn(facts, ms)!.getTime() - startedAt.getTime()
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
    ...(connectedMs !== null && { connected_ms: since(connectedMs) }),
    ...(sentMs !== null && { sent_ms: since(sentMs) }),
    dialogue: conversation.dialogue,
  }
}

const serversOf = (hosts: readonly { readonly host: string; readonly address: string }[]) =>
  hosts.slice(0, MAX_SERVERS).map(({ host, address }) => `${host.slice(0, MAX_NAME_LENGTH)} (${address})`)

export const tlsInWords = ({ version, cipher, isTrusted }: PeerTls) =>
  `${version} ${cipher}${isTrusted ? ', verified' : ''}`
