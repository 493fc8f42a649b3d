import fc from 'fast-check'
import { expect, test } from 'vitest'
import { finishChunk } from './chunk.ts'
import { finishTls, step } from './dialogue.ts'
import { LIMITS } from './limits.ts'
import { finishLogin } from './login.ts'
import { formatReply } from './reply.ts'
import { type DialogueSettings, type Effect, type Envelope, NEW_STATE, type State, type Step } from './state.ts'
import { finishMail, finishMessage, finishRecipient } from './transaction.ts'

const SETTINGS: DialogueSettings = {
  hostname: 'mx.test',
  maxMessageBytes: 1_000,
  allowPlaintextAuth: false,
  offersStartTls: true,
  limits: { ...LIMITS, recipients: 3 },
  freeBytes: 1_000_000,
}
const NEW: State<string> = { ...NEW_STATE, isGreeted: true }
const NAMED: State<string> = { ...NEW, helo: 'client.test' }
const ENCRYPTED: State<string> = { ...NAMED, isEncrypted: true }
const ENVELOPE: Envelope = { from: 'a@b.test', allowsUtf8: false, announcedBytes: 0, recipients: [], chunks: null }
const inMail = (more: Partial<Envelope> = {}): State<string> => ({ ...NAMED, envelope: { ...ENVELOPE, ...more } })
const READY = inMail({ recipients: ['c@d.test'] })

const said = ({ replies }: Step<unknown>) => replies.map(formatReply).join('')
const ask = (state: State<string>, line: string, settings: Partial<DialogueSettings> = {}) =>
  step(state, Buffer.from(line), { ...SETTINGS, ...settings })
const base64 = (text: string) => Buffer.from(text).toString('base64')

const EXTENSIONS =
  '250-mx.test\r\n250-PIPELINING\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250-ENHANCEDSTATUSCODES\r\n250-CHUNKING\r\n'

test.each([
  [NEW, 'EHLO Client.test', `${EXTENSIONS}250-STARTTLS\r\n250 SIZE 1000\r\n`],
  [ENCRYPTED, 'ehlo client.test', `${EXTENSIONS}250-AUTH PLAIN LOGIN\r\n250 SIZE 1000\r\n`],
  [{ ...ENCRYPTED, user: 'me' }, 'EHLO client.test', `${EXTENSIONS}250 SIZE 1000\r\n`],
  [NEW, 'EHLO', '501 Error: syntax: EHLO hostname\r\n'],
  [NEW, 'HELO a b', '501 Error: syntax: HELO hostname\r\n'],
  [NEW, `HELO ${'a'.repeat(301)}`, '501 Error: Bad hostname syntax\r\n'],
  [NEW, 'HELO a\u0085b', '501 Error: Bad hostname syntax\r\n'],
  [NEW, 'HELO client.test', '250 mx.test\r\n'],
  [NEW, 'MAIL FROM:<a@b.test>', '503 5.5.1 Error: send HELO/EHLO first\r\n'],
  [NEW, 'DATA', '503 5.5.1 Error: send HELO/EHLO first\r\n'],
  [NEW, 'AUTH PLAIN', '503 5.5.1 Error: send HELO/EHLO first\r\n'],
  [NEW, 'NOOP anything', '250 2.0.0 OK\r\n'],
  [NEW, 'noop', '250 2.0.0 OK\r\n'],
  [NEW, 'RSET', '250 2.0.0 Flushed\r\n'],
  [NEW, 'HELP me', '214 2.0.0 See RFC 5321\r\n'],
  [NEW, 'VRFY', '501 5.5.4 Error: Syntax: VRFY address\r\n'],
  [NEW, 'EXPN list', '502 5.5.1 Not implemented here\r\n'],
  [NEW, '', '500 5.5.2 Error: command not recognized\r\n'],
  [NEW, 'XCLIENT ADDR=127.0.0.1', '500 5.5.2 Error: command not recognized\r\n'],
  [NEW, 'toString', '500 5.5.2 Error: command not recognized\r\n'],
  [NEW, 'STARTTLS now', '501 5.5.4 Error: syntax: STARTTLS\r\n'],
  [ENCRYPTED, 'STARTTLS', '503 5.5.1 Error: TLS already active\r\n'],
  [NAMED, 'MAIL FROM:<a@b.test> BODY=8bitmime', '250 2.1.0 Accepted\r\n'],
  [READY, 'MAIL FROM:<a@b.test>', '503 5.5.1 Error: nested MAIL command\r\n'],
  [NAMED, 'MAIL FROM:<a@b.test> SIZE=1 SIZE=1', '501 5.5.4 Error: duplicate SIZE parameter\r\n'],
  [NAMED, 'MAIL FROM:<a@b.test> SIZE=1001', '552 5.3.4 Error: message exceeds fixed maximum message size 1000\r\n'],
  [NAMED, 'RCPT TO:<a@b.test>', '503 5.5.1 Error: need MAIL command\r\n'],
  [inMail(), 'RCPT TO:<>', '501 5.1.3 Error: Bad recipient address syntax\r\n'],
  [
    inMail({ recipients: ['1@a.test', '2@a.test', '3@a.test'] }),
    'RCPT TO:<4@a.test>',
    '452 4.5.3 Error: too many recipients\r\n',
  ],
  [NAMED, 'DATA', '503 5.5.1 RCPT first\r\n'],
  [inMail(), 'DATA', '503 5.5.1 RCPT first\r\n'],
  [READY, 'DATA', '354 End data with <CR><LF>.<CR><LF>\r\n'],
] as const)('in %o %j is answered', (state, line, replies) => {
  expect(said(ask(state, line))).toBe(replies)
})

