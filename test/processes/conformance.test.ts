import { expect, test } from 'vitest'
import { readOptions } from '../../src/app/commands/conformance/options.ts'
import { runSuite } from '../../src/app/commands/conformance/run.ts'
import { POSTWREN, Program, postwren } from '../harness/program.ts'
import { Service } from '../harness/service.ts'
import { startTampering, type TamperedAnswer } from '../harness/tampering.ts'

const start = (settings: Record<string, string> = {}) => Service.start({ lifetime: 'file', settings })

/** The key of a team of its own. */
async function keyOfNeighbour({ dataDir }: Service): Promise<string> {
  const environment = { POSTWREN_DATA_DIR: dataDir }
  await postwren(['team', 'create', 'Neighbour'], { environment })
  const { stdout } = await postwren(['key', 'create', 'First', '--team', 'Neighbour'], { environment })
  return stdout.trim()
}

/** What nobody has made is not there. */
const LISTS = [
  ...['/domains', '/templates', '/contacts', '/segments', '/topics', '/contact-properties', '/suppressions'],
  ...['/webhooks', '/automations', '/events', '/inboxes'],
]

test('Postwren keeps the contract, and nothing is left behind', async () => {
  // Inboxes that mail is forwarded to have addresses below this name.
  const service = await start({ POSTWREN_HOSTNAME: 'mail.inbox.example' })
  const other = await keyOfNeighbour(service)
  const words = [
    service.url,
    '--json',
    '--rate',
    '0',
    '--smtp',
    `127.0.0.1:${service.smtpPort}`,
    '--receive-at',
    'desk@inbox.example',
  ]
  // From a folder without any settings or data, as anybody runs it against the server of somebody else.
  const { code, stdout } = await postwren(['conformance', ...words], {
    environment: { RESEND_API_KEY: service.token, RESEND_OTHER_API_KEY: other, POSTWREN_DATA_DIR: '/nowhere' },
  })
  const report = JSON.parse(stdout)
  const cases = report.groups.flatMap((group: { cases: object[] }) => group.cases)

  expect(cases.filter(({ result }: { result: string }) => result === 'differs')).toEqual([])
  expect(report).toMatchObject({ object: 'conformance', ok: true, left_behind: [] })
  expect(code).toBe(0)
  expect(report.totals.holds).toBeGreaterThan(450)
  const skipped = cases.filter(({ result }: { result: string }) => result === 'skipped')
  expect(skipped.map(({ id }: { id: string }) => id)).toEqual(['limits.refusal'])
  for (const list of LISTS) expect([list, (await service.call('GET', list)).body.data]).toEqual([list, []])
  expect((await service.call('GET', '/domains', undefined, other)).body.data).toEqual([])
  expect((await service.call('GET', '/api-keys')).body.data).toHaveLength(1)
}, 300_000)

test('a limit of requests that a burst can reach refuses it', async () => {
  const service = await start({ POSTWREN_RATE_LIMIT: '20' })
  const options = readOptions([service.url], { key: service.token, only: 'limits', rate: '0' }, {})
  const { signal } = new AbortController()
  const report = await runSuite(options, { stop: signal, end: signal })

  expect(report.groups[0]!.cases.map(({ id, result }) => [id, result])).toEqual(
    report.groups[0]!.cases.map(({ id }) => [id, 'holds']),
  )
})

test('Ctrl-C deletes what there is', async () => {
  const service = await start()
  const program = new Program(
    [...POSTWREN, 'conformance', service.url, '--rate', '20', '--only', 'contacts,segments'],
    {
      environment: { RESEND_API_KEY: service.token },
    },
  )
  await service.stored(async () => (await service.call('GET', '/contacts')).body.data.length > 0)
  program.signal('SIGINT')

  expect(await program.ended()).toBe(1)
  expect(program.stdout).toContain('Stopped.')
  for (const list of LISTS) expect([list, (await service.call('GET', list)).body.data]).toEqual([list, []])
})

type Change = (answer: TamperedAnswer, call: string) => void

const isSuccess = ({ status }: TamperedAnswer) => status < 300

