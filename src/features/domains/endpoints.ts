import { forgetKeys } from '../../kernel/http/auth.ts'
import { whileThere } from '../../kernel/http/client-gone.ts'
import { found } from '../../kernel/http/problem.ts'
import { deletion, IdParams, present } from '../../kernel/http/shapes.ts'
import { endpoint, list, referenceAfter } from '../definitions.ts'
import { addDomain, changeDomain, removeDomain, rotateKeys, startVerification } from './actions.ts'
import { presentDomain } from './present.ts'
import { domainRows, findDomain } from './queries.ts'
import { installationOf } from './records.ts'
import {
  CreateDomain,
  CreatedDomain,
  DeletedDomain,
  Domain,
  DomainItem,
  DomainReference,
  UpdateDomain,
} from './schema.ts'

export const domainEndpoints = [
  endpoint({
    id: 'domains.create',
    route: 'POST /domains',
    summary: 'Create a domain',
    status: 201,
    body: CreateDomain,
    reply: CreatedDomain,
    run: ({ body, raw, services, actor }) =>
      whileThere(raw.stream, async (gone) =>
        presentDomain(await addDomain(services, actor, body, gone), installationOf(services.config)),
      ),
  }),
  list({
    id: 'domains.list',
    route: 'GET /domains',
    summary: 'List domains',
    item: DomainItem,
    unlimited: 'all',
    rows: ({ actor }) => domainRows(actor.team),
  }),
  endpoint({
    id: 'domains.get',
    route: 'GET /domains/:id',
    summary: 'Retrieve a domain',
    params: IdParams,
    reply: Domain,
    async run({ params, services: { db, config }, actor: { team } }) {
      const domain = found(await findDomain(db, team, params.id), 'Domain')
      const shown = presentDomain(domain, installationOf(config))
      return present('domain', { ...shown, ...(domain.is_placeholder && { is_claim: true }) })
    },
  }),
  endpoint({
    id: 'domains.update',
    route: 'PATCH /domains/:id',
    summary: 'Update a domain',
    params: IdParams,
    body: UpdateDomain,
    reply: DomainReference,
    run: referenceAfter('domain', changeDomain),
  }),
  endpoint({
    id: 'domains.remove',
    route: 'DELETE /domains/:id',
    summary: 'Delete a domain and the API keys bound to it',
    params: IdParams,
    reply: DeletedDomain,
    async run({ params, services, actor }) {
      await removeDomain(services, actor, params.id)
      forgetKeys(services)
      return deletion('domain', params.id)
    },
  }),
  endpoint({
    id: 'domains.verify',
    route: 'POST /domains/:id/verify',
    summary: 'Verify a domain',
    description: 'Checks its DNS records.',
    params: IdParams,
    reply: DomainReference,
    run: referenceAfter('domain', startVerification),
  }),
  endpoint({
    id: 'domains.rotate-keys',
    route: 'POST /domains/:id/rotate-keys',
    summary: 'Rotate the DKIM keys of a domain',
    description:
      'Creates new keys under new selectors. `records` of the domain then has their records, with the status `pending`; when they are in the DNS, the new keys sign. The old records should stay for 7 more days.',
    params: IdParams,
    reply: DomainReference,
    run: referenceAfter('domain', rotateKeys),
  }),
]
