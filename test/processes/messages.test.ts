import { createConnection } from 'node:net'
import { createInterface } from 'node:readline'
import { Resend } from 'resend'
import { expect, test } from 'vitest'
import { Service } from '../harness/service.ts'

test('a held call is answered by the mail that comes, and when the service stops', async () => {
  const service = await Service.start()
  const resend = new Resend(service.token, { baseUrl: service.url })
  const wait = (query: string) => service.call('GET', `/messages/wait?${query}`)

  const held = wait('to=ada@example.com&timeout=30')
  const { data } = await resend.emails.send({
    from: 'Acme <hello@acme.dev>',
    to: 'Ada <ada@example.com>',
    subject: 'Your code',
    html: '<p>Your code is <b>481 516</b>. <a href="https://acme.dev/in">Sign in</a></p>',
  })
  expect((await held).body).toMatchObject({
    found: true,
    data: [{ id: data!.id, codes: ['481516'], links: [{ text: 'Sign in', target: 'https://acme.dev/in' }] }],
  })

  const received = wait('direction=received&to=desk@anywhere.example&timeout=30')
  await deliver(service.smtpPort, 'desk@anywhere.example')
  expect((await received).body).toMatchObject({ found: true, data: [{ subject: 'By SMTP', text: 'Hi.\n' }] })

  const last = wait(`after=${data!.id}&from=nobody@example.com&timeout=55`)
  const absent = wait('from=nobody@example.com&absent=true&timeout=0.2')
  expect((await absent).body).toEqual({ object: 'list', found: false, data: [] })
  const ended = service.stop()
  // At the end of its time it would have got a list with nothing in it.
  expect((await last).status).toBe(503)
  expect((await last).headers.get('retry-after')).toBe('1')
  expect(await ended).toBe(0)
})

/** Brings a message without a login, as another server does. */
async function deliver(port: number, to: string) {
  const socket = createConnection(port, '127.0.0.1')
  const lines = createInterface(socket)[Symbol.asyncIterator]()
  const answer = async () => {
    for (;;) {
      const { value } = await lines.next()
      if (/^\d{3} /.test(value)) return value as string
    }
  }
  await answer()
  const message = ['From: Ada <ada@example.net>', `To: ${to}`, 'Subject: By SMTP', '', 'Hi.', '.']
  for (const line of ['EHLO test', 'MAIL FROM:<ada@example.net>', `RCPT TO:<${to}>`, 'DATA', message.join('\r\n')]) {
    socket.write(`${line}\r\n`)
    expect(await answer()).toMatch(/^[23]/)
  }
  socket.destroy()
}
