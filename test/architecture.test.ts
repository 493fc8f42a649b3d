import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { PLUG_INS } from './harness/plug-ins.ts'

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
  'kernel/retention': ['kernel/db'],
  'kernel/partitions': ['kernel/blobs', 'kernel/db', 'kernel/jobs'],
  'kernel/outbox': ['kernel/db', 'kernel/jobs', 'kernel/partitions'],
  'kernel/audit': ['kernel/db', 'kernel/jobs'],
  'kernel/db': [],
  'kernel/jobs': ['kernel/db', 'kernel/retention'],
  'kernel/http': ['kernel/audit', 'kernel/db'],
  'kernel/search': ['kernel/db', 'kernel/http', 'kernel/jobs', 'kernel/partitions'],
  'kernel/idempotency': ['kernel/db', 'kernel/http', 'kernel/jobs'],
  'features/limits': [],
  'features/policies': [],
  'features/emails/delivery': ['features/limits', 'features/policies'],
  'features/inbound/intake': ['features/emails/delivery', 'features/limits'],
  'features/webhooks/delivery': [],
  'features/tls': ['features/people'],
  'features/automations/engine': ['features/emails/delivery'],
  'features/inboxes/filing': [],
  'features/sandboxes/simulation': [
    'features/emails/delivery',
    'features/inbound/intake',
    'features/webhooks/delivery',
  ],
  'features/people': ['features/emails/delivery'],
  'features/oauth': ['features/people', 'features/policies'],
  'gateways/mcp': ['features/policies'],
  'gateways/dashboard': ['features/oauth', 'features/people', 'features/policies'],
}

/** Resources inside of folders that are machines otherwise. */
const RESOURCES_WITHIN = [
  ...['features/limits/usage', 'features/people/account', 'features/people/invitations', 'features/people/members'],
  'features/oauth/granted',
]

const isWithin = (folder: string) => (file: string) => file.startsWith(`${folder}/`)

/** What a feature lets the statements of all others read of its tables: functions, and pieces of SQL. */
const isReads = (file: string) => /^features\/[^/]+\/reads\.ts$/.test(file)

/** The machine, the resource or the part of another layer that a file belongs to. */
function unitOf(file: string): string {
  // What a feature adds to the program is said of all of it.
  if (/^features\/[^/]+\/feature\.ts$/.test(file) || isReads(file)) return file
  const nested = [...RESOURCES_WITHIN, ...Object.keys(MAY_IMPORT).filter((unit) => unit.split('/').length === 3)]
  return nested.find((unit) => isWithin(unit)(file)) ?? file.split('/').slice(0, 2).join('/')
}

const isResource = (file: string) => /^features\/[^/]+\//.test(file) && !(unitOf(file) in MAY_IMPORT)

test('a machine imports the machines that it stands on, and no resource', () => {
  const wrong = imports.filter(([file, target]) => {
    const [from, to] = [unitOf(file), unitOf(target)]
    const allowed = MAY_IMPORT[from]
    const isNeighbour = to.startsWith('features/') || from.split('/')[0] === to.split('/')[0]
    return (
      allowed && to !== from && isNeighbour && !allowed.includes(to) && !isReads(target) && !file.endsWith('.test.ts')
    )
  })

  expect(wrong).toEqual([])
})

test('a resource shows others its index, its schema and its reads, and nothing else', () => {
  const wrong = imports.filter(([file, target]) => {
    const isAsking = isResource(file) || isWithin('gateways/mailpit')(file)
    const homeOf = (one: string) => one.split('/').slice(0, 2).join('/')
    const isOther = isResource(target) && homeOf(file) !== homeOf(target)
    const isWithinFeature = unitOf(file) === file && dirname(target).startsWith(dirname(file))
    return (
      isAsking &&
      isOther &&
      !isWithinFeature &&
      !/\/(index|schema|reads)\.ts$/.test(target) &&
      !file.endsWith('.test.ts')
    )
  })

  expect(wrong).toEqual([])
})

