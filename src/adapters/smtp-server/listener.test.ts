import { expect, test } from 'vitest'
import { TestClient } from '../../../test/harness/smtp-client.ts'
import { startListener } from '../../../test/harness/smtp-listener.ts'
import type { SmtpPeer } from './handler.ts'

test('a client is greeted without a word about what we run, and told what we can do', async () => {
  const { port } = await startListener()
  const client = TestClient.plain(port)

  expect(await client.reply()).toBe('220 mx.test ESMTP')
  expect((await client.ask('EHLO client.test')).split('\n').sort()).toEqual([
    '250 SIZE 1048576',
    '250-8BITMIME',
    '250-CHUNKING',
    '250-ENHANCEDSTATUSCODES',
    '250-PIPELINING',
    '250-SMTPUTF8',
    '250-STARTTLS',
    '250-mx.test',
  ])
  expect(await client.ask('HELO client.test')).toBe('250 mx.test')
  expect(await client.ask('VRFY ada')).toMatch(/^252 /)
  expect(await client.ask('WIZ ard')).toMatch(/^500 /)
  expect(await client.ask('EXPN staff')).toBe('502 5.5.1 Not implemented here')
  expect(await client.ask('HELP')).toMatch(/^214 /)
  expect(await client.ask(`NOOP ${'x'.repeat(3_000)}`)).toBe('500 5.5.2 Line too long')
  expect(await client.ask('QUIT')).toBe('221 2.0.0 Bye')
})

test('a message arrives as it was sent, with its envelope and who sent it', async () => {
  const { port, taken } = await startListener()
  const client = await TestClient.ready(port)

  expect(await client.ask('MAIL FROM:<ada@example.org> SIZE=100 BODY=8BITMIME')).toBe('250 2.1.0 Accepted')
  expect(await client.ask('RCPT TO:<bob@example.com>')).toBe('250 2.1.5 Accepted')
  expect(await client.ask('RCPT TO:<Eve@Example.com>')).toBe('250 2.1.5 Accepted')
  expect(await client.ask('DATA')).toBe('354 End data with <CR><LF>.<CR><LF>')
  client.write(Buffer.from('Subject: Grüße\r\n\r\n..dot\r\n\xff\0\r\n.\r\n', 'latin1'))
  expect(await client.reply()).toBe('250 2.0.0 Queued as 1')

  expect(taken).toEqual([
    {
      raw: Buffer.from('Subject: Grüße\r\n\r\n.dot\r\n\xff\0\r\n', 'latin1'),
      from: 'ada@example.org',
      recipients: ['bob@example.com', 'Eve@Example.com'],
      peer: { id: expect.stringMatching(/^\w{16,}$/), address: '127.0.0.1', helo: 'client.test', isEncrypted: false },
      user: null,
    },
  ])
})

test('commands may come all at once, and replies keep their order', async () => {
  const { port, taken } = await startListener()
  const client = await TestClient.ready(port)

  client.write('MAIL FROM:<a@example.org>\r\nRCPT TO:<b@example.com>\r\nRCPT TO:<>\r\nDATA\r\n')
  expect((await client.replies(4)).map((reply) => reply.slice(0, 3))).toEqual(['250', '250', '501', '354'])
  client.write('One\r\n.\r\nMAIL FROM:<>\r\nRCPT TO:<c@example.com>\r\nDATA\r\n')
  expect((await client.replies(4)).map((reply) => reply.slice(0, 3))).toEqual(['250', '250', '250', '354'])
  client.write('Two\r\n.\r\nQUIT\r\n')
  expect((await client.replies(2)).map((reply) => reply.slice(0, 3))).toEqual(['250', '221'])

  expect(taken.map(({ raw, from, recipients }) => [raw.toString(), from, recipients])).toEqual([
    ['One\r\n', 'a@example.org', ['b@example.com']],
    ['Two\r\n', '', ['c@example.com']],
  ])
})

test('addresses may have letters of any script', async () => {
  const { port, taken } = await startListener()
  const client = await TestClient.ready(port)

  expect(await client.ask('MAIL FROM:<дмитрий@пример.испытание> SMTPUTF8')).toMatch(/^250 /)
  expect(await client.ask('RCPT TO:<用户@例子.测试>')).toMatch(/^250 /)
  expect(await client.ask('RCPT TO:<info@bücher.example>')).toMatch(/^250 /)
  expect(await client.ask('RCPT TO:<"a..b"@docomo.example>')).toMatch(/^250 /)
  expect(await client.ask('RCPT TO:<postmaster>')).toMatch(/^250 /)
  await client.ask('DATA')
  await client.ask('Hi\r\n.')

  expect(taken[0]).toMatchObject({
    from: 'дмитрий@пример.испытание',
    recipients: ['用户@例子.测试', 'info@xn--bcher-kva.example', 'a..b@docomo.example', 'postmaster'],
  })
})

