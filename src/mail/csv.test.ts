import { expect, test } from 'vitest'
import { csvCell, csvLine } from './csv.ts'

test.each([
  ['plain', 'plain'],
  [null, ''],
  [undefined, ''],
  [12, '12'],
  [-12, '-12'],
  [true, 'true'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  ['=1+1', "'=1+1"],
  ['+49 30', "'+49 30"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', '"\'\r=1"'],
  ['=HYPERLINK("http://a","b")', '"\'=HYPERLINK(""http://a"",""b"")"'],
  [{ a: 1 }, '"{""a"":1}"'],
])('a cell of %j', (value, cell) => {
  expect(csvCell(value)).toBe(cell)
})

test('a line ends as RFC 4180 has it', () => {
  expect(csvLine(['a', null, 2])).toBe('a,,2\r\n')
})
