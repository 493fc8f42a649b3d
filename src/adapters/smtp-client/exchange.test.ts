import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Host } from './destination.ts'
import type { Exchange } from './exchange.ts'
import { type Extensions, NO_EXTENSIONS } from './extensions.ts'
import { LogIn } from './log-in.ts'
import { replyOf } from './reply-reader.ts'
import { Setup } from './setup.ts'
import { Transaction } from './transaction.ts'

const HOST: Host = { host: 'mail.test', address: '127.0.0.1', port: 25, secure: false }

/** What we say to these replies, one after the other; `(TLS)` and `(message)` stand for what is no command. */
function play<Result>(exchange: Exchange<Result>, replies: readonly string[]) {
  const said: string[] = []
  const left = [...replies]
  for (let step = exchange.begin(); ; ) {
    if (step.kind === 'done') return { said, result: step.result, isEnd: step.isEnd ?? false, left: left.length }
    if (step.kind === 'say') said.push(...step.lines)
    if (step.kind === 'message') said.push(step.mayEnd() ? '(message)' : '(half a message)')
    if (step.kind === 'encrypt') {
      said.push('(TLS)')
      step = step.then()
      continue
    }
    const reply = left.shift()
    if (reply === undefined) return { said, result: exchange.lost({ code: 'ECONNECTION' }), isEnd: true, left: 0 }
    step = exchange.take(replyOf(reply))
  }
}

describe('setting up', () => {
  const setUp = (replies: readonly string[], { secure = false, useTls = true } = {}) =>
    play(new Setup({ ...HOST, secure }, { heloName: 'us.test', useTls, greetingMs: 1 }), replies)
  const OFFER = '250-mail.test\n250 STARTTLS'

  test.each([
    ['says EHLO', ['220 hi', '250 mail.test'], {}, ['EHLO us.test']],
    ['says HELO where that is all', ['220 hi', '502 What?', '250 mail.test'], {}, ['EHLO us.test', 'HELO us.test']],
    [
      'encrypts where it can, and asks again what is offered',
      ['220 hi', OFFER, '220 go', '250 mail.test'],
      {},
      ['EHLO us.test', 'STARTTLS', '(TLS)', 'EHLO us.test'],
    ],
    ['encrypts once', ['220 hi', OFFER, '220 go', OFFER], {}, ['EHLO us.test', 'STARTTLS', '(TLS)', 'EHLO us.test']],
    ['does not where it should not', ['220 hi', OFFER], { useTls: false }, ['EHLO us.test']],
    ['begins with TLS where that is the rule', ['220 hi', OFFER], { secure: true }, ['(TLS)', 'EHLO us.test']],
  ])('%s', (_what, replies, options, said) => {
    const played = setUp(replies, options)

    expect(played.said).toEqual(said)
    expect(played.result).toHaveProperty('authMethods')
    expect(played.isEnd).toBe(false)
  })

  test('what was offered before TLS is forgotten', () => {
    const before = '250-mail.test\n250-AUTH PLAIN\n250 STARTTLS'

    expect(setUp(['220 hi', before, '220 go', '250 mail.test']).result).toEqual(NO_EXTENSIONS)
  })

  test.each([
    ['a greeting of 554', ['554 No'], 'greeting', '554 No'],
    ['a greeting of 250', ['250 Ok'], 'greeting', '250 Ok'],
    ['421 to EHLO', ['220 hi', '421 Bye'], 'greeting', '421 Bye'],
    ['a refusal of EHLO and of HELO', ['220 hi', '550 No', '550 No, really'], 'greeting', '550 No, really'],
    ['a refusal of STARTTLS', ['220 hi', OFFER, '454 Later'], 'tls', '454 Later'],
    ['silence after the handshake', ['220 hi', OFFER, '220 go'], 'tls', null],
    ['silence before it', ['220 hi', OFFER], 'greeting', null],
  ])('%s ends it', (_what, replies, at, serverReply) => {
    expect(setUp(replies)).toMatchObject({ result: { kind: 'failed', at, serverReply }, isEnd: true })
  })
})

