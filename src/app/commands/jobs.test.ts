import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { freshDatabase } from '../../../test/harness/database.ts'
import { type Job, job } from '../../kernel/jobs/job.ts'
import { enqueue } from '../../kernel/jobs/queries.ts'
import { loadConfig } from '../../platform/settings/config.ts'
import type { Command } from './command.ts'
import { listJobs, retryJobs } from './jobs.ts'

async function told(command: Command, words: string[] = [], flags: Record<string, string | boolean> = {}) {
  const { host, port, user, password, database } = await freshDatabase()
  const url = `postgres://${user}:${password ?? ''}@localhost:${port}/${database}?host=${encodeURIComponent(host!)}`
  const config = loadConfig({ POSTWREN_DATABASE_URL: url, POSTWREN_DATA_DIR: '/nowhere' })
  const lines: string[] = []
  await command.run({ config, environment: {}, words, flags, print: (line) => lines.push(line) })
  return lines.join('\n')
}

test('a job that has failed for good is listed with its reason, tried again by command, and the audit log tells of it', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const seen: string[] = []
  let isFailing = true
  const printing = job<{ team: string; page: string }>({
    ...{ name: 'print', retryAfterSeconds: [] },
    async run({ page }) {
      if (isFailing) throw new Error('the printer is on fire')
      seen.push(page)
    },
  })
  const worker = app.workerFor([printing as Job<never, unknown>])
  for (const page of ['one', 'two'])
    await app.db.transaction((trx) => enqueue(trx, printing, { team: acme.team, page }))
  app.clock.advance(60)
  await worker.runDue()

  const { data: listed } = JSON.parse(await told(listJobs, [], { name: 'print', json: true }))
  const table = await told(listJobs)
  isFailing = false
  const retried = await told(retryJobs, ['print'])
  const left = await told(listJobs, [], { name: 'print' })
  await worker.runDue()

  expect(listed).toHaveLength(2)
  expect(listed[0]).toMatchObject({ name: 'print', team_id: acme.team, attempts: 1, error: 'the printer is on fire' })
  expect(table).toMatch(/^ID +NAME +TEAM +ATTEMPTS +FAILED +ERROR$/m)
  expect([retried, left]).toEqual(['2 jobs are due again.', 'No job has failed.'])
  expect(seen.toSorted()).toEqual(['one', 'two'])
  const { body: audit } = await acme.get('/audit-events')
  expect(audit.data[0]).toMatchObject({ action: 'jobs.retry', details: { jobs: 2, names: ['print'] } })
  await expect(told(retryJobs, [listed[0].id])).rejects.toThrow(/No failed job has the id or the name/)
})
