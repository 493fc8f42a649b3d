import { cpuOf } from '../compare/usage.ts'
import { readOnce } from '../load.ts'
import { descendantPids } from '../processes.ts'
import { note, progress } from '../progress.ts'
import { median, type Row } from '../report.ts'
import { call, type Stage } from './stage.ts'

/** Three pipelined connections, and each plans a statement anew for the first five times. */
const WARM_UP = 24
const ASKED = 24
/** Enough of a question that takes seconds. */
const MAX_MS = 15_000
const MIN_ASKED = 3
const MAX_RATIO = 1.15

interface Item {
  readonly id: string
}

/** What is asked of both databases; the path may depend on what is in them. */
interface Question {
  readonly what: string
  path(stage: Stage): string | Promise<string>
}

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString()

const fixed = (path: string, what = path): Question => ({ what, path: () => path })

/** Lists that mail makes longer. */
async function listsOf(stage: Stage): Promise<readonly string[]> {
  const webhooks = await call<{ data: Item[] }>(stage, 'GET', '/webhooks')
  return ['/emails', '/logs', '/messages', `/webhooks/${webhooks.data[0]!.id}/events`]
}

/** Lists that it does not: what they cost must not depend on mail either. */
const OTHER_LISTS = [
  ...['/emails/receiving', '/contacts', '/segments', '/topics', '/domains', '/api-keys', '/templates', '/broadcasts'],
  ...['/webhooks', '/suppressions', '/automations', '/audit-events', '/events', '/inboxes', '/contact-properties'],
]

const FILTERS = [
  'status=delivered',
  'status=bounced',
  'status=opened',
  'tag=plan',
  'tag=plan:gold',
  'tag=nothing',
  'to=sink7.dev',
  'to=person11',
  'to=nobody.example',
  () => `created_after=${day(45)}&created_before=${day(44)}`,
  () => `created_before=${day(80)}`,
  () => `status=bounced&created_before=${day(45)}`,
  'status=bounced&tag=plan',
  'status=delivered&to=person11',
]

const SEARCHES = [
  ...[
    'person111',
    'your order',
    'invoice',
    'to:sink7.dev',
    'from:shop',
    'status:bounced',
    'tag:plan=gold',
    'nothinglikethis',
  ],
  ...['"is on its way"', 'status:bounced invoice', '-invoice'],
]

const METRICS = [
  '/emails/metrics',
  () => `/emails/metrics?start_date=${day(30)}&end_date=${day(0)}`,
  () => `/emails/metrics?start_date=${day(90)}&end_date=${day(0)}&dimensions=period&granularity=daily`,
  () => `/emails/metrics?start_date=${day(2)}&end_date=${day(0)}&dimensions=period&granularity=hourly`,
]

const textOf = (piece: string | (() => string)) => (typeof piece === 'string' ? piece : piece())

export async function questions(): Promise<Question[]> {
  const pages = ['/emails', '/logs', '/messages', '/webhooks/ID/events'].flatMap((name, index) => {
    const list = async (stage: Stage) => (await listsOf(stage))[index]!
    return [
      { what: `${name}, first page`, path: async (stage: Stage) => `${await list(stage)}?limit=20` },
      {
        what: `${name}, in the middle`,
        path: async (stage: Stage) => `${await list(stage)}?limit=20&after=${await middleOf(stage, name)}`,
      },
      {
        what: `${name}, last page`,
        path: async (stage: Stage) => `${await list(stage)}?limit=20&before=00000000-0000-7000-8000-000000000000`,
      },
    ]
  })
  return [
    ...pages,
    { what: 'one email', path: async (stage) => `/emails/${await middleOf(stage, '/emails')}` },
    ...FILTERS.map((filter) =>
      fixed(`/emails?limit=20&${textOf(filter)}`, `/emails?${textOf(filter).replaceAll(/T[\d:.]+Z/g, '')}`),
    ),
    ...SEARCHES.map((q) => fixed(`/emails?limit=20&q=${encodeURIComponent(q)}`, `search: ${q}`)),
    ...METRICS.map((path) => fixed(textOf(path), textOf(path).replaceAll(/T[\d:.]+Z/g, ''))),
    ...OTHER_LISTS.map((path) => fixed(`${path}?limit=20`, path)),
  ]
}

