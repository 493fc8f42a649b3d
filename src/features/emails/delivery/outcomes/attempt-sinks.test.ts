import { expect, test } from 'vitest'
import { Changes } from '../../../../../test/harness/changes.ts'
import { readableLog } from '../../../../../test/harness/log.ts'
import { startReceiver } from '../../../../../test/harness/receiver.ts'
import { systemClock } from '../../../../platform/clock.ts'
import { openAttemptRecords } from './attempt-sinks.ts'

test('what a stop leaves behind is said in a line with its number, and without a stack', async () => {
  const receiver = await startReceiver(() => new Promise(() => {}))
  const { log, saying } = readableLog()
  const dropped: number[] = []
  const changes = new Changes()
  const records = openAttemptRecords({
    clock: systemClock,
    log,
    metrics: {
      countAttemptRecords(result, count) {
        if (result === 'dropped') dropped.push(count)
        changes.notify()
      },
    },
    config: {
      ...{ ATTEMPTS: { kind: 'webhook', url: receiver.url }, ATTEMPTS_MB: 512 },
      ATTEMPTS_SECRET: `whsec_${Buffer.alloc(24, 'k').toString('base64')}`,
    },
  })!
  for (let number = 0; number < 700; number++) records.add('{}')
  await records.close(10)

  await changes.until(() => dropped.reduce((sum, count) => sum + count, 0) === 700)
  const lines = saying('delivery: attempt records dropped')
  expect(lines.map(({ records: count }) => count)).toEqual(dropped)
  for (const line of lines) expect(line).toMatchObject({ reason: 'the process stops' })
  for (const line of lines) expect(line).not.toHaveProperty('error')
})
