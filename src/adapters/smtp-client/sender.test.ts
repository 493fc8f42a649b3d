import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { expect, onTestFinished, test } from 'vitest'
import { CERTIFICATE, PRIVATE_KEY } from '../../../test/harness/mail-conversation.ts'
import { startMailServer } from '../../../test/harness/mail-server.ts'
import { MESSAGE, startSender } from '../../../test/harness/smtp-sender.ts'

/** An SMTP server that is not ours, so that both sides cannot share a misunderstanding. */
async function startOtherServer(options: SMTPServerOptions = {}) {
  const received: { from: string; to: string[]; bytes: Buffer; secure: boolean; user: unknown }[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH'],
    key: PRIVATE_KEY,
    cert: CERTIFICATE,
    ...options,
    async onData(stream, session, done) {
      const { mailFrom, rcptTo } = session.envelope
      const from = mailFrom ? mailFrom.address : ''
      const to = rcptTo.map(({ address }) => address)
      received.push({ from, to, bytes: await buffer(stream), secure: session.secure, user: session.user })
      done()
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)))
  const { port } = server.server.address() as AddressInfo
  return { received, host: { host: 'mail.test', address: '127.0.0.1', port, secure: options.secure === true } }
}

test('a message arrives as it is, encrypted where the server can', async () => {
  const server = await startOtherServer()
  const { send, to } = startSender()

  const outcomes = await send(to(server), { to: ['ada@example.com', 'bob@example.com'] })

  expect(outcomes).toEqual([
    { kind: 'delivered', reply: expect.stringMatching(/^250/), host: 'mail.test' },
    { kind: 'delivered', reply: expect.stringMatching(/^250/), host: 'mail.test' },
  ])
  expect(server.received).toEqual([
    {
      from: 'sender@example.org',
      to: ['ada@example.com', 'bob@example.com'],
      bytes: MESSAGE,
      secure: true,
      user: false,
    },
  ])
})

test.each([3, 1_000])('%i lines that begin with dots arrive as they are', async (lines) => {
  const server = await startOtherServer()
  const { send, to } = startSender()
  const message = Buffer.from(`Subject: dots\r\n\r\n${'.\r\n..\r\n. a\r\n'.repeat(lines)}end\r\n`)

  await send(to(server), {}, message)

  expect(server.received[0]!.bytes.equals(message)).toBe(true)
})

test.each(['PLAIN', 'LOGIN', 'CRAM-MD5'])('a relay with TLS from the first byte lets us in by %s', async (method) => {
  const server = await startOtherServer({
    secure: true,
    disabledCommands: [],
    authMethods: [method],
    onAuth: (auth, _session, done) => {
      const isRight = auth.username === 'relay' && (auth.password === 'påss' || auth.validatePassword('påss'))
      done(null, isRight ? { user: 'relay' } : {})
    },
  })
  const { send, to } = startSender()
  const relay = { host: { ...server.host, auth: { user: 'relay', pass: 'påss' } } }

  expect(await send(to(relay))).toMatchObject([{ kind: 'delivered' }])
  expect(server.received).toMatchObject([{ secure: true, user: 'relay' }])
})

test('a large message arrives byte by byte', async () => {
  const server = await startOtherServer()
  const { send, to } = startSender()
  const message = Buffer.from(
    `Subject: large\r\n\r\n${randomBytes(1_500_000).toString('base64').replace(/.{76}/g, '$&\r\n')}\r\n`,
  )

  expect(await send(to(server), {}, message)).toMatchObject([{ kind: 'delivered' }])
  expect(server.received[0]!.bytes.equals(message)).toBe(true)
})

test.each([1_000, 1_500_000])('a message of %i bytes that is not ours any more is not ended', async (bytes) => {
  const server = await startMailServer()
  const { sender, to } = startSender()
  const envelope = { from: 'a@example.org', to: ['b@example.com'], requireTls: false, needsUtf8: false }
  const fence = { mayBegin: async () => true, isOurs: () => false }

  const outcomes = await sender.send(to(server), envelope, Buffer.alloc(bytes, 'x'), { fence })
  await server.closed()

  expect(outcomes).toEqual([{ kind: 'postponed', seconds: 0 }])
  expect(server.count('DATA')).toBe(1)
  expect(server.seen).toHaveLength(0)
})

test('an empty sender, for bounces, is sent as such', async () => {
  const server = await startMailServer()
  const { send, to } = startSender()

  await send(to(server), { from: '' })

  expect(server.commands).toContain(`MAIL FROM:<> SIZE=${MESSAGE.length}`)
  expect(server.commands[0]).toBe('EHLO sender.test')
})

test('each recipient gets the verdict that was spoken about it', async () => {
  const server = await startMailServer({
    react: ({ step, line }) => {
      if (step !== 'RCPT') return undefined
      if (line.includes('full')) return '452 4.2.2 Mailbox full'
      if (line.includes('gone')) return '550 5.1.1 No such user'
      return undefined
    },
  })
  const { send, to } = startSender()

  const outcomes = await send(to(server), {
    to: ['gone@example.com', 'ada@example.com', 'full@example.com', 'bob@example.com', 'ada@example.com'],
  })

  expect(outcomes.map(({ kind }) => kind)).toEqual(['bounced', 'delivered', 'deferred', 'delivered', 'delivered'])
  expect(outcomes[0]).toMatchObject({ reply: expect.stringContaining('5.1.1') })
  expect(server.messages.map((mail) => mail.to)).toEqual([['ada@example.com', 'bob@example.com']])
})