const middles = new WeakMap<Stage, Map<string, string>>()

const TABLES: Readonly<Record<string, string>> = {
  '/emails': 'emails',
  '/messages': 'emails',
  '/logs': 'request_logs',
  '/webhooks/ID/events': 'outbox',
}

/** The id in the middle of a list, by time. */
async function middleOf(stage: Stage, list: string): Promise<string> {
  const known = middles.get(stage) ?? new Map<string, string>()
  middles.set(stage, known)
  const before = known.get(list)
  if (before) return before
  const { raw, sql } = await import('../../src/kernel/db/sql.ts')
  const table = raw(TABLES[list]!)
  const [row] = await stage.database.db.queryPooled<{ id: string }>(sql`
    with ends as (
      select (select id from ${table} where team_id = ${stage.team} order by id limit 1) as first,
        (select id from ${table} where team_id = ${stage.team} order by id desc limit 1) as last),
    moments as (
      select ('x' || left(replace(first::text, '-', ''), 12))::bit(48)::bigint as first,
        ('x' || left(replace(last::text, '-', ''), 12))::bit(48)::bigint as last from ends)
    select id from ${table}, moments where team_id = ${stage.team}
      and id >= (lpad(to_hex((first + last) / 2), 12, '0') || '00000000000000000000')::uuid order by id limit 1`)
  known.set(list, row!.id)
  return row!.id
}

export async function askBoth(empty: Stage, deep: Stage): Promise<Row[]> {
  const rows: Row[] = []
  const all = await questions()
  for (const [index, question] of all.entries()) {
    progress(`question ${index + 1} of ${all.length}: ${question.what}`)
    rows.push(await ask(empty, deep, question))
  }
  return rows
}

/** One after the other, one of each in turn, so that whatever disturbs one disturbs the other as well. */
async function ask(empty: Stage, deep: Stage, { what, path }: Question): Promise<Row> {
  const urls = [empty.service.url + (await path(empty)), deep.service.url + (await path(deep))] as const
  const times: [number[], number[]] = [[], []]
  const cpuMs: [number[], number[]] = [[], []]
  const begin = performance.now()
  const isEnough = () => performance.now() - begin > MAX_MS && times[1].length >= MIN_ASKED
  const row = { what, unit: '×', wanted: 'at most', must: MAX_RATIO, dream: 1 } as const
  try {
    for (let at = 0; at < WARM_UP + ASKED && !isEnough(); at++)
      for (const side of [0, 1] as const) {
        const before = cpuOfDatabase([empty, deep][side]!)
        const { milliseconds } = await readOnce(urls[side])
        if (at < WARM_UP && performance.now() - begin < MAX_MS) continue
        times[side].push(milliseconds)
        cpuMs[side].push(cpuOfDatabase([empty, deep][side]!) - before)
      }
  } catch (error) {
    // A search that takes longer than it may is refused: that is a figure, too, and the others are still to be asked.
    note(`${what}: ${(error as Error).message}`)
    return { ...row, ours: 'refused', baseline: null, figure: Number.POSITIVE_INFINITY }
  }
  // Of most of them: now and then autovacuum works beside one.
  const eachMs = (side: 0 | 1) => median(cpuMs[side])
  const ratio = eachMs(1) / eachMs(0)
  const written = (side: 0 | 1) => `${eachMs(side).toFixed(2)} ms CPU, p50 ${median(times[side]).toFixed(1)} ms`
  if (ratio > MAX_RATIO) note(`${ratio.toFixed(2)} × ${what}: ${written(1)} against ${written(0)}`)
  return { ...row, ours: written(1), baseline: written(0), figure: ratio }
}

/** The figure is CPU of PostgreSQL: milliseconds tell who else uses the machine. */
const cpuOfDatabase = ({ database }: Stage) => cpuOf(descendantPids(database.pid))
