import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { GROUPS } from './cases/index.ts'
import { readOptions } from './options.ts'
import { runSuite } from './run.ts'
import { OPERATION_IDS, OPERATIONS } from './suite/operations.ts'
import { isKept, jsonOf, linesOf } from './suite/report.ts'

const KEY = 're_secret_of_somebody'
const ID = '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794'

type Handler = (call: string, response: ServerResponse, body: string, request: IncomingMessage) => unknown

/** A server of another making. Remembers what it was asked. */
async function startServer(handle: Handler) {
  const calls: string[] = []
  const server = createServer((request, response) => {
    const call = `${request.method} ${request.url}`
    calls.push(call)
    let body = ''
    request.setEncoding('utf8').on('data', (text) => {
      body += text
    })
    request.on('end', () => handle(call, response, body, request))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls }
}

const answer = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

const refuse = (response: ServerResponse, status: number, name: string) =>
  answer(response, status, { statusCode: status, name, message: 'No' })

const EMPTY = { object: 'list', has_more: false, data: [] }

/** Never aborted, unless a test says so. */
const running = (stop = new AbortController().signal) => ({ stop, end: new AbortController().signal })

const optionsOf = (url: string, flags: Record<string, string> = {}) =>
  readOptions([url], { key: KEY, rate: '0', ...flags }, {})

test('every operation of the contract has a case, and no two cases have one id', () => {
  const cases = GROUPS.flatMap((group) => group.cases)
  const tried = new Set(cases.map(({ operation }) => operation))
  // Those of POST /domains/claim, which needs a domain of another account, and what needs a person who has let a program in.
  const within = ['GET /domains/:id/claim', 'POST /domains/:id/claim/verify', 'DELETE /oauth/grants/:id']

  expect(OPERATION_IDS.length).toBeGreaterThan(130)
  expect(OPERATION_IDS.filter((id) => !tried.has(id) && !within.includes(id))).toEqual([])
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length)
  expect(new Set(GROUPS.map(({ id }) => id)).size).toBe(GROUPS.length)
  const groups = new Set(OPERATION_IDS.map((id) => OPERATIONS[id].group))
  expect([...groups].filter((group) => !GROUPS.some(({ id }) => id === group))).toEqual([])
})

test('a server that has nothing differs in nothing but what it says so', async () => {
  const { url } = await startServer((_call, response) => refuse(response, 404, 'not_found'))
  const report = await runSuite(optionsOf(url, { only: 'segments,topics' }), running())
  const results = new Set(report.groups.flatMap(({ cases }) => cases.map(({ result }) => result)))

  expect([...results].sort()).toEqual(['not_there', 'skipped'])
  expect(isKept(report)).toBe(false)
  expect(linesOf(report).join('\n')).toContain('POST /segments')
})

test('what a server should have refused is deleted, and what cannot be deleted is named', async () => {
  const { url, calls } = await startServer((call, response) => {
    if (call.startsWith('DELETE')) return refuse(response, 500, 'internal_server_error')
    if (call.startsWith('POST')) return answer(response, 201, { object: 'topic', id: ID })
    answer(response, 200, EMPTY)
  })
  const report = await runSuite(optionsOf(url, { only: 'topics.lengths' }), running())

  expect(report.groups[0]!.cases[0]).toMatchObject({ id: 'topics.lengths', result: 'differs' })
  expect(calls.filter((call) => call.startsWith('DELETE'))).toEqual([`DELETE /topics/${ID}`])
  expect(report.leftBehind).toEqual([{ what: `/topics/${ID}`, why: '500: No' }])
  expect(isKept(report)).toBe(false)
})

test('Ctrl-C in the middle deletes what there is, also what is just being made', async () => {
  const stop = new AbortController()
  const { url, calls } = await startServer((call, response) => {
    if (call !== 'POST /topics') return answer(response, 200, call.startsWith('DELETE') ? { deleted: true } : EMPTY)
    stop.abort()
    answer(response, 201, { object: 'topic', id: ID })
  })
  const report = await runSuite(optionsOf(url, { only: 'topics.get' }), running(stop.signal))

  expect(report).toMatchObject({ isStopped: true, leftBehind: [] })
  expect(calls.slice(1)).toEqual(['POST /topics', `DELETE /topics/${ID}`])
  expect(isKept(report)).toBe(false)
})