/** Which features use others, by their `index.ts`. What is not here goes by events, by an interface of their own, or not at all. */
const USES: Record<string, string[]> = {
  'api-keys': ['domains'],
  approvals: ['emails', 'teams'],
  automations: ['contact-properties', 'contacts', 'emails', 'segments', 'templates'],
  broadcasts: ['emails', 'metrics', 'segments', 'topics'],
  'contact-activity': ['contacts', 'inbound'],
  contacts: ['contact-properties', 'segments', 'topics'],
  editor: ['broadcasts', 'emails', 'templates'],
  emails: ['domains', 'inbound', 'teams', 'templates', 'topics'],
  events: ['contacts'],
  inboxes: ['domains', 'emails', 'inbound'],
  messages: ['domains', 'emails', 'inbound', 'metrics'],
  retention: ['messages'],
  operator: ['teams'],
  'personal-data': ['inbound', 'messages'],
  sandboxes: ['api-keys', 'domains', 'teams', 'tracking', 'unsubscribing'],
  teams: ['api-keys'],
  tracking: ['domains'],
  unsubscribing: ['broadcasts', 'contacts', 'teams'],
}

const MAX_FACE = 15

test('features use each other along a list', () => {
  const found: Record<string, string[]> = {}
  for (const [file, target] of imports) {
    const [from, to] = [file, target].map((one) => /^features\/([^/]+)\//.exec(one)?.[1])
    if (!from || !to || from === to || isTest(file) || !target.endsWith('/index.ts')) continue
    found[from] = [...new Set([...(found[from] ?? []), to])].sort()
  }

  expect(found).toEqual(USES)
})

test('what a feature shows others fits on a page', () => {
  const faces = sources.filter((file) => /^features\/.+\/index\.ts$/.test(file))
  const namesIn = (file: string) =>
    [...textOf(file).matchAll(/export (?:type )?(?:\{([^}]*)\}|\* as \w+) from/g)].flatMap(
      ([, names]) => names?.split(',') ?? ['all'],
    )

  expect(faces.length).toBeGreaterThan(15)
  expect(faces.filter((file) => namesIn(file).length > MAX_FACE)).toEqual([])
})

test('what a feature lets others read stands on no other feature', () => {
  const wrong = imports.filter(
    ([file, target]) => isReads(file) && target.startsWith('features/') && !isWithin(dirname(file))(target),
  )

  expect(wrong).toEqual([])
})

test('a plug-in is imported by its list, and by nobody else', () => {
  for (const { folder, list } of PLUG_INS) {
    const importing = imports.filter(([file, target]) => isWithin(folder)(target) && !isWithin(folder)(file))
    expect([...new Set(importing.map(([file]) => file))], folder).toEqual([list])
  }
})

/** Those that put the program together, or write it down. A feature that knew them all would know itself. */
test('no feature imports the list of all features', () => {
  const importing = imports.filter(([file, target]) => target === 'features/index.ts' && !isTest(file))

  // The first one asks which operation a call of an application is.
  expect(importing.map(([file]) => file).sort()).toEqual([
    'app/commands/proxy/operations.ts',
    'app/commands/service.ts',
  ])
})

// A suite that knew the server would share its mistakes.
test('the suite of the contract knows nothing of the service', () => {
  const suite = 'app/commands/conformance'
  const allowed = ['app/commands/command.ts', 'app/commands/progress.ts']
  const beyond = imports.filter(([file, target]) => isWithin(suite)(file) && !isWithin(suite)(target) && !isTest(file))

  expect(beyond.filter(([, target]) => !allowed.includes(target))).toEqual([])
})

const MAX_SLICE = 12

/** Those that put features together: what they make or hand on is everything. */
const TAKING_ALL = ['features/definitions.ts', 'features/feature.ts', 'features/index.ts']

