import { expect, test } from 'vitest'
import { CERTIFICATE, hangUp } from '../../../test/harness/mail-conversation.ts'
import { startMailServer } from '../../../test/harness/mail-server.ts'
import { MESSAGE, startSender } from '../../../test/harness/smtp-sender.ts'
import { Conversation, readSummary } from './conversation.ts'
import type { Destination } from './destination.ts'

const ENVELOPE = { from: 'sender@example.org', to: ['ada@example.com'], requireTls: false, needsUtf8: false }

/** Sends a mail, and gives how that went. */
async function converse({ sender }: ReturnType<typeof startSender>, destination: Destination) {
  const conversation = new Conversation()
  await sender.send(destination, ENVELOPE, MESSAGE, { conversation })
  return conversation
}

const linesOf = ({ dialogue }: Conversation) => dialogue.split('\n').map((line) => line.replace(/^\d+ /, ''))

test('a conversation has what was said, by whom, and no part of the message', async () => {
  const server = await startMailServer({ tls: 'good' })
  const sending = startSender({ trustedCertificates: [CERTIFICATE] })
  const conversation = await converse(sending, sending.to(server))

  const lines = linesOf(conversation)
  expect(lines[0]).toBe(`* connecting to mail.test (127.0.0.1), port ${server.port}`)
  expect(lines).toEqual(
    expect.arrayContaining([
      '> STARTTLS',
      expect.stringMatching(/^\* encrypted with TLSv1\.\d \S+, certificate verified$/),
      expect.stringMatching(/^> MAIL FROM:</),
      expect.stringMatching(/^\* message of \d+ bytes$/),
      expect.stringMatching(/^< 250 /),
    ]),
  )
  expect(conversation.dialogue).not.toContain('Subject')
  expect(conversation.peer).toMatchObject({ host: 'mail.test', address: '127.0.0.1', tls: { isTrusted: true } })
  expect(conversation.sentMs).toBeGreaterThanOrEqual(conversation.connectedMs!)
})

test.each(['PLAIN', 'LOGIN', 'CRAM-MD5'])(
  'a password is not in it (%s), also when the server repeats it',
  async (method) => {
    const secrets = ['wren', 'hush-hush']
    const server = await startMailServer({
      extensions: [`AUTH ${method}`],
      react: ({ step, line }) => (step === 'AUTH' ? `535 5.7.8 no: ${line} hush-hush` : undefined),
    })
    const sending = startSender()
    const auth = { user: secrets[0]!, pass: secrets[1]! }
    const conversation = await converse(sending, sending.to({ host: { ...server.host, auth } }))

    const encoded = [`\0${secrets.join('\0')}`, ...secrets].map((text) => Buffer.from(text).toString('base64'))
    for (const secret of ['hush-hush', ...encoded]) expect(conversation.dialogue).not.toContain(secret)
    expect(linesOf(conversation)).toContain(method === 'PLAIN' ? '> AUTH PLAIN …' : `> AUTH ${method}`)
  },
)

test('a host that hangs up, and the next one that takes it, are in one conversation', async () => {
  const server = await startMailServer({
    react: ({ connection, step }) => (connection === 1 && step === 'MAIL' ? hangUp : undefined),
  })
  const sending = startSender()
  const conversation = await converse(sending, sending.to([server, server]))

  const lines = linesOf(conversation)
  expect(lines.filter((line) => line.startsWith('* connecting to'))).toHaveLength(2)
  expect(lines).toContain('* the connection was closed without a reply')
})

test('a dialogue keeps its beginning and its end, and is never longer than 4 kB', () => {
  const conversation = new Conversation()
  conversation.note('connecting')
  for (let number = 0; number < 5_000; number++) conversation.hear(`250-${number} ${'ö'.repeat(2_000)}`)
  conversation.hear('550 5.7.1 the end')

  expect(Buffer.byteLength(conversation.dialogue)).toBeLessThanOrEqual(4_096)
  const lines = linesOf(conversation)
  expect(lines[0]).toBe('* connecting')
  expect(lines).toContain('* …')
  expect(lines.at(-1)).toBe('< 550 5.7.1 the end')
})

test('in short it has each command and the code of each reply', async () => {
  const server = await startMailServer({ tls: 'good' })
  const sending = startSender({ trustedCertificates: [CERTIFICATE] })
  const conversation = await converse(sending, sending.to(server))

  expect(conversation.summary).toMatch(/^\d+<220E(\d*<250)S(\d*<220)E(\d*<250)M.*<354.*<250$/)
  expect(conversation.summary.length).toBeLessThan(80)
  const lines = readSummary(conversation.summary).split('\n')
  for (const line of lines) expect(line).toMatch(/^\d+ [<>] (?:[A-Z]+|\d{3})$/)
  const commands = lines.flatMap((line) => line.split(' > ')[1] ?? [])
  expect(commands).toEqual(['EHLO', 'STARTTLS', 'EHLO', 'MAIL', 'RCPT', 'DATA'])
  expect(lines.at(-1)).toMatch(/ < 250$/)
})

test('it is as short whatever is said, and has nothing of it', () => {
  const conversation = new Conversation()
  for (let number = 0; number < 5_000; number++) {
    conversation.say(`SECRET ${number}`)
    conversation.hear('hostile, and no reply')
  }
  conversation.hear('250-first\n250 last')
  expect(conversation.summary).toMatch(/^[?\d<]*<000\d*<250$/)
  expect(conversation.summary.length).toBeLessThanOrEqual(100)
})
