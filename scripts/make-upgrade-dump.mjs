// `node scripts/make-upgrade-dump.mjs <checkout>`: runs the build of another checkout (built before: `node scripts/build.mjs` there), uses it as
// people do, and writes what its database holds then to test/fixtures/upgrade: the dump that `test/processes/upgrade.test.ts` upgrades.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { createTransport } from 'nodemailer'
import pg from 'pg'

const checkout = resolve(process.argv[2] ?? '')
const target = join(import.meta.dirname, '../test/fixtures/upgrade')
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'postwren-upgrade-'))
spawnSync('chmod', ['755', folder])
const dataDir = join(folder, 'data')
const token = 're_upgrade_key_of_the_first_team'
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(POSTWREN|RESEND)_/.test(name))),
  POSTWREN_DATA_DIR: dataDir,
  POSTWREN_PORT: '0',
  POSTWREN_SMTP_PORT: '0',
  POSTWREN_API_KEY: token,
  // A key of this fixture alone: the restored database is read with it.
  POSTWREN_SECRET_KEY: Buffer.alloc(32, 'upgrade').toString('hex'),
  POSTWREN_RATE_LIMIT: '0',
  POSTWREN_DNS_SERVERS: '127.0.0.1:1',
  POSTWREN_PRIVATE_ADDRESSES: 'allow',
}
const program = join(checkout, 'bin/postwren.mjs')

const hooks = createServer((request, response) => request.resume().on('end', () => response.end('thanks')))
await new Promise((done) => hooks.listen(0, '127.0.0.1', done))

