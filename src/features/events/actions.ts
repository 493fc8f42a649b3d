import type { Static } from 'typebox'
import type { Actor } from '../../kernel/http/actor.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { type IdempotencyKey, KeyTaken, withIdempotencyKey } from '../../kernel/idempotency/idempotency.ts'
import { requireContact } from '../contacts/index.ts'
import { coerce, measure } from './payload.ts'
import { deleteEvent, findSchema, insertEvent, updateEvent } from './queries.ts'
import type { CreateEvent, SendEvent, UpdateEvent } from './schema.ts'
import type { EventsServices } from './services.ts'

export async function addEvent(
  { db }: EventsServices,
  { team }: Actor,
  event: Static<typeof CreateEvent>,
): Promise<string> {
  refuseReserved('name', event.name)
  const id = await insertEvent(db, team, event)
  if (!id) throw invalid('name', `Another event has the name \`${event.name}\`.`)
  return id
}

export const changeEvent = async (
  { db }: EventsServices,
  { team }: Actor,
  idOrName: string,
  changes: Static<typeof UpdateEvent>,
): Promise<string> => found(await updateEvent(db, team, idOrName, changes), 'Event')

export const removeEvent = async ({ db }: EventsServices, { team }: Actor, idOrName: string): Promise<string> =>
  found(await deleteEvent(db, team, idOrName), 'Event')

/** Says that something has happened to a contact. The answer comes when that is durable; automations take it up from there. */
export async function sendEvent(
  services: EventsServices,
  { team }: Actor,
  { request, key }: { readonly request: Static<typeof SendEvent>; readonly key?: IdempotencyKey },
) {
  const { db, eventIntake } = services
  const { event, contact_id: contactId = null, email = null, payload = {} } = request
  const keyed = { team, endpoint: 'POST /events/send', key, body: request }
  return withIdempotencyKey(services, keyed, async (idempotent) => {
    refuseReserved('event', event)
    requireOne(contactId, email)
    const payloadBytes = measure(payload)
    const [schema] = await Promise.all([
      findSchema(db, team, event),
      contactId === null ? undefined : requireContact(db, team, contactId),
    ])
    const answer = { object: 'event' as const, event }
    const isAccepted = await eventIntake.send({
      ...{ team, event, contactId, email, payloadBytes },
      payload: schema ? coerce(payload, schema) : payload,
      idempotency: idempotent && { ...idempotent, response: answer },
    })
    if (!isAccepted) throw new KeyTaken()
    return answer
  })
}

/** What happens to emails has names that begin so. */
const RESERVED = 'resend:'

function refuseReserved(field: string, name: string) {
  if (name.startsWith(RESERVED)) throw invalid(field, `It must not start with \`${RESERVED}\`.`)
}

function requireOne(contactId: string | null, email: string | null) {
  if (contactId === null && email === null)
    throw new Problem('missing_required_field', 'Missing `contact_id` or `email` field.')
  if (contactId !== null && email !== null)
    throw new Problem('validation_error', 'Use either the `contact_id` or the `email` field, not both.')
}

const invalid = (field: string, reason: string) =>
  new Problem('validation_error', `Invalid \`${field}\` field. ${reason}`)
