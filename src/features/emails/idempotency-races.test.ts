import { describe, expect, test } from 'vitest'
import { type App, type Client, startApp } from '../../../test/harness/app.ts'
import { SIMPLE, startAcme } from '../../../test/harness/emails.ts'
import { startSlowServer } from '../../../test/harness/file-server.ts'
import { sql } from '../../kernel/db/sql.ts'

const FILE = { filename: 'a.txt', content: 'YQ==' }
const IN_PROGRESS = {
  statusCode: 409,
  message: 'Another request with the same idempotency key is in progress.',
  name: 'concurrent_idempotent_requests',
}

const withKey = (key: string) => ({ 'idempotency-key': key })
const countEmails = async (client: Client) => (await client.get('/emails?limit=100')).body.data.length

/** The same caller at another process. */
const at = (app: App, { token }: Client) => ({
  post: (url: string, payload: object, headers: Record<string, string>) =>
    app.send({ method: 'POST', url, payload, headers }, token),
})

describe('two requests at once with one key', () => {
  test('in one process: the second is refused while the first is at work', async () => {
    const { acme } = await startAcme()
    const server = await startSlowServer()
    const email = { ...SIMPLE, attachments: [{ path: `${server.url}/a.txt` }] }

    const first = acme.post('/emails', email, withKey('a'))
    await server.arrived
    const second = await acme.post('/emails', email, withKey('a'))
    const unlike = await acme.post('/emails', SIMPLE, withKey('a'))
    server.open()
    const { text } = await first

    expect(second.body).toEqual(IN_PROGRESS)
    expect(unlike.status).toBe(409)
    expect((await acme.post('/emails', email, withKey('a'))).text).toBe(text)
    expect(await countEmails(acme)).toBe(1)
  })

  test('in two processes: just the same', async () => {
    const { acme } = await startAcme()
    const other = at(await startApp(), acme)
    const server = await startSlowServer()
    const email = { ...SIMPLE, attachments: [{ path: `${server.url}/a.txt` }] }

    const first = acme.post('/emails', email, withKey('a'))
    await server.arrived
    const second = await other.post('/emails', email, withKey('a'))
    const unlike = await other.post('/emails', SIMPLE, withKey('a'))
    server.open()
    const { status, text } = await first

    expect(second.body).toEqual(IN_PROGRESS)
    expect(unlike.body).toMatchObject({ statusCode: 409, name: 'invalid_idempotent_request' })
    expect(status).toBe(200)
    expect((await other.post('/emails', email, withKey('a'))).text).toBe(text)
    expect(await countEmails(acme)).toBe(1)
  })

  test('in two processes, both fast: one sends, and both get its answer', async () => {
    const { acme } = await startAcme()
    const other = at(await startApp(), acme)
    const rounds = Array.from({ length: 60 }, (_, round) => `round ${round}`)

    for (const key of rounds) {
      const [one, two] = await Promise.all([
        acme.post('/emails', SIMPLE, withKey(key)),
        other.post('/emails', SIMPLE, withKey(key)),
      ])

      expect([one.status, two.status], key).toEqual([200, 200])
      expect(two.body).toEqual(one.body)
    }
    expect(await countEmails(acme)).toBe(rounds.length)
  })

  test('in two processes, with many keys in each commit: each key sends once', async () => {
    const { acme } = await startAcme()
    const other = at(await startApp(), acme)
    const keys = Array.from({ length: 90 }, (_, n) => `key ${n}`)

    const ours = keys.map((key) => acme.post('/emails', SIMPLE, withKey(key)))
    const theirs = keys.toReversed().map((key) => other.post('/emails', SIMPLE, withKey(key)))
    const answers = (await Promise.all(ours)).map(({ body }) => body.id)

    expect((await Promise.all(theirs)).map(({ body }) => body.id).reverse()).toEqual(answers)
    expect(new Set(answers).size).toBe(keys.length)
    expect(await countEmails(acme)).toBe(keys.length)
  })
})

describe('a key whose request will never answer', () => {
  /** As it was left by a request that had taken it. */
  const leave = (app: App, { team }: Client, key: string, holder: number, age = '1 second') =>
    app.db.query(sql`
      insert into idempotency_keys (team_id, endpoint, key, body_sha256, holder, created_at)
      values (${team}, 'POST /emails', ${key}, 'another body', ${holder}, now() - ${age}::interval)`)

  test('is free for a retry, whether that takes its time or not', async () => {
    const { app, acme } = await startAcme()
    const alive = (await startApp()).db.presence.node
    const gone = -1
    await leave(app, acme, 'the process died', gone)
    await leave(app, acme, 'it could not be given back', app.db.presence.node)
    await leave(app, acme, 'it takes too long', alive, '11 minutes')
    await leave(app, acme, 'it is at work', alive, '9 minutes')
    await acme.post('/emails', SIMPLE, withKey('it was answered'))
    const keys = ['the process died', 'it could not be given back', 'it takes too long']

    for (const key of keys) {
      const [fast, slow] = [
        { ...SIMPLE, subject: key },
        { ...SIMPLE, attachments: [FILE] },
      ]
      const retry = await acme.post('/emails', fast, withKey(key))
      await app.db.query(sql`delete from idempotency_keys where team_id = ${acme.team} and key = ${key}`)
      await leave(app, acme, key, key === 'it takes too long' ? alive : gone, '11 minutes')
      const slowRetry = await acme.post('/emails', slow, withKey(key))

      expect([retry.status, slowRetry.status], key).toEqual([200, 200])
      expect((await acme.post('/emails', slow, withKey(key))).text).toBe(slowRetry.text)
    }
    for (const key of ['it is at work', 'it was answered'])
      expect((await acme.post('/emails', { ...SIMPLE, subject: 'Other' }, withKey(key))).status, key).toBe(409)
  })
})
