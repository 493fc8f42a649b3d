import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

const isTest = (file: string) => /(^|\/)(test-[^/]+|[^/]+\.test|golden\/[^/]+)\.ts$/.test(file)
const textOf = (file: string) => readFileSync(join('src', file), 'utf8')

/** Each relative import of the sources, as [file, imported file], both below `src`. */
const imports = sources.flatMap((file) =>
  [...textOf(file).matchAll(/from '(\.[^']+)'/g)].map(
    ([, target]) => [file, normalize(join(dirname(file), target!))] as const,
  ),
)

/** From the top down. A layer imports what is below it. */
const LAYERS = ['app', 'gateways', 'features', 'kernel', 'adapters', 'platform', 'mail']

test('imports only point downwards', () => {
  const level = (file: string) => LAYERS.indexOf(file.split('/')[0]!)
  const wrong = imports.filter(
    ([file, target]) => !target.startsWith('..') && level(target) < level(file) && !file.endsWith('.test.ts'),
  )

  expect(wrong).toEqual([])
  expect(sources.filter((file) => level(file) < 0)).toEqual([])
})

/**
 * Folders below these layers that know only some of their neighbours: a machine knows the machines that it stands on, and no resource. What
 * is not named here is a resource of the API, or its place in the layer says enough.
 */
const MAY_IMPORT: Record<string, string[]> = {
  'kernel/outbox': ['kernel/db', 'kernel/jobs'],
  'kernel/audit': ['kernel/db', 'kernel/jobs'],
  'kernel/db': [],
  'kernel/jobs': ['kernel/db'],
  'kernel/http': ['kernel/audit', 'kernel/db'],
  'features/limits': [],
  'features/emails/delivery': ['features/limits'],
  'features/inbound/intake': ['features/emails/delivery', 'features/limits'],
  'features/webhooks/delivery': [],
  'features/automations/engine': ['features/emails/delivery'],
  'features/inboxes/filing': [],
  'features/sandboxes/simulation': [
    ...['features/emails/delivery', 'features/inbound/intake', 'features/webhooks/delivery'],
    ...['features/automations/engine', 'features/inboxes/filing'],
  ],
  'features/people': ['features/emails/delivery'],
  'features/oauth': ['features/people'],
  'gateways/mcp': [],
  'gateways/dashboard': ['features/oauth', 'features/people'],
}

/** Resources inside of folders that are machines otherwise. */
const RESOURCES_WITHIN = [
  ...['features/limits/usage', 'features/people/account', 'features/people/invitations', 'features/people/members'],
  'features/oauth/granted',
]

const isWithin = (folder: string) => (file: string) => file.startsWith(`${folder}/`)

/** The machine, the resource or the part of another layer that a file belongs to. */
function unitOf(file: string): string {
  // What a feature adds to the program is said of all of it.
  if (/^features\/[^/]+\/feature\.ts$/.test(file)) return file
  const nested = [...RESOURCES_WITHIN, ...Object.keys(MAY_IMPORT).filter((unit) => unit.split('/').length === 3)]
  return nested.find((unit) => isWithin(unit)(file)) ?? file.split('/').slice(0, 2).join('/')
}

const isResource = (file: string) => /^features\/[^/]+\//.test(file) && !(unitOf(file) in MAY_IMPORT)

test('a machine imports the machines that it stands on, and no resource', () => {
  const wrong = imports.filter(([file, target]) => {
    const [from, to] = [unitOf(file), unitOf(target)]
    const allowed = MAY_IMPORT[from]
    const isNeighbour = to.startsWith('features/') || from.split('/')[0] === to.split('/')[0]
    return allowed && to !== from && isNeighbour && !allowed.includes(to) && !file.endsWith('.test.ts')
  })

  expect(wrong).toEqual([])
})

