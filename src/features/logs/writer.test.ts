import { expect, test } from 'vitest'
import { type Client, startApp } from '../../../test/harness/app.ts'
import { newId } from '../../../test/harness/ids.ts'
import type { Database } from '../../kernel/db/database.ts'
import type { Sql } from '../../kernel/db/sql.ts'
import { LogWriter } from './writer.ts'

const entry = ({ team }: Client) => ({
  ...{ id: newId(), team, method: 'GET', path: '/topics', status: 200, durationMs: 3, userAgent: null, at: new Date() },
  ...{
    actorKind: 'api_key' as const,
    actorId: null,
    actorName: null,
    ipAddress: '127.0.0.1',
    requestBody: null,
    responseBody: null,
  },
})

test('a team that fills the log while it cannot be written loses its own entries', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  const writer = new LogWriter(app.db, app.services.log, app.metrics)

  // Nothing is written before the event loop has its turn.
  for (let n = 0; n < 10; n++) writer.record(entry(globex))
  for (let n = 0; n < 20_100; n++) writer.record(entry(acme))
  for (let n = 0; n < 10; n++) writer.record(entry(globex))
  await writer.flush()

  expect((await globex.get('/logs?limit=100')).body.data).toHaveLength(20)
  expect(await app.metrics.render()).toContain('postwren_request_logs_lost_total 500')
})

test('a batch whose answer got lost is written again, and kept once', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  let isAnswered = false
  const losing = Object.create(app.db, {
    queryPooled: {
      value: async (statement: Sql) => {
        const rows = await app.db.queryPooled(statement)
        if (isAnswered) return rows
        isAnswered = true
        throw new Error('the answer got lost')
      },
    },
  }) as Database
  const writer = new LogWriter(losing, app.services.log, app.metrics)

  for (let n = 0; n < 3; n++) writer.record(entry(acme))
  await writer.flush()
  writer.record(entry(acme))
  await writer.flush()

  expect((await acme.get('/logs?limit=100')).body.data).toHaveLength(4)
})
