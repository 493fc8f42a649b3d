import type { Case, Group } from '../suite/case.ts'
import type { CaseRun } from '../suite/case-run.ts'
import { is, listing, listOf, nullable, oneOf, same, string, timestamp, uuid } from '../suite/shape.ts'
import { everyOperationCases } from './every-operation.ts'
import { listCases } from './lists.ts'
import { mail } from './mail.ts'
import { madeOnce, resourceCases } from './resources.ts'

const ITEM = {
  id: uuid,
  email: string,
  origin: oneOf('bounce', 'complaint', 'manual'),
  source_id: nullable(uuid),
  created_at: timestamp,
}

const body = (trial: CaseRun) => ({ email: trial.address() })
const MADE = { object: is('suppression'), id: uuid }
const made = madeOnce({ create: 'POST /suppressions', body })

const cases: Case[] = [
  {
    ...{ id: 'suppressions.by-email', title: 'an address does as well as an id', operation: 'GET /suppressions/:id' },
    async run(trial) {
      const { id, given } = await trial.need(made)
      const params = { id: encodeURIComponent(given.email) }
      ;(await trial.call('GET /suppressions/:id', { params })).is(200, { ...MADE, id: is(id), email: is(given.email) })
    },
  },
  {
    ...{ id: 'suppressions.stop-mail', title: 'no mail goes to who is suppressed', operation: 'POST /suppressions' },
    async run(trial) {
      const { given } = await trial.need(made)
      const { id } = await trial.made('POST /emails', { body: { ...mail(trial), to: [given.email] } })
      await trial.until('an email to a suppressed address ends as suppressed', async () => {
        const answer = await trial.call('GET /emails/:id', { params: { id } })
        return answer.body?.last_event === 'suppressed'
      })
    },
  },
  {
    ...{ id: 'suppressions.origin', title: 'lists those of one origin', operation: 'GET /suppressions' },
    async run(trial) {
      await trial.need(made)
      const answer = await trial.call('GET /suppressions', { query: 'origin=manual' })
      answer.is(200, listOf({ ...ITEM, origin: is('manual') }))
    },
  },
  {
    ...{
      id: 'suppressions.batch',
      title: 'adds and removes several at once',
      operation: 'POST /suppressions/batch/add',
    },
    async run(trial) {
      const emails = [trial.address(), trial.address()]
      const added = await trial.call('POST /suppressions/batch/add', { body: { emails } })
      const { data } = added.is(201, { data: listing(MADE) })
      trial.check(added.request, { expected: '2 suppressions', isTrue: data?.length === 2, actual: data })
      const removed = await trial.call('POST /suppressions/batch/remove', { body: { emails } })
      const gone = removed.is(200, { data: listing({ ...MADE, deleted: is(true) }) })
      const ids = (items: unknown) => (Array.isArray(items) ? items.map(({ id }) => id).sort() : [])
      trial.check(removed.request, {
        ...{ expected: 'the same two', isTrue: ids(gone.data).join() === ids(data).join(), actual: gone },
      })
    },
  },
  {
    ...{ id: 'suppressions.batch-remove', title: 'removes by ids, or by addresses, not by both' },
    operation: 'POST /suppressions/batch/remove',
    async run(trial) {
      const { id } = await trial.made('POST /suppressions', { body: body(trial) })
      const removed = await trial.call('POST /suppressions/batch/remove', { body: { ids: [id] } })
      removed.is(200, { data: same([{ object: 'suppression', id, deleted: true }]) })
      const both = { ids: [id], emails: [trial.address()] }
      ;(await trial.call('POST /suppressions/batch/remove', { body: both })).fails(422, 'validation_error')
    },
  },
]

export const suppressions: Group = {
  id: 'suppressions',
  title: 'Suppressions',
  cases: [
    ...resourceCases({
      ...{ id: 'suppressions', object: 'suppression', name: 'suppression', body, created: MADE },
      create: 'POST /suppressions',
      get: 'GET /suppressions/:id',
      remove: 'DELETE /suppressions/:id',
      shape: ({ email }) => ({ ...ITEM, email: is(email), origin: is('manual'), source_id: is(null) }),
    }),
    ...cases,
    ...listCases({
      ...{ id: 'suppressions', operation: 'GET /suppressions', item: ITEM, page: 20 },
      make: async (trial) => (await trial.made('POST /suppressions', { body: body(trial) })).id,
    }),
    ...everyOperationCases('suppressions'),
  ],
}
