import { Resend } from 'resend'
import { beforeAll, expect, test, vi } from 'vitest'
import { dataOf } from '../harness/sdk.ts'
import { dataFolder, eventually, Service } from '../harness/service.ts'

vi.setConfig({ testTimeout: 150_000 })

const ROWS = 50_000
const BROKEN = 50

/** Every thousandth row has no address. */
const file = new Blob([
  'email,first_name\n',
  ...Array.from({ length: ROWS }, (_, row) =>
    row % 1_000 === 999 ? `nobody,N${row}\n` : `c${row}@example.com,N${row}\n`,
  ),
])

let dataDir: string
let api: Service
let resend: Resend

beforeAll(async () => {
  dataDir = dataFolder({ lifetime: 'file' })
  api = await Service.start({ dataDir, lifetime: 'file', settings: { POSTWREN_ROLES: 'api' } })
  resend = new Resend(api.token, { baseUrl: api.url })
})

const startWorker = () => Service.start({ dataDir, settings: { POSTWREN_ROLES: 'jobs', POSTWREN_LOG_LEVEL: 'info' } })

const progressOf = async (id: string) => dataOf(resend.contacts.imports.get(id))

test('an import outlives kill -9 and a stop of the processes that work on it, and counts each row once', async () => {
  // One after the other: a process that is halted meanwhile may hold locks that the others wait for.
  const killed = await startWorker()
  const { id } = await dataOf(resend.contacts.imports.create({ file }))
  let before = await progressOf(id)
  await eventually(async () => {
    before = await progressOf(id)
    return before.counts.total > 0
  })
  await killed.kill()
  const stopped = await startWorker()
  // By the death of the process: for the end of the lease, a minute later, nobody waits here.
  await stopped.logs('jobs: took over the claims of a dead process')
  let midway = before
  await eventually(async () => {
    midway = await progressOf(id)
    return midway.counts.total > before.counts.total + 2_000
  })
  expect(await stopped.stop()).toBe(0)
  await startWorker()
  await eventually(async () => (await progressOf(id)).status === 'completed')

  expect(before).toMatchObject({ status: 'in_progress' })
  expect(midway).toMatchObject({ status: 'in_progress' })
  const created = ROWS - BROKEN
  const { counts } = await progressOf(id)
  expect(counts).toEqual({ total: ROWS, created, updated: 0, skipped: 0, failed: BROKEN })
  const { data: contacts } = await dataOf(resend.contacts.list())
  expect(contacts).toHaveLength(created)
  expect(new Set(contacts.map(({ email }) => email)).size).toBe(created)
})
