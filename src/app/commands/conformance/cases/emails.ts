import type { Case, Group } from '../suite/case.ts'
import { absent, is, listing, nullable, oneOf, optional, same, string, timestamp, uuid } from '../suite/shape.ts'
import { attachmentCases } from './attachments.ts'
import { everyOperationCases } from './every-operation.ts'
import { listCases } from './lists.ts'
import { mail, sentEmail } from './mail.ts'
import { metricsCases } from './metrics.ts'
import { refusalCases } from './refusals.ts'
import { scheduleCases } from './schedules.ts'

const LAST_EVENTS = [
  ...['bounced', 'canceled', 'clicked', 'complained', 'delivered', 'delivery_delayed', 'failed', 'opened', 'queued'],
  ...['scheduled', 'sent', 'suppressed'],
]

const LISTED = {
  id: uuid,
  message_id: optional(nullable(string)),
  from: string,
  to: listing(string),
  cc: nullable(listing(string)),
  bcc: nullable(listing(string)),
  reply_to: nullable(listing(string)),
  subject: string,
  scheduled_at: nullable(timestamp),
  created_at: timestamp,
  last_event: oneOf(...LAST_EVENTS),
}

const SENT = { id: uuid }

const sending: Case[] = [
  {
    ...{ id: 'emails.bounce', title: 'an email that bounced says why', operation: 'GET /emails/:id' },
    async run(trial) {
      const to = `bounced+${trial.fresh('cf')}@resend.dev`
      trial.world.options.leftovers.remember(`DELETE /suppressions/${encodeURIComponent(to)}`)
      const { id } = await trial.made('POST /emails', { body: { ...mail(trial), to } })
      const answer = await trial.until('an email to bounced@ has bounced', async () => {
        const read = await trial.call('GET /emails/:id', { params: { id } })
        return read.body?.last_event === 'bounced' && read
      })
      if (answer.body.bounce === undefined) return trial.skip('there is no `bounce`, which is on a branch of the SDK')
      const type = oneOf('Permanent', 'Transient', 'Undetermined')
      answer.is(200, { bounce: { message: string, type, subType: string } })
    },
  },
  {
    ...{ id: 'emails.send', title: 'sends an email', operation: 'POST /emails' },
    async run(trial) {
      const answer = await trial.call('POST /emails', { body: mail(trial) })
      answer.is(200, SENT)
    },
  },
  {
    ...{ id: 'emails.send-one', title: 'takes one recipient as a text', operation: 'POST /emails' },
    async run(trial) {
      const to = trial.address()
      const { id } = (await trial.call('POST /emails', { body: { ...mail(trial), to } })).is(200, SENT)
      const read = await trial.call('GET /emails/:id', { params: { id } })
      read.is(200, { to: same([to]) })
    },
  },
  {
    ...{ id: 'emails.send-absent', title: 'takes null and empty lists as absent', operation: 'POST /emails' },
    async run(trial) {
      const body = { ...mail(trial), cc: null, bcc: [], reply_to: [], tags: null, headers: null, scheduled_at: null }
      ;(await trial.call('POST /emails', { body })).is(200, SENT)
    },
  },
  {
    ...{ id: 'emails.send-fields', title: 'keeps cc, bcc, reply-to and tags', operation: 'POST /emails' },
    async run(trial) {
      const [cc, bcc, reply] = [trial.address(), trial.address(), trial.address()]
      const tags = [{ name: 'suite', value: 'conformance' }]
      const body = { ...mail(trial), cc, bcc: [bcc], reply_to: reply, tags, headers: { 'X-Conformance': 'yes' } }
      const { id } = (await trial.call('POST /emails', { body })).is(200, SENT)
      const read = await trial.call('GET /emails/:id', { params: { id } })
      read.is(200, { cc: same([cc]), bcc: same([bcc]), reply_to: same([reply]), tags: optional(same(tags)) })
    },
  },
  {
    ...{ id: 'emails.send-outcomes', title: 'test addresses end as they say', operation: 'POST /emails' },
    async run(trial) {
      for (const [word, expected] of [
        ['delivered', ['delivered']],
        ['bounced', ['bounced', 'suppressed']],
        ['complained', ['complained']],
      ] as const) {
        const to = `${word}+${trial.fresh('cf')}@resend.dev`
        // The server may suppress who bounced or complained.
        if (word !== 'delivered')
          trial.world.options.leftovers.remember(`DELETE /suppressions/${encodeURIComponent(to)}`)
        const { id } = (await trial.call('POST /emails', { body: { ...mail(trial), to } })).is(200, SENT)
        await trial.until(`an email to ${word}@resend.dev ends as ${expected.join(' or ')}`, async () => {
          const { body } = await trial.call('GET /emails/:id', { params: { id } })
          return expected.some((event) => event === body?.last_event)
        })
      }
    },
  },
  {
    ...{ id: 'emails.get', title: 'reads an email as it was given', operation: 'GET /emails/:id' },
    async run(trial) {
      const { id, given } = await trial.need(sentEmail)
      const read = await trial.call('GET /emails/:id', { params: { id } })
      read.is(200, {
        ...{ ...LISTED, object: is('email'), id: is(id), from: is(given.from), to: same(given.to) },
        ...{ subject: is(given.subject), html: is(given.html), text: is(given.text) },
      })
    },
  },
]

const listed = listCases({
  ...{ id: 'emails', operation: 'GET /emails', page: 20 },
  item: { ...LISTED, html: absent, text: absent },
  make: async (trial) => (await trial.made('POST /emails', { body: mail(trial) })).id,
})

export const emails: Group = {
  id: 'emails',
  title: 'Emails',
  cases: [
    ...sending,
    ...refusalCases,
    ...scheduleCases,
    ...attachmentCases,
    ...metricsCases,
    ...listed,
    ...everyOperationCases('emails'),
  ],
}
