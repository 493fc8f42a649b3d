import type { Outcome } from '../mail/outcome.ts'
import type { Fence } from './fence.ts'
import type { LoadedEmail } from './load.ts'
import type { DeliveryObserver } from './observer.ts'
import type { Claimed } from './queries.ts'
import type { Result } from './settle.ts'
import { testVerdict, type Verdict } from './verdict.ts'

/** An email on its way to some of its recipients. The bytes are only made when somebody wants them. */
export interface Outgoing {
  readonly email: LoadedEmail
  readonly recipients: readonly string[]
  readonly fence: Fence
}

/** Hands mail to its next place. One outcome for each recipient, in order; what the other side does is never an exception. */
export interface Transport {
  send(outgoing: Outgoing): Promise<readonly (Outcome | Extract<Verdict, { kind: 'postponed' | 'failed' }>)[]>
  /** Begins nothing more, and cuts off what does not end within the grace. */
  close(graceMs: number): Promise<void>
}

/** What was found out about a batch of recipients before any of them is tried. */
export interface Objections {
  /** Why this recipient of the email must not be written to, or null. */
  against(row: Claimed, email: LoadedEmail): Verdict | null
}

/** The life of the claimed recipients of one email, top to bottom. */
export async function deliver(
  email: LoadedEmail,
  rows: readonly Claimed[],
  {
    objections,
    transport,
    fence,
    observer,
  }: { objections: Objections; transport: Transport; fence: Fence; observer?: DeliveryObserver | undefined },
): Promise<Result> {
  const refused = rows.flatMap((row) => {
    const verdict = objections.against(row, email) ?? testVerdict(row.recipient)
    return verdict ? [{ row, verdict }] : []
  })
  const refusedRows = new Set(refused.map(({ row }) => row))
  const open = rows.filter((row) => !refusedRows.has(row))
  const begin = performance.now()
  const outcomes =
    open.length > 0 ? await transport.send({ email, recipients: open.map(({ recipient }) => recipient), fence }) : []
  const tried = open.map((row, index) => ({ row, verdict: outcomes[index]! }))
  const durationMs = Math.round(performance.now() - begin)
  for (const one of refused) observer?.attempted({ ...one, durationMs: 0 })
  for (const one of tried) observer?.attempted({ ...one, durationMs })
  return { email, verdicts: [...refused, ...tried] }
}
