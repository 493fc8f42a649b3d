import type { ServerResponse } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { signedIn } from '../../../test/harness/browser-session.ts'
import { ObservedList } from '../../../test/harness/changes.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { listen } from '../../../test/harness/live-feed.ts'
import type { Database } from '../../kernel/db/database.ts'
import { Live } from './live.ts'

test('an open dashboard hears what happens to its team, and to no other', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  const { cookie } = await signedIn(app, acme.token)
  const { next } = await listen(app, cookie)

  await globex.post('/topics', { name: 'Theirs' })
  const { id } = (await acme.post('/topics', { name: 'Ours' })).body

  expect((await next())!.events).toEqual([{ type: 'topic.created', about: id }])
})

test('a browser that was away is told what it missed', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { cookie } = await signedIn(app, acme.token)
  const before = await listen(app, cookie)
  await acme.post('/topics', { name: 'First' })
  const { id: lastSeen } = (await before.next())!
  before.leave()

  const made = []
  for (const name of ['Second', 'Third']) made.push((await acme.post('/topics', { name })).body.id)
  const after = await listen(app, cookie, lastSeen)

  // What it missed is one message, unless a reading for the browser that has just left comes in between.
  const told = new Set<string | null>()
  while (told.size < 2) for (const { about } of (await after.next())!.events) told.add(about)
  expect([...told].sort()).toEqual(made.sort())
})

test('a browser that has just come is told what happened while it came', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { cookie } = await signedIn(app, acme.token)

  const { id } = (await acme.post('/topics', { name: 'Between' })).body
  const { next } = await listen(app, cookie)

  expect((await next())!.events).toEqual([{ type: 'topic.created', about: id }])
})

test('a thousand events at once are one message that says to look at everything', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { cookie } = await signedIn(app, acme.token)
  const { next } = await listen(app, cookie)

  const emails = Array.from({ length: 100 }, (_, index) => ({
    ...{ from: 'a@example.com', to: `${index}@example.com`, subject: 'Hi', text: 'Hi' },
  }))
  await Promise.all(Array.from({ length: 10 }, () => acme.post('/emails/batch', emails)))

  const { events } = (await next())!
  expect(events.length).toBeLessThan(101)
})

test('nothing is told any more once the key is revoked', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { id, token } = (await acme.post('/api-keys', { name: 'for a while' })).body
  const { cookie } = await signedIn(app, token)
  const { next } = await listen(app, cookie)

  await acme.delete(`/api-keys/${id}`)
  await acme.post('/topics', { name: 'Secret' })

  expect(await next()).toBeNull()
})

test('a browser with many tabs tells the last of them, and takes nothing from others', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const [mine, theirs] = [await signedIn(app, acme.token), await signedIn(app, acme.token)]
  const other = await listen(app, theirs.cookie)
  const tabs = []
  for (let n = 0; n < 9; n++) tabs.push(await listen(app, mine.cookie))

  expect(await tabs[0]!.next()).toBeNull()
  await acme.post('/topics', { name: 'News' })

  for (const tab of [...tabs.slice(1), other]) expect((await tab.next())!.events[0]!.type).toBe('topic.created')
})

test('a team with many sessions has its share, and the others theirs', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  for (let n = 0; n < 50; n++) {
    const { cookie } = await signedIn(app, acme.token)
    expect((await listen(app, cookie)).status).toBe(200)
  }

  expect((await listen(app, (await signedIn(app, acme.token)).cookie)).status).toBe(429)
  expect((await listen(app, (await signedIn(app, globex.token)).cookie)).status).toBe(200)
})

test('who is not signed in hears nothing', async () => {
  const app = await startApp()

  expect((await listen(app, '')).status).toBe(401)
})

test('a sandbox is listened to by who made it, also while its clock jumps', async () => {
  const app = await startApp()
  await app.startWorkers()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  const { body: sandbox } = await acme.post('/sandboxes', {})
  const { cookie } = await signedIn(app, acme.token)
  const query = `?sandbox=${sandbox.id}`
  const { next } = await listen(app, cookie, undefined, query)

  await acme.post('/topics', { name: 'Of the team' })
  await acme.post(`/sandboxes/${sandbox.id}/topics`, { name: 'Of the sandbox' })
  expect((await next())!.events.map(({ type }) => type)).toEqual(['topic.created'])
  const { body: email } = await acme.post(`/sandboxes/${sandbox.id}/emails`, {
    ...{ from: 'a@example.com', to: 'b@example.com', subject: 'Later', text: 'Hi', scheduled_at: 'in 2 days' },
  })
  await acme.patch(`/sandboxes/${sandbox.id}/clock`, { advance: '3 days' })
  const seen = new Set<string>()
  while (!seen.has('email.delivered')) {
    const { events } = (await next())!
    for (const { type, about } of events) if (about === email.id) seen.add(type)
  }

  const stranger = await signedIn(app, globex.token)
  expect((await listen(app, stranger.cookie, undefined, query)).status).toBe(404)
  expect((await listen(app, cookie, undefined, '?sandbox=nonsense')).status).toBe(422)
})

test('what happened before a read that failed is told by the next one, however much later that is', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  let tell = (_: string) => {}
  const told = new Promise<string>((resolve) => {
    tell = resolve
  })
  let reads = 0
  // A database that does not answer the second question: the first is that of a browser that has just come.
  const query: Database['query'] = async (statement) => {
    if (++reads === 2) throw new Error('away')
    return app.db.query(statement)
  }
  const db = Object.assign(app.db.withClock(app.db.clock), { query })
  const live = new Live(db, app.services.log)
  onTestFinished(() => live.close())
  const write = (text: string) => void (text.includes('topic.created') && tell(text))
  const response = { writeHead() {}, write, on() {}, end() {}, writableLength: 0 } as unknown as ServerResponse
  await live.add({ team: acme.team, session: 's', response, isWelcome: async () => true }, undefined)

  const { id } = (await acme.post('/topics', { name: 'Ours' })).body
  app.clock.advance(60)

  expect(await told).toContain(id)
})

test('a browser that is let go while its session is looked up gets nothing after the end', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const live = new Live(app.db, app.services.log)
  const [gate, asked, written] = [makeGate(), new ObservedList<string>(), [] as string[]]
  const response = () => ({
    ...{ writableEnded: false, writableLength: 0, writeHead() {}, on() {} },
    write: (text: string) => void written.push(text),
    end(text = '') {
      if (this.writableEnded) written.push(`${text} after the end`)
      this.writableEnded = true
    },
  })
  const listener = (isWelcome: boolean) => ({
    ...{ team: acme.team, session: 's', response: response() as unknown as ServerResponse },
    async isWelcome() {
      asked.push('asked')
      await gate.opened
      return isWelcome
    },
  })
  for (const isWelcome of [true, false]) await live.add(listener(isWelcome), undefined)
  const before = [...written]

  await acme.post('/topics', { name: 'Ours' })
  await asked.until(() => asked.length === 2)
  live.close()
  gate.open()
  await new Promise(setImmediate)

  expect(written).toEqual(before)
})
