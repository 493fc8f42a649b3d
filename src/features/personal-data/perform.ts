import type { AuditActor } from '../../kernel/audit/record.ts'
import { AddressPattern } from '../../mail/address-pattern.ts'
import { ErasedAddresses } from '../emails/delivery/ledger/erased-addresses.ts'
import { completeRequest, openRequest, type PersonalDataRequest, saveProgress } from './requests.ts'
import type { PersonalDataServices } from './services.ts'
import { type Counts, erase, type Reached, type Search, searchRows } from './tables/run.ts'

export interface Performance {
  readonly address: string
  readonly actor: AuditActor
  readonly signal?: AbortSignal
  /** After each slice. */
  readonly onProgress?: (reached: Reached, rowsSearched: number) => void
  /** For an export: each row, with its table. */
  readonly each?: (table: string, row: string) => Promise<void>
  /** For an export: where it was written to. */
  readonly blob?: () => Promise<string | null>
}

export interface Performed {
  readonly request: PersonalDataRequest
  readonly counts: Counts
  readonly isComplete: boolean
}

/** Does what a request asks for, from where it was left. */
export async function perform(
  { db, blobs, sealer }: PersonalDataServices,
  request: PersonalDataRequest,
  { address, actor, signal, onProgress, each, blob }: Performance,
): Promise<Performed> {
  // What an export has written goes with its process.
  const isResumed = request.action === 'erase'
  const counts: Counts = isResumed ? { ...request.counts } : {}
  let rowsSearched = Number(request.rowsSearched)
  const search: Search = {
    db,
    blobs,
    pattern: new AddressPattern(address),
    erased: new ErasedAddresses(sealer),
    team: request.team,
    from: isResumed ? request.reached : null,
    counts,
    ...(signal && { signal }),
    async progress(reached, rows) {
      rowsSearched += rows
      onProgress?.(reached, rowsSearched)
      await saveProgress(db, request, { reached, rows, counts })
    },
  }
  let isComplete = true
  if (request.action === 'erase') isComplete = await erase(search)
  else await searchRows(search, each && ((table, row) => each(table.name, row)))
  await completeRequest(db, request, { counts, isComplete, actor, blob: (await blob?.()) ?? null })
  return { request, counts, isComplete }
}

/** The same for an address of which nothing was asked yet. */
export const begin = (
  services: PersonalDataServices,
  asked: { team: string | null; action: PersonalDataRequest['action']; address: string },
) => openRequest(services.db, services.sealer, asked)