test.each([
  [NEW, 'QUIT', { kind: 'close' }],
  [NAMED, 'STARTTLS', { kind: 'start TLS' }],
  [{ ...NEW, isGreeted: false }, 'EHLO a', { kind: 'close' }],
  [NEW, 'GET / HTTP/1.1', { kind: 'close' }],
  [{ ...NEW, unrecognized: 9 }, 'FOO', { kind: 'close' }],
  [{ ...NEW, errors: 19 }, 'FOO', { kind: 'close' }],
  [{ ...NAMED, messages: 10_000 }, 'MAIL FROM:<>', { kind: 'close' }],
  [{ ...NAMED, user: 'me' }, 'MAIL FROM:<a@b.test>', { kind: 'begin message', envelope: ENVELOPE }],
  [inMail(), 'RCPT TO:<C@d.test>', { kind: 'check recipient', recipient: 'C@d.test' }],
  [READY, 'DATA', { kind: 'read message' }],
  [READY, 'BDAT 10', { kind: 'read chunk', bytes: 10, isLast: false, refusal: null }],
  [READY, 'bdat 0 last', { kind: 'read chunk', bytes: 0, isLast: true, refusal: null }],
  [READY, 'BDAT 1000 LAST', { kind: 'read chunk', bytes: 1_000, isLast: true, refusal: null }],
] as const)('in %o %j asks for %o', (state, line, effect) => {
  expect(ask(state, line).effect).toEqual(effect)
})

test('what is read past is read past before it is refused', () => {
  const refused = (state: State<string>, line: string, settings: Partial<DialogueSettings> = {}) => {
    const { replies, effect } = ask(state, line, settings)
    expect(replies).toEqual([])
    return effect?.kind === 'read chunk' ? effect.refusal?.code : effect
  }
  const failed = inMail({ recipients: ['c@d.test'], chunks: { bytes: 1, failure: { ...NO, code: 452 } } })

  expect(refused(NEW, 'BDAT 10')).toBe(503)
  expect(refused(NAMED, 'BDAT 10 LAST')).toBe(503)
  expect(refused(inMail(), 'BDAT 10')).toBe(503)
  expect(refused(READY, 'BDAT 1001')).toBe(552)
  expect(refused(READY, 'BDAT 999999999999999')).toBe(552)
  expect(refused(inMail({ recipients: ['c@d.test'], chunks: { bytes: 999, failure: null } }), 'BDAT 2')).toBe(552)
  expect(refused(READY, 'BDAT 10', { freeBytes: 1_000 })).toBe(452)
  expect(refused(failed, 'BDAT 10 LAST')).toBe(452)
})

