import type { Imported } from '../../../features/imported.ts'
import { Problem } from '../../../kernel/http/problem.ts'
import type { Named } from './account.ts'
import { KINDS, type Kind, type Report } from './report.ts'
import type { Source } from './source.ts'
import type { ImportState } from './state.ts'
import type { Target } from './target.ts'

/** An import under way. */
export interface Import {
  readonly source: Source
  readonly target: Target
  readonly state: ImportState
  readonly report: Report
  readonly now: Date
  /** Contacts get new ids, in the order of their `created_at`. */
  readonly isNewId: boolean
  /** Told after each batch. */
  onProgress(kind: Kind, read: number): void
}

export type ReadKind = (running: Import) => Promise<void>

/** What a kind speaks of, and has to be here before it. */
const NEEDS: Partial<Record<Kind, readonly Kind[]>> = {
  contacts: ['properties', 'topics', 'segments'],
  broadcasts: ['segments', 'topics'],
  automations: ['properties', 'segments', 'events', 'templates'],
}

/** The kinds that are asked for, with those that they need, in order. */
export function withNeeded(wanted: readonly Kind[]): Kind[] {
  const all = new Set(wanted.flatMap((kind) => [kind, ...(NEEDS[kind] ?? [])]))
  return KINDS.filter((kind) => all.has(kind))
}

/** Reads and writes kind after kind. What is done is not done again by a run that goes on. */
export async function runImport(running: Import, kinds: readonly Kind[], readers: Record<Kind, ReadKind>) {
  const { progress } = running.state
  for (const kind of kinds) {
    if (progress.done.includes(kind)) continue
    if (progress.cursor?.kind !== kind) begin(running, kind)
    running.report.of(kind)
    await readers[kind](running)
    progress.done.push(kind)
    progress.cursor = null
    progress.lists.length = 0
    running.state.save()
  }
}

/** From the beginning: what a killed run has counted of this kind is counted again. */
function begin({ state: { progress }, report: { data } }: Import, kind: Kind) {
  delete data.counts[kind]
  for (const list of [data.skipped, data.notes])
    list.splice(0, list.length, ...list.filter((reason) => reason.kind !== kind))
  if (kind === 'domains') data.dns.length = 0
  if (kind === 'keys') data.keys.length = 0
  progress.lists.length = 0
}

/** One after the other, each in a transaction of its own: for kinds of which an account has few. */
export async function importEach<Item extends Named>(
  running: Import,
  { kind, path, write }: { kind: Kind; path: string; write(item: Item): Promise<Imported | null> },
) {
  for await (const { items } of running.source.pages<Item>(path)) {
    for (const item of items) {
      await orSkip(running, { kind, item }, async () => {
        const imported = await write(item)
        if (!imported) return
        remember(running, `${kind}/${item.id}`, imported)
        running.report.count(kind, imported.outcome)
      })
    }
    running.onProgress(kind, running.report.of(kind).read)
  }
}

/** What cannot be here is no reason to stop: the report says why. */
async function orSkip({ report }: Import, { kind, item }: { kind: Kind; item: Named }, work: () => Promise<void>) {
  try {
    await work()
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string }
    // Of PostgreSQL: a value that does not fit (22), a constraint (23).
    const isRefused = error instanceof Problem || /^2[23]\w{3}$/.test(String(code))
    if (!isRefused) throw error
    report.skip(kind, item.name ?? item.id, message)
  }
}

/** In a dry run nothing new is here, so nothing can speak of it. */
function remember({ state, target }: Import, key: string, { id, outcome }: Imported) {
  if (!(target.isDryRun && outcome === 'created')) state.progress.ids[key] = id
}

/** The id that something has here; undefined: it is not here. */
export const idHere = ({ state }: Import, kind: Kind, idThere: string | null | undefined): string | undefined =>
  idThere ? state.progress.ids[`${kind}/${idThere}`] : undefined
