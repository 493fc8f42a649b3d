import { expect, test } from 'vitest'
import type { Installation } from '../../../src/gateways/dashboard/installation.ts'
import { locate, NAVIGATION, navigationFor } from './navigation.ts'

const installed = (facts: Partial<Installation>) =>
  ({ delivery: 'direct', has_sandboxes: true, ...facts }) as Installation

test('about ten sections, and no letter twice', () => {
  const letters = NAVIGATION.flatMap(({ pages }) => pages.flatMap(({ letter }) => letter ?? []))

  expect(NAVIGATION.length).toBeLessThanOrEqual(10)
  expect(new Set(letters).size).toBe(letters.length)
})

test('all mail is a tab where no email leaves the machine', () => {
  const tabsIn = (delivery: 'inbox' | 'direct') =>
    navigationFor(() => true, installed({ delivery }))[0]!.pages.map(({ label }) => label)

  expect([tabsIn('inbox'), tabsIn('direct')]).toEqual([
    ['Sent', 'Received', 'All mail', 'Approvals'],
    ['Sent', 'Received', 'Approvals'],
  ])
})

test('a section of which nothing may be read is not shown', () => {
  const labels = navigationFor((need) => need !== 'inboxes.list', installed({})).map(({ label }) => label)

  expect(labels).not.toContain('Inboxes')
  expect(labels).toContain('Settings')
})

test.each([
  ['/dashboard/emails', 'Mail', '/emails', true],
  ['/emails/0193', 'Mail', '/emails', false],
  ['/automation-runs/1', 'Automations', '/automation-runs', false],
  ['/automations/', 'Automations', '/automations', true],
  ['/inboxes/1/agent', 'Inboxes', '/inboxes', false],
])('%s is in %s', (path, section, to, isList) => {
  expect(locate(NAVIGATION, path)).toMatchObject({ section: { label: section }, page: { to }, isList })
})

test('an address that is no page is nowhere', () => {
  expect(locate(NAVIGATION, '/emailsx')).toBeUndefined()
})