test.each([
  'BDAT',
  'BDAT LAST',
  'BDAT -1',
  'BDAT 1e3',
  'BDAT 0x10 LAST',
  'BDAT 10 LAST LAST',
  'BDAT 10 FIRST',
  'BDAT 10\0',
  'BDAT 10\rLAST',
  'BDAT 9999999999999999',
  `BDAT ${' '.repeat(3_000)}10`,
])('%j ends the session, since nobody knows how much of what follows is a message', (line) => {
  const result = ask(READY, line)

  expect(said(result)).toMatch(/^50[01] 5/)
  expect(result.effect).toEqual({ kind: 'close' })
})

test('a message that has begun to come by BDAT goes on so, or starts over', () => {
  const begun = ask(READY, 'BDAT 10').state

  for (const line of ['DATA', 'RCPT TO:<e@f.test>', 'MAIL FROM:<a@b.test>'])
    expect(said(ask(begun, line))).toMatch(/^503 5\.5\.1 /)
  expect(ask(begun, 'NOOP').state).toEqual(begun)
  for (const line of ['RSET', 'EHLO again.test', 'HELO again.test']) expect(ask(begun, line).state.envelope).toBeNull()
})

test.each([
  [`AUTH PLAIN ${base64('\0me\0sesame')}`, [], { username: 'me', password: 'sesame' }],
  [`AUTH PLAIN ${base64('me\0\0sesame')}`, [], { username: 'me', password: 'sesame' }],
  [`AUTH PLAIN ${base64('you\0me\0sesame')}`, [], { username: 'me', password: 'sesame' }],
  ['AUTH PLAIN', ['334 \r\n', base64('\0me\0sesame')], { username: 'me', password: 'sesame' }],
  ['AUTH LOGIN', ['334 VXNlcm5hbWU6\r\n', base64('me'), '334 UGFzc3dvcmQ6\r\n', base64('')], { password: '' }],
  [`auth login ${base64('me')}`, ['334 UGFzc3dvcmQ6\r\n', base64('a\0b')], { username: 'me', password: 'a\0b' }],
])('%s is a login', (line, exchange, credentials) => {
  let result = ask(ENCRYPTED, line)
  for (let at = 0; at < exchange.length; at += 2) {
    expect(said(result)).toBe(exchange[at])
    result = ask(result.state, exchange[at + 1]!)
  }

  expect(result).toMatchObject({ replies: [], effect: { kind: 'log in', ...credentials }, state: { login: null } })
})

test.each([
  [NAMED, 'AUTH PLAIN', 538],
  [{ ...ENCRYPTED, envelope: ENVELOPE }, 'AUTH PLAIN', 503],
  [{ ...ENCRYPTED, user: 'me' }, 'AUTH PLAIN', 503],
  [ENCRYPTED, 'AUTH', 504],
  [ENCRYPTED, 'AUTH CRAM-MD5', 504],
  [ENCRYPTED, 'AUTH PLAIN a b', 501],
  [ENCRYPTED, 'AUTH PLAIN =', 501],
  [ENCRYPTED, `AUTH PLAIN ${base64('\0m\u0085e\0x')}`, 501],
  [ENCRYPTED, `AUTH PLAIN ${base64('\0me\0x\0y')}`, 501],
  [ENCRYPTED, 'AUTH LOGIN =', 501],
  [{ ...ENCRYPTED, login: { awaits: 'token' } }, '*', 501],
  [{ ...ENCRYPTED, login: { awaits: 'username' } }, '*', 501],
  [{ ...ENCRYPTED, login: { awaits: 'password', username: 'me' } }, '*', 501],
  [{ ...ENCRYPTED, login: { awaits: 'password', username: 'me' } }, 'a\0b', 501],
] as const)('in %o %j is no login, and ends one that had begun', (state, line, code) => {
  const result = ask(state, line)

  expect(said(result)).toMatch(new RegExp(`^${code} 5`))
  expect(result).toMatchObject({ effect: null, state: { login: null } })
})

const NO = { code: 535, enhanced: '5.7.8', message: 'No' }

