import { expect, test } from 'vitest'
import { makeGate } from '../../../test/harness/gate.ts'
import { RecordQueue } from './record-queue.ts'

function startQueue(hand: (records: readonly string[]) => Promise<void>, maxBatchRecords?: number) {
  const counts = { taken: 0, dropped: 0, reasons: new Set<string>() }
  const queue = new RecordQueue({
    hand,
    onTaken: (records) => (counts.taken += records),
    onDropped(records, { message }) {
      counts.dropped += records
      counts.reasons.add(message)
    },
    ...(maxBatchRecords && { maxBatchRecords }),
  })
  return { queue, counts }
}

test('records go in batches, in their order', async () => {
  const batches: (readonly string[])[] = []
  const { queue, counts } = startQueue(async (records) => void batches.push(records), 2)
  for (const record of ['1', '2', '3', '4', '5']) queue.add(record)
  await queue.flush()

  expect(batches.flat()).toEqual(['1', '2', '3', '4', '5'])
  expect(Math.max(...batches.map(({ length }) => length))).toBe(2)
  expect(counts).toMatchObject({ taken: 5, dropped: 0 })
})

test('a batch that is not taken is dropped, and the next one has its chance', async () => {
  let isFull = true
  const { queue, counts } = startQueue(async () => {
    if (isFull) throw new Error('no space left')
  })
  queue.add('1')
  await queue.flush()
  isFull = false
  queue.add('2')
  await queue.flush()

  expect(counts).toEqual({ taken: 1, dropped: 1, reasons: new Set(['no space left']) })
})

test('who never takes anything costs 8 MB, and nobody waits', async () => {
  const gate = makeGate()
  const { queue, counts } = startQueue(() => gate.opened)
  const record = 'x'.repeat(100_000)
  for (let number = 0; number < 200; number++) queue.add(record)

  // 8 MB wait besides the batch that is being handed over.
  expect(counts.dropped).toBeGreaterThan(100)
  expect(counts.dropped).toBeLessThan(120)
  await queue.stop(1)
  expect(counts.taken).toBe(0)
  expect(counts.reasons).toEqual(new Set(['the queue is full', 'the process stops']))
  gate.open()
})
