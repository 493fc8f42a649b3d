import { expect, test } from 'vitest'
import { terminates } from '../../../test/harness/watchdog.ts'
import type { Outcome } from '../outcome.ts'
import { judgeReply } from './judge-reply.ts'
import { parseReply } from './parse-reply.ts'

const judge = (reply: string): Outcome => judgeReply(parseReply(reply)!)
const bounceOf = (reply: string) => {
  const outcome = judge(reply)
  return outcome.kind === 'bounced' ? `${outcome.bounce.type} ${outcome.bounce.subType}` : outcome.kind
}

test.each([
  ['250 2.0.0 Ok: queued as 12345', { code: 250, enhanced: '2.0.0', text: 'Ok: queued as 12345' }],
  ['250', { code: 250, enhanced: null, text: '' }],
  [
    '550-5.1.1 The account\r\n550-5.1.1 does not exist.\r\n550 5.1.1 gsmtp',
    { code: 550, enhanced: '5.1.1', text: 'The account does not exist. gsmtp' },
  ],
  ['550 #5.1.0 Address rejected.', { code: 550, enhanced: '5.1.0', text: 'Address rejected.' }],
  ['554 5.7.1: blocked', { code: 554, enhanced: '5.7.1', text: 'blocked' }],
  ['550 10.5.1.1 is listed', { code: 550, enhanced: null, text: '10.5.1.1 is listed' }],
  ['550 5.1.1.2 is listed', { code: 550, enhanced: null, text: '5.1.1.2 is listed' }],
  [
    '550 sorry, no mailbox here by that name (#5.1.1)',
    { code: 550, enhanced: '5.1.1', text: 'sorry, no mailbox here by that name (#5.1.1)' },
  ],
])('%j is read', (reply, read) => {
  expect(parseReply(reply)).toEqual(read)
})

test.each(['', 'hello', '55', '5500 x', 'Connection closed'])('%j is no reply', (reply) => {
  expect(parseReply(reply)).toBeNull()
})

test('the reply is kept with its codes, in one printable line of at most 1,000 characters', () => {
  expect(judge('250-2.0.0 a\u0007\r\n250 2.0.0\tb')).toEqual({ kind: 'delivered', reply: '250 2.0.0 a b' })
  expect(judge(`550-5.1.1 ${'long '.repeat(2_000_000)}`).reply).toHaveLength(1_000)
  expect(judge(`451 ${'😀'.repeat(1_000)}`).reply.isWellFormed()).toBe(true)
})

test.each([
  ['421 Service not available', true],
  ['421 4.7.0 Too many concurrent SMTP connections', true],
  ['421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to user complaints', true],
  ['450 4.7.1 Error: too much mail from 192.0.2.1', true],
  ['451 4.7.650 The mail server has been temporarily rate limited due to IP reputation', true],
  ['451 Rate limit exceeded', true],
  ['452 4.3.2 You are sending too fast, slow down', true],
  ['450 4.2.0 Greylisted, see http://postgrey.schweikert.ch/help', false],
  ['451 4.7.1 Greylisting in action, please come back later', false],
  ['421 4.7.0 graylisted', false],
  ['450-4.2.1 The user you are trying to contact is receiving email at a rate that', false],
  ['452 4.2.2 Mailbox full', false],
  ['452 4.5.3 Too many recipients', false],
  ['454 4.7.0 TLS not available due to local problem', false],
  ['451 Temporary local problem', false],
  ['354 Go ahead', false],
])('%j is to be tried again, throttled: %s', (reply, isThrottled) => {
  expect(judge(reply)).toMatchObject({ kind: 'deferred', isThrottled })
})

