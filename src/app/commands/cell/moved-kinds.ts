import { type Kind, type RunText, readKinds } from '../export/catalogue.ts'
import { NOT_EXPORTED } from '../export/exceptions.ts'

// Which tables a team takes along. Those of an export, and what is derived from them, or led to by links that the other cell knows: nothing is made anew there.

const DERIVED = [
  'approval_notices',
  'automation_next_due',
  'email_documents',
  'emails_by_status',
  'received_documents',
  'search_changes',
  'search_documents',
  'search_progress',
]

/** What a team takes along of people, once for all rows that name them. */
export const OF_PEOPLE = ['users', 'passkeys', 'oidc_identities', 'oauth_clients']

/** In flight while a team works. A team that is held has none. */
const IN_FLIGHT = { webhook_batches: 'In flight.' }

/** What is written behind an answer, whatever the answer was. It does not stop a switch, and what comes late is copied later. */
export const WRITTEN_LATE: readonly string[] = ['request_logs', 'api_key_uses']

export interface MovedKinds {
  /** Copied while the team works, then what has changed. */
  readonly copied: readonly Kind[]
  /** Nobody may work on these before the team lives in the other cell: they are parked there until then. */
  readonly parked: readonly Kind[]
  readonly people: readonly Kind[]
  readonly all: readonly Kind[]
}

export async function readMovedKinds(run: RunText): Promise<MovedKinds> {
  const leftOut = Object.entries({ ...NOT_EXPORTED, ...IN_FLIGHT }).filter(([name]) => !DERIVED.includes(name))
  const all = await readKinds(run, Object.fromEntries(leftOut))
  const isParked = ({ name, isPending }: Kind) => isPending || name === 'jobs' || name === 'search_changes'
  const isOfPeople = ({ name }: Kind) => OF_PEOPLE.includes(name)
  return {
    all,
    parked: all.filter(isParked),
    people: all.filter(isOfPeople),
    copied: all.filter((kind) => !isParked(kind) && !isOfPeople(kind) && kind.name !== 'teams'),
  }
}
