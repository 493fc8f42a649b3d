import type { Queryable } from '../../kernel/db/database.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { toAsciiDomain } from '../../mail/address.ts'
import { sandboxOfDomain } from '../../platform/sandbox-domain.ts'
import { type Config, keepsMail } from '../../platform/settings/config.ts'
import { findReceiverRow, findVerifiedAround } from './queries.ts'
import type { ReceivingProof } from './records.ts'

/** Whose mail it is that comes to this domain, and whether that team wants to receive and has shown that it may. */
export async function findReceiver(
  db: Queryable,
  domainName: string,
): Promise<{ team: string; isReceiving: boolean } | undefined> {
  const name = toAsciiDomain(domainName)
  const row = await findReceiverRow(db, sandboxOfDomain(name), name)
  if (!row?.isReceiving || row.proof !== 'mx') return row
  // An MX record is no proof against a team that has one: the return path of its domain points here as well.
  return { ...row, isReceiving: !(await findVerifiedAround(db, row.team, name)) }
}

/**
 * Names at and below a domain that another team has verified are that team's to receive for. While nothing leaves, nothing is anybody's;
 * nor in a sandbox, to which mail only comes by the name that all sandboxes have.
 */
export async function refuseForeignName(db: Queryable, config: Config, team: string, name: string) {
  const owned = !keepsMail(config, team) && (await findVerifiedAround(db, team, name))
  if (!owned) return
  throw new Problem(
    'domain_taken',
    `The \`${name}\` domain cannot receive: another team of this installation has verified \`${owned}\`.`,
  )
}

/** The proof after a change. One that is good stays what it is, so that a domain that begins to send goes on receiving. */
export function proofAfter(
  before: { readonly receiving: boolean; readonly receiving_proof: ReceivingProof } | null,
  { sending, receiving }: { readonly sending: boolean; readonly receiving: boolean },
): ReceivingProof {
  const isKept = before?.receiving && receiving && (sending || before.receiving_proof !== 'dkim')
  return isKept ? before.receiving_proof : sending ? 'dkim' : 'txt'
}
