import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A row of the ledger as the model has it. `holder` 0: nobody's. */
export interface ModelRow {
  readonly state: string
  readonly holder: number
  readonly claims: number
  readonly attempts: number
}

export type ModelOutcome = 'Taken' | 'Refused' | 'Deferred' | 'Unknown' | 'Untried'

/** One action of the model, and the tables after it. */
export interface TraceStep {
  readonly name: string
  readonly process: number
  readonly row: number
  readonly node: number
  readonly claims: number
  readonly outcome: ModelOutcome
  readonly ledger: Readonly<Record<string, ModelRow>>
  readonly nodes: readonly number[]
}

export type Trace = readonly TraceStep[]

/** Tests and scripts alike run in the folder of the repository. */
const root = process.cwd()
export const MODEL = join(root, 'spec', 'delivery.qnt')
const QUINT = join(root, 'node_modules', '.bin', 'quint')

/** Which model traces are of. */
export const modelHash = () => createHash('sha256').update(readFileSync(MODEL)).digest('hex')

/** Runs Quint on the model. Its TypeScript backend: the other one is downloaded. Rejects when an invariant is violated or a test fails. */
export async function quint(command: 'run' | 'test', args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(QUINT, [command, MODEL, '--backend=typescript', ...args], {
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout
}

/** Traces of the model as it is built, in each state of which all its invariants hold. */
export async function generateTraces(options: { count: number; steps: number; seed: number }): Promise<Trace[]> {
  const folder = mkdtempSync(join(tmpdir(), 'delivery-traces-'))
  try {
    await quint('run', [
      ...['--main=postwren', '--invariant=promises', `--seed=${options.seed}`, `--max-steps=${options.steps}`],
      ...[`--max-samples=${options.count}`, `--n-traces=${options.count}`, '--verbosity=0'],
      `--out-itf=${join(folder, 'trace_{seq}.itf.json')}`,
    ])
    return readdirSync(folder).map((file) => traceOf(JSON.parse(readFileSync(join(folder, file), 'utf8'))))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** From the Informal Trace Format. */
function traceOf({ states }: { states: readonly Record<string, unknown>[] }): Trace {
  return states.slice(1).map((state) => {
    const value = (name: string) => plain(state[`postwren::delivery::${name}`])
    const { outcome, ...action } = value('lastAction') as Omit<TraceStep, 'outcome'> & {
      outcome: { tag: ModelOutcome }
    }
    const ledger = value('ledger') as TraceStep['ledger']
    return { ...action, outcome: outcome.tag, ledger, nodes: value('nodes') as number[] }
  })
}

/** Numbers, sets and maps of the format as those of JSON. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(plain)
  if ('#bigint' in value) return Number(value['#bigint'])
  if ('#set' in value) return plain(value['#set'])
  if ('#tup' in value) return plain(value['#tup'])
  if ('#map' in value) return Object.fromEntries(plain(value['#map']) as [string, unknown][])
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]))
}
