import type { Case, Group } from '../suite/case.ts'
import { CaseAborted, type CaseRun } from '../suite/case-run.ts'
import type { Reply } from '../suite/client.ts'
import { listOf } from '../suite/shape.ts'
import { sendingKey } from './every-operation.ts'
import { mail } from './mail.ts'

// What is true of every request: keys, routes, bodies, headers.

const operation = 'GET /domains'

async function send(trial: CaseRun, request: { method: string; path: string; body?: string }) {
  return trial.world.options.client.send(request)
}

const RATE_HEADERS = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']

function requireRateHeaders(trial: CaseRun, request: string, headers: Headers) {
  for (const name of RATE_HEADERS)
    trial.check(request, {
      ...{ expected: `${name}: a number`, isTrue: /^\d+$/.test(headers.get(name) ?? '') },
      actual: headers.get(name) ?? 'nothing',
    })
}

const cases: Case[] = [
  {
    ...{ id: 'requests.key', title: 'a key opens the API', operation },
    async run(trial) {
      ;(await trial.call(operation)).is(200, listOf({}))
    },
  },
  {
    ...{ id: 'requests.bad-key', title: 'a key of nobody is refused', operation: null },
    async run(trial) {
      for (const key of ['re_00000000_0000000000000000000000', 'nonsense']) {
        const answer = await trial.call(operation, { key })
        // The sources of the contract have all three.
        answer.fails([400, 401, 403], ['invalid_api_key', 'validation_error', 'missing_api_key'])
      }
    },
  },
  {
    ...{ id: 'requests.sending-key', title: 'a key that may only send sends', operation: 'POST /emails' },
    async run(trial) {
      const key = await trial.need(sendingKey)
      ;(await trial.call('POST /emails', { body: mail(trial), key })).is(200, {})
    },
  },
  {
    ...{ id: 'requests.no-route', title: 'a route that is not there answers 404', operation: null },
    async run(trial) {
      const { status, text } = await send(trial, { method: 'GET', path: '/conformance/nothing' })
      const isRight = status === 404 && isRefusal(text, 404, ['not_found'])
      trial.check('GET /conformance/nothing', {
        expected: '404 not_found',
        isTrue: isRight,
        actual: `${status} ${text}`,
      })
    },
  },
  {
    ...{ id: 'requests.no-method', title: 'a method that a route does not have answers 405 or 404', operation: null },
    async run(trial) {
      const { status, text } = await send(trial, { method: 'PUT', path: '/domains', body: '{}' })
      const isRight = [404, 405].includes(status) && isRefusal(text, status, ['method_not_allowed', 'not_found'])
      trial.check('PUT /domains', { expected: '405 method_not_allowed', isTrue: isRight, actual: `${status} ${text}` })
    },
  },
  {
    ...{ id: 'requests.no-json', title: 'a body that is no JSON is refused', operation: null },
    async run(trial) {
      const { status, text } = await send(trial, { method: 'POST', path: '/emails', body: '{"to":' })
      const isRight = [400, 422].includes(status) && isRefusal(text, status, ['validation_error', 'invalid_parameter'])
      trial.check('POST /emails', { expected: '400 or 422', isTrue: isRight, actual: `${status} ${text}` })
    },
  },
  {
    ...{ id: 'requests.wrong-json', title: 'a body of another kind is refused', operation: null },
    async run(trial) {
      for (const body of ['"text"', '[]', '{"to":{"a":1}}']) {
        const { status, text } = await send(trial, { method: 'POST', path: '/emails', body })
        const isRight =
          [400, 422].includes(status) &&
          isRefusal(text, status, ['validation_error', 'invalid_parameter', 'missing_required_field'])
        trial.check(`POST /emails ${body}`, { expected: '400 or 422', isTrue: isRight, actual: `${status} ${text}` })
      }
    },
  },
  {
    ...{ id: 'requests.empty-json', title: 'takes `content-type: application/json` without a body', operation: null },
    async run(trial) {
      // As the official client for Node sends every GET and DELETE.
      ;(await trial.call(operation, { query: 'limit=1' })).is(200, listOf({}))
    },
  },
]

export const requests: Group = { id: 'requests', title: 'Requests and keys', cases }

/** The last of all: by then the server may have refused a request for its rate. */
export const limits: Group = {
  id: 'limits',
  title: 'Rate limit',
  cases: [
    {
      ...{ id: 'limits.headers', title: 'every answer tells the limit, what is left, and until when', operation },
      async run(trial) {
        const answer = await trial.call(operation)
        answer.is(200, {})
        requireRateHeaders(trial, answer.request, answer.headers)
      },
    },
    {
      ...{ id: 'limits.headers-of-errors', title: 'refusals tell it, too', operation: null },
      async run(trial) {
        const answer = await trial.call(operation, { query: 'limit=0' })
        requireRateHeaders(trial, answer.request, answer.headers)
      },
    },
    {
      ...{ id: 'limits.quota', title: 'who sends hears how much was sent this month', operation: 'POST /emails' },
      async run(trial) {
        const answer = await trial.call('POST /emails', { body: mail(trial) })
        answer.is(200, {})
        const used = answer.headers.get('x-resend-monthly-quota') ?? 'nothing'
        trial.check(answer.request, {
          ...{ expected: 'x-resend-monthly-quota: a number', isTrue: /^\d+$/.test(used), actual: used },
        })
      },
    },
    {
      ...{ id: 'limits.refusal', title: 'who is too fast gets 429, and when to come again', operation: null },
      async run(trial) {
        const limited = trial.world.options.client.limited ?? (await provoked(trial))
        const { status, text, headers } = limited
        const isRight = isRefusal(text, 429, ['rate_limit_exceeded'])
        trial.check('any request', {
          expected: '429 rate_limit_exceeded',
          isTrue: isRight,
          actual: `${status} ${text}`,
        })
        const after = headers.get('retry-after') ?? 'nothing'
        trial.check('any request', { expected: 'retry-after: seconds', isTrue: /^\d+$/.test(after), actual: after })
      },
    },
  ],
}

/** More at once are an attack, and no test. */
const MAX_BURST = 200
const BURSTS = 3
/** The shortest window that anybody counts in. */
const WINDOW_MS = 1_000

/** One request more than the limit, all at once; several times, for two windows may share a burst. */
async function provoked(trial: CaseRun): Promise<Reply> {
  const { client } = trial.world.options
  const request = { method: 'GET', path: '/domains' }
  const limit = Number((await client.send(request)).headers.get('ratelimit-limit'))
  if (!(limit > 0)) return trial.skip('no request was refused for its rate, and the server tells no limit')
  if (limit > MAX_BURST)
    return trial.skip(`a limit of ${limit} is more than the ${MAX_BURST} requests that are tried at once`)
  let slowestMs = 0
  for (let n = 0; n < BURSTS; n++) {
    const begin = performance.now()
    const refused = (await client.burst(request, limit + 1)).find(({ status }) => status === 429)
    if (refused) return refused
    slowestMs = Math.max(slowestMs, performance.now() - begin)
  }
  if (slowestMs >= WINDOW_MS)
    return trial.skip(`the server takes longer to answer ${limit + 1} requests than it counts them for`)
  trial.differs('GET /domains', { expected: `429 to one of ${limit + 1} requests at once`, actual: 'none was refused' })
  throw new CaseAborted('limits')
}

function isRefusal(text: string, status: number, names: readonly string[]): boolean {
  try {
    const { statusCode, name, message } = JSON.parse(text)
    return statusCode === status && names.includes(name) && typeof message === 'string' && message !== ''
  } catch {
    return false
  }
}
