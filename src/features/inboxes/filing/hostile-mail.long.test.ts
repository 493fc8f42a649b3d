import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { bringMail, inboxOf, threadsIn } from '../../../../test/harness/filed-mail.ts'
import { wrongCounts } from '../../../../test/harness/inboxes.ts'
import { MAX_THREAD_BY_SUBJECT } from './thread-finder.ts'

test('more mails of one subject than anybody writes are filed at the pace of others, and no thread grows without end', async () => {
  const app = await startApp()
  const { client, id, address } = await inboxOf(app, 'acme')
  const mail = { receivedFor: [address], subject: 'Alert', text: 'The disk is full.' }
  const count = MAX_THREAD_BY_SUBJECT + 60
  await bringMail(app.db, client.team, Array<typeof mail>(count).fill(mail))

  await app.fileMail()

  const threads = await threadsIn(app, client, id)
  expect(threads.map(({ emails }) => emails)).toEqual([MAX_THREAD_BY_SUBJECT, 60])
  expect(await wrongCounts(app, { team: client.team, id })).toEqual([])
})
