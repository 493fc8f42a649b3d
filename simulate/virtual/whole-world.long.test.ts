import { expect, test } from 'vitest'
import { postwren } from '../strategies/postwren.ts'
import { generateWorld } from '../world/generate.ts'
import { runVirtual } from './run.ts'
import { summarize } from './summary.ts'

test('the program uses what the large providers allow, is blocked by none, and never asked to slow down twice', () => {
  const world = generateWorld({ seed: 2, sites: 8, windowHours: 0.5 })

  const result = runVirtual({ world, strategy: postwren, days: 30, seed: 2 })

  const { goodput, ...counts } = summarize(result)
  expect(counts).toMatchObject({ blocks: 0, escalations: 0, lost: 0 })
  expect(goodput).toBeGreaterThanOrEqual(0.9)
  // Where nobody has to warm up first, a limit is found in minutes.
  const isWarm = (name: string) => !world.sites.find((site) => site.name === name)!.temper.warm_up
  const shares = result.sites.filter(({ site }) => isWarm(site)).map(({ taken, allowed }) => taken / allowed)
  expect(shares).toHaveLength(5)
  for (const share of shares) expect(share).toBeGreaterThanOrEqual(0.9)
})

test('it does so at two hundred sites, from the first days on', () => {
  const world = generateWorld({ seed: 1, sites: 200, windowHours: 2 })

  const { goodput, ...counts } = summarize(runVirtual({ world, strategy: postwren, days: 3, seed: 1 }))

  expect(counts).toMatchObject({ blocks: 0, escalations: 0, lost: 0 })
  expect(goodput).toBeGreaterThanOrEqual(0.9)
})
