import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { guardedKey, noticesTo } from '../../../test/harness/approvals.ts'
import { openBackend } from '../../../test/harness/backends.ts'
import { NOTICE_INTERVAL_MS } from '../emails/delivery/approvals/approval.ts'
import { notifyApprovers } from './notify.ts'

const HOLD_APPROVAL = 'select from approvals where email_id = $1 for update'

/** A first email waits, and whoever mails approvers about it is stopped in the middle. */
async function start() {
  const app = await startApp()
  const acme = await app.as('acme')
  const person = await app.person('acme', 'owner')
  const key = await guardedKey(app, acme)
  const backend = await openBackend()
  const first = await key.send({ subject: 'First' })
  const round = (one = app) =>
    notifyApprovers.run({ team: acme.team }, { ...one.services, signal: new AbortController().signal })
  const subjects = async () => (await noticesTo(app, person.email)).map(({ text }) => /Subject: (.*)/.exec(text)?.[1])
  await backend.hold(HOLD_APPROVAL, [first])
  return { app, key, backend, round, subjects }
}

test('two processes that mail approvers at once send one mail, and then one about what came meanwhile', async () => {
  const { app, key, backend, round, subjects } = await start()
  const elsewhere = await startApp()

  const one = round()
  await backend.waiters(1)
  await key.send({ subject: 'Second' })
  const other = round(elsewhere)
  await backend.waiters(2)
  await backend.release()
  await Promise.all([one, other])

  expect(await subjects()).toEqual(['First'])
  app.clock.advance(NOTICE_INTERVAL_MS / 1_000)
  await app.runDueJobs()
  expect(await subjects()).toEqual(['First', 'Second'])
})

test('a process that ends before its mail is accepted has told nobody, and the next one mails once', async () => {
  const { app, backend, round, subjects } = await start()

  const killed = expect(round()).rejects.toThrow()
  await backend.terminate(await backend.waiters())
  await killed
  await backend.release()
  expect(await subjects()).toEqual([])

  await app.runDueJobs()
  await round()
  expect(await subjects()).toEqual(['First'])
})
