import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { SIMPLE } from '../../../test/harness/emails.ts'

test('the list is narrowed by status, recipient, tag and time, and pages as it always does', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const send = async (email: object) => (await acme.post('/emails', { ...SIMPLE, ...email })).body.id as string
  const plain = await send({ to: 'ada@example.com' })
  const copied = await send({ to: 'bob@example.com', cc: 'Ada@Example.com' })
  const tagged = await send({ to: 'eve@example.com', tags: [{ name: 'kind', value: 'receipt' }] })
  const later = await send({ to: 'eve@example.com', scheduled_at: 'in 1 hour' })
  const ids = async (query: string) =>
    (await acme.get(`/emails?${query}`)).body.data.map(({ id }: { id: string }) => id)

  expect(await ids('status=scheduled')).toEqual([later])
  expect(await ids('to=ADA@example.com')).toEqual([copied, plain])
  expect(await ids('tag=kind')).toEqual([tagged])
  expect(await ids('tag=kind:receipt')).toEqual([tagged])
  expect(await ids('tag=kind:other')).toEqual([])
  expect(await ids('to=eve@example.com&status=scheduled')).toEqual([later])
  expect(await ids(`to=ada@example.com&limit=1&after=${copied}`)).toEqual([plain])
  expect(await ids('created_after=2000-01-01T00:00:00Z')).toHaveLength(4)
  expect(await ids('created_before=2000-01-01T00:00:00Z')).toEqual([])
})

test.each(['status=lost', 'to=nobody', 'tag=%20', 'created_after=soon'])('%s is no filter', async (query) => {
  const acme = await (await startApp()).as('acme')

  expect((await acme.get(`/emails?${query}`)).body.name).toBe('invalid_parameter')
})

test('the source is the message as it goes over the wire, with the beginnings of its attachments', async () => {
  const acme = await (await startApp()).as('acme')
  const attachments = [{ filename: 'long.txt', content: Buffer.alloc(1_000_000, 'x').toString('base64') }]
  const { id } = (await acme.post('/emails', { ...SIMPLE, subject: 'Grüße', attachments })).body

  const { source } = (await acme.get(`/emails/${id}/source`)).body

  expect(source).toMatch(/^Subject: =\?UTF-8\?/im)
  expect(source).toContain('Content-Disposition: attachment')
  expect(source.length).toBeLessThan(10_000)
})
