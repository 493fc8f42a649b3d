import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { formOf } from '../../../../test/harness/form.ts'
import { newId } from '../../../../test/harness/ids.ts'
import { counts, leftovers, runNow, upload } from '../../../../test/harness/imports.ts'

const FILE = 'email\nada@example.com\n'
const NOTHING = { imports: 0, pieces: 0 }

test('the fields of the form may stand before the file or behind it', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const file = 'Mail\nada@example.com\n'
  const column_map = JSON.stringify({ email: 'Mail' })

  const before = await upload(acme, { column_map, on_conflict: 'skip', file })
  await runNow(app)
  const behind = await upload(acme, { file, column_map, on_conflict: 'skip' })
  await runNow(app)

  expect((await acme.get(`/contacts/imports/${before.body.id}`)).body.counts).toEqual(counts({ total: 1, created: 1 }))
  expect((await acme.get(`/contacts/imports/${behind.body.id}`)).body.counts).toEqual(counts({ total: 1, skipped: 1 }))
})

test.each<[string, Record<string, string>, number, string]>([
  ['no file', { on_conflict: 'skip' }, 422, 'Missing `file` field.'],
  ['an empty file', { file: '' }, 422, 'Its first line must name the columns.'],
  ['a file of empty lines', { file: '\n\r\n\n' }, 422, 'Its first line must name the columns.'],
  ['no email column', { file: 'Email,name\na@example.com,Ada\n' }, 422, 'It has no `email` column'],
  ['a column that is not there', { column_map: '{"email":"Mail"}', file: FILE }, 422, 'The file has no column `Mail`.'],
  [
    'a property column that is not there',
    { column_map: '{"properties":{"plan":{"column":"Plan"}}}', file: FILE },
    422,
    'The file has no column `Plan`.',
  ],
  ['a map that is not JSON', { column_map: '{email: Mail}', file: FILE }, 422, '`column_map` field. It must be JSON.'],
  [
    'a map that is no object',
    { column_map: '["email"]', file: FILE },
    422,
    '`column_map` field. It must be an object.',
  ],
  [
    'a property without a column',
    { column_map: '{"properties":{"plan":{}}}', file: FILE },
    422,
    'Missing `column_map.properties.plan.column` field.',
  ],
  [
    'a property that is nothing',
    { column_map: '{"properties":{"plan":null}}', file: FILE },
    422,
    '`column_map.properties.plan` field. It must be an object.',
  ],
  [
    'a property whose key is none',
    { column_map: '{"properties":{"my plan":{"column":"email"}}}', file: FILE },
    422,
    'The key `my plan` must be a string of at most 50 characters (letters, digits and underscores).',
  ],
  [
    'a property whose key is too long',
    { column_map: `{"properties":{"${'x'.repeat(51)}":{"column":"email"}}}`, file: FILE },
    422,
    'of at most 50 characters',
  ],
  ['a way to deal with conflicts that is none', { on_conflict: 'replace', file: FILE }, 422, '`upsert`, `skip`'],
  ['an unknown segment', { segments: JSON.stringify([newId()]), file: FILE }, 404, 'Segment not found'],
  ['a segment that is no id', { segments: '[{"id":"1"}]', file: FILE }, 422, '`segments[0]`'],
  ['an unknown topic', { topics: `[{"id":"${newId()}","subscription":"opt_in"}]`, file: FILE }, 404, 'Topic not found'],
])('a form with %s is refused, and leaves nothing', async (_what, parts, status, message) => {
  const app = await startApp()
  const acme = await app.as('acme')

  const reply = await upload(acme, parts)

  expect(reply.status).toBe(status)
  expect(reply.body.message).toContain(message)
  expect(await leftovers(app, acme)).toEqual(NOTHING)
  expect((await acme.get('/contact-properties')).body.data).toEqual([])
})

test.each([
  ['application/json', '{"file":"email"}', 415],
  ['text/csv', FILE, 415],
  ['multipart/mixed; boundary=x', '--x--', 415],
  ['multipart/form-data', '--x--', 400],
  ['multipart/form-data; boundary=x', '', 400],
  ['multipart/form-data; boundary=x', 'no form at all', 400],
])('%s with %j is no form', async (contentType, payload, status) => {
  const app = await startApp()
  const acme = await app.as('acme')

  const reply = await acme.send({
    method: 'POST',
    url: '/contacts/imports',
    payload,
    headers: { 'content-type': contentType },
  })

  expect(reply.body).toMatchObject({ statusCode: status, name: 'validation_error' })
})

test('a file beyond the limit is refused, and leaves nothing', async () => {
  const app = await startApp({ POSTWREN_IMPORT_LIMIT_MB: '1' })
  const acme = await app.as('acme')
  const megabyte = `email\n${'a'.repeat(1024 * 1024 - 7)}\n`

  const fits = await upload(acme, { file: megabyte })
  const tooLarge = await upload(acme, { file: `${megabyte}\n` })

  expect(fits.status).toBe(201)
  expect(tooLarge.body).toEqual({
    statusCode: 413,
    message: 'The request body is too large. The limit is 1 MB.',
    name: 'validation_error',
  })
  expect(await leftovers(app, acme)).toEqual({ imports: 1, pieces: 2 })
})

test('a form that ends too early is refused, wherever it ends', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { payload, headers } = await formOf({
    on_conflict: 'skip',
    file: 'email\n'.padEnd(700_000, 'x'),
    segments: '[]',
  })
  const ends = [1, 50, 150, 300, 350, 400, 600_000, payload.length - 300, payload.length - 100, payload.length - 5]

  for (const end of ends) {
    const cut = { method: 'POST', url: '/contacts/imports', payload: payload.subarray(0, end), headers } as const
    const reply = await acme.send(cut)

    expect([end, reply.body.statusCode, reply.body.name]).toEqual([end, 400, 'validation_error'])
  }
  expect(await leftovers(app, acme)).toEqual(NOTHING)
})

test('files that nobody asked for are passed over, whole or cut off', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const part = (name: string, content: string) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"; filename="f.csv"\r\n\r\n${content}`
  const send = (payload: string) =>
    acme.send({
      method: 'POST',
      url: '/contacts/imports',
      payload,
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    })

  const whole = await send(`${part('photo', 'x')}\r\n${part('file', FILE)}\r\n${part('file', 'Mail')}\r\n--x--\r\n`)
  const cutOff = await send(part('photo', 'a beginning'))
  const behind = await send(`${part('file', FILE)}\r\n${part('file', 'a beginning')}`)

  expect(whole.status).toBe(201)
  expect([cutOff.status, behind.status]).toEqual([400, 400])
  expect((await leftovers(app, acme)).imports).toBe(1)
})

test('a sender who goes away in the middle leaves nothing', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const address = new URL(await app.server.listen({ port: 0, host: '127.0.0.1' }))
  const { payload, headers } = await formOf({ file: 'email\n'.padEnd(5_000_000, 'x') })
  const socket = connect(Number(address.port), address.hostname)
  await once(socket, 'connect')

  socket.write(
    `POST /contacts/imports HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${acme.token}\r\n` +
      `Content-Type: ${headers['content-type']}\r\nContent-Length: ${payload.length}\r\n\r\n`,
  )
  socket.write(payload.subarray(0, 2_000_000))
  await expect.poll(() => leftovers(app, acme)).toMatchObject({ pieces: 3 })
  socket.destroy()

  await expect.poll(() => leftovers(app, acme)).toEqual(NOTHING)
})
