import type { Static } from 'typebox'
import { found } from '../../kernel/http/problem.ts'
import { findRow } from '../../kernel/http/rows.ts'
import { IdParams, present, reference } from '../../kernel/http/shapes.ts'
import { deletionAfter, endpoint, list, referenceAfter } from '../definitions.ts'
import { addTopic, changeTopic, removeTopic } from './actions.ts'
import { topicRows } from './queries.ts'
import { CreateTopic, DeletedTopic, Topic, TopicItem, TopicReference, UpdateTopic } from './schema.ts'

export const topicEndpoints = [
  endpoint({
    id: 'topics.create',
    route: 'POST /topics',
    summary: 'Create a topic',
    status: 201,
    body: CreateTopic,
    reply: TopicReference,
    run: async ({ body, services, actor }) => reference('topic', await addTopic(services, actor, body)),
  }),
  list({
    id: 'topics.list',
    route: 'GET /topics',
    summary: 'List topics',
    item: TopicItem,
    unlimited: 20,
    rows: ({ actor }) => topicRows(actor.team),
  }),
  endpoint({
    id: 'topics.get',
    route: 'GET /topics/:id',
    summary: 'Retrieve a topic',
    params: IdParams,
    reply: Topic,
    async run({ params, services, actor }) {
      const topic = await findRow<Static<typeof TopicItem>>(services.db, topicRows(actor.team), params.id)
      return present('topic', found(topic, 'Topic'))
    },
  }),
  endpoint({
    id: 'topics.update',
    route: 'PATCH /topics/:id',
    summary: 'Update a topic',
    params: IdParams,
    body: UpdateTopic,
    reply: TopicReference,
    run: referenceAfter('topic', changeTopic),
  }),
  endpoint({
    id: 'topics.remove',
    route: 'DELETE /topics/:id',
    summary: 'Delete a topic',
    params: IdParams,
    reply: DeletedTopic,
    run: deletionAfter('topic', removeTopic),
  }),
]
