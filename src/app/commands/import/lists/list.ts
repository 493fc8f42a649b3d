import { basename } from 'node:path'
import { ensureProperties } from '../../../../features/contact-properties/index.ts'
import { MAX_VALUE_LENGTH } from '../../../../features/contact-properties/schema.ts'
import { importContacts } from '../../../../features/contacts/imported.ts'
import { findSegmentsNamed } from '../../../../features/segments/queries.ts'
import { importSuppressions } from '../../../../features/suppressions/imported.ts'
import { findTopicsNamed } from '../../../../features/topics/queries.ts'
import { recordAudit } from '../../../../kernel/audit/record.ts'
import type { Transaction } from '../../../../kernel/db/database.ts'
import { type CommandInput, OperatorError, oneLine } from '../../command.ts'
import { withDatabase } from '../../database.ts'
import { Progress } from '../../progress.ts'
import { OPERATOR, requireTeam } from '../../teams.ts'
import { stopOnInterrupt } from '../stop-on-interrupt.ts'
import { openTarget, type Target } from '../target.ts'
import {
  contactOf,
  type Left,
  type ListedContact,
  type ListedSuppression,
  type Origin,
  PROVIDERS,
  type Provider,
  providerOf,
  suppressionOf,
} from './providers.ts'
import { type ListRecord, readList } from './records.ts'

/** Rows to a transaction. */
const BATCH = 500
/** Bad rows that are shown; the others are counted. */
const MAX_SHOWN = 20
/** Reasons that are counted apart: a file can make up any number. */
const MAX_REASONS = 30
/** A file with more different columns than this is not a list of people. */
const MAX_PROPERTIES = 200

const KINDS = ['suppressions', 'contacts'] as const
const ORIGINS = ['bounce', 'complaint', 'manual'] as const

interface Outcome {
  readonly counts: { read: number; created: number; updated: number; unchanged: number; skipped: number; bad: number }
  /** Why rows were left, and how many. */
  readonly skipped: Record<string, number>
  readonly bad: { readonly line: number; readonly reason: string }[]
}

/** A row that can be written, with its place in the file. */
type Row<Item> = { readonly line: number; readonly item: Item }

export async function runImportList({ config, words: [path = ''], flags, print }: CommandInput) {
  const kind = oneOf('kind', KINDS, flags.kind ?? '')
  const from = flags.from === undefined ? null : oneOf('from', PROVIDERS, flags.from)
  const origin = flags.origin === undefined ? null : oneOf('origin', ORIGINS, flags.origin)
  if (origin && kind === 'contacts') throw new OperatorError('--origin is for suppressions.')
  const isDryRun = flags['dry-run'] === true
  const stopping = stopOnInterrupt()
  const progress = new Progress()
  const work = withDatabase(config, async (db) => {
    const team = await requireTeam(db, flags.team)
    const target = await openTarget(db, { config, team, isDryRun })
    const list = new ListImport(target, (read) => {
      stopping.signal.throwIfAborted()
      progress.show(kind, read)
    })
    const provider = await list.run(path, { kind, from, origin })
    progress.end()
    const { counts, skipped, bad } = list.outcome
    if (!isDryRun) {
      const details = { file: basename(path), kind, from: provider, counts }
      await recordAudit(db, { team, actor: OPERATOR, action: 'team.import', objectId: team, details })
    }
    if (flags.json)
      return print(JSON.stringify({ object: 'import', kind, from: provider, dry_run: isDryRun, counts, skipped, bad }))
    for (const line of linesOf(list.outcome, { kind, provider, isDryRun })) print(line)
  })
  try {
    await work
  } catch (error) {
    throw stopping.signal.aborted ? new OperatorError('Stopped. Rows that were read are imported.') : error
  } finally {
    stopping.end()
  }
}

function oneOf<const Choice extends string>(flag: string, choices: readonly Choice[], given: string | boolean): Choice {
  const found = choices.find((choice) => choice === given)
  if (found === undefined) throw new OperatorError(`--${flag} must be one of ${choices.join(', ')}.`)
  return found
}

interface Wanted {
  readonly kind: (typeof KINDS)[number]
  readonly from: Provider | null
  readonly origin: Origin | null
}

