import { expect, test } from 'vitest'
import { makeGate } from '../../../test/harness/gate.ts'
import { TestClient } from '../../../test/harness/smtp-client.ts'
import { startListener } from '../../../test/harness/smtp-listener.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const plain = (user: string, password: string) => `AUTH PLAIN ${base64(`\0${user}\0${password}`)}`

async function encryptedClient(port: number) {
  const client = await TestClient.ready(port)
  await client.startTls()
  return client
}

test('logging in is offered and possible only where nobody can read along', async () => {
  const { port } = await startListener()
  const client = await TestClient.ready(port)

  expect(await client.ask('EHLO client.test')).not.toContain('AUTH')
  expect(await client.ask(plain('me', 'sesame'))).toBe('538 5.7.11 Encryption is required for authentication')
  await client.startTls()
  expect(await client.ask('EHLO client.test')).toContain('AUTH PLAIN LOGIN')
  expect(await client.ask('EHLO client.test')).not.toContain('STARTTLS')
  expect(await client.ask(plain('me', 'sesame'))).toBe('235 2.7.0 Authentication successful')
})

test('where it is allowed, people log in without encryption', async () => {
  const { port, taken } = await startListener({ allowPlaintextAuth: true })
  const client = await TestClient.ready(port)

  expect(await client.ask('EHLO client.test')).toContain('AUTH PLAIN LOGIN')
  expect(await client.ask(plain('me', 'sesame'))).toMatch(/^235 /)
  await client.deliver('Hi')

  expect(taken[0]).toMatchObject({ user: 'me', peer: { isEncrypted: false } })
})

