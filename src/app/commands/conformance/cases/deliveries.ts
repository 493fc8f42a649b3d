import type { Case, Group } from '../suite/case.ts'
import type { CaseRun, Fixture, Json } from '../suite/case-run.ts'
import { type Delivery, signaturesBy } from '../suite/receiver.ts'
import {
  attemptId,
  boolean,
  eventId,
  is,
  iso,
  listing,
  listOf,
  nullable,
  number,
  object,
  oneOf,
  optional,
  same,
  string,
  timestamp,
  uuid,
} from '../suite/shape.ts'
import { contactBody } from './audience.ts'
import { compare, delivered, EMAIL, type Hook, hookFor } from './hooks.ts'
import { mail } from './mail.ts'
import { payloadCases } from './payloads.ts'

// What webhooks send, seen by an application of the suite.

const contactHook: Fixture<{ hook: Hook; email: string; id: string; delivery: Delivery }> = {
  async make(trial) {
    const hook = await hookFor(trial, ['contact.created'])
    const body = contactBody(trial)
    const { id } = await trial.made('POST /contacts', { body })
    const isMeant = (data: Json) => data.id === id
    const delivery = await delivered(trial, hook, { type: 'contact.created', isMeant })
    return { hook, email: body.email, id, delivery }
  },
}

const LOGGED = {
  id: eventId,
  type: string,
  created_at: timestamp,
  status: oneOf('pending', 'attempting', 'success', 'failed'),
}

/** The event in the log of its webhook, by its id. */
async function logged(trial: CaseRun): Promise<{ id: string; event_id: string }> {
  const { hook, delivery } = await trial.need(contactHook)
  return { id: hook.id, event_id: String(delivery.headers['svix-id']) }
}

