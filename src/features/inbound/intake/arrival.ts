import type { DomainReportKind } from '../../../mail/domain-reports/read.ts'
import type { HeaderFields } from '../../../mail/parsed.ts'
import type { ReportedTo } from '../../../mail/return-path.ts'
import type { TraceContext } from '../../../platform/observability/tracing.ts'

/** A message as it came over the wire. */
export interface Arrival {
  readonly raw: Buffer
  /** Of the envelope; empty for bounces. */
  readonly from: string
  readonly helo: string
  readonly clientAddress: string
}

/** Whom a recipient of the envelope leads to. */
export type Mailbox =
  | { readonly kind: 'team'; readonly team: string }
  /** The return path or the complaint address of an email of ours. */
  | ({ readonly kind: 'report' } & ReportedTo)
  /** Where others report about a domain of the team. */
  | {
      readonly kind: 'domain-report'
      readonly team: string
      readonly domainId: string
      readonly about: DomainReportKind
    }

/** A message for a team, ready to be promised. */
export interface NewReceived extends Arrival {
  readonly team: string
  readonly id: string
  readonly receivedFor: readonly string[]
  readonly fields: HeaderFields
  /** Set: the raw message is there already. */
  readonly rawBlob: string | null
  readonly createdAt: Date
  /** The job that reads it. */
  readonly jobId: string
  /** The span of the session that brought it, where that is sampled. */
  readonly trace?: TraceContext | undefined
}

/** Something about an email of ours, ready to be promised. */
export interface NewReport extends ReportedTo {
  readonly id: string
  readonly raw: Buffer
}

/** A report about a domain, ready to be promised. */
export interface NewDomainReport extends Arrival {
  readonly id: string
  readonly team: string
  readonly domainId: string
  readonly about: DomainReportKind
}
