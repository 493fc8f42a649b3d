import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { terminates } from '../../../test/harness/watchdog.ts'
import { REPLY_ABOUT, REPLY_CLASSES, REPLY_MEANS, type ReplyClass } from '../reply-class.ts'
import { CLASSES } from './classes.ts'
import { classify } from './classify.ts'
import { judgeReply } from './judge-reply.ts'
import { parseReply } from './parse-reply.ts'
import { COMMON_WORDS, OWN_WORDS } from './rules.ts'

const of = (reply: string) => classify(parseReply(reply)!)

test.each([
  '421 4.7.23 The sending IP address for this message doesn’t have a PTR record. - gsmtp',
  "421 4.7.27 Your email has been rate limited because SPF authentication didn't pass for this message. - gsmtp",
  "421 4.7.29 Your email has been rate limited because this message wasn't sent over a TLS connection. - gsmtp",
  "421 4.7.30 Your email has been rate limited because DKIM authentication didn't pass for this message. - gsmtp",
  '421 4.7.31 Your email has been rate limited because the sending domain does not have a DMARC record. - gsmtp',
  '421 4.7.32 This mail has been rate limited because there is no DMARC alignment. - gsmtp',
  '421 4.7.40 Your email has been rate limited because the sending domain has no DMARC policy. - gsmtp',
])('is to be fixed, and not waited for: %s', (reply) => {
  expect(of(reply).means).toBe('fix')
  expect(judgeReply(parseReply(reply)!)).toMatchObject({ kind: 'deferred', isThrottled: false })
})

test('too much for one recipient is no reason to send less to others', () => {
  const reply = '450 4.2.1 The user you are trying to contact is receiving mail too quickly. - gsmtp'

  expect(of(reply)).toMatchObject({ about: 'recipient', means: 'later' })
  expect(judgeReply(parseReply(reply)!)).toMatchObject({ kind: 'deferred', isThrottled: false })
})

test.each([
  '450 4.1.1 <ada@example.com>: Recipient address rejected: unverified address: Address verification in progress',
  '450 4.1.1 <ada@example.com>: Recipient address rejected: unverified address: host mx.example.com said: 450 busy',
])('a server that still asks whether an address exists wants no less mail: %s', (reply) => {
  expect(of(reply)).toMatchObject({ about: 'recipient', means: 'later' })
  expect(judgeReply(parseReply(reply)!)).toMatchObject({ kind: 'deferred', isThrottled: false })
})

test('the name of its host, which Microsoft puts at the end of each reply, is not about ours', () => {
  const reply =
    '451 4.7.0 Temporary server error. Please try again later. PRX4 NextHop:192.0.2.1 [Hostname=AM0PR04MB1234.eurprd04.prod.outlook.com]'

  expect(of(reply)).toMatchObject({ class: 'transient_failure', means: 'trouble' })
  expect(judgeReply(parseReply(reply)!)).toMatchObject({ kind: 'deferred', isThrottled: false })
})

test.each([
  ['cox', '554 mx.example.net cmsmtp 192.0.2.1 blocked. Error Code: IPBL0001.'],
  ['libero', '550 smtp-16.example.net IP blacklisted by CSI. [smtp-16.example.net; LIB_99]'],
  ['netease', '550 DT:RBL 163 mx1,QMCowABn,1700000000 192.0.2.1'],
])('%s refuses our address, and the mail waits', (provider, reply) => {
  expect(judgeReply(parseReply(reply)!, { provider, phase: 'connect', about: 'message' })).toMatchObject({
    ...{ kind: 'deferred', class: 'spam_block', about: 'source', sourceRefusedFor: 'domain' },
  })
})

test.each([
  ['421 HL:IFC 163 mx5,QMCowABn,1700000000 http://mail.163.com/help/', 'throttled', 'source', 'throttle'],
  ['451 MI:SFQ 163 mx5,QMCowABn,1700000000 http://mail.163.com/help/', 'throttled', 'tenant', 'throttle'],
  ['554 DT:SPM 163 mx5,QMCowABn,1700000000 http://mail.163.com/help/', 'spam_content', 'message', 'refused'],
  ['550 MI:SPF 163 mx5,QMCowABn,1700000000 http://mail.163.com/help/', 'authentication_failed', 'spf_domain', 'fix'],
])('NetEase says it with a code: %s', (reply, replyClass, about, means) => {
  expect(classify({ ...parseReply(reply)!, provider: 'netease' })).toMatchObject({ class: replyClass, about, means })
})

test('an exception of Exchange is not a full mailbox because its name has "Storage" in it', () => {
  const reply = '554 5.2.0 STOREDRV.Deliver.Exception:StoragePermanentException.MapiExceptionAmbiguousAlias'

  expect(of(reply).class).not.toBe('quota_issues')
})

test.each(['S3150', 'S3140'])('Outlook %s blocks the sender for a while, and nobody is suppressed', (name) => {
  const reply = `550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (${name}).`

  expect(of(reply)).toMatchObject({ class: 'spam_block', about: 'source', means: 'block' })
  expect(judgeReply(parseReply(reply)!)).toMatchObject({ kind: 'deferred', sourceRefusedFor: 'domain' })
})

