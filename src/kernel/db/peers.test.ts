import { expect, test } from 'vitest'
import type { Database } from './database.ts'
import { Peers } from './peers.ts'

test('processes that do the same work are counted, as the last beat showed them', () => {
  const node = (works: string[]) => ({ works })
  const presence = { others: [node(['doors', 'jobs']), node(['jobs'])] }
  const peers = new Peers({ presence } as unknown as Database, 'doors')

  const before = peers.count
  presence.others = [node(['doors']), node(['doors']), node([])]

  expect([before, peers.count]).toEqual([2, 3])
})
