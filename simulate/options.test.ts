import { expect, test } from 'vitest'
import { HELP, parseOptions } from './options.ts'
import { UsageError } from './usage-error.ts'

test('nothing said is a virtual month of two hundred sites', () => {
  expect(parseOptions([])).toMatchObject({ command: 'virtual', seed: 1, days: 30, sites: 200, isForMachines: false })
  expect(parseOptions(['loopback'])).toMatchObject({ command: 'loopback', sites: 40, minutes: 2 })
  expect(parseOptions(['--help'])).toBeNull()
})

test('strategies are chosen by name', () => {
  const names = (words: string[]) => parseOptions(words)!.strategies.map(({ name }) => name)

  expect(names([])).not.toContain('unpaced')
  expect(names(['--strategy', 'unpaced', '--strategy', 'kumomta'])).toEqual(['unpaced', 'kumomta'])
  for (const name of names([])) expect(HELP).toContain(name)
})

test.each([
  [['--days', '0'], '--days must be a whole number from 1 to 366, not 0.'],
  [['--seed', '1e3'], '--seed must be a whole number from 0 to 2147483647, not 1e3.'],
  [['--strategy', 'hope'], /^There is no strategy hope: /],
  [['fly'], /^There is no command fly: virtual, loopback, world\.$/],
  [['virtual', 'twice'], /^There is no command twice/],
  [['--fast'], /--fast/],
])('%j is a mistake, said in one line', (words, message) => {
  expect(() => parseOptions(words)).toThrow(UsageError)
  expect(() => parseOptions(words)).toThrow(message)
})
