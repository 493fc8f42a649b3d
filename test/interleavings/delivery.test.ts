import { test } from 'vitest'
import { playRuns } from './runs.ts'

test('three nodes keep their promises in whatever order their statements come', async () => {
  await playRuns({ runs: 8, file: import.meta.filename })
})
