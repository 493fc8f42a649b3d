import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sql } from '../src/kernel/db/sql.ts'
import { isWriting, type SqlTemplate, sqlTemplates } from './harness/sql-templates.ts'

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => ({ file, text: readFileSync(join('src', file), 'utf8') }))

const naming = (word: RegExp) => sources.filter(({ text }) => word.test(text)).map(({ file }) => file)

test('work for a team begins with `forTeam` or `forTeams`: nobody else asks what time it is there', () => {
  expect(naming(/\brefreshClocks\b/).sort()).toEqual(['kernel/db/database.ts', 'kernel/db/sandbox-clocks.ts'])
  expect(naming(/\bextends Database\b/)).toEqual([])
})

const templates = sources.flatMap(({ file, text }) => sqlTemplates(text).map((template) => ({ file, ...template })))

test('a statement that writes says so', () => {
  const wrong = templates.filter(({ text, isDeclared }) => isWriting(text) !== isDeclared)

  expect(wrong.map(({ file, text }) => [file, text])).toEqual([])
  expect(templates.filter(({ isDeclared }) => isDeclared).length).toBeGreaterThan(250)
})

// `update … set`: prose has the word, too.
const WRITE =
  /\b(?:(?:insert|merge)\s+into|delete\s+from|truncate)\s+(?:\w|\$\{)|(?<!\bdo\s+)\bupdate\s+(?:\w+|\$\{)[^\n]*?\s+set\s/g

test('all SQL that writes is in templates', () => {
  const innermost = (found: readonly SqlTemplate[], index: number) =>
    found.filter(({ at, end }) => at < index && index < end).sort((a, b) => b.at - a.at)[0]
  const outside = sources.flatMap(({ file, text }) => {
    const found = sqlTemplates(text)
    const code = text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, (line) => ' '.repeat(line.length))
    return [...code.matchAll(WRITE)].filter(({ index }) => !innermost(found, index)?.isDeclared).map(() => file)
  })

  expect([...new Set(outside)].sort()).toEqual(WITHOUT_TEMPLATE)
})

/** A table of DuckDB in memory; the list of migrations, on a connection of its own. */
const WITHOUT_TEMPLATE = ['features/personal-data/archive/search.ts', 'kernel/db/migrate.ts']

test.each<[string, boolean]>([
  ['sql`select updated_at from topics for no key update`', false],
  ['sql`select 1 from topics for update`', false],
  [`sql\`select \${'insert into topics'}\``, false],
  ['sql`with a as (delete from topics returning id) select * from a`', true],
  ["sql`insert into topics default values on conflict do update set name = ''`", true],
  ["sql`\n  update topics set name = ''`", true],
  [`sql\`select \${sql\`update topics set name = 1\`}\``, false],
])('which statements write %#', (source, expected) => {
  expect(isWriting(sqlTemplates(source).at(-1)!.text)).toBe(expected)
})

test('what contains a piece that writes does so itself', () => {
  const deleting = sql.write`delete from topics where id = ${1}`

  expect(sql`with gone as (${deleting}) select ${2}`).toMatchObject({ isWrite: true, values: [1, 2] })
  expect(sql`select ${3}`.isWrite).toBe(false)
})
