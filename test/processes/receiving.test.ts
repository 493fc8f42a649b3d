import { execFileSync, spawnSync } from 'node:child_process'
import { createTransport } from 'nodemailer'
import { beforeAll, expect, test, vi } from 'vitest'
import { Service } from '../harness/service.ts'

vi.setConfig({ testTimeout: 120_000 })

// Nobody is asked who the mail is from: the name servers of the machine that runs the tests are its own.
const OFFLINE = { POSTWREN_DNS_SERVERS: '127.0.0.1:1' }

const transportTo = (port: number, auth?: { user: string; pass: string }) =>
  createTransport({ host: '127.0.0.1', port, ...(auth && { auth }) })

let service: Service

beforeAll(async () => {
  service = await Service.start({ lifetime: 'file', settings: OFFLINE })
})

const inbox = async () => (await service.call('GET', '/emails/receiving')).body.data

const hasProgram = (name: string) => spawnSync('which', [name]).status === 0

test('clients of all kinds bring mail to a server that just runs', async () => {
  const port = String(service.smtpPort)

  await transportTo(service.smtpPort).sendMail({
    from: 'node@elsewhere.example',
    to: 'desk@inbox.example',
    subject: 'nodemailer',
    text: 'Hi',
    attachments: [{ filename: 'a.txt', content: 'hello' }],
  })
  if (hasProgram('python3'))
    execFileSync('python3', [
      '-c',
      `import smtplib\nwith smtplib.SMTP('127.0.0.1', ${port}) as s:\n  s.sendmail('py@elsewhere.example', ['desk@inbox.example'], 'Subject: smtplib\\r\\n\\r\\nHi\\r\\n')`,
    ])
  if (hasProgram('swaks'))
    execFileSync('swaks', [
      ...['--server', '127.0.0.1', '--port', port, '--from', 'sw@elsewhere.example'],
      ...['--to', 'desk@inbox.example', '--header', 'Subject: swaks', '--attach', '@package.json', '--silent', '1'],
    ])

  const senders = 1 + Number(hasProgram('swaks')) + Number(hasProgram('python3'))
  await service.stored(async () => (await inbox()).length === senders)
  const mails = await inbox()
  const subjects = mails.map(({ subject }: { subject: string }) => subject)
  expect(subjects).toEqual([
    ...(hasProgram('swaks') ? ['swaks'] : []),
    ...(hasProgram('python3') ? ['smtplib'] : []),
    'nodemailer',
  ])
  const { id } = mails.at(-1)
  const mail = (await service.call('GET', `/emails/receiving/${id}`)).body
  expect(mail).toMatchObject({ text: expect.stringContaining('Hi'), attachments: [{ filename: 'a.txt', size: 5 }] })
  expect(await (await fetch(mail.raw.download_url)).text()).toContain('Subject: nodemailer')
  await service.stored(async () => (await inbox()).every((one: { authentication: unknown }) => one.authentication))
  expect((await inbox()).at(-1).authentication).toMatchObject({ dkim: [], arc: { result: 'none' } })
})

test('a client that logs in with an API key sends as the API does', async () => {
  const auth = { user: 'resend', pass: service.token }
  const before = await inbox()

  const sent = await transportTo(service.smtpPort, auth).sendMail({
    from: 'Me <me@acme.example>',
    to: 'you@example.com',
    bcc: 'secret@example.com',
    subject: 'By SMTP',
    html: '<p>Hi</p>',
    headers: { 'X-Order': '42' },
  })

  const id = /[0-9a-f-]{36}/.exec(sent.response)![0]
  await service.stored(async () => (await service.call('GET', `/emails/${id}`)).body.last_event === 'delivered')
  const email = (await service.call('GET', `/emails/${id}`)).body
  expect(email).toMatchObject({ to: ['you@example.com'], bcc: ['secret@example.com'], message_id: sent.messageId })
  expect(await inbox()).toEqual(before)
})

const PYTHON = String.raw`
import smtplib, sys
from email.message import EmailMessage
mail = EmailMessage()
mail['From'], mail['To'], mail['Subject'] = 'py@acme.example', 'you@example.com', 'smtplib'
mail.add_header('X-TAG', 'one'); mail.add_header('x-tag', 'two')
mail.set_content('Gr\u00fc\u00dfe\n')
mail.add_alternative('BEGIN:VCALENDAR\nEND:VCALENDAR\n', subtype='calendar', params={'method': 'REQUEST'})
with smtplib.SMTP('127.0.0.1', int(sys.argv[1])) as server:
  server.login('made', 'up')
  server.send_message(mail)
`

test('tools with made-up passwords send what they have written, while nothing leaves', async () => {
  const sent = async () => (await service.call('GET', '/emails')).body.data as { id: string; subject: string }[]
  const before = (await sent()).length

  await transportTo(service.smtpPort, { user: 'any', pass: 'thing' }).sendMail({
    from: 'Me <me@acme.example>',
    to: 'you@example.com',
    subject: 'nodemailer',
    text: 'Hi',
    icalEvent: { method: 'REQUEST', content: 'BEGIN:VCALENDAR' },
    headers: { 'X-Tag': ['one', 'two'] },
  })
  if (hasProgram('python3')) execFileSync('python3', ['-c', PYTHON, String(service.smtpPort)])

  const emails = (await sent()).toReversed().slice(before)
  expect(emails.map(({ subject }) => subject)).toEqual(['nodemailer', ...(hasProgram('python3') ? ['smtplib'] : [])])
  for (const { id } of emails) {
    const { source } = (await service.call('GET', `/emails/${id}/source`)).body
    expect(source).toMatch(/^x-tag: one\r\nx-tag: two\r\n/im)
    expect(source).toMatch(/^Content-Type: text\/calendar;[^:]*method="?REQUEST/m)
  }
})
