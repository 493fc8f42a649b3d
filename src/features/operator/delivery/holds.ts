import type { Static } from 'typebox'
import { annotateAudit } from '../../../kernel/audit/annotations.ts'
import { type Actor, loggedActor } from '../../../kernel/http/actor.ts'
import { found, Problem } from '../../../kernel/http/problem.ts'
import { isDomain, toAsciiDomain } from '../../../mail/address.ts'
import { findTeamOf } from '../../emails/delivery/queue/queue-changes.ts'
import { countHeld } from '../../emails/delivery/queue/queue-holds.ts'
import { emailOf, type HoldScope, listHolds, scopeOfEmail } from '../../limits/holds.ts'
import { teamStatesChanged } from '../../limits.ts'
import { findTeamNames } from '../../teams/reads.ts'
import { holdMailIn, releaseMailIn } from '../holds.ts'
import { logTeamOf } from '../own-team.ts'
import type { OperatorServices } from '../services.ts'
import { whileQuick } from './change-queue.ts'
import type { HoldMail, MailHolds } from './schema.ts'

/** What is held back, since when and why. */
export async function mailHolds({ db }: OperatorServices): Promise<Static<typeof MailHolds>> {
  const holds = await listHolds(db)
  const counts = await countHeld(db, holds)
  const names = await findTeamNames(
    db,
    holds.flatMap(({ team }) => team ?? []),
  )
  return {
    object: 'mail_holds',
    data: holds.map(({ id, team, recipientDomain, senderDomain, destination, tag, reason, createdAt }) => {
      const email = emailOf({ recipientDomain })
      return {
        ...{ id, team_id: team, team: team && (names.get(team) ?? null) },
        ...{ email_id: email, domain: email === null ? recipientDomain : null, from: senderDomain },
        ...{ destination, tag },
        ...{ reason, created_at: createdAt.toISOString(), recipients: counts.get(id) ?? 0 },
      }
    }),
  }
}

export async function holdMail(
  services: OperatorServices,
  actor: Actor,
  body: Static<typeof HoldMail>,
): Promise<string> {
  const scope = await scopeOf(services, body)
  const by = { ...loggedActor(actor), name: actor.name ?? null }
  const id = await services.db.transaction(async (trx) => {
    if (scope.team) found((await findTeamNames(trx, [scope.team])).has(scope.team), 'Team')
    const hold = await holdMailIn(trx, by, { scope, reason: body.reason })
    if (!hold) throw new Problem('validation_error', 'This mail is on hold already, or there are too many holds.')
    annotateAudit(trx, { team: await logTeamOf(trx, services, actor), objectId: hold.id, details: body })
    return hold.id
  })
  await teamStatesChanged(services)
  return id
}

async function scopeOf({ db }: OperatorServices, body: Static<typeof HoldMail>): Promise<HoldScope> {
  const scope = {
    team: body.team ?? null,
    recipientDomain: domainIn(body, 'domain'),
    senderDomain: domainIn(body, 'from'),
    destination: body.destination?.trim() || null,
    tag: body.tag ?? null,
  }
  const isNarrow = Object.values(scope).some((value) => value !== null)
  if (body.email == null) {
    if (isNarrow) return scope
    throw new Problem(
      'validation_error',
      'Name the mail: an email, a destination, a domain, a sender, a tag or a team.',
    )
  }
  if (isNarrow) throw new Problem('validation_error', 'The `email` field goes with no other one.')
  return scopeOfEmail(found(await whileQuick(findTeamOf(db, body.email)), 'Email'), body.email)
}

function domainIn(body: Static<typeof HoldMail>, name: 'domain' | 'from'): string | null {
  const given = body[name]
  if (given == null) return null
  const domain = toAsciiDomain(given.trim().toLowerCase())
  if (!isDomain(domain))
    throw new Problem('validation_error', `Invalid \`${name}\` field. It must be a domain like example.com.`)
  return domain
}

/** What was held is sent. */
export async function releaseMail(services: OperatorServices, actor: Actor, id: string) {
  const by = { ...loggedActor(actor), name: actor.name ?? null }
  await services.db.transaction(async (trx) => {
    const scope: HoldScope = found(
      (await listHolds(trx)).find((hold) => hold.id === id),
      'Hold',
    )
    found(await releaseMailIn(trx, by, scope), 'Hold')
    annotateAudit(trx, { team: await logTeamOf(trx, services, actor), objectId: id })
  })
  await teamStatesChanged(services)
}
