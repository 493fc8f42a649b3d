import type { Static } from 'typebox'
import type { Context } from '../../http/endpoint.ts'
import { found, Problem } from '../../http/problem.ts'
import { newId } from '../../platform/ids.ts'
import { hours } from '../../platform/jobs/job.ts'
import { checkUrl } from '../../platform/outgoing-http/check-url.ts'
import { WEBHOOKS_CHANNEL } from '../../webhooks/queries.ts'
import { newSecret, openSecret, sealSecret } from '../../webhooks/secrets.ts'
import { findCurrentSecret, insertWebhook, lockWebhook, replaceSecret, updateWebhook } from './queries.ts'
import type { CreateWebhook, UpdateWebhook } from './schema.ts'

/** How long a secret signs after another one has taken its place. */
const OLD_SECRET_SECONDS = hours(24)
const MAX_OLD_SECRETS = 9
/** Each event is as many requests as there are webhooks for it. */
export const MAX_WEBHOOKS = 100

export async function addWebhook({ db, team, sealer }: Context, body: Static<typeof CreateWebhook>) {
  requireUrl(body.endpoint)
  const id = newId()
  const secret = newSecret()
  const sealed = sealSecret(sealer, id, secret)
  const webhook = { ...body, id, events: [...new Set(body.events)], secret: sealed }
  if (!(await insertWebhook(db, team, webhook, MAX_WEBHOOKS)))
    throw new Problem(
      'quota_exceeded',
      `A team can have ${MAX_WEBHOOKS} webhooks. Delete one to make room for another.`,
    )
  return { object: 'webhook' as const, id, signing_secret: secret }
}

export async function changeWebhook({ db, team }: Context, id: string, body: Static<typeof UpdateWebhook>) {
  const { endpoint, events, status } = body
  if (endpoint !== undefined) requireUrl(endpoint)
  const isFound = await updateWebhook(db, team, id, { ...body, ...(events && { events: [...new Set(events)] }) })
  found(isFound, 'Webhook')
  // What has waited while it was disabled is due.
  if (status === 'enabled') db.signals.announce(WEBHOOKS_CHANNEL)
}

export async function readSecret({ db, team, sealer }: Context, id: string): Promise<string> {
  return openSecret(sealer, id, found(await findCurrentSecret(db, team, id), 'Webhook'))
}

/** Makes a new secret. The one before it signs, too, for a day, so that receivers can change it without haste. */
export function rotateSecret({ db, team, sealer, clock }: Context, id: string) {
  const secret = newSecret()
  const now = clock.now()
  const expiresAt = new Date(now.getTime() + OLD_SECRET_SECONDS * 1_000)
  return db.transaction(async (trx) => {
    found(await lockWebhook(trx, team, id), 'Webhook')
    const replacement = { secret: sealSecret(sealer, id, secret), now, expiresAt, keep: MAX_OLD_SECRETS }
    await replaceSecret(trx, team, id, replacement)
    return { object: 'webhook' as const, id, signing_secret: secret }
  })
}

/** Where a name leads is found out when we go there; here it is only looked at. */
function requireUrl(endpoint: string) {
  const url = checkUrl(endpoint)
  if (typeof url === 'string')
    throw new Problem('validation_error', `Invalid \`endpoint\` field. It must be an http or https URL: ${url}.`)
}
