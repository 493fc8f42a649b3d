import type { Actor } from '../../kernel/http/actor.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { isAddress } from '../../mail/address.ts'
import { isId } from '../../platform/ids.ts'
import { ErasedAddresses } from '../emails/delivery/ledger/erased-addresses.ts'
import {
  addSuppressions,
  removeSuppressions,
  type SuppressionsRef,
  withErased,
} from '../emails/delivery/ledger/suppressions.ts'
import { findSuppression, suppressionIds } from './queries.ts'
import type { SuppressionsServices } from './services.ts'

/** The ids of the suppressions, one for each address given; one that is on the list already keeps its id. */
export function suppress({ db }: SuppressionsServices, { team }: Actor, emails: readonly string[]): Promise<string[]> {
  const added = emails.map((email) => ({ email, origin: 'manual' as const, sourceId: null }))
  return db.transaction(async (trx) => {
    for (;;) {
      await addSuppressions(trx, team, added)
      const ids = await suppressionIds(trx, team, emails)
      // One that was on the list may be removed by somebody else between the two statements: then it is added after all.
      if (ids.length === emails.length) return ids
    }
  })
}

export const unsuppress = (
  { db, sealer }: SuppressionsServices,
  { team }: Actor,
  which: SuppressionsRef,
): Promise<{ id: string }[]> =>
  db.transaction((trx) => removeSuppressions(trx, team, withErased(which, new ErasedAddresses(sealer))))

/** Also that of an address that was erased, for who knows the address. */
export const readSuppression = ({ db, sealer }: SuppressionsServices, { team }: Actor, which: SuppressionsRef) =>
  findSuppression(db, team, withErased(which, new ErasedAddresses(sealer)))

/** The suppression that `:idOrEmail` of a path names. */
export function suppressionNamed(idOrEmail: string): SuppressionsRef {
  if (isId(idOrEmail)) return { ids: [idOrEmail] }
  if (isAddress(idOrEmail)) return { emails: [idOrEmail] }
  throw new Problem('invalid_parameter', 'The `id` must be a valid UUID or an email address.')
}