test('what was made without an answer is found by the name of the run', async () => {
  const made: { id: string; name: string }[] = [{ id: 'of-somebody-else', name: 'Topic' }]
  const { url, calls } = await startServer((call, response, body) => {
    if (call.startsWith('POST')) {
      made.push({ id: ID, name: JSON.parse(body).name })
      return response.destroy()
    }
    answer(response, 200, call.startsWith('DELETE') ? { deleted: true } : { ...EMPTY, data: made })
  })
  const report = await runSuite(optionsOf(url, { only: 'topics.create' }), running())

  expect(report.groups[0]!.cases[0]).toMatchObject({ result: 'differs' })
  expect(calls.slice(2)).toEqual(['GET /topics?limit=100', `DELETE /topics/${ID}`])
})

test('a server that asks for patience gets it, and is asked again', async () => {
  let refusals = 0
  const { url } = await startServer((call, response) => {
    if (call === 'GET /domains' && refusals++ === 0)
      return answer(
        response,
        429,
        { statusCode: 429, name: 'rate_limit_exceeded', message: 'Too many requests.' },
        { 'retry-after': '0' },
      )
    answer(response, 200, EMPTY)
  })
  const report = await runSuite(optionsOf(url, { only: 'requests.key,limits.refusal' }), running())
  const found = report.groups.flatMap(({ cases }) => cases.map(({ id, result }) => [id, result]))

  expect(found).toEqual([
    ['requests.key', 'holds'],
    ['limits.refusal', 'holds'],
  ])
})

/** Lets so many requests of a moment through, and says that it lets `limit` through. */
const limited = (limit: number, through = limit) => {
  let requests = 0
  return startServer((_call, response) => {
    const headers = { 'ratelimit-limit': String(limit), 'ratelimit-remaining': '9', 'ratelimit-reset': '1' }
    if (++requests <= through) return answer(response, 200, EMPTY, headers)
    const body = { statusCode: 429, name: 'rate_limit_exceeded', message: 'Too many requests.' }
    answer(response, 429, body, { ...headers, 'retry-after': '1' })
  })
}

test.each([
  ['is kept', 12, 12, 'holds', undefined],
  ['is only told', 12, 1_000, 'differs', undefined],
  ['is beyond what a suite may ask for', 5_000, 5_000, 'skipped', /5000/],
])('a limit that %s is found out by a burst', async (_what, limit, through, result, reason) => {
  const { url, calls } = await limited(limit, through)
  const report = await runSuite(optionsOf(url, { only: 'limits.refusal' }), running())
  const [found] = report.groups[0]!.cases

  expect(found).toMatchObject({
    id: 'limits.refusal',
    result,
    ...(reason && { reason: expect.stringMatching(reason) }),
  })
  expect(calls.length).toBeLessThan(60)
})

test('what another account has made is deleted with its own key', async () => {
  const keys: string[] = []
  const { url } = await startServer((call, response, _body, request) => {
    keys.push(`${call} ${String(request.headers.authorization).replace('Bearer ', '')}`)
    if (call === 'POST /domains') return answer(response, 201, { object: 'domain', id: ID })
    if (call === 'POST /domains/claim') return refuse(response, 500, 'internal_server_error')
    answer(response, 200, call.startsWith('DELETE') ? { deleted: true } : EMPTY)
  })
  const flags = { only: 'domains.claim', 'other-key': 're_secret_of_another' }
  const report = await runSuite(optionsOf(url, flags), running())

  expect(report).toMatchObject({ leftBehind: [], groups: [{ cases: [{ id: 'domains.claim', result: 'differs' }] }] })
  expect(keys.slice(1)).toEqual([
    'POST /domains re_secret_of_another',
    `POST /domains/claim ${KEY}`,
    `DELETE /domains/${ID} re_secret_of_another`,
  ])
})

test('a server that never answers holds nobody up', async () => {
  // The time is over when the request has come: on a busy machine it would be, now and then, for the one before, which is answered.
  const times: AbortController[] = []
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    times.push(new AbortController())
    return times.at(-1)!.signal
  })
  const { url } = await startServer((call, response) => {
    if (call === 'GET /emails?limit=1') answer(response, 200, EMPTY)
    else times.at(-1)!.abort()
  })
  const report = await runSuite(optionsOf(url, { only: 'usage.get', timeout: '0.2' }), running())

  expect(report.groups[0]!.cases[0]).toMatchObject({
    result: 'differs',
    differences: [{ request: 'GET /usage', expected: 'an answer', actual: 'no answer within 0.2 s' }],
  })
})

