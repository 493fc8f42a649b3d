import { expect, test } from 'vitest'
import { playRuns } from './runs.ts'

test('many orders keep the promises, and everything worth fearing happens in them', async () => {
  const seen = await playRuns({ runs: 120, file: import.meta.filename })

  for (const [name, count] of Object.entries(seen)) expect(count, name).toBeGreaterThan(0)
})
