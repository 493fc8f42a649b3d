import type { Case } from '../suite/case.ts'
import type { CaseRun, Fixture } from '../suite/case-run.ts'
import { is, moment, timestamp, uuid } from '../suite/shape.ts'
import { mail, sentEmail } from './mail.ts'

const DAY_MS = 86_400_000

/** Days from the time of the server, which may have its own. */
const serverTime: Fixture<number> = {
  async make(trial) {
    const { headers } = await trial.call('GET /emails', { query: 'limit=1' })
    const at = Date.parse(headers.get('date') ?? '')
    return Number.isFinite(at) ? at : trial.skip('needs the time of the server, which sends no `date`')
  },
}

async function inDays(trial: CaseRun, days: number): Promise<string> {
  return new Date((await trial.need(serverTime)) + days * DAY_MS).toISOString()
}

async function scheduled(trial: CaseRun): Promise<string> {
  const { id } = await trial.made('POST /emails', { body: { ...mail(trial), scheduled_at: await inDays(trial, 2) } })
  return id
}

export const scheduleCases: Case[] = [
  {
    ...{ id: 'emails.schedule', title: 'an email can wait for a time', operation: 'POST /emails' },
    async run(trial) {
      const at = await inDays(trial, 2)
      const { id } = (await trial.call('POST /emails', { body: { ...mail(trial), scheduled_at: at } })).is(200, {
        id: uuid,
      })
      const read = await trial.call('GET /emails/:id', { params: { id } })
      const { scheduled_at } = read.is(200, { last_event: is('scheduled'), scheduled_at: timestamp })
      sameTime(trial, read.request, { expected: at, actual: scheduled_at })
    },
  },
  {
    ...{ id: 'emails.schedule-words', title: 'a time can be words', operation: 'POST /emails' },
    async run(trial) {
      const body = { ...mail(trial), scheduled_at: 'in 1 day' }
      const { id } = (await trial.call('POST /emails', { body })).is(200, { id: uuid })
      const read = await trial.call('GET /emails/:id', { params: { id } })
      read.is(200, { last_event: is('scheduled'), scheduled_at: moment })
    },
  },
  {
    ...{ id: 'emails.schedule-far', title: 'refuses more than 30 days ahead', operation: 'POST /emails' },
    async run(trial) {
      const answer = await trial.call('POST /emails', {
        body: { ...mail(trial), scheduled_at: await inDays(trial, 40) },
      })
      answer.fails(422, 'validation_error')
    },
  },
  {
    ...{ id: 'emails.reschedule', title: 'a scheduled email can be moved', operation: 'PATCH /emails/:id' },
    async run(trial) {
      const [id, at] = [await scheduled(trial), await inDays(trial, 3)]
      const answer = await trial.call('PATCH /emails/:id', { params: { id }, body: { scheduled_at: at } })
      answer.is(200, { object: is('email'), id: is(id) })
      const read = await trial.call('GET /emails/:id', { params: { id } })
      const { scheduled_at } = read.is(200, { last_event: is('scheduled'), scheduled_at: timestamp })
      sameTime(trial, read.request, { expected: at, actual: scheduled_at })
    },
  },
  {
    ...{
      id: 'emails.cancel',
      title: 'a scheduled email can be canceled, for good',
      operation: 'POST /emails/:id/cancel',
    },
    async run(trial) {
      const id = await scheduled(trial)
      const answer = await trial.call('POST /emails/:id/cancel', { params: { id } })
      answer.is(200, { object: is('email'), id: is(id) })
      const read = await trial.call('GET /emails/:id', { params: { id } })
      read.is(200, { last_event: is('canceled') })
      const body = { scheduled_at: await inDays(trial, 3) }
      const moved = await trial.call('PATCH /emails/:id', { params: { id }, body })
      moved.fails([400, 403, 409, 422], ['validation_error', 'invalid_parameter', 'not_allowed'])
    },
  },
  {
    ...{
      id: 'emails.cancel-sent',
      title: 'refuses to cancel what is not scheduled',
      operation: 'POST /emails/:id/cancel',
    },
    async run(trial) {
      const { id } = await trial.need(sentEmail)
      const answer = await trial.call('POST /emails/:id/cancel', { params: { id } })
      answer.fails([400, 403, 409, 422], ['validation_error', 'invalid_parameter', 'not_allowed'])
    },
  },
]

/** To the second. */
function sameTime(trial: CaseRun, request: string, { expected, actual }: { expected: string; actual: unknown }) {
  const at = Date.parse(String(actual).replace(/\+00$/, 'Z').replace(' ', 'T'))
  trial.check(request, {
    ...{ expected: `scheduled_at: ${expected}`, actual },
    isTrue: Math.abs(at - Date.parse(expected)) < 1_000,
  })
}
