import type { Case, Group } from '../suite/case.ts'
import { anything, is, listing, same, uuid } from '../suite/shape.ts'
import { draft, draftBody, inbox, MADE_DRAFT, message } from './inbox-objects.ts'
import { mail } from './mail.ts'

const IDEMPOTENT = { id: uuid }

const cases: Case[] = [
  {
    ...{ id: 'idempotency.same', title: 'the same key and body answer with the same email' },
    operation: 'POST /emails',
    async run(trial) {
      const [body, headers] = [mail(trial), { 'idempotency-key': trial.fresh('key') }]
      const first = (await trial.call('POST /emails', { body, headers })).is(200, IDEMPOTENT)
      const second = await trial.call('POST /emails', { body, headers })
      second.is(200, { id: is(first.id) })
    },
  },
  {
    ...{ id: 'idempotency.other-body', title: 'the same key with another body is refused', operation: 'POST /emails' },
    async run(trial) {
      const [body, headers] = [mail(trial), { 'idempotency-key': trial.fresh('key') }]
      ;(await trial.call('POST /emails', { body, headers })).is(200, IDEMPOTENT)
      const other = await trial.call('POST /emails', { body: { ...body, subject: 'Another' }, headers })
      other.fails(409, 'invalid_idempotent_request')
    },
  },
  {
    ...{ id: 'idempotency.concurrent', title: 'of several at once one is done', operation: 'POST /emails' },
    async run(trial) {
      const [body, headers] = [mail(trial), { 'idempotency-key': trial.fresh('key') }]
      const answers = await Promise.all([1, 2, 3, 4].map(() => trial.call('POST /emails', { body, headers })))
      const done = answers.filter(({ status }) => status === 200)
      for (const answer of answers)
        if (answer.status === 200) answer.is(200, { id: is(done[0]!.body?.id) })
        else answer.fails(409, 'concurrent_idempotent_requests')
      trial.check('POST /emails', { expected: 'one of them is done', isTrue: done.length > 0, actual: '409 to all' })
    },
  },
  {
    ...{ id: 'idempotency.key-length', title: 'a key has 1 to 256 characters', operation: 'POST /emails' },
    async run(trial) {
      const long = await trial.call('POST /emails', {
        ...{ body: mail(trial), headers: { 'idempotency-key': 'k'.repeat(257) } },
      })
      long.fails(400, 'invalid_idempotency_key')
      const key = trial.fresh('key').padEnd(256, 'k')
      ;(await trial.call('POST /emails', { body: mail(trial), headers: { 'idempotency-key': key } })).is(
        200,
        IDEMPOTENT,
      )
    },
  },
  {
    ...{ id: 'idempotency.batch', title: 'a key covers a whole batch', operation: 'POST /emails/batch' },
    async run(trial) {
      const [body, headers] = [[mail(trial), mail(trial)], { 'idempotency-key': trial.fresh('key') }]
      const first = (await trial.call('POST /emails/batch', { body, headers })).is(200, { data: listing(IDEMPOTENT) })
      const again = await trial.call('POST /emails/batch', { body, headers })
      again.is(200, { data: same(first.data) })
      const other = await trial.call('POST /emails/batch', { body: [body[0]], headers })
      other.fails(409, 'invalid_idempotent_request')
    },
  },
  {
    ...{ id: 'idempotency.endpoint', title: 'a key counts for one endpoint', operation: 'POST /emails/batch' },
    async run(trial) {
      const headers = { 'idempotency-key': trial.fresh('key') }
      ;(await trial.call('POST /emails', { body: mail(trial), headers })).is(200, IDEMPOTENT)
      ;(await trial.call('POST /emails/batch', { body: [mail(trial)], headers })).is(200, { data: anything })
    },
  },
]

const inboxCases: Case[] = [
  {
    ...{ id: 'idempotency.draft', title: 'a key makes a draft once', operation: 'POST /inboxes/:id/drafts' },
    async run(trial) {
      const { id } = await trial.need(inbox)
      const [body, headers] = [draftBody(trial), { 'idempotency-key': trial.fresh('key') }]
      const make = () => trial.call('POST /inboxes/:id/drafts', { params: { id }, body, headers })
      const first = (await make()).is(201, MADE_DRAFT)
      const again = await make()
      again.is(again.status === 200 ? 200 : 201, { ...MADE_DRAFT, id: is(first.id) })
    },
  },
  {
    ...{ id: 'idempotency.draft-send', title: 'a key sends a draft once, and says so again' },
    operation: 'POST /inboxes/:id/drafts/:draft_id/send',
    async run(trial) {
      const { given: _given, ...params } = await draft(trial)
      const headers = { 'idempotency-key': trial.fresh('key') }
      const send = () => trial.call('POST /inboxes/:id/drafts/:draft_id/send', { params, body: {}, headers })
      const first = (await send()).is(200, { id: uuid })
      ;(await send()).is(200, { id: is(first.id) })
    },
  },
  ...(['reply', 'forward'] as const).map((act): Case => {
    const operation = `POST /inboxes/:id/threads/:thread_id/emails/:email_id/${act}` as const
    return {
      ...{ id: `idempotency.${act}`, title: `a key ${act === 'reply' ? 'answers' : 'forwards'} once`, operation },
      async run(trial) {
        const params = await trial.need(message)
        const [headers, to] = [{ 'idempotency-key': trial.fresh('key') }, [trial.address()]]
        const body = { text: 'Hello', ...(act === 'forward' && { to }) }
        const first = (await trial.call(operation, { params, body, headers })).is(200, { id: uuid })
        ;(await trial.call(operation, { params, body, headers })).is(200, { id: is(first.id) })
        const other = await trial.call(operation, { params, body: { ...body, text: 'Other' }, headers })
        other.fails(409, 'invalid_idempotent_request')
      },
    }
  }),
]

export const idempotency: Group = { id: 'idempotency', title: 'Idempotency keys', cases: [...cases, ...inboxCases] }
