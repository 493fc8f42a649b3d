import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from '../src/kernel/db/sql.ts'
import { atEnd } from './cleanup.ts'
import { type Contender, startContender } from './compare/contender.ts'
import { PROBES } from './compare/probes.ts'
import { usageOf } from './compare/usage.ts'
import { progress } from './progress.ts'

const ROUNDS = 4
const SHOWN_FUNCTIONS = 30
const SHOWN_STATEMENTS = 12
const SHOWN_CHARACTERS = 110

/** Where the time of a path goes: CPU of the service by function, of PostgreSQL by statement, for each email (event, page …). */
export async function profile(names: readonly string[]) {
  for (const name of names) {
    const probe = PROBES[name]!
    const folder = mkdtempSync(join(tmpdir(), 'postwren-profile-'))
    atEnd(() => rmSync(folder, { recursive: true, force: true }))
    const stage = await probe.prepare()
    const contender = await startContender({ folder: '.', name: 'this build' }, await stage.settings(), {
      nodeFlags: ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=200'],
      beforeStart: loadStatementStatistics,
    })
    await stage.begin(contender)
    await contender.database.db.queryPooled(sql`create extension if not exists pg_stat_statements`)
    await contender.database.db.queryPooled(sql`select pg_stat_statements_reset()`)
    const before = await usageOf(contender)
    let count = 0
    for (let round = 0; round < ROUNDS; round++) {
      progress(`${probe.summary}: round ${round + 1} of ${ROUNDS}`)
      count += await stage.round(contender)
    }
    const after = await usageOf(contender)
    const statements = await statementsOf(contender)
    await contender.stop()
    await stage.end()
    const of = (side: 'service' | 'postgres') => ((after[side] - before[side]) * 1_000) / count
    console.log(
      `\n${probe.summary}: ${count.toLocaleString('en')}; service ${of('service').toFixed(0)} µs, PostgreSQL ${of('postgres').toFixed(0)} µs of CPU for each ${probe.unit}`,
    )
    console.log('\n| function | by itself | with what it calls |\n|---|---|---|')
    for (const { title, own, total } of functionsOf(folder))
      console.log(`| ${title} | ${percent(own)} | ${percent(total)} |`)
    console.log(`\n| statement | µs for each ${probe.unit} | calls | buffers for each |\n|---|---|---|---|`)
    for (const { query, total, calls, buffers } of statements)
      console.log(
        `| \`${shorten(query)}\` | ${((total * 1_000) / count).toFixed(1)} | ${(calls / count).toFixed(3)} | ${(buffers / count).toFixed(1)} |`,
      )
  }
}

/** PostgreSQL counts statements only when it was told so before it starts. */
function loadStatementStatistics(dataDir: string) {
  appendFileSync(
    join(dataDir, 'postgres', 'postgresql.auto.conf'),
    "shared_preload_libraries = 'pg_stat_statements'\npg_stat_statements.track = 'all'\n",
  )
}

interface Statement {
  readonly query: string
  /** Milliseconds. */
  readonly total: number
  readonly calls: number
  readonly buffers: number
}

const statementsOf = ({ database }: Contender) =>
  database.db.queryPooled<Statement>(sql`
    select query, total_exec_time as total, calls::float8, (shared_blks_hit + shared_blks_read)::float8 as buffers
    from pg_stat_statements order by total_exec_time desc limit ${SHOWN_STATEMENTS}`)

const shorten = (query: string) => query.replace(/\s+/g, ' ').replaceAll('|', '¦').slice(0, SHOWN_CHARACTERS)

const percent = (share: number) => `${(share * 100).toFixed(1)} %`

interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly children?: readonly number[]
}

/** Shares of all samples of all threads, without what they waited; the largest first. */
function functionsOf(folder: string): { title: string; own: number; total: number }[] {
  const byTitle = new Map<string, { own: number; total: number }>()
  let all = 0
  for (const file of readdirSync(folder)) {
    const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile
    const microseconds = new Map<number, number>()
    for (const [index, node] of samples.entries())
      microseconds.set(node, (microseconds.get(node) ?? 0) + timeDeltas[index]!)
    const byId = new Map(nodes.map((node) => [node.id, node]))
    const add = (node: ProfileNode, callers: ReadonlySet<string>): number => {
      const title = titleOf(node.callFrame)
      const own = title === '(idle)' || title === '(root)' ? 0 : (microseconds.get(node.id) ?? 0)
      const inner = new Set(callers).add(title)
      const total = (node.children ?? []).reduce((sum, child) => sum + add(byId.get(child)!, inner), own)
      const known = byTitle.get(title) ?? { own: 0, total: 0 }
      // What calls itself counts once.
      byTitle.set(title, { own: known.own + own, total: known.total + (callers.has(title) ? 0 : total) })
      return total
    }
    all += add(nodes[0]!, new Set())
  }
  const found = [...byTitle].map(([title, { own, total }]) => ({ title, own: own / all, total: total / all }))
  const largest = (by: 'own' | 'total') => [...found].sort((a, b) => b[by] - a[by]).slice(0, SHOWN_FUNCTIONS)
  return [...new Set([...largest('own'), ...largest('total')])]
}

function titleOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  const name = functionName || '(anonymous)'
  const file = url.replace(/^.*\/node_modules\//, '').replace(/^.*\/(dist\/)/, '$1')
  return url ? `\`${name}\` ${file}:${lineNumber + 1}` : name
}
