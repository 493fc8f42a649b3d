import { expect, test } from 'vitest'
import { terminates } from '../../test/harness/watchdog.ts'
import { isAnswer, threadSubject } from './thread-subject.ts'

test.each([
  ['Re: Hello', 'hello'],
  ['RE: re: Fwd: FW: Hello', 'hello'],
  ['AW: WG: Rechnung', 'rechnung'],
  ['SV: VS: Antw: Rif: R: TR: RV: Ynt: Odp: x', 'x'],
  ['回复：转发: 你好', '你好'],
  ['Re[2]: Hello', 'hello'],
  ['Re (3): Re^4: Hello', 'hello'],
  ['[list] Re: Hello', 'hello'],
  ['Re: [list] Re: [list] Hello', 'hello'],
  ['[EXTERNAL] RE: [Dev-Team] Hello', 'hello'],
  ['Re: [ABC-124] Re: [ABC-124] Hello', '[abc-124] hello'],
  ['[list] [PATCH 2/5] Hello', '[patch 2/5] hello'],
  ['[Fwd: Hello]', 'hello'],
  ['Hello (fwd)', 'hello'],
  ['  Two\r\n  lines ', 'two lines'],
  ['ＦＵＬＬ width', 'full width'],
  ['Research: results', 'research: results'],
  ['Ref. 12: results', 'ref. 12: results'],
  ['[list]', ''],
  ['Re:', ''],
  ['', ''],
])('the conversation of %j is %j', (subject, expected) => {
  expect(threadSubject(subject)).toBe(expected)
})

test.each(['Re: Hello', '[list] AW: Hello', '[Fwd: Hello]', 'Hello (fwd)', '回复：你好'])(
  '%s answers something',
  (subject) => {
    expect(isAnswer(subject)).toBe(true)
  },
)

test.each(['Hello', '[list] Hello', 'Weekly report', 'Research: results', ''])('%s does not', (subject) => {
  expect(isAnswer(subject)).toBe(false)
})

test.each(['re:', '[a] ', '[fwd:', '[', 're[', '(fwd)', ' '])('of a subject of %j the beginning is read', (piece) => {
  const hostile = piece.repeat(1_000_000)

  expect(terminates(() => threadSubject(hostile)).length).toBeLessThanOrEqual(500)
})
