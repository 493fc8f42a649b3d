import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { fixedClock } from '../../../test/harness/clock.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { readableLog } from '../../../test/harness/log.ts'
import type { Database } from '../../kernel/db/database.ts'
import { newId } from '../../platform/ids.ts'
import { LastUsed } from './last-used.ts'

test('who wants to see all uses waits for those that are being written', async () => {
  const gate = makeGate()
  const clock = fixedClock()
  const db = { clock, query: () => gate.opened.then(() => []) } as unknown as Database
  const lastUsed = new LastUsed(db, readableLog().log)
  lastUsed.note(newId(clock), newId(clock))
  // As the timer does.
  void lastUsed.flush()

  const seen = lastUsed.flush().then(() => 'written')
  const before = await Promise.race([seen, nextTurn('not yet')])
  gate.open()

  expect([before, await seen]).toEqual(['not yet', 'written'])
})
