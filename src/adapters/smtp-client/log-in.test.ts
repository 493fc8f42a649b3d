import { expect, test } from 'vitest'
import { CERTIFICATE, hangUp } from '../../../test/harness/mail-conversation.ts'
import { startMailServer } from '../../../test/harness/mail-server.ts'
import { replyOf, startSender } from '../../../test/harness/smtp-sender.ts'
import type { Host } from './destination.ts'

const auth = { user: 'relay', pass: 'geheim42' }
const withLogin = (server: { host: Host }, login = auth) => ({ host: { ...server.host, auth: login } })

test('a relay that knows us takes our mail', async () => {
  const server = await startMailServer({ auth, tls: 'good' })
  const { send, to } = startSender()

  expect(await send(to(withLogin(server)))).toMatchObject([{ kind: 'delivered' }])
  await send(to(withLogin(server)))

  expect(server.messages).toMatchObject([{ user: 'relay', isTls: true }, { user: 'relay' }])
  expect(server.count('AUTH')).toBe(1)
})

test('a wrong password makes mail wait, and is neither hammered nor told', async () => {
  const server = await startMailServer({
    auth: { user: 'relay', pass: 'other' },
    react: ({ step, line }) =>
      step === 'AUTH' ? `535 5.7.8 No: ${line} means ${Buffer.from(line.slice(11), 'base64').toString()}` : undefined,
  })
  const { send, to, sender } = startSender()

  const [outcome] = await send(to([withLogin(server), withLogin(server)]))

  expect(outcome).toMatchObject({ kind: 'deferred', isThrottled: false })
  expect(replyOf(outcome)).toMatch(/^454 4\.7\.0 mail\.test \(127\.0\.0\.1\) refused the login: 535 5\.7\.8 No/)
  expect(replyOf(outcome)).not.toContain('geheim42')
  expect(replyOf(outcome)).not.toContain(Buffer.from('\0relay\0geheim42').toString('base64'))
  expect(server.count('AUTH')).toBe(1)
  expect(sender.pausedUntil('example.com')).not.toBe(null)
})

test.each([
  [
    'hangs up at the login',
    { auth, react: ({ step }: { step: string }) => (step === 'AUTH' ? hangUp : undefined) },
    'refused the login',
  ],
  ['knows no login', {}, 'cannot be logged in to: it offers no AUTH, and we know PLAIN, LOGIN, CRAM-MD5'],
  ['knows others', { extensions: ['AUTH XOAUTH2 NTLM'] }, 'it offers XOAUTH2, NTLM, and we know PLAIN'],
])('a relay that %s makes mail wait', async (_name, options, text) => {
  const server = await startMailServer(options)
  const { send, to } = startSender()

  expect(await send(to(withLogin(server)))).toMatchObject([
    { kind: 'deferred', unreachable: 'login', reply: expect.stringContaining(text) },
  ])
})

test('a relay is not told a password that it has not asked for', async () => {
  const server = await startMailServer({ extensions: ['AUTH XOAUTH2'] })
  const { send, to } = startSender()

  await send(to(withLogin(server)))

  expect(server.commands.filter((line) => line.startsWith('AUTH'))).toEqual([])
})

test('a relay that wants a login which it was not given makes mail wait', async () => {
  const server = await startMailServer({ auth })
  const { send, to } = startSender()

  expect(await send(to(server))).toMatchObject([{ kind: 'deferred', reply: '530 5.7.0 Log in first' }])
})

test.each([
  ['offers no TLS', {}, 'it does not offer TLS, and the password is not sent without it'],
  ['breaks the handshake', { tls: 'broken' }, ''],
  ['does not prove its name', { tls: 'good' }, 'it did not prove its name with a certificate, and the password'],
] as const)('over a public network the password is kept from a relay that %s', async (_name, options, text) => {
  const server = await startMailServer({ auth, ...options })
  const { send, to } = startSender({ isPublic: () => true })

  expect(await send(to(withLogin(server)))).toMatchObject([{ kind: 'deferred', reply: expect.stringContaining(text) }])
  expect(server.count('AUTH')).toBe(0)
  expect(server.commands.filter((line) => line.startsWith('AUTH'))).toEqual([])
})

test('and told to one that does', async () => {
  const server = await startMailServer({ auth, tls: 'good' })
  const { send, to } = startSender({ isPublic: () => true, trustedCertificates: [CERTIFICATE] })

  expect(await send(to(withLogin(server)))).toMatchObject([{ kind: 'delivered' }])
})
