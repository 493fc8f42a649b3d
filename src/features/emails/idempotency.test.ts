import { describe, expect, test } from 'vitest'
import type { Client } from '../../../test/harness/app.ts'
import { openBackend } from '../../../test/harness/backends.ts'
import { blobsOf, SIMPLE, startAcme } from '../../../test/harness/emails.ts'
import { startFileServer } from '../../../test/harness/file-server.ts'
import { sql } from '../../kernel/db/sql.ts'
import { deleteKeysBefore } from '../../kernel/idempotency/queries.ts'

const FILE = { filename: 'a.txt', content: 'YQ==' }
const OTHER_BODY = {
  statusCode: 409,
  message: 'This idempotency key has been used with another request body.',
  name: 'invalid_idempotent_request',
}

const withKey = (key: string) => ({ 'idempotency-key': key })
const countEmails = async (client: Client) => (await client.get('/emails?limit=100')).body.data.length

describe('the same idempotency key', () => {
  test('gives the same answer, and sends once', async () => {
    const { acme } = await startAcme()

    const first = await acme.post('/emails', SIMPLE, withKey('a'))
    const again = await acme.post('/emails', { ...SIMPLE, cc: null, bcc: [] }, withKey('a'))
    const withFile = await acme.post('/emails', { ...SIMPLE, attachments: [FILE] }, withKey('b'))
    const fileAgain = await acme.post('/emails', { ...SIMPLE, attachments: [FILE] }, withKey('b'))

    expect(first.status).toBe(200)
    expect([again.status, again.text]).toEqual([200, first.text])
    expect([fileAgain.status, fileAgain.text]).toEqual([200, withFile.text])
    expect(await countEmails(acme)).toBe(2)
  })

  test('with another body is refused', async () => {
    const { acme } = await startAcme()
    await acme.post('/emails', SIMPLE, withKey('a'))

    const other = await acme.post('/emails', { ...SIMPLE, subject: 'Other' }, withKey('a'))
    const withFile = await acme.post('/emails', { ...SIMPLE, attachments: [FILE] }, withKey('a'))

    expect([other.body, withFile.body]).toEqual([OTHER_BODY, OTHER_BODY])
    expect(await countEmails(acme)).toBe(1)
  })

  test('means something else in another team, at another endpoint, and without the header', async () => {
    const { app, acme } = await startAcme()
    const globex = await app.as('globex')

    const replies = [
      await acme.post('/emails', SIMPLE, withKey('a')),
      await acme.post('/emails', SIMPLE, withKey('A')),
      await globex.post('/emails', { ...SIMPLE, subject: 'Theirs' }, withKey('a')),
      await acme.post('/emails/batch', [SIMPLE], withKey('a')),
      await acme.post('/emails', SIMPLE),
    ]

    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect([await countEmails(acme), await countEmails(globex)]).toEqual([4, 1])
  })

  test('covers a whole batch', async () => {
    const { acme } = await startAcme()
    const batch = [SIMPLE, { ...SIMPLE, subject: 'Second' }]

    const first = await acme.post('/emails/batch', batch, withKey('a'))
    const again = await acme.post('/emails/batch', batch, withKey('a'))
    const other = await acme.post('/emails/batch', [...batch].reverse(), withKey('a'))

    expect(first.body.data).toHaveLength(2)
    expect(again.text).toBe(first.text)
    expect(other.body).toEqual(OTHER_BODY)
    expect(await countEmails(acme)).toBe(2)
  })

  test('is forgotten after a day', async () => {
    const { app, acme } = await startAcme()
    const age = (interval: string) =>
      app.db.query(sql`
        update idempotency_keys set created_at = now() - ${interval}::interval where team_id = ${acme.team}`)
    const send = (fields: object) => acme.post('/emails', { ...SIMPLE, ...fields }, withKey('a'))

    const first = await send({})
    await age('23 hours 59 minutes')
    const sameDay = await send({})
    await age('24 hours 1 minute')
    const nextDay = await send({ subject: 'Other' })
    await age('24 hours 1 minute')
    const withFile = await send({ attachments: [FILE] })

    expect(sameDay.body).toEqual(first.body)
    expect([nextDay.status, withFile.status]).toEqual([200, 200])
    expect((await send({ attachments: [FILE] })).body).toEqual(withFile.body)
    expect(await countEmails(acme)).toBe(3)
  })

  test('is swept away when its day is over', async () => {
    const { app, acme } = await startAcme()
    for (const key of ['old 1', 'old 2', 'new']) await acme.post('/emails', SIMPLE, withKey(key))
    await app.db.query(sql`
      update idempotency_keys set created_at = now() - interval '2 days' where team_id = ${acme.team} and key like 'old%'`)
    const yesterday = new Date(Date.now() - 86_400_000)

    const sweep = (limit: number) => deleteKeysBefore(app.db, { moment: yesterday, limit })
    const isMore = [await sweep(1), await sweep(100)]

    const left = await app.db.query(sql`select key from idempotency_keys where team_id = ${acme.team}`)
    expect(isMore).toEqual([true, false])
    expect(left).toEqual([{ key: 'new' }])
  })
})

test('a key has 1 to 256 characters', async () => {
  const { acme } = await startAcme()

  const replies = await Promise.all(
    ['', 'x'.repeat(257), 'x', 'x'.repeat(256)].map((key) => acme.post('/emails', SIMPLE, withKey(key))),
  )

  expect(replies.map(({ status }) => status)).toEqual([400, 400, 200, 200])
  expect(replies[0]!.body).toEqual({
    statusCode: 400,
    message: 'The idempotency key must be between 1 and 256 characters.',
    name: 'invalid_idempotency_key',
  })
})

describe('a request that fails', () => {
  test('leaves its key free for a corrected one', async () => {
    const { acme } = await startAcme()
    const gone = await startFileServer((_request, response) => void response.writeHead(404).end())

    const replies = [
      await acme.post('/emails', { ...SIMPLE, to: 'nobody' }, withKey('a')),
      await acme.post('/emails', { ...SIMPLE, attachments: [{ path: `${gone.url}/a` }] }, withKey('a')),
      await acme.post('/emails/batch', [SIMPLE, {}], withKey('a')),
      await acme.post('/emails', SIMPLE, withKey('a')),
      await acme.post('/emails/batch', [SIMPLE], withKey('a')),
    ]

    expect(replies.map(({ status }) => status)).toEqual([422, 422, 422, 200, 200])
    expect(await countEmails(acme)).toBe(2)
  })

  test('because the database went away can be repeated, and keeps its contents in case it did not fail', async () => {
    const { app, acme } = await startAcme()
    const backend = await openBackend()
    const email = { ...SIMPLE, attachments: [FILE] }
    const others = blobsOf(app)

    await backend.hold('lock table emails in share mode')
    const request = acme.post('/emails', email, withKey('a'))
    await backend.terminate(await backend.waiters())
    const failed = await request
    await backend.release()
    const kept = blobsOf(app)
    const again = await acme.post('/emails', email, withKey('a'))

    expect(failed.body).toMatchObject({ statusCode: 503, name: 'service_unavailable' })
    expect(kept).toHaveLength(others.length + 1)
    expect(again.status).toBe(200)
    expect(await countEmails(acme)).toBe(1)
  })
})