test('a wrong login costs more time each time, and the last one the session', () => {
  const limits = { ...SETTINGS.limits, loginDelayMs: 100, failedLogins: 10 }
  let state = ENCRYPTED
  const delays = []
  for (let n = 0; n < 10; n++) {
    const { effect } = ask(state, `AUTH PLAIN ${base64('\0me\0x')}`, { limits })
    delays.push(effect?.kind === 'log in' ? effect.delayMs : effect)
    const result = finishLogin(state, NO, { ...SETTINGS, limits })
    expect(said(result)).toBe(n < 9 ? '535 5.7.8 No\r\n' : '421 4.7.0 Too many failed logins\r\n')
    state = result.state
  }

  expect(delays).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 15_000, 15_000])
  expect(finishLogin(state, { ...NO, code: 454 }, SETTINGS).state.failedLogins).toBe(10)
})

test('after the handshake nothing is left but what the client has used up', () => {
  const before = { ...READY, user: 'me', login: null, errors: 3, messages: 2, unrecognized: 1, failedLogins: 1 }

  expect(finishTls(before).state).toEqual({
    ...NEW,
    ...{ isEncrypted: true, errors: 3, messages: 2, unrecognized: 1, failedLogins: 1 },
  })
})

test('a recipient that is named twice is one, as it was written last', () => {
  const { state } = finishRecipient(READY, 'C@D.test', null, SETTINGS)

  expect(state.envelope?.recipients).toEqual(['C@D.test'])
})

/** What those around the dialogue could answer, in `mood`. */
function answer(state: State<string>, effect: Effect, mood: number): Step<string> | null {
  const refusal = mood % 3 === 0 ? { code: mood % 2 ? 550 : 451, enhanced: '5.0.0', message: 'No' } : null
  switch (effect.kind) {
    case 'close':
      return null
    case 'start TLS':
      return finishTls(state)
    case 'log in':
      return finishLogin(state, refusal ?? { user: effect.username }, SETTINGS)
    case 'begin message':
      return finishMail(state, effect.envelope, refusal, SETTINGS)
    case 'check recipient':
      return finishRecipient(state, effect.recipient, refusal, SETTINGS)
    case 'read message':
      return finishMessage(state, refusal ? { kind: 'refused', ...refusal } : TAKEN, SETTINGS)
    case 'read chunk':
      if (effect.isLast && !effect.refusal) return finishMessage(state, TAKEN, SETTINGS)
      return finishChunk(state, effect, effect.refusal ?? refusal, SETTINGS)
  }
}

const TAKEN = { kind: 'accepted', message: 'Taken' } as const

test('where STARTTLS is not offered it is refused', () => {
  expect(said(ask(NEW, 'EHLO client.test', { offersStartTls: false }))).toBe(`${EXTENSIONS}250 SIZE 1000\r\n`)
  expect(said(ask(NAMED, 'STARTTLS', { offersStartTls: false }))).toBe('502 5.5.1 Error: STARTTLS is not offered\r\n')
})

test('whatever is said, each line has one reply in the end, and none throws', () => {
  const word = fc.constantFrom(
    ...['EHLO a', 'HELO a', 'MAIL FROM:<a@b.test>', 'MAIL FROM:<é@b.test> SMTPUTF8', 'RCPT TO:<c@d.test>', 'DATA'],
    ...[
      'BDAT 10',
      'BDAT 10 LAST',
      'BDAT 2000',
      'BDAT 0 LAST',
      'BDAT x',
      'RSET',
      'STARTTLS',
      'AUTH LOGIN',
      'AUTH PLAIN',
    ],
    ...[`AUTH PLAIN ${base64('\0me\0x')}`, '*', base64('me'), 'QUIT', 'VRFY a', 'FOO', ''],
  )
  const line = fc.oneof(
    { weight: 5, arbitrary: word.map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)) },
  )
  const property = fc.property(fc.array(fc.tuple(line, fc.nat(5)), { maxLength: 40 }), (lines) => {
    let state: State<string> = NEW
    for (const [bytes, mood] of lines) {
      let result = step(state, bytes, SETTINGS)
      let text = said(result)
      const last = result.effect && answer(result.state, result.effect, mood)
      if (last) {
        result = last
        text += said(last)
      }
      expect(text).toMatch(/^(?:354 [^\r\n]*\r\n)?(?:\d{3}-[^\r\n]*\r\n)*\d{3} [^\r\n]*\r\n(?:421 [^\r\n]*\r\n)?$/)
      if (/^421 /m.test(text)) expect(result.effect).toEqual({ kind: 'close' })
      if (result.effect) return
      state = result.state
    }
  })
  fc.assert(property, { numRuns: 500 })
})
