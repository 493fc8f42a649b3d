import Type from 'typebox'
import type { Actor } from '../../kernel/http/actor.ts'
import { found } from '../../kernel/http/problem.ts'
import { findRow } from '../../kernel/http/rows.ts'
import { Id, IdParams, reference } from '../../kernel/http/shapes.ts'
import { searchRows } from '../../kernel/search/list.ts'
import { deletionAfter, endpoint, list, referenceAfter } from '../definitions.ts'
import {
  addBroadcast,
  cancelBroadcast,
  changeBroadcast,
  duplicateBroadcast,
  removeBroadcast,
  resumeBroadcast,
  sendBroadcast,
} from './actions.ts'
import { countAudience } from './audience.ts'
import { changeGuard, readGuard } from './guard.ts'
import { readBroadcastMetrics } from './metrics.ts'
import { broadcastRows, findBroadcast } from './queries.ts'
import { clickedLinkRows, recipientRows } from './recipients.ts'
import {
  Broadcast,
  BroadcastAudience,
  BroadcastFilter,
  BroadcastGuard,
  BroadcastItem,
  BroadcastMetrics,
  BroadcastRecipient,
  BroadcastReference,
  ClickedLink,
  CreateBroadcast,
  DeletedBroadcast,
  RecipientQuery,
  SendBroadcast,
  UpdateBroadcast,
  UpdateBroadcastGuard,
} from './schema.ts'
import { broadcastSearch } from './search.ts'
import type { BroadcastsServices } from './services.ts'

async function requireBroadcast({ db }: BroadcastsServices, { team }: Actor, id: string) {
  found(await findRow(db, broadcastRows(team), id), 'Broadcast')
}