test.each([
  ['550 5.1.1 <a@example.com>: Recipient address rejected: User unknown', 'Permanent NoEmail'],
  ['550 5.1.0 Address rejected', 'Permanent General'],
  ['550 5.1.0 No such user here', 'Permanent NoEmail'],
  ['550 5.1.2 Host unknown', 'Permanent General'],
  ['501 5.1.3 Not an address', 'Permanent General'],
  ['551 5.1.6 Mailbox has moved', 'Permanent NoEmail'],
  ['556 5.1.10 Recipient address has null MX', 'Permanent General'],
  ['550-5.2.1 The email account that you tried to reach is inactive.', 'Permanent General'],
  ['550-5.2.1 The user you are trying to contact is receiving mail at a rate that', 'Transient General'],
  ['552-5.2.2 The recipient is over quota', 'Transient MailboxFull'],
  ['552 5.2.3 Message length exceeds administrative limit', 'Transient MessageTooLarge'],
  ['552 5.3.4 Message size exceeds fixed limit', 'Transient MessageTooLarge'],
  ['550 5.4.1 Recipient address rejected: Access denied. [x.prod.protection.outlook.com]', 'Permanent NoEmail'],
  ['550 5.4.1 No answer from host', 'Undetermined Undetermined'],
  ['554 5.4.6 Too many hops', 'Undetermined Undetermined'],
  ['550 5.5.0 Requested action not taken: mailbox unavailable', 'Permanent General'],
  ['550 5.1.8 Sender address rejected: Domain not found', 'Undetermined Undetermined'],
  ['554 5.6.0 Message content rejected', 'Transient ContentRejected'],
  // Of our address: it waits.
  ['550 5.7.1 Service unavailable; client host [192.0.2.1] blocked using zen.spamhaus.org', 'deferred'],
  ['554 5.7.1 Sender domain example.org blocked using dbl.spamhaus.org', 'Transient ContentRejected'],
  ['550 5.7.26 Unauthenticated email is not accepted due to DMARC policy', 'Transient ContentRejected'],
  ['552-5.7.0 blocked because of its attachments', 'Transient AttachmentRejected'],
  ['550 User unknown', 'Permanent NoEmail'],
  ['550 No such user - psmtp', 'Permanent NoEmail'],
  ["550 Mailbox doesn't exist", 'Permanent NoEmail'],
  ['550 <a@example.com>: invalid address', 'Permanent NoEmail'],
  ['554 delivery error: This user does not have an account. Unknown user', 'Permanent NoEmail'],
  ['554 5.0.0 Recipient not found', 'Permanent NoEmail'],
  ['550 This mailbox is disabled', 'Permanent General'],
  ['521 Host does not accept mail', 'Permanent General'],
  ['550 Mailbox full', 'Transient MailboxFull'],
  ['552 Requested mail action aborted: exceeded storage allocation', 'Transient MailboxFull'],
  ['552 Aborted', 'Transient MessageTooLarge'],
  ['554 Message too large', 'Transient MessageTooLarge'],
  ['554 This message looks like spam', 'Transient ContentRejected'],
  ['550 Attachment type not allowed', 'Transient AttachmentRejected'],
  ['550 Sender address does not exist', 'Undetermined Undetermined'],
  ['550 Your IP address was not found in reverse DNS', 'Undetermined Undetermined'],
  ['550 relay not permitted', 'Undetermined Undetermined'],
  ['550 Requested action not taken: mailbox unavailable', 'Permanent General'],
  ['554 Transaction failed', 'Undetermined Undetermined'],
  ['500 Command not recognised', 'Undetermined Undetermined'],
])('%j is a bounce: %s', (reply, bounce) => {
  expect(bounceOf(reply)).toBe(bounce)
})

test.each(['550 5.1.0 Address rejected', '550 5.1.1 No such user', '554 This account has been disabled'])(
  '%j to the message, and not to one recipient, makes nobody’s address bad',
  (reply) => {
    const outcome = judgeReply(parseReply(reply)!, { about: 'message' })

    expect(outcome).toMatchObject({ kind: 'bounced', bounce: { type: 'Undetermined' } })
  },
)

test.each([
  'user ',
  'exceed ',
  'limit ',
  'too ',
  'message ',
  'unknown ',
  'mailbox a ',
  '@ ',
  'a@b.de ',
  'http://',
  '\r\n550 ',
  '.',
  ' ',
])('of 10 MB of %j the beginning is read', (piece) => {
  const hostile = piece.repeat(10_000_000 / piece.length)

  const outcomes = terminates(() => [
    judge(`550 ${hostile}`),
    judge(`450 ${hostile}`),
    judgeReply({ code: 550, enhanced: null, text: hostile }),
  ])

  for (const { reply } of outcomes) expect(reply.length).toBeLessThanOrEqual(1_000)
})

test('a refusal of iCloud that names no address keeps the mail of one team waiting, and bounces none', () => {
  const reply =
    '550 5.7.1 [HM08] Message rejected due to local policy. Please visit https://support.apple.com/en-us/HT204137'
  const outcome = judgeReply(parseReply(reply)!, { about: 'message', phase: 'message', provider: 'icloud' })

  expect(outcome).toMatchObject({ kind: 'deferred', class: 'spam_block', about: 'tenant', means: 'block' })
  expect(outcome).not.toHaveProperty('sourceRefusedFor')
})