const service = spawn(process.execPath, [program, 'serve'], { cwd: checkout, env: environment, stdio: 'pipe' })
const closed = new Promise((done) => service.on('close', done))
let said = ''
for (const stream of [service.stdout, service.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
try {
  await Promise.race([until(() => /^ {2}Database /m.test(said)), closed])
  const url = /^ {2}API +(http:\/\/[^/\s]+)/m.exec(said)[1]
  const smtpPort = Number(/^ {2}SMTP +\S+?:(\d+)/m.exec(said)[1])
  await use(url, smtpPort)
  const lists = await readLists(url)
  const connection = connectionOf()
  service.kill('SIGSTOP')
  const dump = await dumpOf(connection)
  const blobs = blobsIn(join(dataDir, 'blobs'))
  mkdirSync(target, { recursive: true })
  const commit = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: checkout, encoding: 'utf8' }).stdout.trim()
  const about = { commit, token, secretKey: environment.POSTWREN_SECRET_KEY, counts: dump.counts, lists, blobs }
  writeFileSync(join(target, 'dump.sql.gz'), gzipSync(dump.text, { level: 9 }))
  writeFileSync(join(target, 'about.json.gz'), gzipSync(JSON.stringify(about), { level: 9 }))
  const empty = Object.entries(dump.counts).flatMap(([table, count]) => (count === 0 ? [table] : []))
  console.log(`${Object.keys(dump.counts).length} tables, of these empty: ${empty.join(', ')}`)
  for (const [path, ids] of Object.entries(lists)) console.log(path, ids.length)
} catch (error) {
  console.error(said.slice(-2_000))
  throw error
} finally {
  service.kill('SIGCONT')
  service.kill('SIGTERM')
  await closed
  hooks.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** A few rows in every table that normal use fills. */
async function use(url, smtpPort) {
  const ask = async (method, path, body, key = token, more = {}) => {
    const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }), ...more }
    const reply = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const answer = await reply.json()
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(answer)}`)
    return answer
  }
  const post = (path, body, more) => ask('POST', path, body ?? {}, token, more)
  const get = (path) => ask('GET', path)

  const sending = { name: 'acme.example', dkim: 'ed25519', capabilities: { sending: 'enabled', receiving: 'enabled' } }
  await post('/domains', sending)
  const webhook = await post('/webhooks', {
    endpoint: `http://127.0.0.1:${hooks.address().port}/`,
    events: ['email.sent', 'email.delivered', 'email.received', 'contact.created'],
  })
  const [segment, topic] = [
    await post('/segments', { name: 'Early' }),
    await post('/topics', { name: 'News', default_subscription: 'opt_in' }),
  ]
  await post('/contact-properties', { key: 'plan', type: 'string', fallback_value: 'free' })
  for (const name of ['ada', 'bob', 'cleo'])
    await post('/contacts', {
      ...{
        email: `${name}@example.com`,
        first_name: name,
        segments: [{ id: segment.id }],
        properties: { plan: 'pro' },
      },
      topics: [{ id: topic.id, subscription: 'opt_in' }],
    }).catch(() => post('/contacts', { email: `${name}@example.com`, first_name: name, segments: [segment.id] }))
  const form = new FormData()
  form.append('file', new Blob(['email,first_name\nimported@example.com,Im\n']), 'contacts.csv')
  const uploaded = await fetch(`${url}/contacts/imports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  })
  if (!uploaded.ok) throw new Error(await uploaded.text())
  await post('/suppressions', { email: 'blocked@example.com' })
  await post('/api-keys', { name: 'Sending', permission: 'sending_access' })

  const template = await post('/templates', {
    name: 'Welcome',
    ...{ from: 'hello@acme.example', subject: 'Welcome {{{NAME}}}', html: '<p>Hello {{{NAME}}}</p>' },
    variables: [{ key: 'NAME', type: 'string', fallback_value: 'you' }],
  })
  await post(`/templates/${template.id}/publish`)
  const mail = {
    from: 'Acme <hello@acme.example>',
    subject: 'An invoice for the needle',
    html: '<p>Attached</p>',
    text: 'Attached',
  }
  const attachments = [{ filename: 'invoice.txt', content: Buffer.from('Total: 42').toString('base64') }]
  const first = await post(
    '/emails',
    { ...mail, to: 'ada@example.com', attachments, tags: [{ name: 'kind', value: 'bill' }] },
    { 'idempotency-key': 'first' },
  )
  await post('/emails', {
    ...mail,
    to: ['ada@example.com', 'bob@example.com', 'blocked@example.com'],
    cc: 'cleo@example.com',
  })
  await post('/emails', { ...mail, to: 'ada@example.com', scheduled_at: 'in 20 days' })
  await post('/emails', {
    from: 'hello@acme.example',
    to: 'bob@example.com',
    template: { id: template.id, variables: { NAME: 'Bob' } },
  })
  await post('/emails/batch', [
    { ...mail, to: 'bob@example.com' },
    { ...mail, to: 'cleo@example.com' },
  ])
  await post('/broadcasts', {
    from: 'news@acme.example',
    subject: 'News',
    text: 'Hello {{{FIRST_NAME|you}}}',
    segment_id: segment.id,
    send: true,
  })
  await post('/broadcasts', { from: 'news@acme.example', subject: 'A draft', text: 'Later', segment_id: segment.id })

  await post('/events', { name: 'user.created', schema: { plan: 'string' } }).catch(() =>
    post('/events', { name: 'user.created' }),
  )
  const automation = await post('/automations', {
    ...{ name: 'Welcome', status: 'enabled' },
    steps: [
      { key: 'start', type: 'trigger', config: { event_name: 'user.created' } },
      { key: 'mail', type: 'send_email', config: { template: { id: template.id } } },
      { key: 'pause', type: 'delay', config: { duration: '20 days' } },
    ],
    connections: [
      { from: 'start', to: 'mail', type: 'default' },
      { from: 'mail', to: 'pause', type: 'default' },
    ],
  })
  await post('/events/send', { event: 'user.created', email: 'ada@example.com', payload: { plan: 'pro' } })

  const inbox = await post('/inboxes', { email_address: 'desk@acme.example', name: 'Desk' })
  const transport = createTransport({ host: '127.0.0.1', port: smtpPort, tls: { rejectUnauthorized: false } })
  const question = { from: 'Ada <ada@example.com>', to: 'desk@acme.example', subject: 'Where is the haystack?' }
  await transport.sendMail({
    ...question,
    messageId: '<one@example.com>',
    text: 'I am looking for a needle.',
    attachments: [{ filename: 'map.txt', content: 'here' }],
  })
  await transport.sendMail({
    ...question,
    subject: `Re: ${question.subject}`,
    inReplyTo: '<one@example.com>',
    references: '<one@example.com>',
    text: 'Found it.',
  })
  await transport.sendMail({ ...question, to: 'nobody@inbox.example', subject: 'For no inbox', text: 'Hi' })
  transport.close()
  const threads = `/inboxes/${inbox.id}/threads`
  await until(async () => (await get(threads)).data[0]?.email_count === 2)
  const [thread] = (await get(threads)).data
  const label = await post(`/inboxes/${inbox.id}/labels`, { name: 'Bug' })
  await post(`${threads}/${thread.id}/labels`, { labels: [label.id] })
  const [last] = (await get(`${threads}/${thread.id}/emails`)).data
  await post(`${threads}/${thread.id}/emails/${last.id}/reply`, { text: 'Gladly.' })
  await post(`/inboxes/${inbox.id}/drafts`, { to: ['ada@example.com'], subject: 'A draft', text: 'Not yet' })

  const sandbox = await post('/sandboxes', { name: 'A test', expires_in: '30 days' }).catch(() =>
    post('/sandboxes', { name: 'A test' }),
  )
  await ask(
    'POST',
    '/emails',
    { from: `a@${sandbox.domain}`, to: 'ada@example.com', subject: 'In a sandbox', text: 'Hi' },
    sandbox.api_key,
  )

  command(['team', 'create', 'Neighbour'])
  const neighbour = command(['key', 'create', 'First', '--team', 'Neighbour'])
  await ask('POST', '/contacts', { email: 'ada@example.com' }, neighbour)
  const link = command(['user', 'link', 'ada@example.com'])
  await signIn(url, link)

  await until(async () => (await get(`/emails/${first.id}`)).last_event === 'delivered')
  await until(async () =>
    (await get(`/webhooks/${webhook.id}/events?limit=100`)).data.some(({ status }) => status === 'success'),
  )
  await until(async () => (await get('/broadcasts')).data.some(({ status }) => status === 'sent'))
  await until(async () =>
    (await get('/automation-runs?limit=100')).data.some(
      (run) => run.automation_id === automation.id && run.step_key !== 'mail',
    ),
  )
  await until(async () => (await get('/contacts?limit=100')).data.some(({ email }) => email === 'imported@example.com'))
  // Logs, counts and filing follow within seconds.
  await delay(5_000)
}

/** A person whose browser is signed in, with an invitation to somebody else. */
async function signIn(url, link) {
  const page = { 'x-postwren-dashboard': '1', origin: new URL(url).origin, 'content-type': 'application/json' }
  const signedIn = await fetch(`${url}/dashboard/sign-in`, {
    ...{ method: 'POST', headers: page },
    body: JSON.stringify({ token: /#sign-in=(\S+)/.exec(link)[1] }),
  })
  if (!signedIn.ok) throw new Error(await signedIn.text())
  const cookie = signedIn.headers.get('set-cookie').split(';', 1)[0]
  const { team } = await (await fetch(`${url}/dashboard/session`, { headers: { ...page, cookie } })).json()
  const invited = await fetch(`${url}/invitations`, {
    ...{ method: 'POST', headers: { ...page, cookie, 'x-postwren-team': team.id } },
    body: JSON.stringify({ email: 'bob@example.com', role: 'viewer' }),
  })
  if (!invited.ok) throw new Error(await invited.text())
}

/** The ids that every list of the API shows, by its path, as the old build answers; lists inside of things too, for their first one. */
async function readLists(url) {
  const headers = { authorization: `Bearer ${token}` }
  const read = async (path) => {
    const reply = await fetch(`${url}${path}?limit=100`, { headers })
    const isJson = reply.headers.get('content-type')?.startsWith('application/json')
    const answer = reply.ok && isJson ? await reply.json() : await reply.text().then(() => null)
    return Array.isArray(answer?.data) ? answer.data.map((item) => item.id ?? item.key ?? item.name ?? null) : null
  }
  const { paths } = await (await fetch(`${url}/openapi.json`)).json()
  const lists = {}
  const readable = Object.keys(paths).filter((path) => paths[path].get && !/wait|metrics|usage/.test(path))
  for (const path of readable.toSorted((a, b) => a.split('{').length - b.split('{').length)) {
    const parents = path.split(/(?<=\/)\{\w+\}/)
    let real = parents[0]
    for (const next of parents.slice(1)) {
      const [id] = lists[real.replace(/\/$/, '')] ?? []
      real = id ? `${real}${id}${next}` : null
      if (!real) break
    }
    const ids = real && (await read(real))
    if (ids) lists[real] = ids
  }
  return lists
}

function connectionOf() {
  const lines = readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')
  const { port, user, database } = { port: Number(lines[3]), user: 'postwren', database: 'postwren' }
  return { host: lines[4], port, user, database }
}

/** As SQL: the schema as the migrations of that build made it, then all rows, then the sequences. */
async function dumpOf(connection) {
  const client = new pg.Client(connection)
  await client.connect()
  const rows = async (text, values) => (await client.query({ text, values })).rows
  const migrations = join(checkout, 'migrations')
  const parts = [
    'create table schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null);',
  ]
  for (const name of readdirSync(migrations).toSorted())
    parts.push(`-- ${name}`, readFileSync(join(migrations, name), 'utf8'), ';')
  parts.push('set session_replication_role = replica;')
  const counts = {}
  const tables = await rows(`
    select c.oid, c.relname as name from pg_class c join pg_namespace n on n.oid = relnamespace
    where nspname = 'public' and relkind in ('r', 'p') and not relispartition order by relname`)
  for (const { oid, name } of tables) {
    const columns = await rows(
      `select attname as name from pg_attribute where attrelid = $1 and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
      [oid],
    )
    const names = columns.map((column) => `"${column.name}"`).join(', ')
    const [{ count, data }] = await rows(`
      select count(*)::int as count, json_agg(row_to_json(r))::text as data from (select ${names} from "${name}") r`)
    counts[name] = count
    // What a migration has put there is in the data as well.
    parts.push(`delete from "${name}";`)
    if (count > 0)
      parts.push(
        `insert into "${name}" (${names}) overriding system value select ${names} from json_populate_recordset(null::"${name}", ${client.escapeLiteral(data)});`,
      )
  }
  const sequences = await rows(
    `select sequencename as name, last_value::text as last from pg_sequences where schemaname = 'public' and last_value is not null`,
  )
  for (const { name, last } of sequences) parts.push(`select setval('"${name}"', ${last});`)
  parts.push('set session_replication_role = origin;')
  await client.end()
  return { text: parts.join('\n'), counts }
}

function blobsIn(root) {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path.slice(root.length + 1), readFileSync(path).toString('base64')]
    }),
  )
}

function command(words) {
  const done = spawnSync(process.execPath, [program, ...words], { cwd: checkout, env: environment, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`postwren ${words.join(' ')}: ${done.stderr}`)
  return done.stdout.trim()
}

async function until(condition) {
  const deadline = Date.now() + 60_000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not within a minute: ${condition}`)
    await delay(50)
  }
}
