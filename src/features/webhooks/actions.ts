import type { Static } from 'typebox'
import { checkUrl } from '../../adapters/outgoing-http/check-url.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { assignments, columnValues, newRow } from '../../kernel/http/columns.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { hours } from '../../kernel/jobs/job.ts'
import { requireWithinLimit } from '../limits.ts'
import { deleteLogLater } from './delivery/jobs.ts'
import { WEBHOOKS_CHANNEL } from './delivery/queries.ts'
import { newSecret, openSecret, sealSecret } from './delivery/secrets.ts'
import { deleteWebhook, insertWebhook, lockWebhook, replaceSecret, updateWebhook } from './delivery/webhook.ts'
import { findCurrentSecret, newWebhook } from './queries.ts'
import { type CreateWebhook, UpdateWebhook } from './schema.ts'
import type { WebhooksServices } from './services.ts'

/** How long a secret signs after another one has taken its place. */
const OLD_SECRET_SECONDS = hours(24)
const MAX_OLD_SECRETS = 9
/** Each event is as many requests as there are webhooks for it. */
export const MAX_WEBHOOKS = 100

export async function addWebhook(services: WebhooksServices, { team }: Actor, body: Static<typeof CreateWebhook>) {
  const { db, sealer, teamStates } = services
  requireUrl(body.endpoint)
  const row = newRow(db, team)
  const { id } = row
  const secret = newSecret()
  const webhook = newWebhook(row, { ...body, events: [...new Set(body.events)] }, MAX_WEBHOOKS)
  const insert = async (queryable: Queryable) => {
    if (!(await insertWebhook(queryable, webhook, sealSecret(sealer, id, secret))))
      throw new Problem('quota_exceeded', `A team can have at most ${MAX_WEBHOOKS} webhooks. Delete one first.`)
  }
  if (teamStates.limitsOf(team).webhooks === null) await insert(db)
  else
    await db.transaction(async (trx) => {
      await insert(trx)
      await requireWithinLimit(services, trx, team, 'webhooks')
    })
  return { object: 'webhook' as const, id, signing_secret: secret }
}

export async function changeWebhook(
  { db }: WebhooksServices,
  { team }: Actor,
  id: string,
  body: Static<typeof UpdateWebhook>,
) {
  const { endpoint, events, status } = body
  if (endpoint !== undefined) requireUrl(endpoint)
  const isEnabled = status === 'enabled'
  const changes = columnValues(UpdateWebhook, { ...body, ...(events && { events: [...new Set(events)] }) })
  const changed = assignments(changes, db.clock.of(team).now())
  found(await updateWebhook(db, team, id, { assignments: changed, isEnabled }), 'Webhook')
  // What has waited while it was disabled is due.
  if (isEnabled) db.signals.announce(WEBHOOKS_CHANNEL)
}

export const removeWebhook = ({ db }: WebhooksServices, { team }: Actor, id: string): Promise<void> =>
  db.transaction(async (trx) => {
    found(await deleteWebhook(trx, team, id), 'Webhook')
    await deleteLogLater(trx, team, id)
  })

export async function readSecret({ db, sealer }: WebhooksServices, { team }: Actor, id: string): Promise<string> {
  return openSecret(sealer, id, found(await findCurrentSecret(db, team, id), 'Webhook'))
}

/** Makes a new secret. The one before it signs, too, for a day, so that receivers can change it without haste. */
export function rotateSecret({ db, sealer, clock }: WebhooksServices, { team }: Actor, id: string) {
  const secret = newSecret()
  const [now, own] = [clock.now(), clock.of(team)]
  const expiresAt = own.toReal(new Date(own.now().getTime() + OLD_SECRET_SECONDS * 1_000))
  return db.transaction(async (trx) => {
    found(await lockWebhook(trx, team, id), 'Webhook')
    const replacement = { secret: sealSecret(sealer, id, secret), now, expiresAt, keep: MAX_OLD_SECRETS }
    await replaceSecret(trx, team, id, replacement)
    return { object: 'webhook' as const, id, signing_secret: secret }
  })
}

/** Where a name leads is found out when we go there; here it is only looked at. */
export function requireUrl(endpoint: string) {
  const url = checkUrl(endpoint)
  if (typeof url === 'string')
    throw new Problem('validation_error', `Invalid \`endpoint\` field. It must be an http or https URL: ${url}.`)
}
