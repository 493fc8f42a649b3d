import { describe, expect, test } from 'vitest'
import type { App, Client, Reply } from '../../../test/harness/app.ts'
import { emptyLedger, readEmail, SIMPLE, startAcme } from '../../../test/harness/emails.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { scriptedTransport } from '../../../test/harness/transport.ts'
import type { Transaction } from '../../kernel/db/database.ts'
import { beginScheduled, loadEmail } from './delivery/ledger/load.ts'

const HOUR = 3_600

/** Nothing in the ledger, and an outside world that remembers who was written to. */
async function start() {
  const world = scriptedTransport()
  const { app, acme } = await startAcme({}, { transport: world.transport })
  await emptyLedger(app)
  return { app, acme, world }
}

describe('when a worker and a caller want the same mail at the same moment', () => {
  const ROUNDS = 2
  const EMAILS = 25

  /** Scheduled emails with two recipients each, due now. */
  async function makeDue(app: App, acme: Client): Promise<string[]> {
    const one = { ...SIMPLE, to: ['a@example.com', 'b@example.com'], scheduled_at: 'in 1 hour' }
    const { body } = await acme.post(
      '/emails/batch',
      Array.from({ length: EMAILS }, () => one),
    )
    app.clock.advance(HOUR)
    return body.data.map(({ id }: { id: string }) => id)
  }

  const readEmails = (acme: Client, ids: readonly string[]) => Promise.all(ids.map((id) => readEmail(acme, id)))

  /** The worker begins when some callers have their answer and the others are under way. */
  async function race(app: App, ids: readonly string[], act: (id: string) => Promise<Reply>): Promise<Reply[]> {
    let answered = 0
    const some = makeGate()
    const acts = ids.map(async (id) => {
      const reply = await act(id)
      if (++answered === 5) some.open()
      return reply
    })
    const delivered = some.opened.then(() => app.deliverDue())
    const [replies] = await Promise.all([Promise.all(acts), delivered])
    return replies
  }

  test('it is canceled or delivered, never both and never neither', async () => {
    const { app, acme, world } = await start()

    for (let round = 0; round < ROUNDS; round++) {
      const ids = await makeDue(app, acme)
      const replies = await race(app, ids, (id) => acme.post(`/emails/${id}/cancel`))
      await app.deliverDue()

      const emails = await readEmails(acme, ids)
      for (const [index, id] of ids.entries()) {
        const isCanceled = replies[index]!.status === 200
        const state = isCanceled ? 'canceled' : 'delivered'
        expect(emails[index]).toMatchObject({
          last_event: state,
          states: { 'a@example.com': state, 'b@example.com': state },
        })
        expect(world.sent.filter(({ email }) => email === id)).toHaveLength(isCanceled ? 0 : 2)
      }
    }
  })

  test('it is moved or delivered, and delivered once in the end', async () => {
    const { app, acme, world } = await start()

    for (let round = 0; round < ROUNDS; round++) {
      const ids = await makeDue(app, acme)
      const replies = await race(app, ids, (id) => acme.patch(`/emails/${id}`, { scheduled_at: 'in 1 hour' }))

      const states = replies.map(({ status }) => (status === 200 ? 'scheduled' : 'delivered'))
      expect((await readEmails(acme, ids)).map(({ last_event }) => last_event)).toEqual(states)
      app.clock.advance(HOUR)
      await app.deliverDue()
      const emails = await readEmails(acme, ids)
      for (const [index, id] of ids.entries()) {
        const { last_event, timeline } = emails[index]!
        expect(last_event).toBe('delivered')
        // A worker may find one of the two recipients locked for the moment, and come back for it: then each has its own event.
        expect([...new Set(timeline)]).toEqual(['scheduled', 'sent', 'delivered'])
        expect(world.sent.filter(({ email }) => email === id)).toHaveLength(2)
      }
    }
  })
})

test('when a key is deleted while its mail is taken up, whoever came first decides for all recipients', async () => {
  const { app, acme } = await start()
  const { body: key } = await acme.post('/api-keys', { name: 'Short-lived' })
  const payload = { ...SIMPLE, scheduled_at: 'in 1 hour' }
  const { id } = (await app.send({ method: 'POST', url: '/emails', payload }, key.token)).body
  const { team } = acme
  const email = (await loadEmail(app.db, team, id))!
  const decide = (trx: Transaction) => beginScheduled(trx, [email])

  const [first, second] = await app.db.transaction(async (trx) => {
    const decided = await decide(trx)
    await acme.delete(`/api-keys/${key.id}`)
    // Waits for the end of this transaction, or comes after it: it must not matter.
    const later = app.db.transaction(decide)
    return [decided, later] as const
  })

  expect(first).toEqual({ begun: new Set([id]), disowned: new Set() })
  expect(await second).toEqual({ begun: new Set(), disowned: new Set() })
})