test.each([
  ['TSS04', 7_200],
  ['TSS05', 14_400],
])('Yahoo %s asks for %s seconds', (name, seconds) => {
  const reply = `421 4.7.0 [${name}] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1`

  expect(of(reply)).toMatchObject({ means: 'throttle', about: 'source', pauseSeconds: seconds })
  expect(judgeReply(parseReply(reply)!)).toMatchObject({ isThrottled: true, retryAfterSeconds: seconds })
})

test('an address at iCloud that may be paused is not suppressed', () => {
  const reply = '550 5.1.1 <ada@icloud.com>: inactive email address'

  expect(of(reply)).toMatchObject({ class: 'inactive_mailbox', means: 'refused' })
  expect(judgeReply(parseReply(reply)!)).toMatchObject({ kind: 'bounced', bounce: { type: 'Transient' } })
})

test.each([
  ['IP address [192.0.2.25]', 'source'],
  ['IP Netblock [192.0.2.0/24]', 'netblock'],
  ['SPF domain [example.com]', 'spf_domain'],
  ['DKIM domain [example.com]', 'dkim_domain'],
])('what sends too much is named: %s', (who, about) => {
  const reply = `421 4.7.28 Gmail has detected an unusual rate of mail originating from your ${who}. - gsmtp`

  expect(of(reply)).toMatchObject({ means: 'throttle', about })
})

describe('evidence is looked at in order', () => {
  const text = 'zzz'

  test('the enhanced code before the basic one', () => {
    expect(classify({ code: 552, enhanced: '5.2.2', text }).class).toBe('quota_issues')
    expect(classify({ code: 552, text }).class).toBe('message_too_large')
  })

  test('words before codes', () => {
    expect(classify({ code: 550, enhanced: '5.1.1', text: 'over quota' }).class).toBe('quota_issues')
  })

  test('the command that was answered where nothing else tells', () => {
    expect(classify({ code: 550, text, phase: 'rcpt' })).toMatchObject({ rule: 'phase/rcpt', about: 'recipient' })
    expect(classify({ code: 550, text, phase: 'connect' })).toMatchObject({ rule: 'phase/connect', about: 'source' })
    expect(classify({ code: 550, text })).toMatchObject({ class: 'uncategorized', rule: 'none' })
  })

  test('the words of the provider before those of others', () => {
    const said = { code: 550, text: 'Mail content denied, suspected spam sender, recipient no longer on server' }

    expect(classify({ ...said, provider: 'icloud' }).rule).toBe('icloud/gone')
    expect(classify({ ...said, provider: 'qq' }).rule).toBe('qq/spam-sender')
  })
})

test('rules have names of their own, and those of providers begin with the provider', () => {
  const ids = [...OWN_WORDS, ...COMMON_WORDS].map(({ id, enhanced, code }) => `${id} ${enhanced ?? ''} ${code ?? ''}`)

  expect(new Set(ids).size).toBe(ids.length)
  for (const { id, provider } of OWN_WORDS) expect(id.split('/')[0]).toBe(provider ?? 'source')
})

test('a yes is a yes, whatever its words', () => {
  expect(classify({ code: 250, text: 'blocked using zen.spamhaus.org' })).toMatchObject({ means: 'taken' })
})

/** What the patterns look for, over and over, without what ends it. */
const PIECES = [
  ...[...OWN_WORDS, ...COMMON_WORDS].flatMap(({ words }) => /[a-z]{3,}/.exec(words?.source ?? '') ?? []),
  ...[
    'ip ',
    'ip ip ',
    '1.1.1.1 ',
    'host ',
    'client host ',
    'a.',
    'a@',
    '@',
    'aa:',
    '_',
    '[',
    'aup#a',
    'ofr1',
    'your ip ',
    'recipient ',
  ],
  ...['sender ', 'too many ', 'message must ', 'listed ', 'in from: header ', 'recipient address '],
]

test('no text of the largest size takes longer than it is long', () => {
  const hostile = [...new Set(PIECES)].map((piece) => piece.repeat(10_000_000 / piece.length))

  const rules = terminates(() =>
    hostile.flatMap((text) => [classify({ code: 550, text }), classify({ code: 450, text })]),
  )

  expect(rules.every(({ rule }) => rule !== '')).toBe(true)
})

describe('the documentation', () => {
  const page = readFileSync(`${import.meta.dirname}/../../../docs/operations/replies.md`, 'utf8')

  test('has every class, every meaning, and all that a reply can be about', () => {
    const isShown = (means: string) => means !== 'taken'
    for (const word of [...REPLY_CLASSES, ...REPLY_MEANS.filter(isShown), ...REPLY_ABOUT])
      expect(page).toContain(`\`${word}\``)
  })

  test('says what follows from a class', () => {
    for (const row of page.split('\n').filter((line) => /^\| `\w+`(?:, `\w+`)* \|(?:[^|]*\|){3}$/.test(line))) {
      const [names = '', , means, bounce = ''] = row
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim())
      for (const [, name] of names.matchAll(/`(\w+)`/g)) {
        if (name === 'class') continue
        const { passing, final, bounce: known } = CLASSES[name as ReplyClass]
        expect([name, means]).toEqual([name, passing === final ? `\`${final}\`` : `\`${passing}\` / \`${final}\``])
        if (name !== 'login_refused')
          expect([name, `${known.type}, ${known.subType}`.replace(', Undetermined', '')]).toEqual([name, bounce])
      }
    }
  })
})
