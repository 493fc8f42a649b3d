import type { Case } from '../suite/case.ts'
import type { CaseRun, Fixture, Json } from '../suite/case-run.ts'
import type { OperationId } from '../suite/operations.ts'
import { type Fields, is, uuid } from '../suite/shape.ts'

/** An object that is made, read, changed and deleted: what most of the contract is about. */
export interface ResourceFacts {
  /** The group, and the beginning of the ids of its cases. */
  readonly id: string
  /** As the contract calls it in `object`. */
  readonly object: string
  readonly name: string
  readonly create: OperationId
  readonly get: OperationId
  readonly update?: OperationId
  readonly remove: OperationId
  /** A body to make one. */
  body(trial: CaseRun): Promise<Json> | Json
  readonly created: Fields
  /** What is read of the one that was made by this body. */
  shape(body: Json): Fields
  /** A change, and what is read afterwards. */
  readonly change?: { readonly body: Json; readonly shape: Fields }
  readonly removed?: Fields
}

/** One that the group may read and change. */
export const madeOnce = (facts: Pick<ResourceFacts, 'create' | 'body'>): Fixture<{ id: string; given: Json }> => ({
  async make(trial) {
    const given = await facts.body(trial)
    const { id } = await trial.made(facts.create, { body: given })
    return { id, given }
  },
})

const withArticle = (name: string) => `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`

export function resourceCases(facts: ResourceFacts): Case[] {
  const name = withArticle(facts.name)
  const { id, object, create, get, update, remove, change } = facts
  const made = madeOnce(facts)
  const changes: Case[] = []
  if (update && change)
    changes.push({
      ...{ id: `${id}.update`, title: `changes ${name}`, operation: update },
      async run(trial) {
        const one = await trial.need(made)
        const answer = await trial.call(update, { params: { id: one.id }, body: change.body })
        answer.is(200, { object: is(object), id: is(one.id) })
        const read = await trial.call(get, { params: { id: one.id } })
        read.is(200, change.shape)
      },
    })
  return [
    {
      ...{ id: `${id}.create`, title: `makes ${name}`, operation: create },
      async run(trial) {
        const answer = await trial.call(create, { body: await facts.body(trial) })
        answer.is(201, facts.created)
      },
    },
    {
      ...{ id: `${id}.get`, title: `reads ${name}`, operation: get },
      async run(trial) {
        const one = await trial.need(made)
        const answer = await trial.call(get, { params: { id: one.id } })
        answer.is(200, { object: is(object), id: is(one.id), ...facts.shape(one.given) })
      },
    },
    ...changes,
    {
      ...{ id: `${id}.delete`, title: `deletes ${name}`, operation: remove },
      async run(trial) {
        const one = await trial.made(create, { body: await facts.body(trial) })
        const answer = await trial.call(remove, { params: { id: one.id } })
        answer.is(200, facts.removed ?? { object: is(object), id: is(one.id), deleted: is(true) })
        const gone = await trial.call(get, { params: { id: one.id } })
        gone.fails(404, 'not_found')
      },
    },
    {
      ...{ id: `${id}.unknown-fields`, title: `ignores fields of ${name} that it does not know`, operation: create },
      async run(trial) {
        const body = { ...(await facts.body(trial)), field_of_tomorrow: true }
        ;(await trial.call(create, { body })).is(201, { id: uuid })
      },
    },
  ]
}