test('what a feature does takes the services that it needs, and not all of them', () => {
  const inFeatures = sources.filter((file) => isWithin('features')(file) && !isTest(file))
  const takingAll = inFeatures.filter((file) => /(?:[:(]|\}:) Services\b(?!\[)/.test(textOf(file)))
  const slices = inFeatures.flatMap((file) =>
    [...textOf(file).matchAll(/Pick<\s*Services,([^>]*)>/g)].map(
      ([, names]) => [file, names!.split("'").length >> 1] as const,
    ),
  )

  expect(takingAll.filter((file) => !TAKING_ALL.includes(file))).toEqual([])
  expect(slices.filter(([, members]) => members > MAX_SLICE)).toEqual([])
  expect(slices.length).toBeGreaterThan(30)
})

test('no file adds to the interfaces of another', () => {
  const adding = sources.filter((file) => /declare module '\./.test(textOf(file)))

  expect(adding).toEqual([])
})

// `update … set`, so that neither `for update` nor `do update set` is taken for it.
const WRITE =
  /\b(?:(?:insert|merge)\s+into|delete\s+from|truncate)\s+(\w+|\$\{)|(?<!\bdo\s+)\bupdate\s+(\w+|\$\{)[^\n]*?\s+set\s/g

/** The places that are handed the names of tables, and these: they take the notes of all who follow the outbox. */
const SUBSCRIPTIONS = ['kernel/outbox/subscription.ts', 'kernel/outbox/batch-subscription.ts']
const subscriptions = sources
  .filter((file) => !file.endsWith('.test.ts'))
  .flatMap((file) => [...textOf(file).matchAll(/new (?:Batch)?Subscription\('(\w+)'\)/g)])
  .map(([, table]) => table!)

/** Those with documents of a search: the table is its source's. */
const DOCUMENTS = ['search_documents', 'email_documents', 'received_documents']
/** Where the name of a table is made while the program runs, and what it can be. */
const MADE_NAMES: Record<string, readonly string[]> = {
  ...Object.fromEntries(SUBSCRIPTIONS.map((file) => [file, subscriptions])),
  'kernel/search/catch-up.ts': DOCUMENTS,
}

/** Reads and writes every table as it is, by the catalogue or as files, and knows what none of them means. */
const EVERY_TABLE = [
  'app/commands/export',
  'app/commands/cell',
  'features/personal-data/archive',
  'features/personal-data/tables',
]
const isOfExport = (file: string) => EVERY_TABLE.some((folder) => isWithin(folder)(file))

/** What the SQL of the sources writes, as [folder, table]. */
const writes = sources
  .filter((file) => !isTest(file) && !isOfExport(file))
  .flatMap((file) =>
    [...textOf(file).matchAll(WRITE)].flatMap(([, table, updated]) => {
      const folder = unitOf(file)
      const name = (table ?? updated)!
      // A column that is sealed anew is one that its feature has handed over.
      if (file === 'kernel/sealed-columns.ts') return []
      const written = name === '${' ? (MADE_NAMES[file] ?? [name]) : [name]
      return written.map((one) => [folder, one] as const)
    }),
  )

test('a table is written by one folder', () => {
  const tables = [...readFileSync('docs/schema.sql', 'utf8').matchAll(/^create table (\w+)/gm)].map(([, name]) => name!)
  const owners = new Map<string, Set<string>>()
  for (const [folder, table] of writes) owners.set(table, (owners.get(table) ?? new Set()).add(folder))

  expect([...owners].flatMap(([table, folders]) => (folders.size > 1 ? [[table, ...folders]] : []))).toEqual([])
  // What was found are tables, and none has a name that is made while the program runs.
  // The two are made by the proxy in the database of its shadow, and are in no other.
  expect([...owners.keys()].filter((table) => !tables.includes(table))).toEqual(['shadow_pairs', 'shadow_teams'])
  expect(owners.size).toBeGreaterThan(40)
})

/** Who reads a table of another, and why not by a function or the `reads.ts` of its owner: by table and folder. */
const ALLOWED_READS: Record<string, Record<string, string>> = {
  audit_events: { 'features/audit': 'the kernel writes what every request does, and the feature is how it is read' },
  sandbox_clocks: {
    'kernel/db': 'whatever begins work for a sandbox asks for its time first; who moves the clock is a feature',
  },
  contact_properties: { 'features/contacts': 'a contact is shown with its values under the keys of the properties' },
  segments: { 'features/contacts': 'the segments of a contact are a list, sorted and paged by the membership' },
  suppressions: { 'features/suppressions': 'the API of the list that delivery keeps' },
  teams: { 'features/emails': 'a report names an email and no team: the index of emails is asked team by team' },
  topics: { 'features/contacts': 'what counts for a contact is its own choice, or else the default of the topic' },
}

// Also the `from` of a list, which is a property.
const READ = /\b(?:from|join|using)(?:\s+|: sql`\s*)(?:only\s+)?(\w+)/g

test('a table is read by its owner, and by those who are listed', () => {
  const homeOf = (file: string) => file.split('/').slice(0, 2).join('/')
  const owners = new Map<string, Set<string>>()
  for (const [unit, table] of writes) owners.set(table, (owners.get(table) ?? new Set()).add(homeOf(unit)))
  const reads = new Map<string, Set<string>>()
  for (const file of sources.filter((one) => !isTest(one) && !isOfExport(one))) {
    const text = textOf(file).replace(/^\s*(?:\/\/|\/?\*).*$/gm, '')
    for (const [, table] of text.matchAll(/new (?:Batch)?Subscription\('(\w+)'\)/g))
      owners.set(table!, new Set([homeOf(file)]))
    for (const [, table] of text.matchAll(READ)) reads.set(table!, (reads.get(table!) ?? new Set()).add(homeOf(file)))
  }
  const foreign = [...owners].flatMap(([table, own]) => {
    const homes = [...(reads.get(table) ?? [])].filter((home) => !own.has(home)).sort()
    return homes.length > 0 ? [[table, homes] as const] : []
  })

  const allowed = Object.entries(ALLOWED_READS).map(([table, reasons]) => [table, Object.keys(reasons).sort()])
  expect(Object.fromEntries(foreign)).toEqual(Object.fromEntries(allowed))
})

/** Where time may be read past the clock, and why. */
const OWN_TIME: Record<string, string> = {
  'platform/clock.ts': 'the clock',
  'platform/observability/log.ts': 'a line of the log says when it was written',
  'kernel/db/nodes.ts': 'a heartbeat brings the time of the database along, for presence.ts',
  'kernel/db/old-snapshots.ts': 'for how long a snapshot is open, by the clock that has begun it',
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

// Short statements inside of others, those about keys that were found by their token, whoever they belong to, and people, who are of no team.
const FOR_ALL_TEAMS = [
  'features/api-keys/queries.ts',
  // Keys of other cells.
  'features/cells/keys.ts',
  'features/contacts/imports/load.ts',
  // How many domains have a problem, and the health of the installation.
  'features/domains/health/queries.ts',
  'features/people/reads.ts',
  // Whether anybody is erased, in whichever team.
  'features/personal-data/reads.ts',
  // Certificates by their names, whoever has the domain.
  'features/tls/reads.ts',
]

test('a statement of a resource names the team that it is for', () => {
  const statements = sources
    .filter((file) => isResource(file) && !isTest(file) && !isOfExport(file) && !FOR_ALL_TEAMS.includes(file))
    .flatMap((file) =>
      [...textOf(file).matchAll(/sql(?:\.write)?`[^`]*`/g)].map(([statement]) => [file, statement] as const),
    )
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

  expect(parsing.sort()).toEqual([
    // Reads what the same process has built, and is a process apart from whoever is answered.
    'app/commands/proxy/sent.ts',
    'features/inbound/intake/parser-pool.ts',
    'features/inbound/intake/parser-worker.ts',
  ])
})

test('what is about mail alone does no I/O, and knows neither the time nor chance', () => {
  const impure =
    /from 'node:(?!buffer|crypto|util|url|zlib)|\b(Date\.now|new Date\(\)|Math\.random|performance\.now|randomBytes|randomUUID)\b/

  expect(sources.filter((file) => file.startsWith('mail/') && !isTest(file) && impure.test(textOf(file)))).toEqual([])
})

test('whatever starts the program loads no bundler into it', () => {
  const start = readFileSync('scripts/start.mjs', 'utf8')
  const prepare = readFileSync('scripts/prepare.mjs', 'utf8')
  const compileCache = readFileSync('bin/compile-cache.mjs', 'utf8')
  const imported = [...`${start}${prepare}${compileCache}`.matchAll(/(?:from |import\()'([^']+)'/g)].map(
    ([, target]) => target!,
  )

  expect(imported.filter((target) => !target.startsWith('node:')).sort()).toEqual([
    '../bin/compile-cache.mjs',
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
    // A sheet may be asked for as a text (`?inline`), to be loaded with what needs it.
    target: normalize(join('dashboard/src', dirname(file), target!)).replace(/\?inline$/, ''),
    isType: typeOnly !== undefined,
  })),
)
/** Types are left out of the build. */
const builtImports = importsOfProgram.filter(({ isType }) => !isType)

test('the dashboard shares schemas and pure functions with the server, and otherwise only types', () => {
  const wrong = builtImports.filter(
    ({ target }) =>
      !target.startsWith('dashboard/') && !/^src\/(features\/.*\/(schema|words)|mail\/[\w-]+)\.ts$/.test(target),
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
    'dashboard/src/ui/tokens.css',
    'dashboard/src/ui/fonts.css',
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

test('in the dashboard the parts know no mail, the email editor no feature, and no feature another', () => {
  const folder = (path: string) => path.replace('dashboard/src/', '').split('/')
  const wrong = importsOfProgram.filter(({ file, target }) => {
    const [[from, feature], [to, other]] = [folder(file), folder(target)]
    if (from === 'ui') return to === 'features' || to === 'app' || to === 'editor'
    if (from === 'editor') return to === 'features' || to === 'app'
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

// A declaration with its parameters: a function, an arrow function with a name, or a method.
const DECLARATION =
  /\bfunction\*?\s+(\w+)(?:<[^()=]*>)?\(|\bconst\s+(\w+)\s*=\s*(?:async\s+)?(?:<[^()=]*>)?\(|^ {2}(?:(?:static|async|get|set)\s+|\*)*(#?\w+)(?:<[^()=]*>)?\(/gm

/** The parameters that begin at a parenthesis, if a body or an arrow follows them. */
function parametersAt(text: string, open: number): string[] | null {
  const parameters = ['']
  for (let at = open + 1, depth = 1; at < text.length; at++) {
    const character = text[at]!
    const isArrow = character === '>' && text[at - 1] === '='
    if ('([{<'.includes(character)) depth++
    else if (')]}>'.includes(character) && !isArrow) depth--
    if (depth === 0) {
      const isDeclared = /^(?::[^\n]*)?\s*(?:\{|=>)|^: [^\n]+$/m.test(text.slice(at + 1, at + 300).split('\n')[0]!)
      return isDeclared ? parameters.map((one) => one.trim()).filter((one) => one !== '') : null
    }
    if (character === ',' && depth === 1) parameters.push('')
    else parameters[parameters.length - 1] += character
  }
  return null
}

// What every statement, every act and every handler begins with counts as one: on which connection and for which team, with what and who.
const CONTEXT =
  /^(?:db|trx)(?:: [^|]*)?\|(?:team(?:: string)?|\{[^|]*\bteam\b[^|]*|ref: \w+Ref)\||^(?:services: \w+|\{[^|]*\}: \w*Services)\|(?:\w+: (?:Actor|Sender)|\{[^|]*\}: Actor)\||^.*\|request: FastifyRequest[^|]*\|reply: FastifyReply/

function thingsOf(parameters: readonly string[]): number {
  const signature = parameters.map((one) => one.replace(/\s+/g, ' ')).join('|')
  return parameters.length - (CONTEXT.test(signature) ? 1 : 0)
}

const longSignatures = sources
  .filter((file) => !isTest(file))
  .flatMap((file) => {
    const text = textOf(file).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    return [...text.matchAll(DECLARATION)].flatMap((match) => {
      const name = (match[1] ?? match[2] ?? match[3])!
      const parameters = parametersAt(text, match.index + match[0].length - 1)
      return parameters && parameters.length > 3 ? [{ file, name, parameters }] : []
    })
  })

/** Functions of four things that run for each line, chunk, request or email, where an object would be made each time. */
const FOUR_THINGS_OFTEN: Record<string, string[]> = {
  'adapters/smtp-client/attempt.ts': ['attempt'],
  'adapters/smtp-client/sender.ts': ['#sendToSome', 'send'],
  'adapters/smtp-client/write-message.ts': ['writePieces'],
  'adapters/smtp-server/chunk.ts': ['finishChunk'],
  'adapters/smtp-server/login.ts': ['logIn'],
  'adapters/smtp-server/state.ts': ['respond'],
  'adapters/smtp-server/transaction.ts': ['finishMail', 'finishRecipient'],
  'features/automations/engine/batch.ts': ['count'],
  'features/contacts/imports/csv.ts': ['readUntilBroken'],
  'features/emails/delivery/deliver.ts': ['deliver'],
  'features/emails/delivery/transport/sender.ts': ['send'],
  'features/inboxes/search/slices.ts': ['nextRange'],
  'kernel/http/auth.ts': ['#recall'],
  'kernel/http/body.ts': ['collect', 'whenMemoryIsFree'],
  'kernel/http/list.ts': ['inOrder', 'readBatch', 'stream'],
  'kernel/http/long-values.ts': ['findSlots'],
  'kernel/http/name-count.ts': ['read'],
  'kernel/http/validate.ts': ['validate'],
}

/** Those that are left to be given an object. A list to shorten. */
const FOUR_THINGS_STILL: Record<string, string[]> = {
  'adapters/blobs/s3-blob-store.ts': ['refusal'],
  'adapters/mail-api/api-sender.ts': ['send'],
  'adapters/postgres/leave.ts': ['leave'],
  'adapters/tls/certificate.ts': ['followFiles', 'openCertificate'],
  'app/commands/team-operations.ts': ['operate'],
  'features/automations/effects.ts': ['compose', 'composer', 'prepare'],
  'features/automations/engine/engine.ts': ['dropFirst', 'workOff', 'workOffSome'],
  'features/automations/engine/rules.ts': ['constructor'],
  'features/domains/claims/queries.ts': ['takeDueClaims'],
  'features/domains/keys.ts': ['loadSigners'],
  'features/domains/look-up.ts': ['find'],
  'features/domains/queries.ts': ['takeDue'],
  'features/domains/receivers.ts': ['refuseForeignName'],
  'features/domains/status.ts': ['learn'],
  'features/inbound/actions.ts': ['presentShown', 'questionsOf'],
  'features/inbound/intake/jobs.ts': ['judge'],
  'features/inbound/intake/read.ts': ['read'],
  'features/inboxes/agent/run.ts': ['reasonToSkip'],
  'features/inboxes/filing/file-into.ts': ['eventsOf'],
  'features/inboxes/search/finding.ts': ['surroundings'],
  'features/limits.ts': ['requireWithinLimit'],
  'features/metrics/question.ts': ['readDate'],
  'features/people/passkeys.ts': ['renamePasskey'],
  'features/sandboxes/scenario/message.ts': ['build'],
  'features/sandboxes/scenario/perform.ts': ['visit'],
  'features/teams/queries.ts': ['insertSandboxTeam'],
  'features/tracking/actions.ts': ['outcomeOf'],
  'features/unsubscribing/public-routes.ts': ['savePreferences'],
  'kernel/audit/record-request.ts': ['recordRequest'],
  'kernel/db/open.ts': ['openDatabase'],
  'kernel/jobs/queries.ts': ['enqueue'],
  'platform/links.ts': ['readAt', 'sign'],
}

test('a function takes an object where it takes more than three things', () => {
  const found: Record<string, string[]> = {}
  for (const { file, name, parameters } of longSignatures)
    if (thingsOf(parameters) > 3) found[file] = [...(found[file] ?? []), name].sort()

  expect(longSignatures.filter(({ parameters }) => parameters.length > 4)).toEqual([])
  expect(found).toEqual({ ...FOUR_THINGS_OFTEN, ...FOUR_THINGS_STILL })
})

test('what only tests need is not among the sources', () => {
  expect([...sources, ...program].filter((file) => /(^|\/)test-/.test(file))).toEqual([])
})

test('no path is named after nothing', () => {
  expect(sources.filter((file) => /(util|helper|common|manager|misc)/i.test(file))).toEqual([])
})

/** Names of variables that tests of a file share, and that more than its hooks assign. The formatter ends a block where its first line begins. */
function sharedAndAssigned(text: string): string[] {
  const suites = (text.match(/^describe\b[\s\S]*?^\}\)/gm) ?? []).join('\n')
  const shared = [...(text.match(/^let \w+/gm) ?? []), ...(suites.match(/^ {2}let \w+/gm) ?? [])]
  const outsideHooks = text.replace(/^( *)before(?:All|Each)\([\s\S]*?^\1\}\)/gm, '')
  return shared
    .map((declaration) => declaration.trim().slice('let '.length))
    .filter((name) =>
      new RegExp(
        `(?<!\\b(?:const|let) |[.\\w])${name}(?: [^\\w\\s=<>!]{0,3}=(?!=) |\\+\\+|--)|\\([[{][^()]*\\b${name}\\b[^()]*[\\]}] = `,
      ).test(outsideHooks),
    )
}

// Such a test passes only after another one.
test('no test in the browser assigns a variable that other tests read', () => {
  const folder = 'test/e2e/dashboard'
  const files = readdirSync(folder).filter((file) => file.endsWith('.test.ts'))
  const found = files.flatMap((file) =>
    sharedAndAssigned(readFileSync(join(folder, file), 'utf8')).map((name) => `${file}: ${name}`),
  )

  expect(files.length).toBeGreaterThan(10)
  expect(found).toEqual([])
})

const TEST_FOLDERS = ['src', 'test', 'testkit', 'simulate', 'dashboard/src']

const testFiles = TEST_FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.test\.tsx?$/.test(file) || (folder === 'test' && /\.tsx?$/.test(file)))
    .map((file) => join(folder, file)),
)

const CPU_TIME = /\bprocess\.(?:cpuUsage|hrtime|resourceUsage)\b|\b(?:monitorEventLoopDelay|eventLoopUtilization)\b/
const ELAPSED_TIME = /\b(?:performance|Date)\.now\(\) - [a-z_]|\bexpect\((?:\w+\.)*(?:took|elapsed)\w*\)/i

/** Those who stood in line may have left it on a busy machine, and these tests allow for it. */
const MAY_MEASURE = ['src/kernel/db/share.test.ts', 'test/shares.test.ts']

// A busy machine would fail it. What is not linear is found by `terminates` (harness/watchdog.ts); what holds up others, by counting turns, steps,
// statements or the work of threads; that something ends, by its exit code or its answer. What is measured is a benchmark.
test('no test compares times', () => {
  const comparing = testFiles
    .filter((file) => file !== 'test/architecture.test.ts')
    .filter((file) => CPU_TIME.test(readFileSync(file, 'utf8')) || ELAPSED_TIME.test(readFileSync(file, 'utf8')))

  expect(testFiles.length).toBeGreaterThan(500)
  expect(comparing).toEqual(MAY_MEASURE)
})

/** What a virtual month is made of. */
const SIMULATED = ['simulate/sites', 'simulate/strategies', 'simulate/virtual']

// A month is the same for the same seed, and a site the same behind a real mail server.
test('the simulated sites and senders have no clock, no sockets and no randomness', () => {
  const files = SIMULATED.flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
  const impure = files
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) =>
      /from 'node:|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bperformance\b|\bsetTimeout\b/.test(
        readFileSync(file, 'utf8'),
      ),
    )

  expect(files.length).toBeGreaterThan(15)
  expect(impure).toEqual([])
})
