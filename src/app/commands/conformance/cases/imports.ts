import type { Case } from '../suite/case.ts'
import type { CaseRun } from '../suite/case-run.ts'
import { count, is, listOf, nullable, oneOf, timestamp, uuid } from '../suite/shape.ts'
import { segment } from './audience.ts'

const COUNTS = { total: count, created: count, updated: count, skipped: count, failed: count }

const IMPORT = {
  id: uuid,
  status: oneOf('queued', 'in_progress', 'completed', 'failed'),
  created_at: timestamp,
  completed_at: nullable(timestamp),
  counts: COUNTS,
}

const MADE = { object: is('contact_import'), id: uuid }

/** Two contacts, which are deleted by their addresses: an import names no ids. */
async function upload(trial: CaseRun, { columns, segments }: { columns: string; segments?: string }) {
  const addresses = [trial.address(), trial.address()]
  for (const address of addresses)
    trial.world.options.leftovers.remember(`DELETE /contacts/${encodeURIComponent(address)}`)
  const form = new FormData()
  const lines = [columns, ...addresses.map((address) => `${address},Ada`)]
  form.set('file', new Blob([`${lines.join('\n')}\n`], { type: 'text/csv' }), 'contacts.csv')
  if (segments) form.set('segments', segments)
  return { addresses, answer: await trial.call('POST /contacts/imports', { body: form }) }
}

export const importCases: Case[] = [
  {
    ...{
      id: 'imports.create',
      title: 'imports contacts of a file, into a segment',
      operation: 'POST /contacts/imports',
    },
    async run(trial) {
      const { id: segmentId } = await trial.need(segment)
      const segments = JSON.stringify([{ id: segmentId }])
      const { addresses, answer } = await upload(trial, { columns: 'email,first_name', segments })
      const { id } = answer.is(201, MADE)
      await trial.until('an import is completed', async () => {
        const read = await trial.call('GET /contacts/imports/:id', { params: { id } })
        const { status } = read.is(200, { ...IMPORT, object: is('contact_import'), id: is(id) })
        return status === 'completed'
      })
      const done = await trial.call('GET /contacts/imports/:id', { params: { id } })
      done.is(200, { counts: { ...COUNTS, total: is(2), created: is(2), failed: is(0) }, completed_at: timestamp })
      const params = { id: encodeURIComponent(addresses[0]!) }
      ;(await trial.call('GET /contacts/:id', { params })).is(200, { first_name: is('Ada') })
      const listed = await trial.call('GET /contacts/:id/segments', { params })
      listed.is(200, listOf({ id: is(segmentId) }))
    },
  },
  {
    ...{ id: 'imports.get', title: 'reads an import', operation: 'GET /contacts/imports/:id' },
    async run(trial) {
      const { answer } = await upload(trial, { columns: 'email,first_name' })
      const id = answer.body?.id ?? trial.skip(`needs POST /contacts/imports, which answers ${answer.status}`)
      const read = await trial.call('GET /contacts/imports/:id', { params: { id } })
      read.is(200, { ...IMPORT, object: is('contact_import'), id: is(id) })
    },
  },
  {
    ...{ id: 'imports.list', title: 'lists imports', operation: 'GET /contacts/imports' },
    async run(trial) {
      ;(await trial.call('GET /contacts/imports', { query: 'limit=100' })).is(200, listOf(IMPORT))
      const chosen = await trial.call('GET /contacts/imports', { query: 'status=completed' })
      chosen.is(200, listOf({ ...IMPORT, status: is('completed') }))
    },
  },
  {
    ...{ id: 'imports.no-email', title: 'refuses a file without addresses', operation: 'POST /contacts/imports' },
    async run(trial) {
      const { answer } = await upload(trial, { columns: 'address,first_name' })
      answer.fails(422, 'validation_error', /email/i)
    },
  },
]
