import { expect, test } from 'vitest'
import { type App, startApp } from '../../../../test/harness/app.ts'
import { bringMail, inboxOf, messagesIn, partition, threadsIn } from '../../../../test/harness/filed-mail.ts'
import { wrongCounts } from '../../../../test/harness/inboxes.ts'
import { seededRandom } from '../../../../test/harness/random.ts'
import { unluckyDatabase } from '../../../../test/harness/unlucky-database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { createLog } from '../../../platform/observability/log.ts'
import { fileSome } from './file.ts'
import { fileNow } from './now.ts'
import { filingWorker } from './worker.ts'

const DAY = 86_400_000

const waiting = async (app: App, team: string) =>
  (await app.db.query(sql`select event_id from unfiled_mail where team_id = ${team}`)).length

test('the database files mail into the same threads in whatever order it comes', async () => {
  const app = await startApp()
  const { below, shuffle } = seededRandom()
  const { client, domain } = await inboxOf(app, 'acme')
  const mails = Array.from({ length: 40 }, (_, number) => ({
    subject: `Subject ${below(12)}`,
    from: `p${below(6)}@x.test`,
    messageId: `<${number}@x.test>`,
    references: Array.from({ length: below(3) }, () => `<${below(60)}@x.test>`),
    date: new Date(app.clock.now().getTime() - below(100) * DAY),
  }))
  const partitions: number[][][] = []
  for (const inbox of ['one', 'two', 'three']) {
    const address = `${inbox}@${domain}`
    const { body } = await client.post('/inboxes', { email_address: address })
    const ids: string[] = []
    for (const left = shuffle([...mails.keys()]); left.length > 0; ) {
      const numbers = left.splice(0, 1 + below(12))
      const brought = await bringMail(
        app.db,
        client.team,
        numbers.map((number) => ({ ...mails[number]!, receivedFor: [address] })),
      )
      for (const [index, number] of numbers.entries()) ids[number] = brought[index]!
      await app.fileMail()
    }
    partitions.push(partition(await messagesIn(app, client, body.id), ids))
    expect(await wrongCounts(app, { team: client.team, id: body.id })).toEqual([])
  }

  expect(partitions[1]).toEqual(partitions[0])
  expect(partitions[2]).toEqual(partitions[0])
  expect(partitions[0]!.length).toBeLessThan(mails.length)
})

test('whoever files, and however many do so at once, each message is filed once and told once', async () => {
  const app = await startApp()
  const { client, id, address } = await inboxOf(app, 'acme')
  const parts = { ...app.services, log: createLog({ level: 'silent', isTerminal: false }) }
  const mails = Array.from({ length: 200 }, (_, number) => ({
    receivedFor: [address],
    messageId: `<${number}@x.test>`,
    subject: `Subject ${number}`,
    references: number % 4 === 0 ? [] : [`<${number - 1}@x.test>`],
  }))
  await bringMail(app.db, client.team, mails)
  const workers = [filingWorker(parts), filingWorker(parts)]

  await Promise.all([
    ...workers.map((worker) => worker.runDue()),
    ...[1, 2, 3].map(() => fileNow(app.services, client.team)),
  ])
  await app.fileMail()

  expect(await messagesIn(app, client, id)).toHaveLength(200)
  const threads = await threadsIn(app, client, id)
  expect(threads).toHaveLength(50)
  expect(threads.every(({ emails, unread }) => emails === 4 && unread === 4)).toBe(true)
  const types = (await client.events()).map(({ type }) => type)
  expect(types.filter((type) => type === 'inbox.thread.created')).toHaveLength(50)
  expect(types.filter((type) => type === 'inbox.email.received')).toHaveLength(200)
  expect(await waiting(app, client.team)).toBe(0)
})

test('a crash at any moment leaves everything as it was, and the next one files it', async () => {
  const app = await startApp()
  const { client, id, address } = await inboxOf(app, 'acme')
  await bringMail(app.db, client.team, [
    { receivedFor: [address], messageId: '<a@x.test>', subject: 'Apples' },
    { receivedFor: [address], messageId: '<b@x.test>', subject: 'Pears' },
  ])
  await app.fileMail()
  await bringMail(app.db, client.team, [
    { receivedFor: [address], references: ['<a@x.test>', '<b@x.test>'], subject: 'Fruit' },
  ])
  const before = await threadsIn(app, client, id)

  let crashes = 0
  for (;;) {
    const services = { ...app.services, db: unluckyDatabase(app.db, [crashes + 1]) }
    const filed = await fileSome(services, client.team).catch(() => null)
    if (filed) break
    crashes += 1
    expect(await threadsIn(app, client, id)).toEqual(before)
    expect(await waiting(app, client.team)).toBe(1)
  }

  expect(crashes).toBeGreaterThan(10)
  expect(await threadsIn(app, client, id)).toMatchObject([{ emails: 3, unread: 3 }])
  expect(await wrongCounts(app, { team: client.team, id })).toEqual([])
  expect(await waiting(app, client.team)).toBe(0)
})

test('a message that cannot be filed costs itself, is told once, and holds up nobody', async () => {
  const lines: object[] = []
  const app = await startApp()
  const { client, id, address } = await inboxOf(app, 'acme')
  const ids = await bringMail(
    app.db,
    client.team,
    ['First', 'Broken', 'Last'].map((subject) => ({ receivedFor: [address], subject })),
  )
  // A defect of ours, made by hand.
  await app.db.query(sql`
    update outbox set data = json_build_object('email_id', 'no id', 'received_for', json_build_array(${address}::text))
    where team_id = ${client.team} and data ->> 'email_id' = ${ids[1]!}`)
  const log = { ...createLog({ level: 'silent', isTerminal: false }), error: (line: object) => lines.push(line) }

  await filingWorker({ ...app.services, log: log as never }).runDue()

  expect(await messagesIn(app, client, id)).toMatchObject([{ subject: 'First' }, { subject: 'Last' }])
  expect(lines).toHaveLength(1)
  expect(await waiting(app, client.team)).toBe(0)
})

test('an inbox that is deleted while its mail waits takes nothing in', async () => {
  const app = await startApp()
  const { client, id, address } = await inboxOf(app, 'acme')
  await bringMail(app.db, client.team, [{ receivedFor: [address] }])

  await client.delete(`/inboxes/${id}`)
  await app.fileMail()

  expect(await messagesIn(app, client, id)).toEqual([])
  expect(await waiting(app, client.team)).toBe(0)
})