describe('logging in', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const logIn = (offered: readonly string[], replies: readonly string[]) =>
    play(new LogIn(HOST, { user: 'ada', pass: 'påss' }, offered), replies)
  const PLAIN = `AUTH PLAIN ${base64('\0ada\0påss')}`

  test.each([
    [['LOGIN', 'PLAIN'], ['235 Ok'], [PLAIN]],
    [
      ['CRAM-MD5', 'LOGIN'],
      ['334 VXNlcg==', '334 UGFzcw==', '235 Ok'],
      ['AUTH LOGIN', base64('ada'), base64('påss')],
    ],
  ])('of %j we choose what needs the fewest words', (offered, replies, said) => {
    expect(logIn(offered, replies)).toMatchObject({ said, result: null })
  })

  test.each([[['XOAUTH2']], [[]]])('of %j we know none, and no password is told', (offered) => {
    expect(logIn(offered, ['235 Ok'])).toMatchObject({ said: [], result: { kind: 'failed', at: 'login' } })
  })

  test('CRAM-MD5 is as in the example of RFC 2195', () => {
    const tim = new LogIn(HOST, { user: 'tim', pass: 'tanstaaftanstaaf' }, ['CRAM-MD5'])
    const challenge = '334 PDE4OTYuNjk3MTcwOTUyQHBvc3RvZmZpY2UucmVzdG9uLm1jaS5uZXQ+'

    expect(play(tim, [challenge, '235 Ok'])).toMatchObject({
      said: ['AUTH CRAM-MD5', 'dGltIGI5MTNhNjAyYzdlZGE3YTQ5NWI0ZTZlNzMzNGQzODkw'],
      result: null,
    })
  })

  test.each([
    [['PLAIN'], ['535 Wrong']],
    [['PLAIN'], ['334 ']],
    [['LOGIN'], ['235 You are in already']],
    [['LOGIN'], ['334 x', '334 x', '334 x']],
    [['LOGIN'], ['334 x', '535 Nobody']],
    [['CRAM-MD5'], ['mumble']],
  ])('by %j, %j is no welcome', (offered, replies) => {
    expect(logIn(offered, replies).result).toMatchObject({ kind: 'failed', at: 'login' })
  })
})

const ALL: Extensions = { ...NO_EXTENSIONS, hasPipelining: true, hasUtf8: true, has8BitMime: true, hasSize: true }

function send(
  replies: readonly string[],
  { extensions = ALL, to = ['ada@b.test', 'bob@b.test'], needsReset = false, isOurs = true, text = 'Hi\r\n' } = {},
) {
  const mail = { from: 'us@a.test', to, needsUtf8: false, message: Buffer.from(text), isOurs: () => isOurs }
  const { result, ...rest } = play(new Transaction(mail, extensions, { needsReset }), replies)
  return { ...rest, result: { ...result, refusals: [...result.refusals] } }
}

const ENVELOPE = ['MAIL FROM:<us@a.test> SIZE=4', 'RCPT TO:<ada@b.test>', 'RCPT TO:<bob@b.test>', 'DATA']
const SLOW_ENVELOPE = ['MAIL FROM:<us@a.test>', ...ENVELOPE.slice(1)]

