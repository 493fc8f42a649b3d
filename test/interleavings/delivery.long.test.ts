import { expect, test } from 'vitest'
import { playRuns } from './runs.ts'

test('a hundred and more orders keep the promises, and everything worth fearing happens in them', async () => {
  const seen = await playRuns({ runs: 120, file: import.meta.filename })
  console.log(seen)

  for (const [name, count] of Object.entries(seen)) expect(count, name).toBeGreaterThan(0)
})
