import type { Case, Group } from '../suite/case.ts'
import type { CaseRun, Fixture } from '../suite/case-run.ts'
import {
  absent,
  anything,
  boolean,
  is,
  listing,
  nullable,
  oneOf,
  same,
  string,
  timestamp,
  uuid,
} from '../suite/shape.ts'
import { everyOperationCases } from './every-operation.ts'
import { listCases } from './lists.ts'
import { mail } from './mail.ts'
import { resourceCases } from './resources.ts'

const LISTED = {
  id: uuid,
  name: string,
  status: oneOf('draft', 'published'),
  published_at: nullable(timestamp),
  created_at: timestamp,
  updated_at: timestamp,
  alias: nullable(string),
}

const VARIABLE = {
  id: uuid,
  key: string,
  type: string,
  fallback_value: anything,
  created_at: timestamp,
  updated_at: timestamp,
}

const body = (trial: CaseRun) => ({
  name: trial.fresh('Template'),
  alias: trial.fresh('alias'),
  subject: 'Hello {{{NAME}}}',
  html: '<p>Hello {{{NAME}}}, {{{COUNT}}} new</p>',
  variables: [
    { key: 'NAME', type: 'string' },
    { key: 'COUNT', type: 'number', fallback_value: 3 },
  ],
})

type Body = ReturnType<typeof body>

const published: Fixture<{ id: string; given: Body }> = {
  async make(trial) {
    const given = body(trial)
    const { id } = await trial.made('POST /templates', { body: given })
    await trial.made('POST /templates/:id/publish', { params: { id } })
    return { id, given }
  },
}

const DONE = { object: is('template'), id: uuid }

/** An email of a template. */
const of = (trial: CaseRun, template: object) => {
  const { from, to } = mail(trial)
  return { from, to, template }
}

