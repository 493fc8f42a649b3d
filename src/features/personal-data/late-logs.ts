import { hours, type Job, minutes } from '../../kernel/jobs/job.ts'
import type { Sealer } from '../../kernel/secrets.ts'
import { AddressPattern } from '../../mail/address-pattern.ts'
import { job } from '../definitions.ts'
import { ErasedAddresses } from '../emails/delivery/ledger/erased-addresses.ts'
import type { Services } from '../services.ts'
import { contextOf } from './requests.ts'
import { eraseIn } from './tables/run.ts'

/** The log is written in batches; while the database is away, later. */
export const LATE_LOGS_MS = 600_000

interface Erased {
  readonly id: string
  /** Null: the whole installation. */
  readonly team: string | null
  /** The address, as base64. */
  readonly sealed: string
}

export const erasedOf = (sealer: Sealer, { id, team }: Omit<Erased, 'sealed'>, address: string): Erased => ({
  ...{ id, team, sealed: sealer.seal(address, contextOf(id)).toString('base64') },
})

/** Searches the log of requests once more when those that were answered before an erasure ended are written. Twice finds nothing more. */
export const lateLogsJob: Job<Erased, Services> = job<Erased>({
  name: 'personal-data.late-logs',
  retryAfterSeconds: [5, 30, minutes(5), hours(1), hours(6)],
  async run({ id, team, sealed }, { db, blobs, sealer, signal }) {
    const address = sealer.open(Buffer.from(sealed, 'base64'), contextOf(id))
    await eraseIn('request_logs', {
      ...{ db, blobs, team, signal, pattern: new AddressPattern(address), erased: new ErasedAddresses(sealer) },
      ...{ from: null, since: db.clock.now(), counts: {}, progress: async () => {} },
    })
  },
})
