import { randomBytes } from 'node:crypto'
import { tokenDigest } from '../../kernel/http/auth.ts'
import { endDisclosedNotices } from '../emails/delivery/approvals/queries.ts'
import type { ApprovalsServices } from './services.ts'

export const APPROVAL_PATH = '/approve'
const PURPOSE = 'approval'

/** What the links of a notice carry besides its id. Like that of a sign-in link: 256 bits, kept as a digest, ended when it comes to where others can read it. */
export function newSecret(): { readonly secret: string; readonly secretDigest: Buffer } {
  const secret = randomBytes(32).toString('base64url')
  return { secret, secretDigest: tokenDigest(secret) }
}

/** What a link leads to: whom it was made for, and which emails it is about, is in the notice. */
interface ApprovalLink {
  readonly team: string
  readonly id: string
  readonly secret: string
  readonly expiresAt: Date
}

/** Where the links of a notice lead; more of the query may follow. Signed, good until the last of its approvals has expired, and at our own host alone. */
export function approvalUrl(
  { links, publicUrl }: Pick<ApprovalsServices, 'links' | 'publicUrl'>,
  { team, id, secret, expiresAt }: ApprovalLink,
): string {
  const token = links.sign(PURPOSE, { team, notice: id }, expiresAt, publicUrl())
  return `${publicUrl()}${APPROVAL_PATH}/${token}?${queryOf(secret)}`
}

export const queryOf = (secret: string) => `approval=${secret}`

interface OpenedLink {
  readonly token: string
  readonly secret: unknown
  readonly host: string
}

export function readApprovalLink(
  { links, clock }: Pick<ApprovalsServices, 'links' | 'clock'>,
  { token, secret, host }: OpenedLink,
): { readonly team: string; readonly id: string; readonly secretDigest: Buffer } | null {
  const payload = links.readAt(host, PURPOSE, token, clock.now())
  if (!payload?.team || !payload.notice || typeof secret !== 'string') return null
  return { team: payload.team, id: payload.notice, secretDigest: tokenDigest(secret) }
}

/** Ends the links of these tokens: somebody has forwarded the mail, or answered it. */
export const endDisclosedApprovals = (db: ApprovalsServices['db'], tokens: Iterable<string>): Promise<number> =>
  endDisclosedNotices(db, [...tokens].map(tokenDigest))
