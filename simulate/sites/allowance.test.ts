import { expect, test } from 'vitest'
import { allowance } from './allowance.ts'
import type { SitePolicy, World } from './site-policy.ts'

const world: World = { window_hours: 1, sources: ['192.0.2.10', '192.0.2.11'], tenants: 4, sites: [] }

const allowed = (temper: SitePolicy, { offer = 1_000_000, day = 0 } = {}) =>
  allowance(
    { name: 'site', voice: 'postfix', domains: ['site.test'], hosts: ['mx.site.test'], daily_offer: offer, temper },
    world,
    day,
  )

test('without a limit all that exists is allowed', () => {
  expect(allowed({}, { offer: 100 })).toBe(100)
  expect(allowed({ unknown_share: 0.1 }, { offer: 100 })).toBeCloseTo(90)
})

test('the least of the limits of a tenant counts, then that of its source', () => {
  const source = { by: 'source', per_minute: 10, burst: 5 } as const
  const tenant = { by: 'tenant', per_minute: 1, burst: 5 } as const
  const dkim = { by: 'dkim_domain', per_minute: 2, burst: 5 } as const

  expect(allowed({ limits: [source] })).toBe(2 * (10 * 60 + 5))
  expect(allowed({ limits: [source, tenant, dkim] })).toBe(4 * (60 + 5))
  expect(allowed({ limits: [source, dkim] })).toBe(4 * (120 + 5))
})

test('a limit that is warmed up is as large as it can be on that day', () => {
  const temper: SitePolicy = {
    limits: [{ by: 'source', per_minute: 10, burst: 10 }],
    warm_up: { by: 'source', share: 0.25, growth: 2 },
  }

  expect([0, 1, 2, 3].map((day) => allowed(temper, { day }) / allowed(temper, { day: 9 }))).toEqual([0.25, 0.5, 1, 1])
})

test('a stranger may bring no more than what it is not blocked for, until it is warm', () => {
  const temper: SitePolicy = {
    limits: [{ by: 'source', per_minute: 10, burst: 10 }],
    warm_up: { by: 'source', share: 0.25, growth: 2, blocks_beyond: 30 },
  }

  expect([0, 1, 2].map((day) => allowed(temper, { day }))).toEqual([2 * 30, 2 * 60, 2 * 610])
})

test.each<SitePolicy>([{ refuses_all: true }, { reachable: 'timeout' }, { mta_sts: 'enforce', tls: 'broken' }])(
  'nothing can be taken by %o',
  (temper) => {
    expect(allowed(temper)).toBe(0)
  },
)
