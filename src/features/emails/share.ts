import Type from 'typebox'
import { annotateAudit } from '../../kernel/audit/annotations.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { findRow } from '../../kernel/http/rows.ts'
import { Id, IdParams, reference } from '../../kernel/http/shapes.ts'
import { endpoint } from '../definitions.ts'
import { isReceived } from '../inbound/index.ts'
import { emailRows } from './queries.ts'

/** What the token of a link is for. */
export const SHARED = { sent: 'shared-email', received: 'shared-received' } as const

const MAX_HOURS = 48
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `10m`, `2 hours`, `1 day`. */
export function readDuration(text: string): number | null {
  const match = /^\s*(\d{1,6})\s*([smhd]|(?:sec|second|min|minute|hr|hour|day)s?)\s*$/i.exec(text)
  return match ? Number(match[1]) * UNIT_MS[match[2]![0]!.toLowerCase()]! : null
}

export const shareEndpoint = endpoint({
  id: 'emails.share',
  route: 'POST /emails/:id/share',
  summary: 'Create a public link to an email',
  params: IdParams,
  body: Type.Object({
    expires_in: Type.Optional(Type.String({ description: 'Like `10m`, `2 hours`, `1 day`; at most 48 hours.' })),
  }),
  reply: Type.Object({ object: Type.Literal('email'), id: Id, url: Type.String() }),
  async run({ params, body, services: { db, clock, links, publicUrl }, actor: { team } }) {
    const duration = readDuration(body.expires_in ?? `${MAX_HOURS}h`)
    if (!duration)
      throw new Problem('validation_error', 'Invalid `expires_in` field. It must be like `10m`, `2 hours` or `1 day`.')
    if (duration > MAX_HOURS * UNIT_MS.h!)
      throw new Problem('validation_error', `expires_in must not exceed ${MAX_HOURS} hours`)
    const isSent = (await findRow(db, emailRows(team), params.id)) !== undefined
    if (!isSent && !(await isReceived(db, team, params.id))) throw new Problem('not_found', 'Email not found')
    const expiresAt = new Date(clock.now().getTime() + duration)
    const token = links.sign(isSent ? SHARED.sent : SHARED.received, { team, email: params.id }, expiresAt, publicUrl())
    // Nothing is written, and yet others can read the email from now on.
    await db.transaction(async (trx) => annotateAudit(trx, { details: { expires_at: expiresAt } }))
    return { ...reference('email', params.id), url: `${publicUrl()}/shared?token=${token}` }
  },
})
