import { expect, test } from 'vitest'
import { CERTIFICATE } from '../../../test/harness/mail-conversation.ts'
import { startMailServer } from '../../../test/harness/mail-server.ts'
import { startSender } from '../../../test/harness/smtp-sender.ts'

const trusting = { trustedCertificates: [CERTIFICATE] }

test('without a demand for TLS, any certificate will do', async () => {
  const server = await startMailServer({ tls: 'good' })
  const { send, to } = startSender()
  const wrongName = { host: { ...server.host, host: 'mx.elsewhere.example' } }

  expect(await send(to(wrongName))).toMatchObject([{ kind: 'delivered' }])
  expect(server.messages).toMatchObject([{ isTls: true }])
})

test.each(['broken', 'silent'] as const)(
  'a handshake that fails (%s) is followed by a new, open connection',
  async (tls) => {
    const server = await startMailServer({ tls })
    const { send, to } = startSender(tls === 'silent' ? { timeouts: { greetingMs: 1_000 } } : {})

    expect(await send(to(server))).toMatchObject([{ kind: 'delivered' }])
    expect(server.messages).toMatchObject([{ isTls: false, connection: 2 }])
  },
)

test('so is a STARTTLS that is offered and then refused', async () => {
  const server = await startMailServer({
    tls: 'good',
    react: ({ step }) => (step === 'STARTTLS' ? '454 4.7.0 TLS not available' : undefined),
  })
  const { send, to } = startSender()

  expect(await send(to(server))).toMatchObject([{ kind: 'delivered' }])
  expect(server.messages).toMatchObject([{ isTls: false, connection: 2 }])
})

test('what comes with the yes to STARTTLS is not taken for what is said after it', async () => {
  const server = await startMailServer({
    tls: 'good',
    react: ({ step }) =>
      step === 'STARTTLS' ? { bytes: '220 2.0.0 Ready\r\n250 mail.elsewhere.example\r\n250-half' } : undefined,
  })
  const { send, to } = startSender()

  expect(await send(to(server))).toMatchObject([{ kind: 'delivered' }])
  expect(server.messages).toMatchObject([{ isTls: true, connection: 1, parameters: expect.stringMatching(/^SIZE/) }])
})

test('TLS from the first byte works, and is never given up', async () => {
  const server = await startMailServer({ secure: true })
  const open = await startMailServer()
  const { send, to } = startSender()

  expect(await send(to(server))).toMatchObject([{ kind: 'delivered' }])
  expect(await send(to({ host: { ...open.host, secure: true } }, { name: 'open.example' }))).toMatchObject([
    { kind: 'deferred' },
  ])
  expect(open.messages).toEqual([])
})

test('a demand for TLS is met by a host that proves its name', async () => {
  const server = await startMailServer({ tls: 'good' })
  const { send, to } = startSender(trusting)

  expect(await send(to(server), { requireTls: true })).toMatchObject([{ kind: 'delivered' }])
  expect(server.messages).toMatchObject([{ isTls: true }])
})

test.each([
  ['no STARTTLS', {}, trusting, 'it does not offer TLS, and this message demands TLS'],
  ['a broken handshake', { tls: 'broken' }, trusting, ''],
  ['a certificate nobody vouches for', { tls: 'good' }, {}, 'it did not prove its name with a certificate'],
] as const)('with a demand for TLS, %s makes the mail wait', async (_name, options, trust, text) => {
  const server = await startMailServer(options)
  const { send, to, sender } = startSender(trust)

  expect(await send(to(server), { requireTls: true })).toMatchObject([
    { kind: 'deferred', reply: expect.stringMatching(`^451 4\\.7\\.5 mail\\.test \\(127\\.0\\.0\\.1\\): .*${text}`) },
  ])
  expect(server.count('MAIL')).toBe(0)
  // Other mail to the same destination has nothing to do with it.
  expect(sender.pausedUntil('example.com')).toBe(null)
  expect(await send(to(server))).toMatchObject([{ kind: 'delivered' }])
})

test('a certificate for another name is no proof', async () => {
  const server = await startMailServer({ tls: 'good' })
  const { send, to } = startSender(trusting)
  const wrongName = { host: { ...server.host, host: 'mx.elsewhere.example' } }

  expect(await send(to(wrongName), { requireTls: true })).toMatchObject([{ kind: 'deferred' }])
})

test('a host that cannot prove itself is followed by one that can', async () => {
  const open = await startMailServer()
  const encrypted = await startMailServer({ tls: 'good' })
  const { send, to } = startSender(trusting)

  expect(await send(to([open, encrypted]), { requireTls: true })).toMatchObject([{ kind: 'delivered' }])
})

test('an open session in the pool is not used for mail that demands TLS', async () => {
  const open = await startMailServer()
  const encrypted = await startMailServer({ tls: 'good' })
  const { send, to } = startSender(trusting)
  await send(to([open, encrypted]))

  await send(to([open, encrypted]), { requireTls: true })

  expect(open.messages).toHaveLength(1)
  expect(encrypted.messages).toMatchObject([{ isTls: true }])
})