class ListImport {
  readonly #target: Target
  readonly #onBatch: (read: number) => void
  readonly #properties = new Map<string, { id: string; type: 'string' | 'number' }>()
  readonly outcome: Outcome = {
    counts: { read: 0, created: 0, updated: 0, unchanged: 0, skipped: 0, bad: 0 },
    skipped: {},
    bad: [],
  }

  /** `onBatch` is called after each batch, with the rows that were read. */
  constructor(target: Target, onBatch: (read: number) => void) {
    this.#target = target
    this.#onBatch = onBatch
  }

  async run(path: string, { kind, from, origin }: Wanted): Promise<Provider> {
    let provider = from
    let batch: ListRecord[] = []
    const write = async () => {
      const rows = batch
      batch = []
      if (kind === 'contacts') await this.#writeContacts(this.#readable(rows, (fields) => contactOf(provider!, fields)))
      else await this.#writeSuppressions(this.#readable(rows, (fields) => suppression(provider!, fields)))
      this.#onBatch(this.outcome.counts.read)
    }
    const suppression = (whose: Provider, fields: object) => {
      const read = suppressionOf(whose, fields)
      // Whoever names the origin knows what the list is.
      if (origin === null || ('left' in read && read.isBad)) return read
      return 'left' in read
        ? { ...(suppressionOf('csv', { ...fields, origin }) as ListedSuppression), origin }
        : { ...read, origin }
    }
    for await (const record of readList(path)) {
      if (provider === null && record.fields) {
        provider = providerOf(record.fields)
        if (provider === null)
          throw new OperatorError(
            `The file is of no known form: it has ${namesIn(record.fields)}. Name the service with --from.`,
          )
      }
      batch.push(record)
      if (batch.length === BATCH) await write()
    }
    if (batch.length > 0 && provider === null) throw new OperatorError('No row of the file can be read.')
    if (batch.length > 0) await write()
    if (this.outcome.counts.read === 0) throw new OperatorError('The file has no rows.')
    return provider!
  }

