import type { Group } from '../suite/case.ts'
import { anything, count, is, iso, listOf, nullable, number, oneOf, string, timestamp, uuid } from '../suite/shape.ts'
import { everyOperationCases } from './every-operation.ts'
import { cursorCases } from './lists.ts'
import { mail } from './mail.ts'

const LOG = {
  id: uuid,
  created_at: timestamp,
  endpoint: string,
  method: oneOf('GET', 'POST', 'PATCH', 'PUT', 'DELETE'),
  response_status: number,
  user_agent: nullable(string),
}

export const logs: Group = {
  id: 'logs',
  title: 'Logs',
  cases: [
    {
      ...{ id: 'logs.list', title: 'lists requests', operation: 'GET /logs' },
      async run(trial) {
        await trial.made('POST /emails', { body: mail(trial) })
        const answer = await trial.call('GET /logs')
        const { data } = answer.is(200, listOf(LOG))
        trial.check(answer.request, { expected: 'at most 20 items', isTrue: data?.length <= 20, actual: data?.length })
      },
    },
    {
      ...{ id: 'logs.get', title: 'reads a request with what was sent and answered', operation: 'GET /logs/:id' },
      async run(trial) {
        const { id } = await trial.made('POST /emails', { body: mail(trial) })
        await trial.until('a request is in the logs', async () => {
          const { data = [] } = (await trial.call('GET /logs', { query: 'limit=100' })).is(200, listOf(LOG))
          const sends = data.filter(
            (one: { endpoint: string; method: string }) => one.endpoint === '/emails' && one.method === 'POST',
          )
          if (sends.length === 0) return false
          const read = await trial.call('GET /logs/:id', { params: { id: sends[0].id } })
          const log = read.is(200, { ...LOG, object: is('log'), request_body: anything, response_body: anything })
          return log.response_body?.id === id
        })
      },
    },
    ...cursorCases({ id: 'logs', operation: 'GET /logs' }, (trial, query) => trial.call('GET /logs', { query })),
    ...everyOperationCases('logs'),
  ],
}

const used = { used: count, limit: nullable(number) }
const mailed = { ...used, sent: count, received: count, resets_at: iso }

export const usage: Group = {
  id: 'usage',
  title: 'Usage',
  cases: [
    {
      ...{ id: 'usage.get', title: 'tells what is used, and of how much', operation: 'GET /usage' },
      async run(trial) {
        const answer = await trial.call('GET /usage')
        answer.is(200, {
          ...{ object: is('usage'), emails: { daily: mailed, monthly: mailed }, contacts: used, segments: used },
          ...{ broadcasts: used, ai_credits: { ...used, next_increase_at: nullable(iso) }, domains: used },
          automation_runs: { ...used, resets_at: iso },
          rate_limit: { limit: nullable(number), duration: string },
        })
      },
    },
    ...everyOperationCases('usage'),
  ],
}
