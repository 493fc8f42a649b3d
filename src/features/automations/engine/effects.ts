import type { Transaction } from '../../../kernel/db/database.ts'
import type { NewEmail } from '../../emails/delivery/acceptance/accept.ts'
import type { SendEmail } from './graph.ts'
import type { ContactValues } from './values.ts'

/** Why a step could not do what it says. It fails the run; nothing was written. */
export class Refused extends Error {
  /** The name under which the API knows it, if it does. */
  readonly kind: string | null

  constructor(message: string, kind: string | null = null) {
    super(message)
    this.kind = kind
  }
}

/** An email to one contact, as a step says it. */
export interface StepEmail {
  readonly config: SendEmail
  readonly contact: ContactValues
  readonly to: string
  /** The values of the template's variables, with everything filled in. */
  readonly variables: Readonly<Record<string, unknown>>
}

/** Contacts to look for. */
export interface WantedContacts {
  readonly ids: readonly string[]
  readonly emails: readonly string[]
}

export interface ContactChanges {
  readonly first_name?: unknown
  readonly last_name?: unknown
  readonly unsubscribed?: unknown
  readonly properties?: Readonly<Record<string, unknown>>
}

/**
 * What steps do to the objects of a team, all of it inside the transaction of the engine. The engine knows no resource: this is what it
 * asks of them.
 */
export interface Effects {
  findContacts(trx: Transaction, team: string, wanted: WantedContacts): Promise<ContactValues[]>
  /** Makes contacts of addresses that are none yet, and returns all of them. */
  addContacts(trx: Transaction, team: string, emails: readonly string[]): Promise<ContactValues[]>
  /** Loads what these steps need once, and gives back what composes an email. It throws `Refused`. */
  composer(trx: Transaction, team: string, configs: readonly SendEmail[]): Promise<(email: StepEmail) => NewEmail>
  /** Promises emails that were composed. */
  acceptEmails(trx: Transaction, emails: readonly NewEmail[]): Promise<void>
  /** Throws `Refused`. */
  updateContact(trx: Transaction, team: string, id: string, changes: ContactChanges): Promise<void>
  deleteContacts(trx: Transaction, team: string, ids: readonly string[]): Promise<void>
  /** False: there is no such segment any more. */
  addToSegment(trx: Transaction, team: string, segment: string, contacts: readonly string[]): Promise<boolean>
}
