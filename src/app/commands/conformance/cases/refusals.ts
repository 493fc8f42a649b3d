import type { Case } from '../suite/case.ts'
import type { CaseRun, Json } from '../suite/case-run.ts'
import { mail } from './mail.ts'

// What `POST /emails` refuses, and in which words.

const refused = (
  id: string,
  title: string,
  facts: { change(trial: CaseRun): Json; name: string; message: RegExp; status?: number },
): Case => ({
  ...{ id: `emails.${id}`, title, operation: 'POST /emails' },
  async run(trial) {
    const answer = await trial.call('POST /emails', { body: { ...mail(trial), ...facts.change(trial) } })
    answer.fails(facts.status ?? 422, facts.name, facts.message)
  },
})

export const refusalCases: Case[] = [
  refused('no-to', 'refuses an email without `to`', {
    ...{ change: () => ({ to: undefined }), name: 'missing_required_field', message: /^Missing `to` field\.$/ },
  }),
  refused('no-subject', 'refuses an email without `subject`', {
    ...{ change: () => ({ subject: undefined }), name: 'missing_required_field' },
    message: /^Missing `subject` field\.$/,
  }),
  refused('no-from', 'refuses an email without `from`', {
    ...{ change: () => ({ from: undefined }), name: 'missing_required_field', message: /^Missing `from` field\.$/ },
  }),
  refused('no-body', 'refuses an email without `html` and `text`', {
    ...{ change: () => ({ html: undefined, text: undefined }), name: 'validation_error' },
    message: /^Missing `html` or `text` field\.$/,
  }),
  refused('bad-from', 'refuses a sender that is no address', {
    ...{ change: () => ({ from: 'nobody' }), name: 'validation_error', message: /^Invalid `from` field\./ },
  }),
  refused('bad-to', 'refuses a recipient that is no address', {
    ...{ change: () => ({ to: ['nobody'] }), name: 'validation_error', message: /^Invalid `to` field\./ },
  }),
  refused('bad-cc', 'refuses a copy to what is no address', {
    ...{ change: () => ({ cc: ['nobody'] }), name: 'validation_error', message: /`cc`/ },
  }),
  refused('many-to', 'refuses more than 50 recipients', {
    ...{ change: (trial) => ({ to: Array.from({ length: 51 }, () => trial.address()) }), name: 'validation_error' },
    message: /`to`|50/,
  }),
  refused('bad-tags', 'refuses a tag with other characters than letters, digits, `_` and `-`', {
    ...{ change: () => ({ tags: [{ name: 'a b', value: 'c' }] }), name: 'validation_error', message: /tag/i },
  }),
  refused('empty-attachment', 'refuses an attachment without `content` and `path`', {
    ...{ change: () => ({ attachments: [{ filename: 'a.txt' }] }), name: 'invalid_attachment', message: /content/ },
  }),
  refused('unknown-template', 'refuses a template that is not there', {
    change: () => ({
      ...{ html: undefined, text: undefined, template: { id: '00000000-0000-4000-8000-000000000000' } },
    }),
    ...{ name: 'not_found', message: /./, status: 404 },
  }),
]
