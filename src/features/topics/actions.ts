import type { Static } from 'typebox'
import type { Queryable } from '../../kernel/db/database.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { record } from '../../kernel/outbox/record.ts'
import { countTopics, deleteTopic, insertTopic, updateTopic } from './queries.ts'
import type { CreateTopic, UpdateTopic } from './schema.ts'
import type { TopicsServices } from './services.ts'

export function addTopic({ db }: TopicsServices, { team }: Actor, topic: Static<typeof CreateTopic>): Promise<string> {
  return db.transaction(async (trx) => {
    const event = await insertTopic(trx, team, topic)
    await record(trx, team, 'topic.created', [event])
    return event.id
  })
}

export function changeTopic({ db }: TopicsServices, { team }: Actor, id: string, body: Static<typeof UpdateTopic>) {
  return db.transaction(async (trx) => {
    await requireTopics(trx, team, [id])
    const event = await updateTopic(trx, team, id, body)
    if (event) await record(trx, team, 'topic.updated', [event])
  })
}

export function removeTopic({ db }: TopicsServices, { team }: Actor, id: string) {
  return db.transaction(async (trx) => {
    const event = found(await deleteTopic(trx, team, id), 'Topic')
    await record(trx, team, 'topic.deleted', [event])
  })
}

/** All of them exist and belong to the team, and stay until the transaction ends. */
export async function requireTopics(db: Queryable, team: string, ids: readonly string[]) {
  const distinct = [...new Set(ids)]
  if (distinct.length > 0 && (await countTopics(db, team, distinct)) < distinct.length)
    throw new Problem('not_found', 'Topic not found')
}
