import { setTimeout as wait } from 'node:timers/promises'
import { compareBodies } from './compare.ts'
import { type Exchange, type Judged, notComparable, type Verdict } from './exchange.ts'
import type { OurSide } from './our-side.ts'
import type { Pairs } from './pairs.ts'
import { idsIn } from './rewrite.ts'
import { shortened } from './shorten.ts'
import type { ShadowTeams } from './teams.ts'

interface Event {
  readonly type?: unknown
  readonly data?: Record<string, unknown>
}

interface Parts {
  readonly ourSide: OurSide
  readonly teams: ShadowTeams
  readonly pairs: Pairs
  /** How long our side has to know the email, and to come as far with it as the upstream. */
  readonly eventWaitMs?: number
}

/** What follows from the request alone. The rest happens to an email in the world outside, where ours never goes. */
const COMPARED_TYPES = new Set(['email.sent', 'email.scheduled', 'email.delivered', 'email.suppressed', 'email.failed'])

const EVENT_WAIT_MS = 10_000
const LOOK_EVERY_MS = 250

/** Compares an event that the upstream posted with what our side has recorded about the same email. */
export async function judgeWebhook({ requestBody }: Exchange, parts: Parts): Promise<Judged> {
  const event = parse(requestBody)
  const type = String(event?.type ?? '')
  const operation = `webhook ${/^[a-z_.]{3,60}$/.test(type) ? type : 'of an unknown type'}`
  const id = event?.data?.email_id
  if (!COMPARED_TYPES.has(type) || typeof id !== 'string') return { operation, verdict: notComparable('world') }
  return { operation, verdict: await judge({ type, id, data: event!.data! }, parts) }
}

function parse(body: Uint8Array): Event | null {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8')) as Event | null
  } catch {
    return null
  }
}

async function judge(
  theirs: { type: string; id: string; data: Record<string, unknown> },
  parts: Parts,
): Promise<Verdict> {
  const { pairs, teams, ourSide, eventWaitMs = EVENT_WAIT_MS } = parts
  const deadline = performance.now() + eventWaitMs
  for (;;) {
    const found = await pairs.find(theirs.id)
    const events =
      found && (await eventsOf(ourSide, { path: `/emails/${found.ours}`, token: teams.tokenOf(found.team) }))
    const ours = events && closest(events, theirs)
    if (ours) {
      const ids = await pairs.load(found.team, idsIn(JSON.stringify(theirs.data)))
      const { differences, extras } = compareBodies(theirs.data, ours.data, { operation: 'webhooks.event', ids })
      return differences.length > 0 ? { kind: 'different', differences, extras } : { kind: 'same', extras }
    }
    if (performance.now() < deadline) await wait(LOOK_EVERY_MS)
    else if (!events) return notComparable('unknown_object')
    else {
      const seen = events.map(({ type }) => String(type)).join(', ')
      return {
        kind: 'different',
        differences: [{ path: 'event', theirs: theirs.type, ours: shortened(seen || 'none') }],
        extras: [],
      }
    }
  }
}

async function eventsOf(ourSide: OurSide, { path, token }: { path: string; token: string }): Promise<Event[] | null> {
  const { status, body } = await ourSide.call({ method: 'GET', path, headers: {}, body: Buffer.alloc(0), token })
  if (status !== 200) return null
  return (JSON.parse(body.toString('utf8')) as { events?: Event[] }).events ?? []
}

/** Each recipient may have an event of their own. */
function closest(events: readonly Event[], { type, data }: { type: string; data: Record<string, unknown> }) {
  const alike = events.filter((event) => event.type === type)
  return alike.find((event) => JSON.stringify(event.data?.to) === JSON.stringify(data.to)) ?? alike[0]
}
