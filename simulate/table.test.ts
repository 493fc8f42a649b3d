import { expect, test } from 'vitest'
import { tableOf } from './table.ts'
import { type Summary, summarize } from './virtual/summary.ts'

const summary: Summary = {
  strategy: 'ours',
  goodput: 0.95,
  worst: { site: 'gmail', goodput: 0.91 },
  blocks: 0,
  escalations: 0,
  deferralRate: 0.0123,
  daysUntilWarm: 4.25,
  neverWarm: 0,
  offered: 1_000_000,
  taken: 990_000,
  lost: 0,
}

test('a line for each strategy, with a verdict', () => {
  const [, good, slow, blocked] = tableOf([summary, { ...summary, goodput: 0.89 }, { ...summary, escalations: 1 }])

  expect(good).toMatch(/^ours +0\.95 +0\.91 gmail +0 +0 +1\.2 % +4\.[23] +990,000 +0 +good$/)
  expect(slow).toMatch(/missed$/)
  expect(blocked).toMatch(/missed$/)
})

test('who never became warm is counted, and no site takes more than all', () => {
  const counts = { connections: 0, connectionsRefused: 0, brokenHandshakes: 0, greylisted: 0, refused: 0, cutOff: 0 }
  const site = {
    ...counts,
    site: 'a',
    offered: 100,
    throttled: 5,
    refusedBlocked: 5,
    escalations: 2,
    blocks: 1,
    lost: 3,
  }
  const result = summarize({
    strategy: 'ours',
    sites: [
      { ...site, taken: 60, allowed: 50, warmth: [2, null] },
      { ...site, site: 'b', taken: 25, allowed: 50, warmth: [4] },
      { ...site, site: 'dead', taken: 0, allowed: 0, warmth: [] },
    ],
  })

  expect(result).toMatchObject({ goodput: 0.75, worst: { site: 'b', goodput: 0.5 }, daysUntilWarm: 3, neverWarm: 1 })
  expect(result).toMatchObject({ blocks: 3, escalations: 9, deferralRate: 0.1, lost: 9 })
})
