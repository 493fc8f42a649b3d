import * as chrono from 'chrono-node'
import { expect, test } from 'vitest'
import { english } from './english.ts'

const NOW = new Date('2026-07-01T10:00:00Z')

const read = (parser: Pick<chrono.Chrono, 'parse'>, text: string) =>
  parser.parse(text, NOW, { forwardDate: true }).map(({ index, text: found, start, end }) => ({
    found: [index, found.length],
    moments: [start.date(), end?.date()],
  }))

test.each([
  ...['in 3 days', 'tomorrow at 9am', 'Nov 3 at 5pm', 'the day after tomorrow', 'nothing of the kind'],
  ...['2 days later', '3 Days Ago', 'AN HOUR FROM NOW', 'half an hour earlier', '1 hour 30 minutes from now'],
  ...['2 weeks after 2026-08-01', '2 weeks before 2026-08-01', 'next friday, 5 days later', 'İ, 2 days ago'],
])('"%s" means what it means to the library', (text) => {
  expect(read(english, text)).toEqual(read(chrono, text))
})
