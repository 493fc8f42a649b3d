/** `advice`: nothing is broken, and something would be better. `unknown`: nobody answered, so nothing was learned. */
export const FINDING_STATUSES = ['ok', 'advice', 'problem', 'unknown'] as const
export type FindingStatus = (typeof FINDING_STATUSES)[number]

/** What should be in the DNS. */
export interface WantedRecord {
  /** In full. */
  readonly name: string
  readonly type: 'TXT' | 'MX' | 'CNAME' | 'A' | 'AAAA' | 'PTR'
  readonly value: string
}

export interface Found {
  /** What was looked at: `spf`, `dkim:postwren`. */
  readonly check: string
  readonly status: FindingStatus
  /** What is wrong and what to change, or what is right. */
  readonly message: string
  readonly record?: WantedRecord
}

export interface Finding extends Found {
  /** ISO time: since when it is in this status. */
  readonly since: string
}

/** The findings of today, each since when it is so. Where nobody answered, what was known before stays. */
export const withSince = (found: readonly Found[], before: readonly Finding[], now: Date): Finding[] =>
  found.map((one) => {
    const known = before.find(({ check }) => check === one.check)
    if (known && one.status === 'unknown') return known
    return { ...one, since: known?.status === one.status ? known.since : now.toISOString() }
  })

/** With what was known of what could not be looked at this time. */
export const withUnseen = (findings: readonly Finding[], before: readonly Finding[]): Finding[] => [
  ...findings,
  ...before.filter(({ check }) => !findings.some((one) => one.check === check)),
]

const statusIn = (findings: readonly Finding[], { check }: Finding) =>
  findings.find((one) => one.check === check)?.status

/** What is a problem now, and was none before or not known. */
export const newProblems = (before: readonly Finding[], after: readonly Finding[]) =>
  after.filter((one) => one.status === 'problem' && statusIn(before, one) !== 'problem')

/** What was a problem, and is right again. */
export const recoveredOf = (before: readonly Finding[], after: readonly Finding[]) =>
  after.filter((one) => isRight(one.status) && statusIn(before, one) === 'problem')

/** What was right and is not any more, and what is right again. What is new to us is neither. */
export const changesOf = (before: readonly Finding[], after: readonly Finding[]) => ({
  broken: newProblems(before, after).filter((one) => isRight(statusIn(before, one))),
  recovered: recoveredOf(before, after),
})

const isRight = (status: FindingStatus | undefined) => status === 'ok' || status === 'advice'
