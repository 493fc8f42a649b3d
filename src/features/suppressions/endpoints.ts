import Type from 'typebox'
import { readAddress } from '../../kernel/http/address-filter.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { deletion, present, reference } from '../../kernel/http/shapes.ts'
import { searchRows } from '../../kernel/search/list.ts'
import { endpoint, list } from '../definitions.ts'
import { readSuppression, suppress, suppressionNamed, unsuppress } from './actions.ts'
import { joinFiltered, suppressionRows } from './queries.ts'
import {
  AddedSuppressions,
  AddSuppression,
  AddSuppressions,
  DeletedSuppression,
  RemovedSuppressions,
  RemoveSuppressions,
  Suppression,
  SuppressionFilter,
  SuppressionItem,
  SuppressionReference,
} from './schema.ts'
import { suppressionSearch } from './search.ts'

const Params = Type.Object({ idOrEmail: Type.String() })

export const suppressionEndpoints = [
  endpoint({
    id: 'suppressions.add',
    route: 'POST /suppressions',
    summary: 'Add a suppression',
    status: 201,
    body: AddSuppression,
    reply: SuppressionReference,
    async run({ body, services, actor }) {
      const [id] = await suppress(services, actor, [body.email])
      return reference('suppression', id!)
    },
  }),
  list({
    id: 'suppressions.list',
    route: 'GET /suppressions',
    summary: 'List suppressions',
    query: SuppressionFilter,
    item: SuppressionItem,
    unlimited: 20,
    rows: ({ query, window, services: { db }, actor: { team } }) =>
      searchRows(db, team, {
        searchable: suppressionSearch,
        q: query.q,
        to: readAddress(query.email).part,
        rows: suppressionRows(team, query),
        window,
        besides: joinFiltered(team, query),
      }),
  }),
  endpoint({
    id: 'suppressions.get',
    route: 'GET /suppressions/:idOrEmail',
    summary: 'Retrieve a suppression',
    params: Params,
    reply: Suppression,
    async run({ params, services, actor }) {
      const suppression = await readSuppression(services, actor, suppressionNamed(params.idOrEmail))
      return present('suppression', found(suppression, 'Suppression'))
    },
  }),
  endpoint({
    id: 'suppressions.remove',
    route: 'DELETE /suppressions/:idOrEmail',
    summary: 'Remove a suppression',
    params: Params,
    reply: DeletedSuppression,
    async run({ params, services, actor }) {
      const [removed] = await unsuppress(services, actor, suppressionNamed(params.idOrEmail))
      return deletion('suppression', found(removed, 'Suppression').id)
    },
  }),
  endpoint({
    id: 'suppressions.batch.add',
    route: 'POST /suppressions/batch/add',
    summary: 'Add up to 100 suppressions',
    status: 201,
    body: AddSuppressions,
    reply: AddedSuppressions,
    async run({ body, services, actor }) {
      const ids = await suppress(services, actor, body.emails)
      return { data: ids.map((id) => reference('suppression', id)) }
    },
  }),
  endpoint({
    id: 'suppressions.batch.remove',
    route: 'POST /suppressions/batch/remove',
    summary: 'Remove up to 100 suppressions',
    body: RemoveSuppressions,
    reply: RemovedSuppressions,
    async run({ body: { emails, ids }, services, actor }) {
      if ((emails === undefined) === (ids === undefined))
        throw new Problem('validation_error', 'Use either `emails` or `ids`, not both.')
      const removed = await unsuppress(services, actor, emails ? { emails } : { ids: ids! })
      return { data: removed.map(({ id }) => deletion('suppression', id)) }
    },
  }),
]
