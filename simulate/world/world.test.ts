import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { matches } from '../../src/kernel/http/validate.ts'
import { allowance } from '../sites/allowance.ts'
import { World } from '../sites/site-policy.ts'
import { UsageError } from '../usage-error.ts'
import { generateWorld } from './generate.ts'
import { readWorld } from './world-file.ts'

const site = {
  name: 'one',
  voice: 'postfix',
  domains: ['one.test'],
  hosts: ['mx.one.test'],
  daily_offer: 10,
  temper: {},
}
const world = { window_hours: 1, sources: ['192.0.2.10'], tenants: 1, sites: [site] }

function fileWith(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'world-')), 'world.json')
  writeFileSync(path, text)
  return path
}

test('a generated world is the same for the same seed, is one that could be read, and has every kind of site', () => {
  const made = generateWorld({ seed: 3, sites: 200 })
  const tempers = made.sites.map(({ temper }) => temper)

  expect(generateWorld({ seed: 3, sites: 200 })).toEqual(made)
  expect(generateWorld({ seed: 4, sites: 200 })).not.toEqual(made)
  expect(matches(World, structuredClone(made))).toBeNull()
  expect(readWorld(fileWith(JSON.stringify(made)))).toEqual(made)
  for (const trait of ['limits', 'warm_up', 'escalation', 'greylist_seconds', 'tarpit', 'max_connections'] as const)
    expect(tempers.filter((temper) => temper[trait] !== undefined).length, trait).toBeGreaterThan(3)
  expect(tempers.some((temper) => temper.refuses_all)).toBe(true)
  expect(new Set(tempers.map(({ tls }) => tls))).toContain('broken')
  expect(new Set(tempers.map(({ mta_sts }) => mta_sts))).toContain('enforce')
  expect(new Set(tempers.flatMap(({ limits = [] }) => limits.map(({ by }) => by))).size).toBe(5)
})

test('where there is a limit, more is offered than it lets through', () => {
  const made = generateWorld({ seed: 1, sites: 100 })
  for (const definition of made.sites.filter(({ temper }) => temper.limits))
    expect(definition.daily_offer, definition.name).toBeGreaterThan(allowance(definition, made, 365) * 1.1)
})

test.each([
  ['{', /is not JSON: /],
  ['[]', /is not a world: must be object/],
  [
    JSON.stringify({ ...world, sites: [{ ...site, temper: { limit: [] } }] }),
    /sites\/0\/temper must NOT have additional/,
  ],
  [JSON.stringify({ ...world, sites: [{ ...site, voice: 'loud' }] }), /sites\/0\/voice must be equal to one of/],
  [JSON.stringify({ ...world, sites: [{ ...site, daily_offer: 0 }] }), /sites\/0\/daily_offer must be >= 1/],
  [JSON.stringify({ ...world, sites: [site, site] }), /has one twice among the names/],
  [JSON.stringify({ ...world, sites: [site, { ...site, name: 'two' }] }), /has one\.test twice among the domains/],
])('a file that is no world is refused in one line: %s', (text, message) => {
  const path = fileWith(text)

  expect(() => readWorld(path)).toThrow(UsageError)
  expect(() => readWorld(path)).toThrow(message)
})
