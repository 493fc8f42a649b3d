import { oneLine, tableOf } from '../command.ts'

/** What an import is about, in the order in which it is done: what others speak of comes first. */
export const KINDS = [
  'domains',
  'properties',
  'topics',
  'segments',
  'events',
  'templates',
  'suppressions',
  'contacts',
  'broadcasts',
  'automations',
  'webhooks',
  'keys',
] as const
export type Kind = (typeof KINDS)[number]

export type Outcome = 'created' | 'updated' | 'unchanged'

export interface Counts {
  read: number
  created: number
  updated: number
  unchanged: number
  skipped: number
}

/** A change that the DNS of a domain needs. */
export interface DnsChange {
  readonly domain: string
  readonly when: 'before' | 'switch' | 'after'
  readonly act: 'add' | 'replace' | 'remove'
  readonly type: string
  readonly name: string
  readonly value: string
  readonly priority?: number
  /** Of `replace`: what is there now. */
  readonly instead_of?: string
}

interface Reason {
  readonly kind: Kind
  readonly reason: string
  count: number
  readonly examples: string[]
}

export interface ReportData {
  readonly counts: Partial<Record<Kind, Counts>>
  readonly skipped: Reason[]
  readonly notes: Reason[]
  readonly dns: DnsChange[]
  readonly keys: { readonly name: string; readonly last_used_at: string | null }[]
}

const MAX_EXAMPLES = 20
const MAX_REASONS = 200

/** What became of everything that was read. */
export class Report {
  readonly data: ReportData

  constructor(data: ReportData = { counts: {}, skipped: [], notes: [], dns: [], keys: [] }) {
    this.data = data
  }

  of(kind: Kind): Counts {
    this.data.counts[kind] ??= { read: 0, created: 0, updated: 0, unchanged: 0, skipped: 0 }
    return this.data.counts[kind]
  }

  count(kind: Kind, outcome: Outcome, times = 1) {
    const counts = this.of(kind)
    counts.read += times
    counts[outcome] += times
  }

  skip(kind: Kind, what: string, reason: string) {
    const counts = this.of(kind)
    counts.read++
    counts.skipped++
    add(this.data.skipped, { kind, reason, what })
  }

  /** Something that came along, but not as it was. */
  note(kind: Kind, what: string, reason: string) {
    add(this.data.notes, { kind, reason, what })
  }

  /** As people read it. */
  lines({ isDryRun }: { readonly isDryRun: boolean }): string[] {
    const { counts, skipped, notes, dns, keys } = this.data
    const rows = KINDS.flatMap((kind) => {
      const of = counts[kind]
      if (!of) return []
      const cells = {
        READ: of.read,
        CREATED: of.created,
        UPDATED: of.updated,
        UNCHANGED: of.unchanged,
        SKIPPED: of.skipped,
      }
      const numbers = Object.entries(cells).map(([name, value]) => [name, value.toLocaleString('en-US')] as const)
      return [{ KIND: kind, ...Object.fromEntries(numbers) } as Record<string, string>]
    })
    return [
      ...(isDryRun ? ['Nothing was written. An import would do this:', ''] : []),
      ...tableOf(rows),
      ...reasonLines('Skipped', skipped),
      ...reasonLines('Look at these', notes),
      ...dnsLines(dns),
      ...(keys.length === 0 ? [] : ['', 'API keys to create here, and to give to the programs that use them:']),
      ...keys.map(({ name }) => `  postwren key create ${quoted(name)}`),
    ]
  }
}

function add(reasons: Reason[], { kind, reason, what }: { kind: Kind; reason: string; what: string }) {
  let known = reasons.find((one) => one.kind === kind && one.reason === reason)
  if (!known) {
    if (reasons.length >= MAX_REASONS) return
    known = { kind, reason, count: 0, examples: [] }
    reasons.push(known)
  }
  known.count++
  if (known.examples.length < MAX_EXAMPLES) known.examples.push(what.slice(0, 200))
}

const SHOWN = 5

const reasonLines = (title: string, reasons: readonly Reason[]) =>
  reasons.length === 0
    ? []
    : [
        '',
        `${title}:`,
        ...reasons.map(({ kind, reason, count, examples }) => {
          const shown = examples.slice(0, SHOWN).map(oneLine).join(', ')
          return `  ${kind}: ${oneLine(reason)} (${count.toLocaleString('en-US')}: ${shown}${count > SHOWN ? ', …' : ''})`
        }),
      ]

const STEPS = {
  before: 'DNS, now: both services can send with these',
  switch: 'DNS, at the switch',
  after: 'DNS, when the old service has nothing to send any more',
} as const

const dnsLines = (changes: readonly DnsChange[]) =>
  Object.entries(STEPS).flatMap(([when, title]) => {
    const own = changes.filter((change) => change.when === when)
    if (own.length === 0) return []
    const rows = own.map(({ act, type, name, value, priority, instead_of }) => ({
      ' ': act,
      TYPE: type,
      NAME: name,
      VALUE: priority === undefined ? value : `${priority} ${value}`,
      'INSTEAD OF': instead_of ?? '',
    }))
    return ['', `${title}:`, ...tableOf(rows).map((line) => `  ${line}`)]
  })

const quoted = (name: string) => {
  const shown = oneLine(name)
  return /^[\w.-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", `'\\''`)}'`
}