/** What a server may get wrong, and the case that notices: the last of those that run. */
const CHANGES: readonly [string, string, (call: string) => boolean, Change][] = [
  [
    'a field is missing',
    'contacts.get',
    (call) => /^GET \/contacts\//.test(call),
    ({ body }) => delete body.unsubscribed,
  ],
  [
    'a time has another form',
    'segments.get',
    (call) => /^GET \/segments\//.test(call),
    ({ body }) => {
      body.created_at = String(body.created_at).replace(' ', 'T')
    },
  ],
  [
    'an id is no UUID',
    'topics.create',
    (call) => call === 'POST /topics',
    ({ body }) => {
      body.id = 'topic_1'
    },
  ],
  [
    'an object has another name',
    'api-keys.delete',
    (call) => /^DELETE \/api-keys/.test(call),
    ({ body }) => {
      body.deleted = 'yes'
    },
  ],
  [
    'another status',
    'webhooks.create',
    (call) => call === 'POST /webhooks',
    (answer) => {
      if (isSuccess(answer)) answer.status = 200
    },
  ],
  [
    'a secret in a list',
    'webhooks.list',
    (call) => /^GET \/webhooks/.test(call),
    ({ body }) => {
      for (const item of body.data ?? []) item.signing_secret = 'whsec_AAAA'
    },
  ],
  ['the oldest first', 'contacts.order', (call) => /^GET \/contacts\?/.test(call), ({ body }) => body.data?.reverse()],
  [
    '`has_more` is wrong',
    'segments.limit',
    (call) => /^GET \/segments\?/.test(call),
    ({ body }) => {
      body.has_more = false
    },
  ],
  [
    'the cursor is in its page',
    'topics.after',
    (call) => /after=/.test(call),
    ({ body }, call) => {
      body.data?.unshift({ ...body.data[0], id: /after=([^&]+)/.exec(call)![1] })
    },
  ],
  [
    'a wrong limit is taken',
    'templates.bad-limit',
    (call) => /limit=101/.test(call),
    (answer) => {
      Object.assign(answer, { status: 200, body: { object: 'list', has_more: false, data: [] } })
    },
  ],
  [
    'an error has no name',
    'contacts.get,contacts.unknown-id',
    (call) => /^GET \/contacts\/0/.test(call),
    ({ body }) => delete body.name,
  ],
  [
    'an error has another number',
    'emails.no-to',
    (call) => call === 'POST /emails',
    ({ body }) => {
      if (body.statusCode) body.statusCode = 400
    },
  ],
  [
    'a restricted key may read',
    'logs.list,logs.sending-key',
    (call) => call === 'GET /logs',
    (answer) => {
      if (answer.status === 401)
        Object.assign(answer, { status: 200, body: { object: 'list', has_more: false, data: [] } })
    },
  ],
  [
    'a repeated email is another one',
    'idempotency.same',
    (call) => call === 'POST /emails',
    ({ body }) => {
      body.id = `${String(performance.now()).replace(/\D/g, '').padEnd(8, '0').slice(0, 8)}${String(body.id).slice(8)}`
    },
  ],
  [
    'errors of a batch have no index',
    'batches.permissive',
    (call) => call === 'POST /emails/batch',
    ({ body }) => {
      for (const error of body.errors ?? []) delete error.index
    },
  ],
  [
    'a canceled email is still scheduled',
    'emails.cancel',
    (call) => /^GET \/emails\//.test(call),
    ({ body }) => {
      if (body.last_event === 'canceled') body.last_event = 'scheduled'
    },
  ],
  [
    'a template keeps its placeholders',
    'templates.send',
    (call) => /^GET \/emails\//.test(call),
    ({ body }) => {
      body.subject = 'Hello {{{NAME}}}'
    },
  ],
  [
    'another secret than the one that signs',
    'deliveries.headers',
    (call) => call === 'POST /webhooks',
    ({ body }) => {
      body.signing_secret = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAA'
    },
  ],
  [
    'no limit is told',
    'limits.headers',
    () => true,
    (answer) => {
      for (const name of Object.keys(answer.headers)) if (name.startsWith('ratelimit')) delete answer.headers[name]
    },
  ],
  [
    'no JSON is said to come',
    'domains.get',
    (call) => /^GET \/domains\//.test(call),
    (answer) => {
      answer.headers['content-type'] = 'text/html'
    },
  ],
]

test('a server that differs on purpose is found out, each time', async () => {
  const service = await start()
  const found: Record<string, string> = {}
  for (const [name, id, isMeant, change] of CHANGES) {
    const url = await startTampering(service.url, ({ method, path }, answer) => {
      const call = `${method} ${path}`
      if (isMeant(call)) change(answer, call)
    })
    const options = readOptions([url], { key: service.token, only: id, rate: '0' }, {})
    const { signal } = new AbortController()
    const report = await runSuite(options, { stop: signal, end: signal })
    found[name] = report.groups[0]!.cases.at(-1)!.result
  }

  expect(found).toEqual(Object.fromEntries(CHANGES.map(([name]) => [name, 'differs'])))
}, 200_000)