test('a local part may be quoted, a route is passed over, a space behind the colon too', async () => {
  const { port, taken } = await startListener()
  const client = await TestClient.ready(port)

  expect(await client.ask('MAIL FROM:<"a b"@example.org> BODY=8BITMIME AUTH=<>')).toMatch(/^250 /)
  expect(await client.ask('RCPT TO: <@relay.test:bob@example.com>')).toMatch(/^250 /)
  expect(await client.ask('RCPT TO:<"c@d"@example.com>')).toMatch(/^250 /)
  expect(await client.ask('RCPT TO:<用户@例子.测试>')).toBe(
    '553 5.6.7 An address that is not ASCII needs SMTPUTF8 at MAIL',
  )
  expect(await client.ask('RCPT TO:<bob@example.com> NOTIFY=NEVER')).toBe('555 5.5.4 A parameter is not known here')
  await client.ask('DATA')
  await client.ask('Hi\r\n.')

  expect(taken[0]).toMatchObject({
    from: '"a b"@example.org',
    recipients: ['bob@example.com', '"c@d"@example.com'],
  })
})

test('the handler says who may be written to, and is told who asks', async () => {
  const asked: { recipient: string; peer: SmtpPeer; user: string | null; from: string }[] = []
  const { port, taken } = await startListener({
    handler: {
      checkRecipient: async (recipient, session) => {
        asked.push({ recipient, ...session })
        if (recipient.startsWith('bob')) return null
        return { code: 550, enhanced: '5.7.1', message: `Relaying to ${recipient} is not allowed` }
      },
    },
  })
  const client = await TestClient.ready(port)

  await client.ask('MAIL FROM:<ada@example.org>')
  expect(await client.ask('RCPT TO:<eve@example.net>')).toBe('550 5.7.1 Relaying to eve@example.net is not allowed')
  expect(await client.ask('DATA')).toBe('503 5.5.1 RCPT first')
  expect(await client.ask('RCPT TO:<bob@example.com>')).toMatch(/^250 /)
  expect(await client.ask('DATA')).toMatch(/^354 /)
  expect(await client.ask('Hi\r\n.')).toMatch(/^250 /)

  expect(taken.map(({ recipients }) => recipients)).toEqual([['bob@example.com']])
  expect(asked[0]).toMatchObject({ recipient: 'eve@example.net', user: null, from: 'ada@example.org' })
  expect(asked[0]!.peer).toMatchObject({ helo: 'client.test', address: '127.0.0.1', isEncrypted: false })
})

test('the handler may refuse a message, for now or for good', async () => {
  const answers = [
    { kind: 'refused', code: 550, enhanced: '5.7.1', message: 'The x domain is not verified.' },
    { kind: 'refused', code: 451, enhanced: '4.7.1', message: 'Slow\r\n250 down' },
    { kind: 'accepted', message: 'Taken' },
  ] as const
  let count = 0
  const { port } = await startListener({ handler: { take: async () => answers[count++]! } })
  const client = await TestClient.ready(port)

  expect(await client.deliver('One')).toBe('550 5.7.1 The x domain is not verified.')
  expect(await client.deliver('Two')).toBe('451 4.7.1 Slow  250 down')
  expect(await client.deliver('Three')).toBe('250 2.0.0 Taken')
})

test('what the handler throws is answered 451 and logged once, and the session goes on', async () => {
  const fail = async () => {
    throw new Error('the database is gone')
  }
  const { port, lines } = await startListener({
    handler: {
      take: fail,
      authenticate: fail,
      checkRecipient: (to) => (to.startsWith('eve') ? fail() : Promise.resolve(null)),
    },
    allowPlaintextAuth: true,
  })
  const client = await TestClient.ready(port)
  const refused = '451 4.3.0 Something went wrong here, try again later'

  expect(await client.ask(`AUTH PLAIN ${Buffer.from('\0me\0sesame').toString('base64')}`)).toBe(refused)
  await client.ask('MAIL FROM:<ada@example.org>')
  expect(await client.ask('RCPT TO:<eve@example.com>')).toBe(refused)
  await client.ask('RSET')
  expect(await client.deliver('Hi')).toBe(refused)
  expect(await client.ask('NOOP')).toMatch(/^250 /)
  expect(lines.filter((line) => line.includes('the database is gone'))).toHaveLength(1)
})

test('fifty clients at once lose nothing', async () => {
  const { port, taken, listener } = await startListener()
  const numbers = Array.from({ length: 50 }, (_, index) => index)

  const replies = await Promise.all(
    numbers.map(async (number) => {
      const client = await TestClient.ready(port)
      const said = []
      for (let n = 0; n < 4; n++) said.push(await client.deliver(`${number} ${n} ${'x'.repeat(5_000)}`))
      await client.ask('QUIT')
      await client.rest()
      return said
    }),
  )

  expect(replies.flat().every((reply) => reply.startsWith('250 2.0.0 Queued'))).toBe(true)
  const texts = taken.map(({ raw }) => raw.toString())
  expect(new Set(texts).size).toBe(200)
  expect(texts.every((text) => /^\d+ \d x{5000}\r\n$/.test(text))).toBe(true)
  expect(listener.load.messageBytes).toBe(0)
})

test('it listens on all ports, or on none and says which one is taken', async () => {
  const { port } = await startListener()
  const other = await startListener()
  await other.listener.stop(0)
  const ports = [
    { port: other.port, tls: 'starttls' },
    { port, tls: 'implicit' },
  ] as const

  await expect(startListener({ ports })).rejects.toMatchObject({ code: 'EADDRINUSE', port, syscall: 'listen' })

  expect(await TestClient.plain(other.port).reply()).toBe('')
})
