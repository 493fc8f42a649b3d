import { expect, test } from 'vitest'
import { loadConfig } from '../../../platform/settings/config.ts'
import { verdictOf } from '../doctor.ts'
import { fault, fine, warning } from './finding.ts'
import { checkSettings } from './settings.ts'

const warningsWith = (settings: Record<string, string>) =>
  checkSettings({ config: loadConfig(settings), environment: settings })
    .filter(({ status }) => status === 'warning')
    .map(({ message }) => message)

test('a service that holds everything back is worth a warning', () => {
  expect(warningsWith({ POSTWREN_HOLD: 'on' })).toEqual([
    expect.stringMatching(/^POSTWREN_HOLD is on: .*nothing leaves/),
  ])
  expect(warningsWith({})).toEqual([])
})

test.each(['https://example.com/mail', 'https://example.com/?x=1', 'https://example.com/#x'])(
  'so is a public URL that goes beyond its host: %s',
  (url) => {
    expect(warningsWith({ POSTWREN_PUBLIC_URL: url })).toEqual([
      expect.stringMatching(/^POSTWREN_PUBLIC_URL goes beyond its host .* like https:\/\/example\.com\.$/),
    ])
  },
)

test.each(['https://example.com', 'https://example.com/', 'http://localhost:4025'])('and %s is not', (url) => {
  expect(warningsWith({ POSTWREN_PUBLIC_URL: url })).toEqual([])
})

const [good, odd, bad] = [fine('a', 'x'), warning('b', 'x'), fault('c', 'x')]

test.each([
  [[good], 'All is well.'],
  [[good, odd], '1 warning.'],
  [[odd, odd], '2 warnings.'],
  [[bad, good], '1 thing needs your attention.'],
  [[bad, odd, bad], '2 things need your attention, 1 warning.'],
])('the last line counts what was found', (findings, line) => {
  expect(verdictOf(findings)).toBe(line)
})
