import { describe, expect, test } from 'vitest'
import type { Policy } from '../../../../src/features/policies/schema.ts'
import { ApiProblem } from '../../api.ts'
import { draftOf, readDraft, refusedField } from './policy-draft.ts'

const EMPTY = draftOf(null)

const WHOLE: Policy = {
  recipients: {
    addresses: ['ada@example.com'],
    domains: ['example.org'],
    segment_id: '01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f',
    wrote_first: true,
  },
  max_emails_per_hour: 0,
  max_emails_per_day: 100,
  max_emails_per_recipient_per_day: 1,
  templates_only: true,
  senders: ['support@example.com', 'example.net'],
  no_bcc: true,
  hold: { notify: ['grace@example.com'], expires_in_hours: 24 },
  dry_run: true,
}

test('a policy is the same after it was in the form', () => {
  expect(readDraft(draftOf(WHOLE))).toEqual({ policy: WHOLE, problems: {} })
})

test('a rule that was not chosen is absent, and so is what belongs to it', () => {
  const { policy, problems } = readDraft({
    ...EMPTY,
    'recipients.addresses': 'ada@example.com',
    'hold.notify': 'grace@example.com',
    no_bcc: true,
  })

  expect(problems).toEqual({})
  expect(policy).toEqual({ no_bcc: true })
})

test('holding mail says when it expires', () => {
  expect(readDraft(draftOf({ hold: true })).policy).toEqual({ hold: { expires_in_hours: 72 } })
})

test('entries may stand one below the other or beside each other, and are taken once', () => {
  const { policy } = readDraft({
    ...EMPTY,
    recipients: true,
    'recipients.addresses': ' ada@example.com, bob@example.com;\nada@example.com\n',
    'recipients.domains': '@example.org',
  })

  expect(policy.recipients).toEqual({ addresses: ['ada@example.com', 'bob@example.com'], domains: ['example.org'] })
})

describe('what is wrong is said at its field', () => {
  test.each([
    [{ recipients: true }, 'recipients', /at least one/],
    [{ recipients: true, 'recipients.addresses': 'ada' }, 'recipients.addresses', /“ada” is not an email address/],
    [{ recipients: true, 'recipients.domains': 'ada@example.com' }, 'recipients.domains', /is not a domain/],
    [{ senders: 'Ada <ada@example.com>' }, 'senders', /“Ada” is neither/],
    [{ max_emails_per_day: '-1' }, 'max_emails_per_day', /from 0 to 1,000,000/],
    [{ max_emails_per_day: '1.5' }, 'max_emails_per_day', /whole number/],
    [{ max_emails_per_day: '1000001' }, 'max_emails_per_day', /whole number/],
    [{ hold: true, 'hold.expires_in_hours': '721' }, 'hold.expires_in_hours', /from 1 to 720/],
    [{ hold: true, 'hold.notify': '@example.com' }, 'hold.notify', /is not an email address/],
    [{ dry_run: true }, 'dry_run', /at least one rule/],
    [{}, 'dry_run', /at least one rule/],
  ] as const)('%j', (part, field, problem) => {
    const { problems } = readDraft({ ...EMPTY, ...part })

    expect(Object.keys(problems)).toEqual([field])
    expect(problems[field]).toMatch(problem)
  })

  test('a thousand addresses are enough', () => {
    const addresses = Array.from({ length: 1_001 }, (_, at) => `${at}@example.com`).join('\n')

    expect(readDraft({ ...EMPTY, recipients: true, 'recipients.addresses': addresses }).problems).toEqual({
      'recipients.addresses': 'At most 1,000 entries.',
    })
  })
})

test.each([
  ['Invalid `policy.recipients.addresses[3]` field. It is no address.', 422, 'recipients.addresses'],
  ['Invalid `policy.hold.expires_in_hours` field.', 422, 'hold.expires_in_hours'],
  ['Invalid `policy.recipients.segment_id` field. There is no such segment.', 422, 'recipients.segment_id'],
  ['Invalid `name` field.', 422, undefined],
  ['Invalid `policy.unheard_of` field.', 422, undefined],
  ['Refused by the policy of this API key: `recipients`.', 403, undefined],
])('%s is about its field', (message, status, field) => {
  expect(refusedField(new ApiProblem(status, 'validation_error', message))).toBe(field)
})
