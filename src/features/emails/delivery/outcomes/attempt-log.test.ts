import { expect, test } from 'vitest'
import { emptyLedger, sendEmail, startAcme } from '../../../../../test/harness/emails.ts'
import { readableLog } from '../../../../../test/harness/log.ts'
import { DEFERRED, NO_SUCH_USER, scriptedTransport } from '../../../../../test/harness/transport.ts'
import { byHash } from './attempt-log.ts'

const ATTEMPT = 'delivery: attempt'

async function start(settings: Record<string, string> = {}) {
  const { transport, answer } = scriptedTransport()
  const readable = readableLog()
  const { app, acme } = await startAcme(settings, { transport, log: readable.log })
  await emptyLedger(app)
  return { app, acme, answer, ...readable }
}

test('each attempt leaves a line: what came of it, and where', async () => {
  const { app, acme, answer, saying } = await start()
  answer(() => ({
    kind: 'bounced',
    reply: '550-5.1.1 No <ada@example.com> here',
    host: 'mx.example.com',
    bounce: { type: 'Permanent', subType: 'NoEmail' },
  }))

  const email = await sendEmail(acme)
  await app.deliverDue()

  expect(saying(ATTEMPT)).toEqual([
    {
      team: acme.team,
      email,
      recipient: expect.stringMatching(/^[0-9a-f]{16}$/),
      domain: 'example.com',
      outcome: 'bounced',
      host: 'mx.example.com',
      reply: expect.stringMatching(/^550-5\.1\.1 No <[0-9a-f]{16}> here$/),
      attempt: 1,
      ms: expect.any(Number),
    },
  ])
})

test('the line says what the reply was understood as', async () => {
  const { app, acme, answer, saying } = await start()
  answer(() => ({
    ...NO_SUCH_USER,
    class: 'invalid_recipient',
    rule: 'words/unknown-user',
    about: 'recipient',
    means: 'bad_address',
  }))

  await sendEmail(acme)
  await app.deliverDue()

  expect(saying(ATTEMPT)).toMatchObject([{ class: 'invalid_recipient', rule: 'words/unknown-user' }])
})

test('attempts are counted, also those of a recipient that was tried before', async () => {
  const { app, acme, answer, saying } = await start()
  answer(() => DEFERRED)
  await sendEmail(acme)
  await app.deliverDue()
  app.clock.advance(120)
  await app.deliverDue()

  expect(saying(ATTEMPT)).toMatchObject([
    { outcome: 'deferred', reply: '450 4.2.0 Try later', attempt: 1 },
    { outcome: 'deferred', reply: '450 4.2.0 Try later', attempt: 2 },
  ])
})

test('one who must not be written to has a line without a host', async () => {
  const { app, acme, saying } = await start()
  await acme.post('/suppressions', { email: 'ada@example.com' })
  await sendEmail(acme)
  await app.deliverDue()

  const [line] = saying(ATTEMPT)
  expect(line).toMatchObject({ outcome: 'suppressed' })
  expect(line).not.toHaveProperty('host')
})

test('the line has what the server said, and not what we say about it', async () => {
  const { app, acme, answer, saying } = await start()
  answer(() => ({
    kind: 'deferred',
    reply: '451 4.4.2 mx.example.com (192.0.2.1): 421 4.7.0 [TSS04] Messages from 192.0.2.9 temporarily deferred',
    serverReply: '421 4.7.0 [TSS04] Messages from 192.0.2.9 temporarily deferred',
    isThrottled: true,
  }))
  await sendEmail(acme)
  await app.deliverDue()

  expect(saying(ATTEMPT)).toMatchObject([
    { outcome: 'deferred', reply: '421 4.7.0 [TSS04] Messages from 192.0.2.9 temporarily deferred' },
  ])
})

test('a name that the server repeats without its domain is not in the log either', async () => {
  const { app, acme, answer, saying, text } = await start()
  answer(() => ({ ...NO_SUCH_USER, reply: `550 5.1.1 grace.hopper: no such user; grace.hopper@other.example is` }))
  await sendEmail(acme, { to: ['grace.hopper@example.com'] })
  await app.deliverDue()

  expect(saying(ATTEMPT)[0]!.reply).toMatch(/^550 5\.1\.1 …: no such user; [0-9a-f]{16} is$/)
  expect(text()).not.toMatch(/grace/i)
})

test('no address is in the log, and the same one has the same hash', async () => {
  const { app, acme, answer, saying, text } = await start()
  answer(() => NO_SUCH_USER)
  await sendEmail(acme, { to: ['Grace.Hopper@Example.com'] })
  await app.deliverDue()
  await sendEmail(acme, { to: ['grace.hopper@example.com'] })
  await app.deliverDue()

  const [first, second] = saying(ATTEMPT)
  expect(second?.recipient).toBe(first?.recipient)
  expect(text()).not.toMatch(/grace/i)
})

test('addresses are in the log when that is asked for', async () => {
  const { app, acme, saying } = await start({ POSTWREN_LOG_ADDRESSES: 'on' })
  await sendEmail(acme)
  await app.deliverDue()

  expect(saying(ATTEMPT)).toMatchObject([{ recipient: 'ada@example.com', outcome: 'delivered' }])
})

test('without the key of the installation a hash tells nothing', () => {
  expect(byHash(Buffer.alloc(32, 'a'))('ada@example.com')).not.toBe(byHash(Buffer.alloc(32, 'b'))('ada@example.com'))
})
