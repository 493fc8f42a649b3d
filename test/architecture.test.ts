import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

const isTest = (file: string) => /\.test\.ts$|\/test-[^/]+$/.test(file)

/** Each relative import of the sources, as [file, imported file], both below `src`. */
const imports = sources.flatMap((file) =>
  [...readFileSync(join('src', file), 'utf8').matchAll(/from '(\.[^']+)'/g)].map(
    ([, target]) => [file, normalize(join(dirname(file), target!))] as const,
  ),
)

// Who may import whom. A folder that is not on the right is out of reach.
const MAY_IMPORT: Record<string, string[]> = {
  mail: [],
  platform: ['mail'],
  http: ['mail', 'platform'],
  outbox: ['platform'],
  delivery: ['outbox', 'mail', 'platform'],
  inbound: ['outbox', 'mail', 'platform'],
  webhooks: ['outbox', 'platform'],
  dashboard: ['outbox', 'http', 'platform'],
  resources: ['delivery', 'inbound', 'webhooks', 'outbox', 'http', 'mail', 'platform'],
}

test('imports only point downwards', () => {
  const wrong = imports.filter(([file, target]) => {
    const [from, to] = [file.split('/')[0]!, target.split('/')[0]!]
    return to !== from && from in MAY_IMPORT && !MAY_IMPORT[from]!.includes(to) && !file.endsWith('.test.ts')
  })

  expect(wrong).toEqual([])
})

test('a resource shows others its actions and its schema, and nothing else', () => {
  const wrong = imports.filter(([file, target]) => {
    const [, from] = /^resources\/([^/]+)\//.exec(file) ?? []
    const [, to] = /^resources\/([^/]+)\//.exec(target) ?? []
    return from && to && from !== to && !/\/(actions|schema)\.ts$/.test(target) && !file.endsWith('.test.ts')
  })

  expect(wrong).toEqual([])
})

test('no file adds to the interfaces of another', () => {
  const adding = sources.filter((file) => /declare module '\./.test(readFileSync(join('src', file), 'utf8')))

  expect(adding).toEqual([])
})

// `update … set`, so that neither `for update` nor `do update set` is taken for it.
const WRITE =
  /\b(?:(?:insert|merge)\s+into|delete\s+from|truncate)\s+(\w+|\$\{)|(?<!\bdo\s+)\bupdate\s+(\w+|\$\{)[^\n]*?\s+set\s/g

/** What the SQL of the sources writes, as [folder, table]. Of resources each is a folder, of all others the outermost counts. */
const writes = sources
  .filter((file) => !isTest(file))
  .flatMap((file) =>
    [...readFileSync(join('src', file), 'utf8').matchAll(WRITE)].map(
      ([, table, updated]) => [/^resources\/[^/]+|^[^/]+/.exec(file)![0], (table ?? updated)!] as const,
    ),
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

/** Where time may be read past the clock, and why. */
const OWN_TIME: Record<string, string> = {
  'platform/clock.ts': 'the clock',
  'platform/log.ts': 'a line of the log says when it was written',
  'platform/db/presence.ts': 'compares the clock of this machine with that of the database',
  'commands/doctor/server.ts': 'asks the database for its time, to compare it',
}

// In JavaScript, and in what is sent to PostgreSQL: `now()` of nobody, and not the type of a method.
const READS_TIME =
  /\bDate\.now\b|\bnew Date\(\)|(?<![.\w#])now\(\)(?!: )|\b(?:current_timestamp|current_date|current_time|localtimestamp|localtime|(?:clock|statement|transaction)_timestamp\(\)|timeofday\(\))/i

test('time is read from the clock, and nowhere else', () => {
  const code = (file: string) => readFileSync(join('src', file), 'utf8').replace(/^\s*(?:\/\/|\/?\*).*$/gm, '')
  const readers = sources.filter((file) => !isTest(file) && READS_TIME.test(code(file)))

  expect(readers.sort()).toEqual(Object.keys(OWN_TIME).sort())
  // Who puts a process together chooses the clock; everybody else is given one.
  expect(
    sources.filter((file) => !isTest(file) && !file.startsWith('commands/') && /\bsystemClock\b/.test(code(file))),
  ).toEqual(['platform/clock.ts'])
})

test('no column has a time of its own', () => {
  const wrong = readFileSync('docs/schema.sql', 'utf8').match(
    /^.*\bdefault\b[^,]*(?:now\(|_timestamp|current_|localtime).*$/gim,
  )

  expect(wrong).toBeNull()
})

// The second one hands PATH on to the server that it starts.
test('nothing but the entry reads the environment', () => {
  const readers = sources.filter((file) => /process\.env/.test(readFileSync(join('src', file), 'utf8')))

  expect(readers.filter((file) => !file.endsWith('.test.ts')).sort()).toEqual([
    'main.ts',
    'platform/postgres/run-as.ts',
  ])
})

/** The program in the browser: files below `dashboard/src`, and what they import from there and from `src`. */
const program = readdirSync('dashboard/src', { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.tsx?$/.test(file),
)
const importsOfProgram = program.flatMap((file) =>
  [...readFileSync(join('dashboard/src', file), 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(
    ([, target]) => [file, normalize(join('dashboard/src', dirname(file), target!))] as const,
  ),
)

test('the dashboard shares schemas and pure functions with the server, and nothing else', () => {
  const wrong = importsOfProgram.filter(
    ([, target]) => !target.startsWith('dashboard/') && !/^src\/(resources\/.*\/schema|mail\/[\w-]+)\.ts$/.test(target),
  )

  expect(wrong).toEqual([])
})

test('a change of anything that the dashboard is made of builds it anew', async () => {
  const { shared } = (await import('../scripts/prepare.mjs' as string)) as { shared(): string[] }
  const reached = new Set(importsOfProgram.map(([, target]) => target).filter((target) => target.startsWith('src/')))
  for (const file of reached)
    for (const [from, target] of imports) if (`src/${from}` === file) reached.add(`src/${target}`)

  const known = shared()
  expect([...reached].filter((file) => !known.includes(file))).toEqual([])
})

test('in the dashboard the parts know no mail, and no feature knows another', () => {
  const folder = (path: string) => path.replace('dashboard/src/', '').split('/')
  const wrong = importsOfProgram.filter(([file, target]) => {
    const [[from, feature], [to, other]] = [folder(file), folder(target)]
    if (from === 'ui') return to === 'features' || to === 'app'
    return from === 'features' && (to === 'app' || (to === 'features' && feature !== other))
  })

  expect(wrong).toEqual([])
})

test('no file grows past its idea', () => {
  const long = [
    ...sources.map((file) => join('src', file)),
    ...program.map((file) => join('dashboard/src', file)),
  ].filter((file) => readFileSync(file, 'utf8').split('\n').length > 400)

  expect(long).toEqual([])
})

test('no path is named after nothing', () => {
  expect(sources.filter((file) => /(util|helper|common|manager|misc)/i.test(file))).toEqual([])
})