test('a resource shows others its actions and its schema, and nothing else', () => {
  const wrong = imports.filter(([file, target]) => {
    const isAsking = isResource(file) || isWithin('gateways/mailpit')(file)
    const isOther = isResource(target) && unitOf(file) !== unitOf(target)
    const isWithinFeature = unitOf(file) === file && dirname(target).startsWith(dirname(file))
    return (
      isAsking && isOther && !isWithinFeature && !/\/(actions|schema)\.ts$/.test(target) && !file.endsWith('.test.ts')
    )
  })

  expect(wrong).toEqual([])
})

test('no file adds to the interfaces of another', () => {
  const adding = sources.filter((file) => /declare module '\./.test(textOf(file)))

  expect(adding).toEqual([])
})

// `update … set`, so that neither `for update` nor `do update set` is taken for it.
const WRITE =
  /\b(?:(?:insert|merge)\s+into|delete\s+from|truncate)\s+(\w+|\$\{)|(?<!\bdo\s+)\bupdate\s+(\w+|\$\{)[^\n]*?\s+set\s/g

/** The one place that is handed the names of tables, and these: it takes the notes of all who follow the outbox. */
const SUBSCRIPTION = 'kernel/outbox/subscription.ts'
const subscriptions = sources
  .filter((file) => !file.endsWith('.test.ts'))
  .flatMap((file) => [...textOf(file).matchAll(/new Subscription\('(\w+)'\)/g)])
  .map(([, table]) => table!)

/** What the SQL of the sources writes, as [folder, table]. */
const writes = sources
  .filter((file) => !isTest(file))
  .flatMap((file) =>
    [...textOf(file).matchAll(WRITE)].flatMap(([, table, updated]) => {
      const folder = unitOf(file)
      const name = (table ?? updated)!
      const written = file === SUBSCRIPTION && name === '${' ? subscriptions : [name]
      return written.map((one) => [folder, one] as const)
    }),
  )

test('a table is written by one folder', () => {
  const tables = [...readFileSync('docs/schema.sql', 'utf8').matchAll(/^create table (\w+)/gm)].map(([, name]) => name!)
  const owners = new Map<string, Set<string>>()
  for (const [folder, table] of writes) owners.set(table, (owners.get(table) ?? new Set()).add(folder))

  expect([...owners].flatMap(([table, folders]) => (folders.size > 1 ? [[table, ...folders]] : []))).toEqual([])
  // What was found are tables, and none has a name that is made while the program runs.
  expect([...owners.keys()].filter((table) => !tables.includes(table))).toEqual([])
  expect(owners.size).toBeGreaterThan(40)
})

/**
 * Tables that are read outside of the feature or the part of the kernel that owns them, by whom. A list to shorten: whoever reads less goes
 * through a function of the owner.
 */
const FOREIGN_READS: Record<string, string[]> = {
  api_keys: [
    'app/commands',
    'features/emails',
    'features/logs',
    'features/teams',
    'gateways/dashboard',
    'kernel/audit',
  ],
  automation_usage: ['features/limits'],
  broadcast_recipients: ['features/emails'],
  broadcasts: ['features/emails', 'features/limits', 'features/messages', 'features/metrics'],
  contact_properties: ['features/broadcasts', 'features/contacts'],
  contact_segments: ['features/broadcasts'],
  contact_topics: ['features/broadcasts', 'features/emails', 'features/unsubscribing'],
  contacts: [
    'features/automations',
    'features/broadcasts',
    'features/emails',
    'features/limits',
    'features/operator',
    'features/unsubscribing',
  ],
  deliveries: ['features/broadcasts', 'features/sandboxes', 'features/tracking'],
  domains: ['features/limits', 'features/metrics', 'features/operator'],
  email_attachments: ['features/inboxes', 'features/messages'],
  email_bodies: ['features/inboxes', 'features/messages'],
  emails: [
    'features/broadcasts',
    'features/domains',
    'features/inbound',
    'features/inboxes',
    'features/messages',
    'features/metrics',
    'features/sandboxes',
    'features/tracking',
    'features/unsubscribing',
  ],
  memberships: ['features/inboxes', 'features/oauth', 'features/operator', 'features/teams', 'kernel/audit'],
  nodes: ['app/commands', 'features/sandboxes'],
  oauth_grants: ['features/logs', 'kernel/audit'],
  outbox: [
    'features/automations',
    'features/broadcasts',
    'features/emails',
    'features/inboxes',
    'features/messages',
    'features/metrics',
    'features/sandboxes',
    'features/webhooks',
    'gateways/dashboard',
  ],
  received_attachments: ['features/inboxes', 'features/messages'],
  received_bodies: ['features/inboxes', 'features/messages'],
  received_emails: ['features/inboxes', 'features/messages'],
  relayed_message_ids: ['features/inboxes'],
  sandbox_clocks: ['kernel/db'],
  sandboxes: ['features/domains', 'features/teams'],
  schema_migrations: ['app/commands'],
  secret_key_mark: ['app/commands'],
  segments: ['features/contacts', 'features/limits'],
  submitted_messages: ['features/messages'],
  suppressions: ['features/broadcasts', 'features/suppressions'],
  team_limits: ['features/operator'],
  team_usage: ['features/operator'],
  teams: [
    'features/api-keys',
    'features/emails',
    'features/inbound',
    'features/limits',
    'features/logs',
    'features/oauth',
    'features/people',
    'features/sandboxes',
    'gateways/dashboard',
  ],
  topics: ['features/broadcasts', 'features/emails', 'features/unsubscribing'],
  users: ['features/api-keys', 'features/inboxes', 'features/logs', 'features/oauth', 'kernel/audit'],
  webhook_attempts: ['features/sandboxes'],
  webhooks: ['features/limits', 'features/operator'],
}

test('a table is read by its owner, and by those who are listed', () => {
  const homeOf = (file: string) => file.split('/').slice(0, 2).join('/')
  const owners = new Map<string, Set<string>>()
  for (const [unit, table] of writes) owners.set(table, (owners.get(table) ?? new Set()).add(homeOf(unit)))
  const reads = new Map<string, Set<string>>()
  for (const file of sources.filter((one) => !isTest(one))) {
    const text = textOf(file).replace(/^\s*(?:\/\/|\/?\*).*$/gm, '')
    for (const [, table] of text.matchAll(/new Subscription\('(\w+)'\)/g)) owners.set(table!, new Set([homeOf(file)]))
    for (const [, table] of text.matchAll(/\b(?:from|join|using)\s+(?:only\s+)?(\w+)/g))
      reads.set(table!, (reads.get(table!) ?? new Set()).add(homeOf(file)))
  }
  const foreign = [...owners].flatMap(([table, own]) => {
    const homes = [...(reads.get(table) ?? [])].filter((home) => !own.has(home)).sort()
    return homes.length > 0 ? [[table, homes] as const] : []
  })

  expect(Object.fromEntries(foreign)).toEqual(FOREIGN_READS)
})

/** Where time may be read past the clock, and why. */
const OWN_TIME: Record<string, string> = {
  'platform/clock.ts': 'the clock',
  'platform/observability/log.ts': 'a line of the log says when it was written',
  'kernel/db/presence.ts': 'compares the clock of this machine with that of the database',
  'app/commands/doctor/server.ts': 'asks the database for its time, to compare it',
}

// In JavaScript, and in what is sent to PostgreSQL: `now()` of nobody, and not the type of a method.
const READS_TIME =
  /\bDate\.now\b|\bnew Date\(\)|(?<![.\w#])now\(\)(?!: )|\b(?:current_timestamp|current_date|current_time|localtimestamp|localtime|(?:clock|statement|transaction)_timestamp\(\)|timeofday\(\))/i

test('time is read from the clock, and nowhere else', () => {
  const code = (file: string) => textOf(file).replace(/^\s*(?:\/\/|\/?\*).*$/gm, '')
  const readers = sources.filter((file) => !isTest(file) && READS_TIME.test(code(file)))

  expect(readers.sort()).toEqual(Object.keys(OWN_TIME).sort())
  // Who puts a process together chooses the clock; everybody else is given one.
  expect(
    sources.filter((file) => !isTest(file) && !file.startsWith('app/commands/') && /\bsystemClock\b/.test(code(file))),
  ).toEqual(['platform/clock.ts'])
})

test('no column has a time of its own', () => {
  const wrong = readFileSync('docs/schema.sql', 'utf8').match(
    /^.*\bdefault\b[^,]*(?:now\(|_timestamp|\bcurrent_|localtime).*$/gim,
  )

  expect(wrong).toBeNull()
})

// The second one hands PATH on to the server that it starts.
test('nothing but the entry reads the environment', () => {
  const readers = sources.filter((file) => /process\.env/.test(textOf(file)))

  expect(readers.filter((file) => !file.endsWith('.test.ts')).sort()).toEqual([
    'adapters/postgres/run-as.ts',
    'app/main.ts',
  ])
})

// Short statements inside of others, and those about keys that were found by their token, whoever they belong to.
const FOR_ALL_TEAMS = ['features/api-keys/queries.ts', 'features/contacts/imports/load.ts']

test('a statement of a resource names the team that it is for', () => {
  const statements = sources
    .filter((file) => isResource(file) && !isTest(file) && !FOR_ALL_TEAMS.includes(file))
    .flatMap((file) => [...textOf(file).matchAll(/sql`[^`]*`/g)].map(([statement]) => [file, statement] as const))
    .filter(([, statement]) =>
      /\b(from|join|into|update) [a-z_]+\b/.test(statement.replace(/distinct from|from unnest/g, '')),
    )

  expect(statements.length).toBeGreaterThan(100)
  expect(statements.filter(([, statement]) => !/team|\$\{own\}|insertion\(\{ \.\.\.row/i.test(statement))).toEqual([])
})

// Pages that people open from a mail have no API around them.
test('the status of an error of the API is in one table', () => {
  const knowing = sources.filter(
    (file) =>
      (isResource(file) || /^(features\/(emails|inbound)|kernel\/outbox)\//.test(file)) &&
      !isTest(file) &&
      /\b(status|statusCode|code): [45]\d\d\b/.test(textOf(file)),
  )

  expect(knowing.filter((file) => !/from '.*\/public-route\.ts'/.test(textOf(file)))).toEqual([])
})

test('mail is parsed in threads', () => {
  const parsers = /^import (?!type)[^\n]* from '.*\/mail\/(parse|report|submitted)\.ts'/m
  const parsing = sources.filter((file) => !file.startsWith('mail/') && !isTest(file) && parsers.test(textOf(file)))

  expect(parsing.sort()).toEqual(['features/inbound/intake/parser-pool.ts', 'features/inbound/intake/parser-worker.ts'])
})

test('what is about mail alone does no I/O, and knows neither the time nor chance', () => {
  const impure =
    /from 'node:(?!buffer|crypto|util|url)|\b(Date\.now|new Date\(\)|Math\.random|performance\.now|randomBytes|randomUUID)\b/

  expect(sources.filter((file) => file.startsWith('mail/') && !isTest(file) && impure.test(textOf(file)))).toEqual([])
})

test('whatever starts the program loads no bundler into it', () => {
  const start = readFileSync('scripts/start.mjs', 'utf8')
  const prepare = readFileSync('scripts/prepare.mjs', 'utf8')
  const imported = [...`${start}${prepare}`.matchAll(/(?:from |import\()'([^']+)'/g)].map(([, target]) => target!)

  expect(imported.filter((target) => !target.startsWith('node:')).sort()).toEqual([
    '../dist/postwren.js',
    './prepare.mjs',
  ])
})

/** The program in the browser: files below `dashboard/src` without the tests beside them, and what they import from there and from `src`. */
const program = readdirSync('dashboard/src', { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file),
)
const IMPORT = /(?:(import type) [^']+|from |import\(|import )'(\.[^']+)'/g
const importsOfProgram = program.flatMap((file) =>
  [...readFileSync(join('dashboard/src', file), 'utf8').matchAll(IMPORT)].map(([, typeOnly, target]) => ({
    file,
    target: normalize(join('dashboard/src', dirname(file), target!)),
    isType: typeOnly !== undefined,
  })),
)
/** Types are left out of the build. */
const builtImports = importsOfProgram.filter(({ isType }) => !isType)

test('the dashboard shares schemas and pure functions with the server, and otherwise only types', () => {
  const wrong = builtImports.filter(
    ({ target }) => !target.startsWith('dashboard/') && !/^src\/(features\/.*\/schema|mail\/[\w-]+)\.ts$/.test(target),
  )

  expect(wrong).toEqual([])
})

test('what the dashboard reads from the address and from the API is typed by routes and endpoints', () => {
  const untyped = program.filter((file) =>
    /strict: false|\bas never\b/.test(readFileSync(join('dashboard/src', file), 'utf8')),
  )

  expect(untyped).toEqual([])
})

test('css of the dashboard is beside the components that import it, or among the parts', () => {
  const sheets = readdirSync('dashboard/src', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.css'),
  )
  const isAtHome = (sheet: string) => {
    const users = importsOfProgram.filter(({ target }) => target === join('dashboard/src', sheet))
    const isBeside = users.every(({ file }) => dirname(file) === dirname(sheet))
    return users.length > 0 && (isBeside || dirname(sheet) === 'ui')
  }

  expect(sheets.filter((sheet) => !isAtHome(sheet))).toEqual([])
  expect(importsOfProgram.filter(({ file }) => file === 'main.tsx').map(({ target }) => target)).toEqual([
    'dashboard/src/ui/base.css',
    'dashboard/src/app/app.tsx',
  ])
})

test('a change of anything that the dashboard is made of builds it anew', async () => {
  const { shared } = (await import('../scripts/prepare.mjs' as string)) as { shared(): string[] }
  const reached = new Set(builtImports.map(({ target }) => target).filter((target) => target.startsWith('src/')))
  for (const file of reached)
    for (const [from, target] of imports) if (`src/${from}` === file) reached.add(`src/${target}`)

  const known = shared()
  expect([...reached].filter((file) => !known.includes(file))).toEqual([])
})

test('in the dashboard the parts know no mail, and no feature knows another', () => {
  const folder = (path: string) => path.replace('dashboard/src/', '').split('/')
  const wrong = importsOfProgram.filter(({ file, target }) => {
    const [[from, feature], [to, other]] = [folder(file), folder(target)]
    if (from === 'ui') return to === 'features' || to === 'app'
    return from === 'features' && (to === 'app' || (to === 'features' && feature !== other))
  })

  expect(wrong).toEqual([])
})

/** A line or two for each endpoint, by `npm run docs`. */
const GENERATED = 'dashboard/src/endpoints.ts'

test('no file grows past its idea', () => {
  const long = [
    ...sources.map((file) => join('src', file)),
    ...program.map((file) => join('dashboard/src', file)),
  ].filter((file) => file !== GENERATED && readFileSync(file, 'utf8').split('\n').length > 400)

  expect(long).toEqual([])
})

test('what only tests need is not among the sources', () => {
  expect([...sources, ...program].filter((file) => /(^|\/)test-/.test(file))).toEqual([])
})

test('no path is named after nothing', () => {
  expect(sources.filter((file) => /(util|helper|common|manager|misc)/i.test(file))).toEqual([])
})