test('all the ways of saying user and password are understood', async () => {
  const { port, taken } = await startListener({ allowPlaintextAuth: true })
  const ways = [
    [plain('a', 'sesame')],
    ['AUTH PLAIN', base64('\0b\0sesame')],
    ['AUTH LOGIN', base64('c'), base64('sesame')],
    [`AUTH LOGIN ${base64('d')}`, base64('sesame')],
    [`auth plain ${base64('e\0\0sesame')}`],
  ]

  for (const lines of ways) {
    const client = await TestClient.ready(port)
    const replies = []
    for (const line of lines) replies.push(await client.ask(line))
    expect(replies.at(-1)).toMatch(/^235 /)
    expect(replies.slice(0, -1).every((reply) => reply.startsWith('334'))).toBe(true)
    await client.deliver('Hi')
  }

  expect(taken.map(({ user }) => user)).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('what is no login is refused, and so is a second one', async () => {
  const { port } = await startListener({ allowPlaintextAuth: true })
  const client = await TestClient.ready(port)

  expect(await client.ask('AUTH')).toMatch(/^504 /)
  expect(await client.ask('AUTH XOAUTH2 abc')).toMatch(/^504 /)
  expect(await client.ask('AUTH PLAIN !!!')).toMatch(/^501 /)
  expect(await client.ask('AUTH PLAIN')).toMatch(/^334/)
  expect(await client.ask('*')).toMatch(/^501 /)
  expect(await client.ask(plain('me', 'sesame'))).toMatch(/^235 /)
  expect(await client.ask(plain('you', 'sesame'))).toMatch(/^503 /)
})

test('nobody becomes somebody else between the recipients and the message', async () => {
  const { port } = await startListener({ allowPlaintextAuth: true })
  const client = await TestClient.ready(port)

  await client.ask('MAIL FROM:<ada@example.org>')
  expect(await client.ask(plain('me', 'sesame'))).toBe('503 5.5.1 AUTH is not allowed after MAIL')
  await client.ask('RSET')
  expect(await client.ask(plain('me', 'sesame'))).toMatch(/^235 /)
})

test('encryption forgets who was logged in before', async () => {
  const { port, taken } = await startListener({ allowPlaintextAuth: true })
  const client = await TestClient.ready(port)
  await client.ask(plain('me', 'sesame'))

  await client.startTls()
  expect(await client.ask('MAIL FROM:<ada@example.org>')).toMatch(/^503 /)
  await client.ask('EHLO client.test')
  await client.deliver('Hi')

  expect(taken[0]).toMatchObject({ user: null, peer: { isEncrypted: true } })
})

test('who guesses is sent away', async () => {
  const { port } = await startListener({ limits: { loginDelayMs: 1, failedLogins: 3 } })
  const client = await encryptedClient(port)
  await client.ask('EHLO client.test')
  const replies: string[] = []

  for (const guess of ['one', 'two', 'three']) replies.push(await client.ask(plain('me', guess)))

  expect(replies).toEqual([
    '535 5.7.8 Authentication credentials invalid',
    '535 5.7.8 Authentication credentials invalid',
    '421 4.7.0 Too many failed logins',
  ])
  expect(await client.rest()).toBe('')
})

test('who guesses waits for the answer, and nobody else does', async () => {
  const asked = makeGate()
  const { port } = await startListener({
    limits: { loginDelayMs: 60_000 },
    handler: {
      async authenticate() {
        asked.open()
        return { code: 535, enhanced: '5.7.8', message: 'No' }
      },
    },
  })
  const client = await encryptedClient(port)
  await client.ask('EHLO client.test')
  let answer = ''
  void client.ask(plain('me', 'guess')).then(
    (reply) => {
      answer = reply
    },
    () => {},
  )
  await asked.opened

  const other = await TestClient.ready(port)
  expect(await other.ask('NOOP')).toMatch(/^250 /)

  expect(answer).toBe('')
})

test('who guesses over many sessions is turned away before anybody is asked', async () => {
  let asked = 0
  const { port } = await startListener({
    allowPlaintextAuth: true,
    limits: { failedLogins: 100, errors: 100 },
    handler: {
      authenticate: async ({ password }) => {
        asked++
        return password === 'sesame' ? 'me' : { code: 535, enhanced: '5.7.8', message: 'No' }
      },
    },
  })
  for (let session = 0; session < 6; session++) {
    const client = await TestClient.ready(port)
    for (let guess = 0; guess < 5; guess++) expect(await client.ask(plain('me', 'guess'))).toBe('535 5.7.8 No')
  }

  const late = await TestClient.ready(port)

  expect(await late.ask(plain('me', 'sesame'))).toBe(
    '421 4.7.0 Too many failed logins from your address, try again later',
  )
  expect(await late.rest()).toBe('')
  expect(asked).toBe(30)
})

const REVOKED = { code: 535, enhanced: '5.7.8', message: 'Authentication credentials invalid' }

test('whose login has ended is logged out at the next message', async () => {
  let isRevoked = false
  const { port, taken } = await startListener({
    allowPlaintextAuth: true,
    handler: {
      renew: async (user) => (isRevoked ? REVOKED : user),
      checkRecipient: async (_recipient, { user }) =>
        user === null ? { code: 550, enhanced: '5.7.1', message: 'No relay' } : null,
    },
  })
  const client = await TestClient.ready(port)
  await client.ask(plain('me', 'sesame'))
  expect(await client.deliver('One')).toMatch(/^250 /)

  isRevoked = true
  expect(await client.ask('MAIL FROM:<ada@example.org>')).toBe('535 5.7.8 Authentication credentials invalid')

  expect(await client.ask('MAIL FROM:<ada@example.org>')).toMatch(/^250 /)
  expect(await client.ask('RCPT TO:<bob@example.com>')).toBe('550 5.7.1 No relay')
  expect(taken).toHaveLength(1)
})

test('whose login ends while a message is on its way is not sent for', async () => {
  let isRevoked = false
  const { port, taken } = await startListener({
    allowPlaintextAuth: true,
    handler: { renew: async (user) => (isRevoked ? REVOKED : user) },
  })
  const client = await TestClient.ready(port)
  await client.ask(plain('me', 'sesame'))
  await client.startMessage()

  isRevoked = true
  expect(await client.ask('Hi\r\n.')).toBe('535 5.7.8 Authentication credentials invalid')

  expect(await client.ask('NOOP')).toMatch(/^250 /)
  expect(taken).toHaveLength(0)
})

test('what a user may do is what it is when the message is there', async () => {
  const users = ['as at MAIL', 'as at the end']
  const { port, taken } = await startListener({
    allowPlaintextAuth: true,
    handler: { renew: async () => users.shift()! },
  })
  const client = await TestClient.ready(port)
  await client.ask(plain('me', 'sesame'))

  await client.deliver('Hi')

  expect(taken[0]!.user).toBe('as at the end')
})

test('a login that cannot be checked at the moment is kept', async () => {
  let isAway = true
  const away = { code: 451, enhanced: '4.3.0', message: 'Later' }
  const { port, taken } = await startListener({
    allowPlaintextAuth: true,
    handler: { renew: async (user) => (isAway ? away : user) },
  })
  const client = await TestClient.ready(port)
  await client.ask(plain('me', 'sesame'))

  expect(await client.ask('MAIL FROM:<ada@example.org>')).toBe('451 4.3.0 Later')
  isAway = false
  await client.deliver('Hi')

  expect(taken[0]!.user).toBe('me')
})

test('neither names nor passwords are logged, right or wrong', async () => {
  const { port, lines } = await startListener({ allowPlaintextAuth: true })
  const client = await TestClient.ready(port)

  await client.ask(plain('re_name', 'wrong-secret'))
  await client.ask('AUTH LOGIN')
  await client.ask(base64('re_name'))
  await client.ask(base64('wrong-secret'))
  await client.ask(plain('re_name', 'sesame'))
  client.write(`AUTH PLAIN ${base64('\0re_name\0wrong-secret')}`)
  client.hangUp()

  const log = lines.join()
  for (const secret of ['re_name', 'wrong-secret', 'sesame'])
    for (const spelling of [secret, base64(secret), base64(`\0re_name\0${secret}`)]) expect(log).not.toContain(spelling)
})
