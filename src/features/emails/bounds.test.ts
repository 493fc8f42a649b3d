import { type AddressInfo, connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { SIMPLE, startAcme } from '../../../test/harness/emails.ts'

const MEGABYTE = 1024 * 1024

describe('an email', () => {
  test.each([
    ['a long html', { html: 'x'.repeat(5 * MEGABYTE + 1) }, 'Invalid `html` field. It must be at most 5 MB.'],
    [
      'a long subject',
      { subject: 'x'.repeat(2_001) },
      'Invalid `subject` field. It must be a string of at most 2000 characters.',
    ],
    [
      'many headers',
      { headers: Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`x-${index}`, 'a'])) },
      'Invalid `headers` field. There can be at most 100 headers with 32000 characters in all.',
    ],
    [
      'long headers',
      {
        headers: {
          a: 'x '.repeat(3_900),
          b: 'x '.repeat(3_900),
          c: 'x '.repeat(3_900),
          d: 'x '.repeat(3_900),
          e: 'x '.repeat(900),
        },
      },
      'Invalid `headers` field. There can be at most 100 headers with 32000 characters in all.',
    ],
    [
      'many attachments',
      { attachments: Array.from({ length: 101 }, () => ({ filename: 'a', content: 'YQ==' })) },
      'Invalid `attachments` field. It must be a list of at most 100 items.',
    ],
  ])('with %s is refused', async (_, fields, message) => {
    const { acme } = await startAcme()

    const { body } = await acme.post('/emails', { ...SIMPLE, ...fields })

    expect(body).toEqual({ statusCode: 422, message, name: 'validation_error' })
  })

  test('that is full of values is refused while it is being sent', async () => {
    const { app, acme } = await startAcme()
    await app.server.listen({ host: '127.0.0.1', port: 0 })
    const client = connect((app.server.server.address() as AddressInfo).port, '127.0.0.1')
    let answer = ''
    client.on('data', (bytes) => {
      answer += bytes
    })
    client.on('error', () => {})
    const closed = new Promise((resolve) => client.on('close', resolve))

    client.write(
      `POST /emails HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${acme.token}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
    )
    const chunk = Buffer.from(`${(65_536 * 3).toString(16)}\r\n${'{},'.repeat(65_536)}\r\n`)
    const send = () => {
      while (!client.destroyed && answer === '' && client.write(chunk));
      if (answer !== '') client.end()
    }
    client.on('drain', send)
    send()
    await closed

    expect(answer).toMatch(/^HTTP\/1\.1 422 /)
    expect(answer).toContain('The request body has too many values. The limit is 100000.')
    expect(client.bytesWritten).toBeLessThan(40 * MEGABYTE)
  })
})

test('a batch has room for 20 MB of words, also when templates make them', async () => {
  const { acme } = await startAcme()
  const { body: template } = await acme.post('/templates', { name: 'A', html: '{{{WORDS}}}'.repeat(400), subject: 'x' })
  await acme.post(`/templates/${template.id}/publish`)
  const email = (length: number) => ({
    from: SIMPLE.from,
    to: SIMPLE.to,
    template: { id: template.id, variables: { WORDS: 'x'.repeat(length) } },
  })

  const one = await acme.post('/emails', email(13_000))
  const tooLong = await acme.post('/emails', email(100_000))
  const many = await acme.post(
    '/emails/batch',
    Array.from({ length: 5 }, () => email(13_000)),
  )

  expect(one.status).toBe(200)
  expect(tooLong.body.message).toBe(
    'The `html` of the template is too long with these values. It would have more than 5242880 characters.',
  )
  expect(many.body).toEqual({
    statusCode: 422,
    message: 'The html and text of a batch can have at most 20 MB in all.',
    name: 'validation_error',
  })
})
