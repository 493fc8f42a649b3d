import { setTimeout as delay } from 'node:timers/promises'
import type { BenchEmail } from '../email.ts'
import { postMany } from '../load.ts'
import { calm, treeCpuMicroseconds } from '../processes.ts'
import { note, progress } from '../progress.ts'
import { median } from '../report.ts'
import type { Sink } from '../sink.ts'
import { mimeOf } from './message.ts'
import type { HttpEndpoint, Peer, RunningPeer, SmtpEndpoint } from './peer.ts'
import type { SmtpLoadClient } from './smtp-load.ts'
import type { WorkFigures } from './table.ts'

export type Kind = 'http' | 'smtp'

export interface Contender {
  readonly peer: Peer
  readonly version: string
  readonly running: RunningPeer
  readonly idleMiB: number
}

export interface Workplace {
  readonly sink: Sink
  readonly email: BenchEmail
  readonly smtpClient: SmtpLoadClient
}

export const CONNECTIONS = 64
const WARM_UP = 200
const ROUND_SECONDS = 4
const MIN_ROUND = 100
/** Below the 5,000 requests that emulate answers to a key. */
const MAX_ROUND = 4_000
const MAX_RELAY_MS = 120_000

interface Round {
  readonly acceptedPerSecond: number
  readonly relayedPerSecond: number | null
  readonly cpuMs: number
}

/** Alternating rounds of all that can do this kind of work. One that fails is left out from then on, and the others go on. */
export async function measureRounds(kind: Kind, all: readonly Contender[], workplace: Workplace, rounds: number) {
  const failures = new Map<Contender, string>()
  const amounts = new Map<Contender, number>()
  const taken = new Map<Contender, Round[]>()
  const contenders = all.filter(({ running }) => running[kind])
  for (let number = 0; number <= rounds; number++)
    for (const contender of contenders) {
      if (failures.has(contender)) continue
      const { name } = contender.peer
      progress(`${kind}: ${name}, ${number === 0 ? 'warming up' : `round ${number} of ${rounds}`}`)
      await calm()
      try {
        const amount = amounts.get(contender) ?? WARM_UP
        const round = await measureRound(kind, contender, workplace, { number, amount })
        if (number === 0) amounts.set(contender, roundAmount(round.relayedPerSecond ?? round.acceptedPerSecond))
        else taken.set(contender, [...(taken.get(contender) ?? []), round])
      } catch (error) {
        failures.set(contender, (error as Error).message)
        note(`${kind}: ${name} failed: ${(error as Error).message}`)
        // It may still have mail to relay, which would be counted as that of the next.
        await contender.running.stop()
      }
    }
  const results = [...taken]
    .filter(([contender]) => !failures.has(contender))
    .map(([contender, each]) => [contender, medians(each)] as const)
  return { results, failures }
}

/** So many that a round takes some seconds, whatever the pace. */
export const roundAmount = (perSecond: number) =>
  Math.min(MAX_ROUND, Math.max(MIN_ROUND, Math.round(perSecond * ROUND_SECONDS)))

export function medians(rounds: readonly Round[]): WorkFigures {
  const relayed = rounds.flatMap(({ relayedPerSecond }) => relayedPerSecond ?? [])
  return {
    acceptedPerSecond: median(rounds.map(({ acceptedPerSecond }) => acceptedPerSecond)),
    relayedPerSecond: relayed.length > 0 ? median(relayed) : null,
    cpuMs: median(rounds.map(({ cpuMs }) => cpuMs)),
  }
}

async function measureRound(
  kind: Kind,
  { running }: Contender,
  workplace: Workplace,
  { number, amount }: { number: number; amount: number },
): Promise<Round> {
  const before = treeCpuMicroseconds(running.pid)
  const rates =
    kind === 'http'
      ? await postRound(running.http!, workplace, { number, amount })
      : await submitRound(running.smtp!, workplace, amount)
  await running.settled?.()
  return { ...rates, cpuMs: (treeCpuMicroseconds(running.pid) - before) / 1_000 / amount }
}

async function postRound(
  { url, keyOf }: HttpEndpoint,
  { email }: Workplace,
  { number, amount }: { number: number; amount: number },
) {
  const begin = performance.now()
  await postMany(url, email, { connections: CONNECTIONS, amount, key: keyOf(number) })
  return { acceptedPerSecond: amount / ((performance.now() - begin) / 1_000), relayedPerSecond: null }
}

async function submitRound(endpoint: SmtpEndpoint, { sink, email, smtpClient }: Workplace, amount: number) {
  sink.reset()
  const arrived = sink.reached(amount)
  const envelope = { from: email.from, to: email.to }
  const load = { endpoint, connections: CONNECTIONS, amount, envelope, message: mimeOf(email) }
  const { beganAt, acceptedAt } = await smtpClient.submit(load)
  const acceptedPerSecond = amount / ((acceptedAt - beganAt) / 1_000)
  if (!endpoint.isRelay) return { acceptedPerSecond, relayedPerSecond: null }
  const relayedAt = await Promise.race([arrived, delay(MAX_RELAY_MS, null, { ref: false })])
  if (relayedAt === null) throw new Error(`${amount} messages were not relayed within ${MAX_RELAY_MS / 1_000} s`)
  return { acceptedPerSecond, relayedPerSecond: amount / ((relayedAt - beganAt) / 1_000) }
}