test('a server that stops answering ends the run', async () => {
  let made = 0
  const { url, calls } = await startServer((call, response) => {
    if (call === 'GET /emails?limit=1') answer(response, 200, EMPTY)
    else if (call === 'POST /topics' && made++ === 0) answer(response, 201, { object: 'topic', id: ID })
    else response.destroy()
  })
  const report = await runSuite(optionsOf(url), running())
  const cases = report.groups.flatMap((group) => group.cases)

  expect(calls.length).toBeLessThan(20)
  expect(cases.filter(({ reason }) => reason === 'the server has stopped answering').length).toBeGreaterThan(400)
  expect(isKept(report)).toBe(false)

  made = 0
  const { leftBehind } = await runSuite(optionsOf(url, { only: 'topics' }), running())
  expect(leftBehind).toEqual([{ what: `/topics/${ID}`, why: 'the server has stopped answering' }])
})

test('an answer without end is cut off', async () => {
  const { url } = await startServer((call, response) => {
    if (call !== 'GET /usage') return answer(response, 200, EMPTY)
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = () => {
      if (!response.destroyed) response.write('x'.repeat(1024 * 1024), more)
    }
    more()
  })
  const report = await runSuite(optionsOf(url, { only: 'usage.get' }), running())

  expect(report.groups[0]!.cases[0]).toMatchObject({
    ...{ result: 'differs', differences: [{ actual: 'the answer is too large' }] },
  })
})

test('a key goes to the server that was named, and into no report', async () => {
  const elsewhere = await startServer((_call, response) => answer(response, 200, EMPTY))
  const { url } = await startServer((call, response, _body, request) => {
    const { authorization } = request.headers
    if (call === 'GET /emails?limit=1') return answer(response, 200, EMPTY)
    if (call === 'GET /usage') return answer(response, 302, {}, { location: `${elsewhere.url}/usage` })
    answer(response, 422, { statusCode: 422, name: String(authorization).slice(0, 6), message: '\x1b[31mred' })
  })
  const report = await runSuite(optionsOf(url, { only: 'usage,requests' }), running())
  const text = `${linesOf(report).join('\n')}${JSON.stringify(jsonOf(report))}`

  expect(elsewhere.calls).toEqual([])
  expect(text).not.toContain(KEY)
  expect(linesOf(report).join('')).not.toContain('\x1b')
})

test('a wrong address and a wrong key are one line', async () => {
  const { url } = await startServer((_call, response) => refuse(response, 403, 'invalid_api_key'))

  await expect(runSuite(optionsOf(url), running())).rejects.toThrow(
    'The server refuses the API key: No. It needs full access.',
  )
  await expect(runSuite(optionsOf('http://127.0.0.1:1'), running())).rejects.toThrow('does not answer')
  await expect(runSuite(optionsOf(url, { only: 'nothing' }), running())).rejects.toThrow('There is no group `nothing`.')
})

test('an address where no API is, and one that leads elsewhere, are one line', async () => {
  const page = await startServer((_call, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
  )
  const moved = await startServer((_call, response) =>
    answer(response, 301, {}, { location: 'https://elsewhere.test/' }),
  )

  await expect(runSuite(optionsOf(page.url), running())).rejects.toThrow(
    `${page.url} is not a server of this API: GET /emails answers 200 with text/html.`,
  )
  await expect(runSuite(optionsOf(moved.url), running())).rejects.toThrow(
    'Give its own address: https://elsewhere.test/',
  )
  expect(moved.calls).toEqual(['GET /emails?limit=1'])
})

test('what a server calls itself gets to no terminal as it is', async () => {
  const { url } = await startServer((call, response) => {
    if (call.startsWith('DELETE')) return refuse(response, 500, 'internal_server_error')
    answer(response, 201, { object: 'topic', id: '\x1b[2J' })
  })
  const report = await runSuite(optionsOf(url, { only: 'topics.create' }), running())

  expect(report.leftBehind).toHaveLength(1)
  expect(linesOf(report).join('')).not.toContain('\x1b')
})

test('a report for programs', async () => {
  const { url } = await startServer((_call, response) => answer(response, 200, EMPTY))
  const report = await runSuite(optionsOf(url, { only: 'requests.key,usage.get' }), running())

  expect(jsonOf(report)).toMatchObject({
    object: 'conformance',
    url,
    ok: false,
    stopped: false,
    totals: { holds: 1, differs: 1, not_there: 0, skipped: 0 },
    stays: { emails: 0, broadcasts: 0 },
    left_behind: [],
    groups: [
      {
        id: 'requests',
        title: 'Requests and keys',
        holds: 1,
        cases: [{ id: 'requests.key', result: 'holds', differences: [] }],
      },
      {
        ...{ id: 'usage', differs: 1 },
        cases: [
          { id: 'usage.get', operation: 'GET /usage', differences: expect.arrayContaining([expect.any(Object)]) },
        ],
      },
    ],
  })
})
