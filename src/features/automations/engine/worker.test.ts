import { describe, expect, test } from 'vitest'
import { type App, startApp } from '../../../../test/harness/app.ts'
import {
  automate,
  delay,
  happens,
  mailsOf,
  send,
  startWithTemplate,
  storiesOf,
  trigger,
} from '../../../../test/harness/automated.ts'
import { openBackend } from '../../../../test/harness/backends.ts'
import { readableLog } from '../../../../test/harness/log.ts'
import { recordAll } from '../../../kernel/outbox/record.ts'
import { effectsWith } from '../effects.ts'
import type { Effects } from './effects.ts'
import { dropFirst, nameFirst, workOff } from './engine.ts'
import { automationWorker } from './worker.ts'

const PEOPLE = ['ada@example.com', 'bob@example.com', 'cyd@example.com']
const [ADA, BOB, CYD] = PEOPLE as [string, string, string]

/** A worker whose steps do more, or less, than they should. */
function workerWith({ services }: App, change: (real: Effects) => Partial<Effects>, log = services.log) {
  const real = effectsWith(services)
  return automationWorker({ ...services, log, effects: { ...real, ...change(real) } })
}

describe('a step that breaks for a reason of ours', () => {
  /** Nobody can write to Bob. */
  const brokenFor =
    (email: string) =>
    (real: Effects): Partial<Effects> => ({
      async composer(...of) {
        const compose = await real.composer(...of)
        return (letter) => {
          if (letter.to === email) throw new TypeError('a bug')
          return compose(letter)
        }
      },
    })

  test('fails its run, and no other one', async () => {
    const { app, acme, template } = await startWithTemplate()
    const automation = await automate(acme, [trigger(), delay('1 day'), send(template)])
    for (const email of PEOPLE) await happens(acme, 'user.created', email)
    await app.runAutomations()
    app.clock.advance(86_400)
    const { log, saying } = readableLog()
    await workerWith(app, brokenFor(BOB), log).runDue()

    expect(await mailsOf(acme)).toEqual([`Hello to ${ADA}`, `Hello to ${CYD}`])
    const stories = await storiesOf(acme, automation)
    expect(stories.map(({ status }) => status)).toEqual(['completed', 'failed', 'completed'])
    expect(stories[1]!.outputs.pause).toEqual({
      message: 'Something went wrong here. The log of the service says what.',
    })
    expect(saying('a step of an automation failed for a reason of ours; its run is given up')).toMatchObject([
      { team: acme.team, error: { message: 'a bug' } },
    ])
  })

  test('costs the event that came to it, and no other one', async () => {
    const { app, acme, template } = await startWithTemplate()
    const automation = await automate(acme, [trigger(), send(template)])
    for (const email of PEOPLE) await happens(acme, 'user.created', email)
    const worker = workerWith(app, brokenFor(BOB))
    await worker.runDue()
    await happens(acme, 'user.created', ADA)
    await worker.runDue()

    expect(await mailsOf(acme)).toEqual([ADA, CYD, ADA].map((email) => `Hello to ${email}`))
    expect(await storiesOf(acme, automation)).toHaveLength(3)
  })

  test.each(['event', 'run'] as const)('costs no other %s when two nodes give it up', async (kind) => {
    const { app, acme, template } = await startWithTemplate()
    const steps = kind === 'event' ? [trigger(), send(template)] : [trigger(), delay('1 day'), send(template)]
    await automate(acme, steps)
    for (const email of [BOB, CYD]) await happens(acme, 'user.created', email)
    if (kind === 'run') {
      await app.runAutomations()
      app.clock.advance(86_400)
    }
    const effects = effectsWith(app.services)
    // Both have failed on it before either of them has given it up.
    const names = [await nameFirst(app.db, acme.team), await nameFirst(app.db, acme.team)]
    for (const name of names) await dropFirst(app.db, effects, acme.team, name)
    await app.runAutomations()

    expect(await mailsOf(acme)).toEqual([`Hello to ${CYD}`])
  })
})

test('of two nodes one works on a team, and each email is sent once', async () => {
  const { app, acme, template } = await startWithTemplate()
  const other = await startApp()
  const backend = await openBackend()
  const automation = await automate(acme, [trigger(), send(template), delay('1 hour'), send(template, 'again')])
  for (const email of PEOPLE) await happens(acme, 'user.created', email)

  await backend.hold('lock table emails in share mode')
  const working = app.runAutomations()
  await backend.waiters()
  expect(await workOff(other.db, effectsWith(other.services), acme.team, 300)).toBe('elsewhere')
  await backend.release()
  await Promise.all([working, other.runAutomations()])

  expect((await mailsOf(acme)).sort()).toEqual(PEOPLE.map((email) => `Hello to ${email}`))
  for (const { clock } of [app, other]) clock.advance(3_601)
  await Promise.all([app.runAutomations(), other.runAutomations()])
  expect(await mailsOf(acme)).toHaveLength(2 * PEOPLE.length)
  expect((await storiesOf(acme, automation)).map(({ status }) => status)).toEqual(PEOPLE.map(() => 'completed'))
})

test('a team has its turn though others have more than a batch to do', async () => {
  const app = await startApp()
  const names = ['a', 'b', 'c', 'd', 'small']
  const clients = await Promise.all(names.map((name) => app.as(name)))
  const nameOf = new Map(clients.map(({ team }, index) => [team, names[index]]))
  for (const client of clients) {
    const { team } = client
    await automate(client, [trigger(), delay('1 day')])
    const events = Array.from({ length: nameOf.get(team) === 'small' ? 1 : 301 }, (_, n) => ({
      team,
      type: 'event.sent' as const,
      data: { event: 'user.created', email: `user${n}@example.com`, payload: {} },
    }))
    await app.db.transaction((trx) => recordAll(trx, events))
  }
  const turns: (string | undefined)[] = []
  await workerWith(app, (real) => ({
    addContacts(trx, team, emails) {
      turns.push(nameOf.get(team))
      return real.addContacts(trx, team, emails)
    },
  })).runDue()

  expect(turns.slice(0, names.length).sort()).toEqual(names)
  expect(turns).toHaveLength(2 * 4 + 1)
})
