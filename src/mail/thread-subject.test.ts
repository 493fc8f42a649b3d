import { expect, test } from 'vitest'
import { threadSubject } from './thread-subject.ts'

test.each([
  ['Re: Hello', 'hello'],
  ['RE: re: Fwd: FW: Hello', 'hello'],
  ['AW: WG: Rechnung', 'rechnung'],
  ['SV: VS: Antw: Rif: R: TR: RV: Ynt: Odp: x', 'x'],
  ['回复：转发: 你好', '你好'],
  ['Re[2]: Hello', 'hello'],
  ['Re (3): Re^4: Hello', 'hello'],
  ['[list] Re: Hello', '[list] hello'],
  ['Re: [list] Re: [list] Hello', '[list] hello'],
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

test('hostile subjects take no time', () => {
  const begun = process.cpuUsage()

  for (const piece of ['re:', '[a] ', '[fwd:', '[', 're[', '(fwd)', ' ']) threadSubject(piece.repeat(100_000))

  expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(1_000)
})
