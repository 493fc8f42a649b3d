import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { arrive } from '../../../../test/harness/arriving.ts'
import { bringMail, inboxOf, letter, messagesIn, threadsIn } from '../../../../test/harness/filed-mail.ts'
import { wrongCounts } from '../../../../test/harness/inboxes.ts'
import { sql } from '../../../kernel/db/sql.ts'

test('thousands of references and recipients cost no more than some, and tear nothing apart', async () => {
  const app = await startApp()
  const { client, id, address } = await inboxOf(app, 'acme')
  const names = Array.from({ length: 2_000 }, (_, number) => `<reference-${number}@x.test>`)
  const people = Array.from({ length: 2_000 }, (_, number) => `Person ${number} <person-${number}@x.test>`)
  await arrive(app, letter({ subject: 'Flood', references: names, to: people.join(',\r\n '), id: '<flood@x.test>' }), {
    to: [address],
  })
  await arrive(app, letter({ subject: 'First', id: names[0]! }), { to: [address] })
  await arrive(app, letter({ subject: 'Last', inReplyTo: names[1_999]! }), { to: [address] })
  await arrive(app, letter({ subject: 'Between', inReplyTo: names[1_000]! }), { to: [address] })
  await app.runDueJobs()

  await app.fileMail()

  expect((await threadsIn(app, client, id)).map(({ emails }) => emails).sort()).toEqual([1, 3])
  const [kept] = await app.db.query<{ names: number; people: number }>(sql`
    select (select count(*)::int from inbox_references where team_id = ${client.team}) as names,
      (select count(*)::int from inbox_people where team_id = ${client.team}) as people`)
  expect(kept!.names).toBeLessThan(60)
  expect(kept!.people).toBeLessThan(1_100)
})

test('what is no address, no name and no text is filed all the same', async () => {
  const app = await startApp()
  const { client, id, address } = await inboxOf(app, 'acme')
  await bringMail(app.db, client.team, [
    { receivedFor: [address], from: '', to: [], subject: '', messageId: '' },
    { receivedFor: [address, 'nonsense', ''], from: '<<<>>>', to: ['@', ',', '"'], subject: 'Re: Re:', messageId: '<' },
    { receivedFor: [address], from: 'x'.repeat(5_000), subject: '\u200b', html: '<'.repeat(200_000), text: ' \n ' },
    { receivedFor: [address], subject: 'Words', text: Array.from({ length: 30_000 }, (_, n) => `w${n}`).join(' ') },
  ])

  await app.fileMail()

  expect(await messagesIn(app, client, id)).toHaveLength(4)
  // None of them has anything in common with another.
  expect(await threadsIn(app, client, id)).toHaveLength(4)
})

test('two threads with many mails become one, with all of them', async () => {
  const app = await startApp()
  const { client, id, address } = await inboxOf(app, 'acme')
  const text = 'Some words that people write to each other every day. '.repeat(10)
  const thread = (name: string, count: number) =>
    Array.from({ length: count }, () => ({
      receivedFor: [address],
      subject: name,
      references: [`<${name}@x.test>`],
      text,
    }))
  await bringMail(app.db, client.team, [...thread('one', 100), ...thread('other', 100)])
  await app.fileMail()
  await bringMail(app.db, client.team, [{ receivedFor: [address], references: ['<one@x.test>', '<other@x.test>'] }])

  await app.fileMail()

  expect(await threadsIn(app, client, id)).toMatchObject([{ emails: 201, unread: 201 }])
  expect(await wrongCounts(app, { team: client.team, id })).toEqual([])
})