describe.each([
  ['with pipelining', ALL, ENVELOPE],
  ['without', NO_EXTENSIONS, SLOW_ENVELOPE],
])('a message %s', (_what, extensions, envelope) => {
  const isPipelined = extensions.hasPipelining

  test('is accepted', () => {
    expect(send(['250 a', '250 b', '250 c', '354 d', '250 e'], { extensions })).toEqual({
      said: [...envelope, '(message)'],
      result: { refusals: [], isDataSent: true, isSenderRefused: false, end: { kind: 'accepted', reply: '250 e' } },
      isEnd: false,
      left: 0,
    })
  })

  test('goes to those who were not refused', () => {
    expect(send(['250 a', '550 b', '250 c', '354 d', '250 e'], { extensions }).result).toEqual({
      refusals: [['ada@b.test', '550 b']],
      isDataSent: true,
      isSenderRefused: false,
      end: { kind: 'accepted', reply: '250 e' },
    })
  })

  test('is refused with its sender, whatever was said of recipients', () => {
    const { result, said } = send(['550 a', '503 b', '503 c', '503 d'], { extensions })

    expect(said).toEqual(isPipelined ? envelope : envelope.slice(0, 1))
    expect(result).toEqual({
      refusals: [],
      isDataSent: false,
      isSenderRefused: true,
      end: { kind: 'refused', reply: '550 a' },
    })
  })

  test('is not sent when nobody is left to get it', () => {
    const { result, said } = send(['250 a', '450 b', '550 c', '503 d'], { extensions })

    expect(said).toEqual(isPipelined ? envelope : envelope.slice(0, 3))
    expect(result.refusals).toEqual([
      ['ada@b.test', '450 b'],
      ['bob@b.test', '550 c'],
    ])
    expect(result.isDataSent).toBe(false)
  })

  test('comes after the end of the one before', () => {
    expect(
      send(['250 r', '250 a', '250 b', '250 c', '354 d', '250 e'], { extensions, needsReset: true }),
    ).toMatchObject({ said: ['RSET', ...envelope, '(message)'], result: { end: { kind: 'accepted' } } })
  })

  test.each([
    [['421 x'], []],
    [['250 a', '421 x'], [['ada@b.test', '421 x']]],
    [['250 a', '250 b', '421 x'], [['bob@b.test', '421 x']]],
    [['250 a', '250 b', '250 c', '421 x'], []],
  ])('ends with 421 in %j', (replies, refusals) => {
    expect(send(replies, { extensions }).result).toEqual({
      refusals,
      isDataSent: false,
      isSenderRefused: replies.length === 1,
      end: { kind: 'refused', reply: '421 x' },
    })
  })

  test.each([[['mumble']], [['250 a', '250 b', '250 c', 'mumble']], [['354 a']]])('is lost in %j', (replies) => {
    const heard = isPipelined ? [...replies, '503 b', '503 c', '503 d'] : replies

    expect(send(heard, { extensions })).toMatchObject({ result: { end: { kind: 'lost' } }, isEnd: true })
  })

  test('is not ended when it is not ours any more', () => {
    expect(send(['250 a', '250 b', '250 c', '354 d'], { extensions, isOurs: false })).toMatchObject({
      said: [...envelope, '(half a message)'],
      result: { isDataSent: false, end: { kind: 'withdrawn' } },
    })
  })
})

test('a server that takes DATA without a recipient gets an empty message, and one without a sender gets none', () => {
  expect(send(['250 a', '550 b', '550 c', '354 d', '554 e'])).toMatchObject({
    said: [...ENVELOPE, '.'],
    result: { isDataSent: false, end: { kind: 'refused', reply: '550 c' } },
    isEnd: false,
  })
  expect(send(['550 a', '550 b', '550 c', '354 d'])).toMatchObject({ said: ENVELOPE, isEnd: true })
})

test('an answer before the end of the message is a no, whatever it says', () => {
  const mail = { from: '', to: ['ada@b.test'], needsUtf8: false, message: Buffer.from(''), isOurs: () => true }
  const answers = ['250 Ok', '552 Too much'].map((answer) => {
    const transaction = new Transaction(mail, ALL)
    transaction.begin()
    for (const reply of ['250 a', '250 b', '354 c']) transaction.take(replyOf(reply))
    return transaction.take(replyOf(answer))
  })

  expect(answers).toMatchObject([
    { kind: 'done', isEnd: true, result: { isDataSent: false, end: { kind: 'lost' } } },
    { kind: 'done', isEnd: true, result: { isDataSent: false, end: { kind: 'refused', reply: '552 Too much' } } },
  ])
})

test.each([
  ['Hi\r\n', ALL, ' SIZE=4'],
  ['ö\r\n', ALL, ' BODY=8BITMIME SIZE=4'],
  ['ö\r\n', NO_EXTENSIONS, ''],
  ['', ALL, ''],
])('MAIL tells of %j what the server wants to know', (text, extensions, parameters) => {
  expect(send([], { text, extensions }).said[0]).toBe(`MAIL FROM:<us@a.test>${parameters}`)
})

test('no server brings the dialogue to anything but an end, or to say a command twice', () => {
  const reply = fc.tuple(fc.constantFrom(0, 220, 235, 250, 334, 354, 421, 450, 550), fc.string())
  fc.assert(
    fc.property(fc.array(reply), fc.boolean(), fc.boolean(), (answers, hasPipelining, needsReset) => {
      const replies = answers.map(([code, text]) => `${code || text} ${text}`)
      const { said, result } = send(replies, { extensions: { ...ALL, hasPipelining }, needsReset })

      expect(new Set(said).size).toBe(said.length)
      const isAccepted = result.end.kind === 'accepted'
      expect(isAccepted && !said.includes('(message)')).toBe(false)
    }),
  )
})