export const broadcastEndpoints = [
  endpoint({
    id: 'broadcasts.create',
    route: 'POST /broadcasts',
    summary: 'Create a broadcast',
    description: 'As a draft, or to be sent now or at a scheduled time.',
    status: 201,
    body: CreateBroadcast,
    reply: BroadcastReference,
    run: async ({ body, services, actor }) => reference('broadcast', await addBroadcast(services, actor, body)),
  }),
  list({
    id: 'broadcasts.list',
    route: 'GET /broadcasts',
    summary: 'List broadcasts',
    item: BroadcastItem,
    query: BroadcastFilter,
    unlimited: 'all',
    rows: ({ query: { q }, window, services: { db }, actor: { team } }) =>
      searchRows(db, team, { searchable: broadcastSearch, q, rows: broadcastRows(team), window }),
  }),
  endpoint({
    id: 'broadcasts.get',
    route: 'GET /broadcasts/:id',
    summary: 'Retrieve a broadcast',
    params: IdParams,
    reply: Broadcast,
    run: async ({ params, services: { db }, actor: { team } }) =>
      found(await findBroadcast(db, team, params.id), 'Broadcast'),
  }),
  endpoint({
    id: 'broadcasts.audience',
    route: 'GET /broadcasts/:id/audience',
    summary: 'Preview the audience of a broadcast',
    description: 'Counts the contacts who would receive it now, and those who would be excluded, by reason.',
    params: IdParams,
    reply: BroadcastAudience,
    async run({ params, services: { db }, actor: { team } }) {
      const { segment_id: segment, topic_id: topic } = found(await findBroadcast(db, team, params.id), 'Broadcast')
      return { object: 'broadcast_audience' as const, ...(await countAudience(db, team, { segment, topic })) }
    },
  }),
  endpoint({
    id: 'broadcasts.get-metrics',
    route: 'GET /broadcasts/:id/metrics',
    summary: 'Retrieve the metrics of a broadcast',
    description: 'How far it has got, and what became of its emails.',
    params: IdParams,
    reply: BroadcastMetrics,
    run: async ({ params, services: { db }, actor: { team } }) =>
      readBroadcastMetrics(db, team, found(await findBroadcast(db, team, params.id), 'Broadcast')),
  }),
  endpoint({
    id: 'broadcasts.update',
    route: 'PATCH /broadcasts/:id',
    summary: 'Update a broadcast',
    description: 'Once sent, only the name can be changed.',
    params: IdParams,
    body: UpdateBroadcast,
    reply: BroadcastReference,
    run: referenceAfter('broadcast', changeBroadcast),
  }),
  endpoint({
    id: 'broadcasts.remove',
    route: 'DELETE /broadcasts/:id',
    summary: 'Delete a draft or scheduled broadcast',
    params: IdParams,
    reply: DeletedBroadcast,
    run: deletionAfter('broadcast', removeBroadcast),
  }),
  endpoint({
    id: 'broadcasts.send',
    access: 'broadcast',
    route: 'POST /broadcasts/:id/send',
    summary: 'Send or schedule a broadcast',
    params: IdParams,
    body: SendBroadcast,
    reply: Type.Object({ id: Id }),
    async run({ params, body, services, actor }) {
      await sendBroadcast(services, actor, params.id, body.scheduled_at)
      return { id: params.id }
    },
  }),
  endpoint({
    id: 'broadcasts.cancel',
    route: 'POST /broadcasts/:id/cancel',
    summary: 'Cancel a broadcast',
    description:
      'A scheduled broadcast becomes a draft again. Of one that is being sent or paused, emails that have not left are canceled.',
    params: IdParams,
    reply: BroadcastReference,
    run: referenceAfter('broadcast', cancelBroadcast),
  }),
  endpoint({
    // Of access `write`: a key that may only send does not overrule what stopped it.
    id: 'broadcasts.resume',
    route: 'POST /broadcasts/:id/resume',
    summary: 'Resume a paused broadcast',
    description: 'It is not paused a second time.',
    params: IdParams,
    reply: BroadcastReference,
    run: referenceAfter('broadcast', resumeBroadcast),
  }),
  endpoint({
    id: 'broadcast-guard.get',
    route: 'GET /broadcast-guard',
    summary: 'Retrieve when broadcasts are paused',
    reply: BroadcastGuard,
    run: async ({ services: { db }, actor: { team } }) => ({
      object: 'broadcast_guard' as const,
      ...(await readGuard(db, team)),
    }),
  }),
  endpoint({
    id: 'broadcast-guard.update',
    route: 'PATCH /broadcast-guard',
    summary: 'Update automatic pause of broadcasts',
    body: UpdateBroadcastGuard,
    reply: BroadcastGuard,
    async run({ body, services: { db }, actor: { team } }) {
      await db.transaction((trx) => changeGuard(trx, team, body))
      return { object: 'broadcast_guard' as const, ...(await readGuard(db, team)) }
    },
  }),
  endpoint({
    id: 'broadcasts.duplicate',
    route: 'POST /broadcasts/:id/duplicate',
    summary: 'Duplicate a broadcast',
    description: 'Creates a draft with the same content.',
    params: IdParams,
    reply: BroadcastReference,
    run: async ({ params, services, actor }) =>
      reference('broadcast', await duplicateBroadcast(services, actor, params.id)),
  }),
  list({
    id: 'broadcasts.recipients',
    route: 'GET /broadcasts/:id/recipients',
    summary: 'List the recipients of a broadcast',
    description: 'Filtered by outcome.',
    params: IdParams,
    query: RecipientQuery,
    item: BroadcastRecipient,
    unlimited: 20,
    async rows({ params, query, services, actor }) {
      await requireBroadcast(services, actor, params.id)
      return recipientRows(actor.team, params.id, query)
    },
  }),
  list({
    id: 'broadcasts.clicked-links',
    route: 'GET /broadcasts/:id/clicked-links',
    summary: 'List the clicked links of a broadcast',
    description: 'Most clicked first.',
    params: IdParams,
    item: ClickedLink,
    unlimited: 20,
    async rows({ params, services, actor }) {
      await requireBroadcast(services, actor, params.id)
      return clickedLinkRows(actor.team, params.id)
    },
  }),
]
