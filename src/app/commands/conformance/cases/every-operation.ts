import type { Case } from '../suite/case.ts'
import { type CallOptions, type CaseRun, type Fixture, OperationMissing } from '../suite/case-run.ts'
import { readJson } from '../suite/leftovers.ts'
import { methodOf, NOBODY, OPERATIONS, type OperationId, operationsOf, paramsOf } from '../suite/operations.ts'

// What every operation is asked. Nothing is made by it on a server that keeps the contract: ids are of nobody, and bodies lack what is required.

/** A key that may only send. */
export const sendingKey: Fixture<string> = {
  async make(trial) {
    const { token } = await trial.made('POST /api-keys', {
      body: { name: trial.fresh(), permission: 'sending_access' },
    })
    return typeof token === 'string' ? token : trial.skip('needs the `token` of POST /api-keys')
  },
}

/** As harmless as it can be. */
function probe(id: OperationId): CallOptions {
  const { body, query } = OPERATIONS[id]
  return {
    params: Object.fromEntries(paramsOf(id).map((name) => [name, NOBODY])),
    ...(query !== undefined && { query }),
    ...(methodOf(id) !== 'GET' && methodOf(id) !== 'DELETE' && { body: body ?? {} }),
  }
}

const known = (trial: CaseRun, ids: readonly OperationId[]) => ids.filter((id) => !trial.world.missing.has(id))

/** What the server says of a route that it does not have; some say the same of an id of nobody. */
const noRoute: Fixture<string> = {
  async make(trial) {
    const { text } = await trial.world.options.client.send({ method: 'GET', path: '/conformance/nothing' })
    return String(readJson(text)?.message)
  },
}

/** Asks those that are there. Which ones are may turn out only now. */
async function askEach(trial: CaseRun, ids: readonly OperationId[], ask: (id: OperationId) => Promise<void>) {
  for (const id of known(trial, ids))
    try {
      await ask(id)
    } catch (error) {
      if (!(error instanceof OperationMissing)) throw error
      trial.world.missing.add(id)
    }
}

/** At the end of a group: by then it is known which of its operations are there. */
export function everyOperationCases(group: string): Case[] {
  const ids = operationsOf(group)
  const withIds = ids.filter((id) => paramsOf(id).length > 0)
  const unknown = withIds.filter((id) => !OPERATIONS[id].acceptsUnknown)
  const strict = withIds.filter((id) => methodOf(id) === 'GET' && !OPERATIONS[id].takesNames)
  const demanding = ids.filter((id) => OPERATIONS[id].required)
  const restricted = ids.filter((id) => !OPERATIONS[id].isSending)
  const cases: (Case & { readonly asks: readonly OperationId[] })[] = [
    {
      ...{
        id: `${group}.no-key`,
        title: 'every operation refuses a request without a key',
        operation: null,
        asks: ids,
      },
      async run(trial) {
        await askEach(trial, ids, async (id) => {
          const answer = await trial.call(id, { ...probe(id), key: null })
          answer.fails(401, 'missing_api_key')
        })
      },
    },
    {
      ...{
        id: `${group}.sending-key`,
        title: 'a key that may only send is refused',
        operation: null,
        asks: restricted,
      },
      async run(trial) {
        const key = await trial.need(sendingKey)
        await askEach(trial, restricted, async (id) => {
          const answer = await trial.call(id, { ...probe(id), key })
          answer.fails(401, 'restricted_api_key')
        })
      },
    },
    {
      ...{ id: `${group}.unknown-id`, title: 'an id of nobody is not found', operation: null, asks: unknown },
      async run(trial) {
        const message = await trial.need(noRoute)
        await askEach(trial, unknown, async (id) => {
          const answer = await trial.call(id, probe(id))
          if (!trial.world.present.has(id) && answer.body?.message === message) answer.isNotThere()
          answer.fails(404, 'not_found')
        })
      },
    },
    {
      ...{ id: `${group}.malformed-id`, title: 'what is no id is refused', operation: null, asks: strict },
      async run(trial) {
        await askEach(trial, strict, async (id) => {
          const params = Object.fromEntries(paramsOf(id).map((name) => [name, 'not-an-id']))
          const answer = await trial.call(id, { ...probe(id), params })
          answer.fails(422, ['invalid_parameter', 'validation_error'])
        })
      },
    },
    {
      ...{
        id: `${group}.required`,
        title: 'a body without what is required is refused',
        operation: null,
        asks: demanding,
      },
      async run(trial) {
        await askEach(trial, demanding, async (id) => {
          const fields = OPERATIONS[id].required!
          const answer = await trial.call(id, { body: {} })
          answer.fails(422, ['missing_required_field', 'validation_error'], new RegExp(fields.join('|')))
        })
      },
    },
  ]
  return cases.filter(({ asks }) => asks.length > 0).map(withKnown)
}

/** Nothing to ask where nothing is there: many servers look at the key before they look at the route. */
function withKnown({ asks, run, ...one }: Case & { readonly asks: readonly OperationId[] }): Case {
  return {
    ...one,
    run(trial) {
      const { present } = trial.world
      const isThere = asks.some((id) => operationsOf(OPERATIONS[id].group).some((other) => present.has(other)))
      if (!isThere || known(trial, asks).length === 0) trial.skip('no operation of the group has succeeded')
      return run(trial)
    },
  }
}