const cases: Case[] = [
  {
    ...{ id: 'deliveries.headers', title: 'an event has an id, a time and a signature', operation: null },
    async run(trial) {
      const { delivery, hook } = await trial.need(contactHook)
      const { headers } = delivery
      const facts: [string, RegExp][] = [
        ['svix-id', /^msg_\S+$/],
        ['svix-timestamp', /^\d{10}$/],
        ['svix-signature', /^v1,\S+/],
        ['content-type', /^application\/json/],
      ]
      for (const [name, pattern] of facts)
        trial.check('webhook contact.created', {
          ...{ expected: `${name}: ${pattern}`, isTrue: pattern.test(String(headers[name])), actual: headers[name] },
        })
      const { right } = signaturesBy(hook.secret, delivery)
      trial.check('webhook contact.created', {
        expected: 'a signature by the secret',
        isTrue: right > 0,
        actual: 'none',
      })
    },
  },
  {
    ...{ id: 'deliveries.contact', title: 'an event of a contact has its fields', operation: null },
    async run(trial) {
      const { delivery, id, email } = await trial.need(contactHook)
      compare(trial, delivery, {
        ...{ id: is(id), email: is(email), created_at: iso, updated_at: iso, unsubscribed: boolean },
        ...{
          segment_ids: listing(uuid),
          first_name: optional(nullable(string)),
          last_name: optional(nullable(string)),
        },
      })
    },
  },
  {
    ...{ id: 'deliveries.email', title: 'events of an email: sent, and delivered', operation: null },
    async run(trial) {
      const hook = await hookFor(trial, ['email.sent', 'email.delivered'])
      const tags = [{ name: 'suite', value: 'conformance' }]
      const given = { ...mail(trial), tags }
      const { id } = await trial.made('POST /emails', { body: given })
      for (const type of ['email.sent', 'email.delivered']) {
        const delivery = await delivered(trial, hook, { type, isMeant: (data) => data.email_id === id })
        compare(trial, delivery, { ...EMAIL, subject: is(given.subject), tags: same({ suite: 'conformance' }) })
      }
    },
  },
  {
    ...{ id: 'deliveries.bounce', title: 'an email that bounces says why', operation: null },
    async run(trial) {
      const hook = await hookFor(trial, ['email.bounced'])
      const to = `bounced+${trial.fresh('cf')}@resend.dev`
      trial.world.options.leftovers.remember(`DELETE /suppressions/${encodeURIComponent(to)}`)
      const { id } = await trial.made('POST /emails', { body: { ...mail(trial), to } })
      const isMeant = (data: Json) => data.email_id === id
      const delivery = await delivered(trial, hook, { type: 'email.bounced', isMeant })
      const type = oneOf('Permanent', 'Transient', 'Undetermined')
      compare(trial, delivery, { ...EMAIL, bounce: { message: string, type, subType: string } })
    },
  },
  {
    ...{ id: 'deliveries.retry', title: 'an event that was refused comes again, under the same id', operation: null },
    async run(trial) {
      const hook = await hookFor(trial, ['contact.created'])
      trial.world.options.receiver.failOnce(hook.path)
      const { id } = await trial.made('POST /contacts', { body: contactBody(trial) })
      const facts = { type: 'contact.created', isMeant: (data: Json) => data.id === id }
      const first = await delivered(trial, hook, facts)
      const second = await delivered(trial, hook, { ...facts, nth: 2 })
      const [one, other] = [first.headers['svix-id'], second.headers['svix-id']]
      trial.check('webhook contact.created', { expected: `svix-id ${one}`, isTrue: one === other, actual: other })
      const { right } = signaturesBy(hook.secret, second)
      trial.check('webhook contact.created', {
        expected: 'a signature by the secret',
        isTrue: right > 0,
        actual: 'none',
      })
    },
  },
  {
    ...{ id: 'deliveries.rotation', title: 'after a rotation both secrets sign' },
    operation: 'POST /webhooks/:id/signing-secret/rotate',
    async run(trial) {
      const hook = await hookFor(trial, ['contact.created'])
      const answer = await trial.call('POST /webhooks/:id/signing-secret/rotate', { params: { id: hook.id } })
      const { signing_secret } = answer.is(200, {})
      const { id } = await trial.made('POST /contacts', { body: contactBody(trial) })
      const isMeant = (data: Json) => data.id === id
      const delivery = await delivered(trial, hook, { type: 'contact.created', isMeant })
      for (const [which, secret] of [
        ['old', hook.secret],
        ['new', String(signing_secret)],
      ] as const) {
        const { right } = signaturesBy(secret, delivery)
        trial.check('webhook contact.created', {
          ...{ expected: `a signature by the ${which} secret`, isTrue: right > 0, actual: 'none' },
        })
      }
    },
  },
  {
    ...{ id: 'deliveries.log', title: 'a webhook has a log of its events', operation: 'GET /webhooks/:id/events' },
    async run(trial) {
      const { id, event_id } = await logged(trial)
      const answer = await trial.call('GET /webhooks/:id/events', { params: { id } })
      const { data = [] } = answer.is(200, listOf(LOGGED))
      const isThere = data.some((one: { id: string }) => one.id === event_id)
      trial.check(answer.request, { expected: event_id, isTrue: isThere, actual: data })
    },
  },
  {
    ...{
      id: 'deliveries.event',
      title: 'reads an event with what was sent',
      operation: 'GET /webhooks/:id/events/:event_id',
    },
    async run(trial) {
      const params = await logged(trial)
      const answer = await trial.call('GET /webhooks/:id/events/:event_id', { params })
      answer.is(200, {
        ...{ ...LOGGED, object: is('webhook_event'), id: is(params.event_id), next_attempt_at: nullable(timestamp) },
        payload: { type: is('contact.created'), created_at: iso, data: object },
      })
    },
  },
  {
    ...{ id: 'deliveries.attempts', title: 'lists the attempts of an event' },
    operation: 'GET /webhooks/:id/events/:event_id/attempts',
    async run(trial) {
      const params = await logged(trial)
      const item = { id: attemptId, http_status_code: number, response: string, sent_at: timestamp }
      await trial.until('an attempt is in the log', async () => {
        const answer = await trial.call('GET /webhooks/:id/events/:event_id/attempts', { params })
        return answer.is(200, listOf(item)).data?.length > 0
      })
    },
  },
  {
    ...{
      id: 'deliveries.replay',
      title: 'sends an event again',
      operation: 'POST /webhooks/:id/events/:event_id/replay',
    },
    async run(trial) {
      const { hook, id } = await trial.need(contactHook)
      const params = await logged(trial)
      const answer = await trial.call('POST /webhooks/:id/events/:event_id/replay', { params })
      answer.is(200, { object: is('webhook_event'), id: is(params.event_id) })
      await delivered(trial, hook, { type: 'contact.created', isMeant: (data) => data.id === id, nth: 2 })
    },
  },
]

export const deliveries: Group = {
  ...{ id: 'deliveries', title: 'Webhook deliveries' },
  cases: [...cases, ...payloadCases],
}
