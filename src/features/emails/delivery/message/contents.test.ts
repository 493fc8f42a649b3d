import { expect, test } from 'vitest'
import { startAcme } from '../../../../../test/harness/emails.ts'
import { makeGate } from '../../../../../test/harness/gate.ts'
import { newEmail } from '../../../../../test/harness/new-email.ts'
import type { Database } from '../../../../kernel/db/database.ts'
import type { Sql } from '../../../../kernel/db/sql.ts'
import { acceptedEmail } from '../ledger/accepted-email.ts'
import { loadedBroadcast } from './broadcasts.ts'
import { Contents } from './contents.ts'

test('the content of a single email is loaded while that of copies still is', async () => {
  const { app, acme } = await startAcme()
  const gate = makeGate()
  let statements = 0
  const slow = new Proxy(app.db, {
    get: (db, name) =>
      name !== 'queryPooled'
        ? Reflect.get(db, name, db)
        : async (statement: Sql) => {
            statements++
            await gate.opened
            return db.queryPooled(statement)
          },
  }) as Database
  const { content: _content, ...email } = acceptedEmail(newEmail(acme.team))!
  const broadcast = loadedBroadcast(acme.team, email.id, { html: '<p>Hi</p>', text: null, previewText: null })
  const contents = new Contents(slow)

  const copy = Promise.resolve(contents.load({ ...email, broadcast })).catch((error) => error)
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  const before = statements
  const single = Promise.resolve(contents.load(email)).catch((error) => error)
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  const begun = statements - before
  gate.open()

  expect(begun).toBe(1)
  expect((await single).message).toBe('The email was deleted')
  expect((await copy).message).toContain('was deleted')
})
