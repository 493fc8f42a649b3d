import type { Case, Group } from '../suite/case.ts'
import { absent, is, listing, number, string, uuid } from '../suite/shape.ts'
import { mail } from './mail.ts'

const operation = 'POST /emails/batch'
const SENT = { data: listing({ id: uuid }) }

const cases: Case[] = [
  {
    ...{ id: 'batches.send', title: 'sends several emails at once', operation },
    async run(trial) {
      const answer = await trial.call(operation, { body: [mail(trial), mail(trial), mail(trial)] })
      const { data } = answer.is(200, { ...SENT, errors: absent, object: absent })
      trial.check(answer.request, { expected: '3 ids', isTrue: data?.length === 3, actual: data?.length })
    },
  },
  {
    ...{ id: 'batches.order', title: 'answers in the order of the emails', operation },
    async run(trial) {
      const given = [mail(trial), mail(trial)]
      const { data } = (await trial.call(operation, { body: given })).is(200, SENT)
      for (const [index, { subject }] of given.entries()) {
        const read = await trial.call('GET /emails/:id', { params: { id: data?.[index]?.id } })
        read.is(200, { subject: is(subject) })
      }
    },
  },
  {
    ...{ id: 'batches.strict', title: 'strict: one that is wrong refuses all', operation },
    async run(trial) {
      const headers = { 'x-batch-validation': 'strict' }
      const answer = await trial.call(operation, { body: [mail(trial), { ...mail(trial), to: undefined }], headers })
      answer.fails(422, ['validation_error', 'missing_required_field'])
      const plain = await trial.call(operation, { body: [mail(trial), { ...mail(trial), to: undefined }] })
      plain.fails(422, ['validation_error', 'missing_required_field'])
    },
  },
  {
    ...{ id: 'batches.permissive', title: 'permissive: the others are sent, and errors are named', operation },
    async run(trial) {
      const headers = { 'x-batch-validation': 'permissive' }
      const body = [{ ...mail(trial), to: undefined }, mail(trial), { ...mail(trial), from: 'nobody' }]
      const answer = await trial.call(operation, { body, headers })
      const { data, errors } = answer.is(200, { ...SENT, errors: listing({ index: number, message: string }) })
      trial.check(answer.request, {
        ...{ expected: '1 id, and errors of 0 and 2', actual: { data, errors } },
        isTrue: data?.length === 1 && errors?.map(({ index }: { index: number }) => index).join() === '0,2',
      })
    },
  },
  {
    ...{ id: 'batches.size', title: 'refuses an empty batch and more than 100 emails', operation },
    async run(trial) {
      const empty = await trial.call(operation, { body: [] })
      empty.fails(422, ['validation_error', 'missing_required_field'])
      const one = { ...mail(trial), to: undefined }
      const large = await trial.call(operation, { body: Array.from({ length: 101 }, () => one) })
      large.fails(422, ['validation_error', 'missing_required_field'])
    },
  },
]

export const batches: Group = { id: 'batches', title: 'Batches', cases }
