import { PARTITIONED_TABLES } from '../../src/kernel/partitions/tables.ts'

/** Tables with mail and events, and those whose name a migration puts together. */
const NAMES = [...PARTITIONED_TABLES.map(({ name }) => name), 'deliveries', 'waiting_deliveries']
const TABLE = `(?:if exists )?(?:only )?((?:${NAMES.join('|')})(?:_\\w+)?|%\\S+)\\b`

/** What would stop mail for as long as it takes, and what to do instead. */
const RULES: readonly { readonly pattern: RegExp; readonly unless?: RegExp; readonly advice: string }[] = [
  {
    pattern: new RegExp(`create (?:unique )?index (?!concurrently)(?:if not exists )?(?:\\w+ )?on ${TABLE}`),
    advice: 'an index of a table with mail is made concurrently, in a migration of its own',
  },
  {
    pattern: new RegExp(`alter table ${TABLE}.* set not null`),
    advice: 'add a check constraint as `not valid`, and validate it in the next migration',
  },
  {
    pattern: new RegExp(`alter table ${TABLE}.* add (?:constraint \\S+ )?(?:check|foreign key)`),
    unless: /not valid/,
    advice: 'add it as `not valid`, and validate it in the next migration',
  },
  {
    pattern: new RegExp(`alter table ${TABLE}.* add (?:constraint \\S+ )?(?:unique|primary key)`),
    unless: /using index/,
    advice: 'make its index concurrently first, and add it with `using index`',
  },
  {
    pattern: new RegExp(`alter table ${TABLE}.* alter (?:column )?\\S+ (?:set data )?type`),
    advice: 'add another column, which both programs write, and drop the old one in a later version',
  },
  {
    pattern: new RegExp(`(?:vacuum full|cluster|reindex(?: \\(.*\\))? table(?! concurrently)) ${TABLE}`),
    advice: 'this writes the whole table anew',
  },
]

const CONCURRENT_INDEX = /^create (unique )?index concurrently if not exists \w+ on \w+ /

/** What in a migration would stop mail, or could not be run again after it was cut off. Empty tables that it creates itself may have anything. */
export function stopsMail(text: string): string[] {
  const statements = text
    .replace(/--.*$/gm, '')
    .replace(/\s+/g, ' ')
    .toLowerCase()
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
  const created = new Set(statements.flatMap((one) => [...one.matchAll(/create table (\w+)/g)].map(([, name]) => name)))
  const problems = statements.flatMap((statement) =>
    RULES.filter(({ pattern, unless }) => {
      const [, table] = pattern.exec(statement) ?? []
      return table !== undefined && !created.has(table) && !unless?.test(statement)
    }).map(({ advice }) => `${statement.slice(0, 80)}: ${advice}`),
  )
  const isAlone = text.startsWith('-- no transaction')
  if (isAlone && statements.length !== 1) problems.push('without a transaction there is one statement')
  for (const statement of statements.filter((one) => / index concurrently /.test(one))) {
    if (!isAlone) problems.push(`${statement.slice(0, 80)}: the first line has to be \`-- no transaction\``)
    if (/^create/.test(statement) && !CONCURRENT_INDEX.test(statement))
      problems.push(`${statement.slice(0, 80)}: \`create index concurrently if not exists NAME on TABLE …\``)
  }
  return problems
}
