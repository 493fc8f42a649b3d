import type { Case, Group } from '../suite/case.ts'
import type { CaseRun } from '../suite/case-run.ts'
import {
  absent,
  boolean,
  is,
  listing,
  nullable,
  number,
  oneOf,
  optional,
  same,
  string,
  timestamp,
  uuid,
} from '../suite/shape.ts'
import { everyOperationCases } from './every-operation.ts'
import { listCases } from './lists.ts'
import { madeOnce, resourceCases } from './resources.ts'

const STATUSES = ['not_started', 'pending', 'verified', 'failed', 'partially_verified', 'partially_failed']
const SWITCH = oneOf('enabled', 'disabled')

const RECORD = {
  record: oneOf('SPF', 'DKIM', 'Receiving', 'Tracking', 'TrackingCAA'),
  name: string,
  type: oneOf('MX', 'TXT', 'CNAME', 'CAA'),
  ttl: string,
  status: oneOf('not_started', 'pending', 'verified', 'failed', 'temporary_failure'),
  value: string,
  priority: optional(number),
}

const LISTED = {
  name: string,
  status: oneOf(...STATUSES),
  created_at: timestamp,
  region: oneOf('us-east-1', 'eu-west-1', 'sa-east-1', 'ap-northeast-1'),
  capabilities: { sending: SWITCH, receiving: SWITCH },
  open_tracking: boolean,
  click_tracking: boolean,
}

/** Of nobody, and below a name that can be nobody's. */
const body = (trial: CaseRun) => ({ name: `${trial.fresh('cf')}.example.org` })

const facts = {
  ...{ id: 'domains', object: 'domain', name: 'domain' },
  create: 'POST /domains',
  get: 'GET /domains/:id',
  update: 'PATCH /domains/:id',
  remove: 'DELETE /domains/:id',
  body,
  created: {
    ...{ ...LISTED, id: uuid, status: is('not_started'), records: listing(RECORD), object: optional(is('domain')) },
    capabilities: same({ sending: 'enabled', receiving: 'disabled' }),
  },
  shape: (given: { name: string }) => ({ ...LISTED, name: is(given.name), records: listing(RECORD) }),
  change: {
    body: { capabilities: { sending: 'enabled', receiving: 'enabled' }, tls: 'enforced' },
    shape: { capabilities: same({ sending: 'enabled', receiving: 'enabled' }) },
  },
} as const

const made = madeOnce(facts)

const CLAIM = {
  object: is('domain_claim'),
  id: uuid,
  name: string,
  status: oneOf('pending', 'verified', 'completed', 'blocked', 'expired', 'superseded', 'canceled', 'failed'),
  domain_id: nullable(uuid),
  region: nullable(string),
  record: { type: is('TXT'), name: string, value: string, ttl: string },
  blocked_reason: nullable(string),
  failure_reason: nullable(string),
  created_at: timestamp,
  expires_at: timestamp,
}

const more: Case[] = [
  {
    ...{ id: 'domains.records', title: 'a domain has SPF and DKIM records', operation: 'POST /domains' },
    async run(trial) {
      const answer = await trial.call('POST /domains', { body: { ...body(trial), custom_return_path: 'bounces' } })
      const { records = [] } = answer.is(201, { records: listing(RECORD) })
      for (const kind of ['SPF', 'DKIM'])
        trial.check(answer.request, {
          ...{ expected: `a record ${kind}`, actual: records },
          isTrue: records.some(({ record }: { record: string }) => record === kind),
        })
    },
  },
  {
    ...{ id: 'domains.registered', title: 'refuses a name that is registered already', operation: 'POST /domains' },
    async run(trial) {
      const { given } = await trial.need(made)
      const answer = await trial.call('POST /domains', { body: given })
      answer.fails(403, 'validation_error', /registered already/)
    },
  },
  {
    ...{ id: 'domains.bad-name', title: 'refuses a name that is none', operation: 'POST /domains' },
    async run(trial) {
      const answer = await trial.call('POST /domains', { body: { name: 'not a domain' } })
      answer.fails(422, 'validation_error')
    },
  },
  {
    ...{ id: 'domains.bad-region', title: 'refuses a region that is none', operation: 'POST /domains' },
    async run(trial) {
      const answer = await trial.call('POST /domains', { body: { ...body(trial), region: 'moon-1' } })
      answer.fails(422, ['validation_error', 'invalid_region', 'invalid_parameter'])
    },
  },
  {
    ...{ id: 'domains.verify', title: 'begins to verify a domain', operation: 'POST /domains/:id/verify' },
    async run(trial) {
      const { id } = await trial.need(made)
      const answer = await trial.call('POST /domains/:id/verify', { params: { id } })
      answer.is(200, { object: is('domain'), id: is(id) })
    },
  },
  {
    ...{ id: 'domains.claim', title: 'takes and reads a claim of a domain', operation: 'POST /domains/claim' },
    async run(trial) {
      const { otherKey } = trial.world.options
      const given = body(trial)
      if (otherKey !== null) await trial.made('POST /domains', { body: given, key: otherKey })
      const answer = await trial.call('POST /domains/claim', { body: given })
      // A domain that nobody has cannot be taken over from anybody.
      if (otherKey === null && [403, 409, 422].includes(answer.status))
        return trial.skip('needs a domain of another account: see --other-key')
      const claim = answer.is(201, { ...CLAIM, name: is(given.name) })
      if (claim.domain_id === null) return
      ;(await trial.call('POST /domains/claim', { body: given })).is(200, { ...CLAIM, id: is(claim.id) })
      const params = { id: claim.domain_id }
      ;(await trial.call('GET /domains/:id/claim', { params })).is(200, { ...CLAIM, id: is(claim.id) })
      ;(await trial.call('POST /domains/:id/claim/verify', { params })).is(200, { ...CLAIM, id: is(claim.id) })
    },
  },
]

export const domains: Group = {
  id: 'domains',
  title: 'Domains',
  cases: [
    ...resourceCases(facts),
    ...more,
    ...listCases({
      ...{ id: 'domains', operation: 'GET /domains', item: { ...LISTED, id: uuid, records: absent }, page: 'all' },
      make: async (trial) => (await trial.made('POST /domains', { body: body(trial) })).id,
    }),
    ...everyOperationCases('domains'),
  ],
}
