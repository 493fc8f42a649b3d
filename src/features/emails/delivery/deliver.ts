import type { NewJob } from '../../../kernel/jobs/queries.ts'
import type { Outcome } from '../../../mail/outcome.ts'
import type { Span } from '../../../platform/observability/tracing.ts'
import type { LoadedEmail } from './ledger/load.ts'
import type { Claimed } from './ledger/queries.ts'
import type { AttemptFacts } from './outcomes/attempt-facts.ts'
import type { DeliveryObserver } from './outcomes/observer.ts'
import { testVerdict, type Verdict } from './outcomes/verdict.ts'
import type { Fence } from './transport/fence.ts'

/** An email on its way to some of its recipients. The bytes are only made when somebody wants them. */
export interface Outgoing {
  readonly email: LoadedEmail
  /** Each one once. */
  readonly recipients: readonly string[]
  /** Whether the recipient was parked for want of a slot, and was fetched now that there is one. */
  isFetched(recipient: string): boolean
  /** Its position in the ledger, and which attempt this is. */
  rowOf(recipient: string): Pick<Claimed, 'position' | 'attempts' | 'route' | 'parkedFor' | 'destination'>
  /** The hold that keeps its mail back now that it is known where it goes, or null. */
  holdAt(recipient: string, destination: string): string | null
  readonly fence: Fence
  /** Null: the attempt is not traced. */
  readonly span: Span | null
}

/** An operator holds it back: it is set aside under this hold, untried. */
export interface Aside {
  readonly kind: 'aside'
  readonly hold: string
}

/** What became of one recipient on its way. */
export interface Answer {
  readonly recipient: string
  readonly verdict: Outcome | Extract<Verdict, { kind: 'postponed' | 'parked' | 'held' | 'failed' }> | Aside
  /** The provider or site that it goes to, if that is known: kept with a row that is put back. */
  readonly destination?: string | undefined
  /** What is to happen afterwards. It is enqueued in the statement that writes the verdict down: neither is there without the other. */
  readonly later?: readonly NewJob[]
  /** The route that it took, where there are several. */
  readonly route?: string
  /** How it went, where somebody was asked. */
  readonly facts?: AttemptFacts
}

/** A claimed row with what was decided about it. */
export interface Decided {
  readonly row: Claimed
  readonly verdict: Verdict
  readonly destination?: string | undefined
  readonly later?: readonly NewJob[] | undefined
  readonly route?: string | undefined
  readonly facts?: AttemptFacts | undefined
}

/** A claimed row that a hold, or a broadcast which is paused, keeps back. */
export interface HeldRow {
  readonly row: Claimed
  readonly hold: string
  readonly destination?: string | undefined
}

/** Hands mail to its next place. What the other side does is never an exception. */
export interface Transport {
  /**
   * Tells each conversation's answers as soon as it has ended, whatever the others do: what was heard and is not written down goes
   * out again after a crash. In the end every recipient was reported once.
   */
  send(outgoing: Outgoing, tell: (answers: readonly Answer[]) => void): Promise<void>
  /** Begins nothing more, and cuts off what does not end within the grace. */
  close(graceMs: number): Promise<void>
}

/** What was found out about a batch of recipients before any of them is tried. */
export interface Objections {
  /** Why this recipient of the email must not be written to, or null. */
  against(row: Claimed, email: LoadedEmail): Verdict | null
}

/** The life of the claimed recipients of one email, top to bottom. Tells of each as soon as it is decided. */
export function deliver(
  email: LoadedEmail,
  rows: readonly Claimed[],
  {
    objections,
    transport,
    fence,
    observer,
    span,
    holdAt,
    setAside,
  }: {
    objections: Objections
    transport: Transport
    fence: Fence
    observer?: DeliveryObserver | undefined
    span: Span | null
    holdAt: Outgoing['holdAt']
    setAside(held: readonly HeldRow[]): void
  },
  tell: (decided: readonly Decided[]) => void,
): Promise<void> {
  const refused = rows.flatMap((row) => {
    const verdict = objections.against(row, email) ?? testVerdict(row.recipient)
    return verdict ? [{ row, verdict }] : []
  })
  for (const one of refused) observer?.attempted({ ...one, durationMs: 0 })
  if (refused.length > 0) tell(refused)

  const refusedRows = new Set(refused.map(({ row }) => row))
  const open = refused.length === 0 ? rows : rows.filter((row) => !refusedRows.has(row))
  if (open.length === 0) return Promise.resolve()
  const begin = performance.now()
  // Most emails have one recipient, who is asked for often.
  const rowsOf = (recipient: string) => (open.length === 1 ? open : open.filter((row) => row.recipient === recipient))
  const outgoing: Outgoing = {
    email,
    recipients: [...new Set(open.map(({ recipient }) => recipient))],
    isFetched: (recipient) => rowsOf(recipient).every(({ parkedFor }) => parkedFor !== null),
    rowOf: (recipient) => rowsOf(recipient)[0]!,
    holdAt,
    fence,
    span,
  }
  return transport.send(outgoing, (answers) => {
    const durationMs = Math.round(performance.now() - begin)
    const held: HeldRow[] = []
    const decided = answers.flatMap(({ recipient, verdict, destination, later, route, facts }): readonly Decided[] => {
      const own = rowsOf(recipient)
      if (verdict.kind === 'aside') {
        held.push(...own.map((row) => ({ row, hold: verdict.hold, destination })))
        return []
      }
      // Who stands in an email twice does once what follows.
      return own.map((row, index) => ({
        row,
        verdict,
        destination,
        later: index === 0 ? later : undefined,
        route,
        facts,
      }))
    })
    if (held.length > 0) setAside(held)
    if (decided.length === 0) return
    if (observer) for (const { row, verdict, route } of decided) observer.attempted({ row, verdict, route, durationMs })
    tell(decided)
  })
}
