import type { Transaction } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { comparableAddress, withoutTag } from '../../../mail/address.ts'
import { addressOf } from './connections.ts'
import type { PendingMail } from './pending.ts'

/** An inbox, as filing needs it. */
export interface FiledInbox {
  readonly id: string
  readonly emailAddress: string
  /** Where others forward mail to. */
  readonly receivingAddress: string | null
}

export const ownAddresses = ({ emailAddress, receivingAddress }: FiledInbox): string[] =>
  receivingAddress === null ? [emailAddress] : [emailAddress, receivingAddress]

/** The inboxes that any of the pending emails may belong to. */
export async function findInboxes(
  trx: Transaction,
  team: string,
  pending: readonly PendingMail[],
): Promise<FiledInbox[]> {
  const addresses = [...new Set(pending.flatMap(namesOf).flat())]
  const ids = pending.flatMap(({ sending }) => (sending ? [sending.inbox] : []))
  return trx.query<FiledInbox>(sql`
    select i.id, i.email_address as "emailAddress", i.receiving_address as "receivingAddress"
    from inboxes i where i.team_id = ${team} and (i.email_address = any (${addresses}::text[])
      or i.receiving_address = any (${addresses}::text[]) or i.id = any (${ids}::uuid[]))`)
}

/** Each address of an email with what it may be called by an inbox: itself first, and for mail that came, itself without its tag. */
function namesOf({ addresses, direction }: PendingMail): string[][] {
  return addresses.flatMap((mailbox) => {
    const address = addressOf(mailbox)
    if (direction === 'outbound') return address === null ? [] : [[address]]
    // A receiving address is at the host name of the installation, which may have one label only: no mailbox elsewhere, and an envelope recipient here.
    const recipient = address ?? comparableAddress(mailbox)
    return [[recipient, withoutTag(recipient)]]
  })
}

/** The inboxes of an email: of what it was received for, or of who sent it. */
export class InboxRouter {
  readonly #byAddress = new Map<string, FiledInbox>()
  readonly #byReceivingAddress = new Map<string, FiledInbox>()
  readonly #byId = new Map<string, FiledInbox>()

  constructor(inboxes: readonly FiledInbox[]) {
    for (const inbox of inboxes) {
      this.#byId.set(inbox.id, inbox)
      this.#byAddress.set(inbox.emailAddress, inbox)
      if (inbox.receivingAddress !== null) this.#byReceivingAddress.set(inbox.receivingAddress, inbox)
    }
  }

  of(entry: PendingMail): FiledInbox[] {
    const isInbound = entry.direction === 'inbound'
    const named = namesOf(entry).map((names) => {
      const inboxes = names.map(
        (name) => this.#byAddress.get(name) ?? (isInbound ? this.#byReceivingAddress.get(name) : undefined),
      )
      return inboxes.find((inbox) => inbox !== undefined)
    })
    const sentFrom = entry.sending && this.#byId.get(entry.sending.inbox)
    return [...new Set([...named, sentFrom].filter((inbox) => inbox !== undefined && inbox !== null))] as FiledInbox[]
  }
}
