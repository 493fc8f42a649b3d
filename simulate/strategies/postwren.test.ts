import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ceilingTableOf } from '../../src/features/emails/delivery/pace/ceiling-table.ts'
import {
  destinationNameOf,
  identityOf,
  type MailTarget,
  sourceIdentity,
} from '../../src/features/emails/delivery/pace/identity.ts'
import { Pace } from '../../src/features/emails/delivery/pace/pace.ts'
import { paceSignalOf } from '../../src/features/emails/delivery/pace/pace-signal.ts'
import { Pauses } from '../../src/features/emails/delivery/pace/pauses.ts'
import { findPaces, type KeptPace, keyText } from '../../src/features/emails/delivery/pace/store.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import { loadConfig } from '../../src/platform/settings/config.ts'
import { startApp } from '../../test/harness/app.ts'
import { readableLog } from '../../test/harness/log.ts'
import type { Answer, Route } from './pacer.ts'
import { outcomeOf, PostwrenPacer, TELL_EVERY_MS } from './postwren.ts'

/** What providers say, as the world of the simulation says it. */
const REPLIES = [
  [250, '2.0.0', 'Ok'],
  [250, '2.0.0', 'Ok'],
  [421, '4.7.28', 'Gmail has detected an unusual rate of unsolicited mail originating from your IP address'],
  [421, '4.7.28', 'an unusual rate of mail originating from your SPF domain'],
  [421, '4.7.28', 'an unusual rate of mail originating from your DKIM domain'],
  [450, '4.2.0', 'Greylisted, try again later'],
  [451, '4.3.0', 'Temporary server error'],
  [550, '5.7.1', 'Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org'],
  [421, '4.7.0', '[TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints'],
  [550, '5.1.1', 'No such user'],
] as const

const SOURCE = '192.0.2.1'
const HOSTS = { gmail: 'gmail-smtp-in.l.google.com', yahoo: 'mta5.am0.yahoodns.net', site: 'mx.site.example' }

const steps = fc.array(
  fc.record({
    afterMs: fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 6 * 3_600_000 })),
    tookMs: fc.integer({ min: 0, max: 30_000 }),
    host: fc.constantFrom(...Object.values(HOSTS)),
    sender: fc.constantFrom('a.example', 'b.example'),
    reply: fc.constantFrom(...REPLIES),
    attempts: fc.integer({ min: 1, max: 5 }),
    recipient: fc.constantFrom('ada', 'bob'),
  }),
  { minLength: 20, maxLength: 80 },
)

test('the model of our pace does what Pace and Pauses do, whatever is answered', async () => {
  const app = await startApp({ POSTWREN_DELIVERY: 'direct', POSTWREN_SOURCE_ADDRESS: SOURCE })
  const { db, clock } = app
  const { log } = readableLog()
  let held = 0
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      await db.query(sql`delete from pace_controllers`)
      await db.query(sql`delete from delivery_pauses`)
      await db.query(sql`delete from destination_pauses`)
      clock.catchUp()
      const source = sourceIdentity({ v4: SOURCE })
      const config = loadConfig({ POSTWREN_DELIVERY: 'direct' })
      const pace = new Pace(db, { log, source, ceilings: ceilingTableOf(db, { config, log }) })
      const pauses = new Pauses(db, log)
      const model = new PostwrenPacer({ warmsUp: false })
      const routes = new Map<string, Route>()
      let toldMs = 0
      for (const { afterMs, tookMs, host, sender, reply, attempts, recipient } of all) {
        clock.advance(afterMs / 1_000)
        const key = `${host} ${sender}`
        const identity = {
          source: SOURCE,
          spf_domain: `send.${sender}`,
          dkim_domain: sender,
          url_domain: sender,
          tenant: sender,
        }
        const route = routes.get(key) ?? { site: host, domain: 'box.example', hosts: [host], identity }
        routes.set(key, route)
        const nowMs = clock.now().getTime()
        const [code, enhanced, text] = reply
        const answer: Answer = { code, enhanced, text, phase: 'rcpt', startedMs: nowMs - tookMs, recipient, attempts }
        model.answered(route, answer, nowMs)
        const way = model.targetOf(route)
        await hearFor({ pace, pauses }, way, answer)
        if (nowMs - toldMs >= TELL_EVERY_MS) {
          toldMs = nowMs
          await pace.tell()
        }
        // What was heard is there at once; that it was written is waited for, since the next one goes on from that.
        await app.until(async () => isDeepStrictEqual(statesOf(await findPaces(db)), statesOf(pace.list())))
        const real = heldBy({ pace, pauses }, way, nowMs)
        expect(model.held(route, nowMs)).toEqual(real)
        held += real.paces.length + Number(real.pausedMs > 0)
      }
    }),
    // What fails is made smaller while there is time, and told before the test's own time is over.
    { numRuns: 8, interruptAfterTimeLimit: 60_000 },
  )
  // It was about something.
  expect(held).toBeGreaterThan(30)
}, 120_000)

const statesOf = (paces: readonly KeptPace[]) => new Map(paces.map((one) => [keyText(one), one.state]))

interface Real {
  readonly pace: Pace
  readonly pauses: Pauses
}

/** As the sender and what judges its answers do (`smtp-client/sender.ts`, `destination-outages.ts`). */
async function hearFor({ pace, pauses }: Real, way: MailTarget, answer: Answer) {
  const outcome = outcomeOf(answer, way)
  const startedAt = new Date(answer.startedMs)
  pace.heard(way, [outcome], { recipient: answer.recipient, attempt: answer.attempts, startedAt: answer.startedMs })
  if (outcome.kind === 'delivered') pauses.taken(way, startedAt)
  const { pause } = paceSignalOf(outcome)
  const destination = destinationNameOf(way.destination)
  if (outcome.kind === 'deferred' && pause && pause.kind !== 'url_domain')
    await pauses.refused({
      ...{ destination, kind: pause.kind, identity: identityOf(way.identities, pause.kind)!, seconds: pause.seconds },
      ...{ host: null, reply: outcome.reply, startedAt, oldDestination: way.destination.name },
    })
}

function heldBy({ pace, pauses }: Real, way: MailTarget, nowMs: number) {
  const destination = destinationNameOf(way.destination)
  const until = pauses
    .activeAt(destination)
    .filter(({ kind, identity }) => kind !== 'url_domain' && identityOf(way.identities, kind) === identity)
    .map(({ pausedUntil }) => pausedUntil.getTime() - nowMs)
  const paces = pace
    .list()
    .filter((one) => one.destination === destination && identityOf(way.identities, one.kind) === one.identity)
    .map(({ kind, identity, state }) => ({ kind, identity, state }))
  return { pausedMs: Math.max(0, ...until), paces }
}