test.each([true, false])(
  'when all recipients are refused, the session serves the next mail (pipelining: %s)',
  async (can) => {
    const server = await startMailServer({
      extensions: can ? ['PIPELINING'] : [],
      react: ({ step, line }) => (step === 'RCPT' && line.includes('gone') ? '550 5.1.1 No such user' : undefined),
    })
    const { send, to } = startSender()

    expect(await send(to(server), { to: ['gone@example.com', 'gone-too@example.com'] })).toMatchObject([
      { kind: 'bounced' },
      { kind: 'bounced' },
    ])
    expect(await send(to(server))).toMatchObject([{ kind: 'delivered' }])
    expect(server.connections.total).toBe(1)
    expect(server.violations).toEqual([])
  },
)

test.each([
  ['MAIL', '550 5.7.1 We do not like you', 'bounced'],
  ['MAIL', '451 4.3.0 Try later', 'deferred'],
  ['DATA', '554 5.7.1 No', 'bounced'],
  ['DATA', '451 4.3.0 Try later', 'deferred'],
  ['MESSAGE', '550 5.7.1 Spam', 'bounced'],
  ['MESSAGE', '451 4.3.0 Try later', 'deferred'],
] as const)('a refusal at %s (%s) holds for everybody', async (at, reply, kind) => {
  const server = await startMailServer({ react: ({ step, count }) => (step === at && count === 1 ? reply : undefined) })
  const { send, to } = startSender()

  const outcomes = await send(to(server), { to: ['ada@example.com', 'bob@example.com'] })

  expect(outcomes).toMatchObject([
    { kind, reply: expect.stringContaining(reply.slice(4)) },
    { kind, reply: expect.stringContaining(reply.slice(4)) },
  ])
  expect(await send(to(server))).toMatchObject([{ kind: 'delivered' }])
  expect(server.connections.total).toBe(1)
})

test('a reply of several lines is kept whole', async () => {
  const reply = '550-5.7.1 Blocked.\r\n550-5.7.1 See https://example.com/why\r\n550 5.7.1 Bye'
  const server = await startMailServer({ react: ({ step }) => (step === 'MESSAGE' ? reply : undefined) })
  const { send, to } = startSender()

  const [outcome] = await send(to(server))

  expect(outcome).toMatchObject({ kind: 'bounced', reply: expect.stringContaining('https://example.com/why') })
})

test('letters beyond ASCII need a server that can', async () => {
  const able = await startMailServer()
  const unable = await startMailServer({ extensions: ['PIPELINING', '8BITMIME'] })
  const { send, to } = startSender()
  const needy = { to: ['jürgen@example.com'], needsUtf8: true }

  expect(await send(to(able), needy)).toMatchObject([{ kind: 'delivered' }])
  expect(able.messages[0]).toMatchObject({
    to: ['jürgen@example.com'],
    parameters: expect.stringContaining('SMTPUTF8'),
  })
  expect(await send(to(unable, { name: 'old.example' }), needy)).toMatchObject([
    {
      kind: 'bounced',
      reply: expect.stringContaining('5.6.7'),
      host: 'mail.test',
      bounce: { type: 'Undetermined', subType: 'General' },
    },
  ])
  expect(unable.count('MAIL')).toBe(0)
})

test('a header beyond ASCII asks for SMTPUTF8 too, and says that it is not 7 bit', async () => {
  const server = await startMailServer()
  const { send, to } = startSender()
  const message = Buffer.from('To: jürgen@example.com\r\n\r\nHello\r\n')

  await send(to(server), { needsUtf8: true }, message)
  await send(to(server))

  expect(server.messages.map(({ parameters }) => parameters)).toEqual([
    `BODY=8BITMIME SIZE=${message.length} SMTPUTF8`,
    `SIZE=${MESSAGE.length}`,
  ])
})

test('a domain beyond ASCII goes over the wire in ASCII, and any server will do', async () => {
  const server = await startMailServer({ extensions: [] })
  const { send, to } = startSender()

  expect(await send(to(server), { from: 'a@müller.example', to: ['b@bücher.example'] })).toMatchObject([
    { kind: 'delivered' },
  ])
  expect(server.messages[0]).toMatchObject({ from: 'a@xn--mller-kva.example', to: ['b@xn--bcher-kva.example'] })
})

test('a message that the server says it will not take is not offered', async () => {
  const server = await startMailServer({ extensions: ['SIZE 1000'] })
  const { send, to } = startSender()

  expect(await send(to(server), {}, Buffer.alloc(1_001, 'x'))).toMatchObject([
    {
      kind: 'bounced',
      reply: expect.stringContaining('5.3.4'),
      host: 'mail.test',
      bounce: expect.objectContaining({ subType: 'MessageTooLarge' }),
    },
  ])
  expect(await send(to(server), {}, Buffer.alloc(1_000, 'x'))).toMatchObject([{ kind: 'delivered' }])
  expect(server.count('MAIL')).toBe(1)
})

test.each(['a@b>\r\nRCPT TO:<c@d', 'a\0@b', '<a@b>'])(
  'the address %j cannot break out of its command',
  async (address) => {
    const server = await startMailServer()
    const { send, to } = startSender()

    expect(await send(to(server), { to: [address, 'ada@example.com'] })).toMatchObject([
      { kind: 'bounced', reply: expect.stringContaining('5.1.3') },
      { kind: 'delivered' },
    ])
    expect(await send(to(server), { from: address })).toMatchObject([
      { kind: 'bounced', reply: expect.stringContaining('5.1.7') },
    ])
    expect(server.messages).toMatchObject([{ to: ['ada@example.com'] }])
  },
)
