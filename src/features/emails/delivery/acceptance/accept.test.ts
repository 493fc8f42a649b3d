import { expect, test } from 'vitest'
import { startApp } from '../../../../../test/harness/app.ts'
import { newId } from '../../../../../test/harness/ids.ts'
import { newEmail } from '../../../../../test/harness/new-email.ts'
import { noteBlobs } from '../../../../kernel/blobs/loose-blobs.ts'
import { raw, sql } from '../../../../kernel/db/sql.ts'
import { TeamStates } from '../../../limits/team-states.ts'
import { deleteEmails } from '../ledger/removal.ts'
import { Acceptance } from './accept.ts'

const file = (blob: string) => ({
  id: newId(),
  filename: 'a.txt',
  contentType: 'text/plain',
  contentId: null,
  size: 1,
  blob,
})

async function start() {
  const app = await startApp()
  const { team } = await app.as('acme')
  const count = async (table: string) => {
    const [row] = await app.db.query<{ count: number }>(sql`
      select count(*)::int as count from ${raw(table)} where team_id = ${team}`)
    return row!.count
  }
  return { app, team, count, acceptance: new Acceptance(app.db, new TeamStates(app.db)) }
}

test('one that the database refuses costs nobody else their email', async () => {
  const { team, count, acceptance } = await start()
  const good = Array.from({ length: 40 }, () => ({ emails: [newEmail(team)], idempotency: null }))
  const bad = { emails: [newEmail(team, { subject: '\0' })], idempotency: null }
  const halfBad = { emails: [newEmail(team), newEmail(team, { subject: 'a\0b' })], idempotency: null }

  const results = await Promise.allSettled(
    [...good.slice(0, 20), bad, halfBad, ...good.slice(20)].map((one) => acceptance.accept(one)),
  )

  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(2)
  expect([results[20]!.status, results[21]!.status]).toEqual(['rejected', 'rejected'])
  expect([await count('emails'), await count('deliveries'), await count('outbox')]).toEqual([40, 40, 40])
})

test('what belongs to an email is written with it: bodies, recipients, attachments, the event', async () => {
  const { app, team, count, acceptance } = await start()
  const recipients = ['a@example.com', 'b@example.com', 'c@example.com']
  const email = newEmail(team, { recipients, attachments: [file('x/1'), file('x/2')] })
  await noteBlobs(app.db, ['x/1', 'x/2'])

  const isAccepted = await acceptance.accept({ emails: [email, newEmail(team)], idempotency: null })

  expect(isAccepted).toBe(true)
  expect([await count('emails'), await count('email_bodies'), await count('deliveries')]).toEqual([2, 2, 4])
  expect([await count('email_attachments'), await count('outbox')]).toEqual([2, 2])
  const rows = await app.db.query<{ recipient: string }>(sql`
    select recipient from deliveries where team_id = ${team} and email_id = ${email.id} order by position`)
  expect(rows.map(({ recipient }) => recipient)).toEqual(recipients)
})

test('a key that is taken admits nothing of its request, and everything of the others', async () => {
  const { app, team, count, acceptance } = await start()
  const withKey = (key: string) => ({
    emails: [newEmail(team, { attachments: [file(key)] }), newEmail(team)],
    idempotency: { team, endpoint: 'POST /emails', key, bodySha256: Buffer.alloc(32), response: { key } },
  })
  await noteBlobs(app.db, ['a', 'b'])
  await acceptance.accept(withKey('a'))

  const admitted = await Promise.all(
    [withKey('a'), withKey('b'), { emails: [newEmail(team)], idempotency: null }].map((one) => acceptance.accept(one)),
  )

  expect(admitted).toEqual([false, true, true])
  expect([await count('emails'), await count('email_attachments'), await count('deliveries')]).toEqual([5, 2, 5])
})

test('what belongs to an email is deleted with it, and with no other', async () => {
  const { app, team, count, acceptance } = await start()
  const [gone, kept] = [newEmail(team, { recipients: ['a@example.com', 'b@example.com'] }), newEmail(team)]
  await acceptance.accept({ emails: [gone, kept], idempotency: null })

  const deleted = await app.db.transaction((trx) => deleteEmails(trx, team, [gone.id]))

  expect(deleted).toEqual([gone.id])
  expect([await count('emails'), await count('email_bodies'), await count('deliveries')]).toEqual([1, 1, 1])
})
