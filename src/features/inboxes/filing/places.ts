import type { Transaction } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { withoutTag } from '../../../mail/address.ts'
import { addressOf } from './connections.ts'
import type { Note } from './notes.ts'

/** An inbox, as filing needs it. */
export interface FiledInbox {
  readonly id: string
  readonly emailAddress: string
  /** Where others forward mail to. */
  readonly receivingAddress: string | null
}

export const ownAddresses = ({ emailAddress, receivingAddress }: FiledInbox): string[] =>
  receivingAddress === null ? [emailAddress] : [emailAddress, receivingAddress]

/** The inboxes that any of the noted emails may belong to. */
export async function findInboxes(trx: Transaction, team: string, notes: readonly Note[]): Promise<FiledInbox[]> {
  const addresses = [...new Set(notes.flatMap(namesOf).flat())]
  const ids = notes.flatMap(({ sending }) => (sending ? [sending.inbox] : []))
  return trx.query<FiledInbox>(sql`
    select i.id, i.email_address as "emailAddress", i.receiving_address as "receivingAddress"
    from inboxes i where i.team_id = ${team} and (i.email_address = any (${addresses}::text[])
      or i.receiving_address = any (${addresses}::text[]) or i.id = any (${ids}::uuid[]))`)
}

/** Each address of an email with what it may be called by an inbox: itself first, and for mail that came, itself without its tag. */
function namesOf({ addresses, direction }: Note): string[][] {
  return addresses.flatMap((mailbox) => {
    const address = addressOf(mailbox)
    if (address === null) return []
    return [direction === 'inbound' ? [address, withoutTag(address)] : [address]]
  })
}

/** The inboxes of an email: of what it was received for, or of who sent it. */
export class Places {
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

  of(note: Note): FiledInbox[] {
    const isInbound = note.direction === 'inbound'
    const named = namesOf(note).map((names) => {
      const inboxes = names.map(
        (name) => this.#byAddress.get(name) ?? (isInbound ? this.#byReceivingAddress.get(name) : undefined),
      )
      return inboxes.find((inbox) => inbox !== undefined)
    })
    const sentFrom = note.sending && this.#byId.get(note.sending.inbox)
    return [...new Set([...named, sentFrom].filter((inbox) => inbox !== undefined && inbox !== null))] as FiledInbox[]
  }
}