  /** What can be written of the rows; the others are counted. */
  #readable<Item extends object>(
    records: readonly ListRecord[],
    read: (fields: Readonly<Record<string, unknown>>) => Item | Left,
  ): Row<Item>[] {
    this.outcome.counts.read += records.length
    return records.flatMap(({ line, fields }) => {
      if (fields === null) return this.#bad(line, 'The row cannot be read')
      const text = JSON.stringify(fields)
      const item = read(text.includes('\\u0000') ? JSON.parse(text.replaceAll('\\u0000', '')) : fields)
      if (!('left' in item)) return [{ line, item: item as Item }]
      const { left, isBad } = item as Left
      return isBad ? this.#bad(line, left) : this.#skip(left)
    })
  }

  #bad(line: number, reason: string): [] {
    this.outcome.counts.bad++
    if (this.outcome.bad.length < MAX_SHOWN) this.outcome.bad.push({ line, reason })
    return []
  }

  #skip(reason: string): [] {
    this.outcome.counts.skipped++
    const { skipped } = this.outcome
    const isNamed = reason in skipped || Object.keys(skipped).length < MAX_REASONS
    const named = isNamed ? reason : 'Other reasons'
    skipped[named] = (skipped[named] ?? 0) + 1
    return []
  }

  async #writeSuppressions(rows: readonly Row<ListedSuppression>[]) {
    const { team, write } = this.#target
    const now = this.#now
    const suppressions = rows.map(({ item: { created_at, ...rest } }) => ({
      ...{ ...rest, sourceId: null, created_at: created_at && created_at < now ? created_at : now },
    }))
    const created = await write((trx) => importSuppressions(trx, team, suppressions))
    this.outcome.counts.created += created
    this.outcome.counts.unchanged += rows.length - created
  }

  async #writeContacts(rows: readonly Row<ListedContact>[]) {
    const { team, write } = this.#target
    const now = this.#now
    await write(async (trx) => {
      const named = await this.#named(trx, rows)
      const values = await this.#valuesOf(trx, rows)
      const contacts = rows.flatMap(({ line, item: { created_at, ...item } }, index) => {
        const segments = item.segments.map((name) => named.segment(name))
        const topics = item.topics.map(({ topic, subscription }) => ({ id: named.topic(topic), subscription, topic }))
        const unknown = segments.indexOf(undefined)
        if (unknown >= 0) return this.#bad(line, `There is no segment ${item.segments[unknown]}`)
        const missing = topics.find(({ id }) => id === undefined)
        if (missing) return this.#bad(line, `There is no topic ${missing.topic}`)
        return [
          {
            ...item,
            created_at: created_at && created_at < now ? created_at : now,
            segments: segments as string[],
            topics: topics.map(({ id, subscription }) => ({ id: id!, subscription })),
            properties: values[index]!,
          },
        ]
      })
      const outcomes = await importContacts(trx, team, contacts)
      for (const outcome of outcomes)
        if (outcome === 'over_limit') this.#skip('The contact limit of the team is reached')
        else this.outcome.counts[outcome]++
    })
  }

  get #now(): Date {
    const { db, team } = this.#target
    return db.clock.of(team).now()
  }

  /** Segments and topics that rows speak of, by their names or ids. */
  async #named(trx: Transaction, rows: readonly Row<ListedContact>[]) {
    const { team } = this.#target
    const names = (all: string[]) => [...new Set(all)]
    const segments = names(rows.flatMap(({ item }) => [...item.segments]))
    const topics = names(rows.flatMap(({ item }) => item.topics.map(({ topic }) => topic)))
    const [bySegment, byTopic] = [
      segments.length > 0 ? await findSegmentsNamed(trx, team, segments) : new Map<string, string>(),
      topics.length > 0 ? await findTopicsNamed(trx, team, topics) : new Map<string, string>(),
    ]
    return { segment: (name: string) => bySegment.get(name), topic: (name: string) => byTopic.get(name) }
  }

  /** The values of each row under the ids of their properties. Those that are new are made: numbers where the first value is one. */
  async #valuesOf(trx: Transaction, rows: readonly Row<ListedContact>[]): Promise<Record<string, string | number>[]> {
    const { team, isDryRun } = this.#target
    const wanted = new Map<string, 'string' | 'number'>()
    for (const { item } of rows)
      for (const [key, value] of Object.entries(item.properties))
        if (!this.#properties.has(key) && !wanted.has(key)) wanted.set(key, typeof value as 'string' | 'number')
    if (this.#properties.size + wanted.size > MAX_PROPERTIES)
      throw new OperatorError(`The file has more than ${MAX_PROPERTIES} columns besides those of a contact.`)
    const made = await ensureProperties(
      trx,
      team,
      [...wanted].map(([key, type]) => ({ key, type })),
    )
    const known = new Map([...this.#properties, ...made])
    if (!isDryRun) for (const [key, property] of made) this.#properties.set(key, property)
    return rows.map(({ item }) => {
      const values: Record<string, string | number> = {}
      for (const [key, value] of Object.entries(item.properties)) {
        const { id, type } = known.get(key)!
        const fitting = type === 'number' ? Number(value) : String(value).slice(0, MAX_VALUE_LENGTH)
        if (typeof fitting === 'string' || Number.isFinite(fitting)) values[id] = fitting
      }
      return values
    })
  }
}

const namesIn = (fields: object) => oneLine(Object.keys(fields).slice(0, 10).join(', ')).slice(0, 200)

function linesOf({ counts, skipped, bad }: Outcome, about: { kind: string; provider: Provider; isDryRun: boolean }) {
  const number = (value: number) => value.toLocaleString('en-US')
  const { kind, provider, isDryRun } = about
  const parts = Object.entries(counts).filter(([name, value]) => name !== 'read' && value > 0)
  return [
    `${isDryRun ? 'Nothing was written. Of ' : ''}${number(counts.read)} ${kind} (${provider}): ${parts.map(([name, value]) => `${number(value)} ${name}`).join(', ')}.`,
    ...Object.entries(skipped).map(([reason, times]) => `  skipped: ${oneLine(reason)} (${number(times)})`),
    ...bad.map(({ line, reason }) => `  line ${line}: ${oneLine(reason)}`),
    ...(counts.bad > bad.length ? [`  … and ${number(counts.bad - bad.length)} more bad rows`] : []),
  ]
}