const cases: Case[] = [
  {
    ...{ id: 'templates.alias', title: 'an alias does as well as an id', operation: 'GET /templates/:id' },
    async run(trial) {
      const { id, given } = await trial.need(published)
      ;(await trial.call('GET /templates/:id', { params: { id: given.alias } })).is(200, { ...DONE, id: is(id) })
    },
  },
  {
    ...{ id: 'templates.publish', title: 'publishes a template', operation: 'POST /templates/:id/publish' },
    async run(trial) {
      const { id } = await trial.made('POST /templates', { body: body(trial) })
      ;(await trial.call('POST /templates/:id/publish', { params: { id } })).is(200, { ...DONE, id: is(id) })
      const read = await trial.call('GET /templates/:id', { params: { id } })
      read.is(200, { status: is('published'), published_at: timestamp, has_unpublished_versions: is(false) })
    },
  },
  {
    ...{ id: 'templates.versions', title: 'a change waits until it is published', operation: 'PATCH /templates/:id' },
    async run(trial) {
      const { id } = await trial.made('POST /templates', { body: body(trial) })
      await trial.made('POST /templates/:id/publish', { params: { id } })
      ;(await trial.call('PATCH /templates/:id', { params: { id }, body: { subject: 'Later {{{NAME}}}' } })).is(
        200,
        DONE,
      )
      const read = await trial.call('GET /templates/:id', { params: { id } })
      read.is(200, { status: is('published'), has_unpublished_versions: is(true) })
      const email = await trial.made('POST /emails', { body: of(trial, { id, variables: { NAME: 'Ada' } }) })
      const sent = await trial.call('GET /emails/:id', { params: { id: email.id } })
      sent.is(200, { subject: is('Hello Ada') })
    },
  },
  {
    ...{
      id: 'templates.duplicate',
      title: 'copies a template, as a draft',
      operation: 'POST /templates/:id/duplicate',
    },
    async run(trial) {
      const { id, given } = await trial.need(published)
      const answer = await trial.call('POST /templates/:id/duplicate', { params: { id } })
      const copy = answer.is(200, DONE)
      trial.check(answer.request, { expected: 'another id', isTrue: copy.id !== id, actual: copy.id })
      const read = await trial.call('GET /templates/:id', { params: { id: copy.id } })
      read.is(200, { status: is('draft'), html: is(given.html), published_at: is(null) })
    },
  },
  {
    ...{ id: 'templates.send', title: 'sends a template with its variables', operation: 'POST /emails' },
    async run(trial) {
      const { id, given } = await trial.need(published)
      for (const name of [id, given.alias]) {
        const template = { id: name, variables: { NAME: 'Ada', COUNT: 7 } }
        const email = (await trial.call('POST /emails', { body: of(trial, template) })).is(200, { id: uuid })
        const read = await trial.call('GET /emails/:id', { params: { id: email.id } })
        read.is(200, { subject: is('Hello Ada'), html: is('<p>Hello Ada, 7 new</p>') })
      }
    },
  },
  {
    ...{ id: 'templates.fallback', title: 'a variable that is not given has its fallback', operation: 'POST /emails' },
    async run(trial) {
      const { id } = await trial.need(published)
      const email = await trial.call('POST /emails', { body: of(trial, { id, variables: { NAME: 'Ada' } }) })
      const params = { id: email.is(200, { id: uuid }).id }
      ;(await trial.call('GET /emails/:id', { params })).is(200, { html: is('<p>Hello Ada, 3 new</p>') })
    },
  },
  {
    ...{ id: 'templates.missing-variable', title: 'refuses an email without a variable that has no fallback' },
    operation: 'POST /emails',
    async run(trial) {
      const { id } = await trial.need(published)
      const answer = await trial.call('POST /emails', { body: of(trial, { id, variables: { COUNT: 1 } }) })
      answer.fails(422, ['validation_error', 'missing_required_field'], /NAME/)
    },
  },
  {
    ...{ id: 'templates.wrong-variable', title: 'refuses a variable of another type', operation: 'POST /emails' },
    async run(trial) {
      const { id } = await trial.need(published)
      const variables = { NAME: 'Ada', COUNT: 'many' }
      const answer = await trial.call('POST /emails', { body: of(trial, { id, variables }) })
      answer.fails(422, 'validation_error', /COUNT/)
    },
  },
  {
    ...{ id: 'templates.draft', title: 'refuses to send a draft', operation: 'POST /emails' },
    async run(trial) {
      const { id } = await trial.made('POST /templates', { body: body(trial) })
      const answer = await trial.call('POST /emails', { body: of(trial, { id, variables: { NAME: 'Ada' } }) })
      answer.fails([403, 404, 422], ['validation_error', 'not_found'])
    },
  },
  {
    ...{ id: 'templates.with-html', title: 'refuses a template together with `html`', operation: 'POST /emails' },
    async run(trial) {
      const { id } = await trial.need(published)
      const answer = await trial.call('POST /emails', {
        body: { ...mail(trial), template: { id, variables: { NAME: 'Ada' } } },
      })
      answer.fails(422, 'validation_error')
    },
  },
  {
    ...{ id: 'templates.reserved', title: 'refuses a variable with a reserved name', operation: 'POST /templates' },
    async run(trial) {
      const variables = [{ key: 'FIRST_NAME', type: 'string' }]
      const answer = await trial.call('POST /templates', { body: { ...body(trial), variables } })
      answer.fails(422, 'validation_error')
    },
  },
]

export const templates: Group = {
  id: 'templates',
  title: 'Templates',
  cases: [
    ...resourceCases({
      ...{ id: 'templates', object: 'template', name: 'template', body, created: DONE },
      create: 'POST /templates',
      get: 'GET /templates/:id',
      update: 'PATCH /templates/:id',
      remove: 'DELETE /templates/:id',
      shape: (given: Body) => ({
        ...{
          ...LISTED,
          name: is(given.name),
          alias: is(given.alias),
          subject: is(given.subject),
          html: is(given.html),
        },
        ...{ current_version_id: uuid, status: is('draft'), published_at: is(null), from: nullable(string) },
        ...{ text: nullable(string), reply_to: nullable(listing(string)), has_unpublished_versions: boolean },
        variables: listing(VARIABLE),
      }),
      change: {
        body: { subject: 'Changed', reply_to: 'delivered@resend.dev' },
        shape: { subject: is('Changed'), reply_to: same(['delivered@resend.dev']) },
      },
    }),
    ...cases,
    ...listCases({
      ...{ id: 'templates', operation: 'GET /templates', item: { ...LISTED, html: absent }, page: 20 },
      make: async (trial) => (await trial.made('POST /templates', { body: body(trial) })).id,
    }),
    ...everyOperationCases('templates'),
  ],
}
