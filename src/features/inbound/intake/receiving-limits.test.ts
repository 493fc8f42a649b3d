import { expect, test } from 'vitest'
import { ReceivingLimits } from './receiving-limits.ts'

const team = (name: string) => ({ kind: 'team', team: name }) as const

/** How many messages get in before there is an objection. */
function bring(limits: ReceivingLimits, address: string, name: string, bytes = 1_000) {
  let count = 0
  while (limits.objection(address, team(name)) === null && count < 1_000) {
    limits.count(address, [team(name), team(name)], bytes)
    count++
  }
  return count
}

test('an address brings so many messages, whomever they are for, and others go on', () => {
  const limits = new ReceivingLimits({ perAddress: 10, perTeam: 100 })

  expect(bring(limits, '8.8.8.8', 'acme')).toBe(10)
  expect(limits.objection('8.8.8.8', team('globex'))).toMatch(/your address/)
  expect(bring(limits, '8.8.4.4', 'globex')).toBe(10)
})

test('a team gets so many messages and bytes, whoever brings them, and others go on', () => {
  const limits = new ReceivingLimits({ perAddress: 0, perTeam: 100 })

  expect(bring(limits, '8.8.8.8', 'acme')).toBe(100)
  expect(limits.objection('8.8.4.4', team('acme'))).toMatch(/this recipient/)
  expect(bring(limits, '8.8.4.4', 'globex', 4_000_000)).toBe(3)
  expect(limits.objection('8.8.8.8', team('initech'))).toBeNull()
})

test('a server beside us speaks for many, and limits of 0 are none', () => {
  expect(bring(new ReceivingLimits({ perAddress: 10, perTeam: 0 }), '10.0.0.1', 'acme')).toBe(1_000)
  expect(bring(new ReceivingLimits({ perAddress: 0, perTeam: 0 }), '8.8.8.8', 'acme', 40_000_000)).toBe(1_000)
})
