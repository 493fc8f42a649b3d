import type { Case } from '../suite/case.ts'
import type { CallOptions, CaseRun, Fixture, Json } from '../suite/case-run.ts'
import { NOBODY, type OperationId } from '../suite/operations.ts'
import { listOf, type Shape } from '../suite/shape.ts'

export interface ListFacts {
  /** `contacts`, the beginning of the ids of its cases. */
  readonly id: string
  readonly operation: OperationId
  readonly item: Shape
  /** Without a `limit`: everything, or so many. */
  readonly page: 'all' | number
  /** Makes one item of it, and gives back its id. */
  make(trial: CaseRun): Promise<string>
  /** Of a list that belongs to something. */
  readonly within?: Fixture<Readonly<Record<string, string>>>
}

const ITEMS = 3

/** Three items, the oldest first. Others may make some beside them. */
const itemsOf = ({ make }: ListFacts): Fixture<string[]> => ({
  async make(trial) {
    const ids: string[] = []
    while (ids.length < ITEMS) ids.push(await make(trial))
    return ids
  },
})

const idsOf = (body: Json): string[] => (Array.isArray(body?.data) ? body.data.map((item: Json) => item?.id) : [])

/** What of ours is in a page, in its order. */
const ours = (body: Json, items: readonly string[]) => idsOf(body).filter((id) => items.includes(id))

export function listCases(facts: ListFacts): Case[] {
  const { id, operation, item, page, within } = facts
  const shape = listOf(item)
  const items = itemsOf(facts)
  const ask = async (trial: CaseRun, query: CallOptions['query']) =>
    trial.call(operation, { ...(within && { params: await trial.need(within) }), ...(query && { query }) })
  const one = (name: string, title: string, run: Case['run']): Case => ({ id: `${id}.${name}`, title, operation, run })
  const size = page === 'all' ? 'all items' : `at most ${page} items`
  return [
    one('list', `lists ${size} without a limit`, async (trial) => {
      const made = await trial.need(items)
      const answer = await ask(trial, '')
      const body = answer.is(200, shape)
      const { length } = idsOf(body)
      if (page === 'all') {
        const isWhole = ours(body, made).length === ITEMS && body.has_more === false
        trial.check(answer.request, {
          ...{ expected: 'every item, and `has_more` false', isTrue: isWhole },
          actual: `${ours(body, made).length} of ${ITEMS} items, has_more ${body.has_more}`,
        })
      } else
        trial.check(answer.request, {
          ...{ expected: `${page} items, or fewer and \`has_more\` false` },
          ...{ isTrue: length <= page && (body.has_more !== true || length === page) },
          actual: `${length} items, has_more ${body.has_more}`,
        })
    }),
    one('order', 'lists the newest first', async (trial) => {
      const made = await trial.need(items)
      const answer = await ask(trial, 'limit=100')
      const body = answer.is(200, shape)
      sameOrder(trial, answer.request, { found: ours(body, made), expected: [...made].reverse() })
    }),
    one('limit', 'gives as many as `limit` says, and tells that there are more', async (trial) => {
      await trial.need(items)
      const answer = await ask(trial, 'limit=2')
      const body = answer.is(200, shape)
      pageOf(trial, answer.request, { body, length: 2, hasMore: true })
    }),
    one('after', '`after` goes on behind an item', async (trial) => {
      const made = await trial.need(items)
      const [oldest, middle, newest] = made as [string, string, string]
      const behind = await ask(trial, `limit=100&after=${newest}`)
      sameOrder(trial, behind.request, { found: ours(behind.is(200, shape), made), expected: [middle, oldest] })
      const next = await ask(trial, `limit=1&after=${newest}`)
      const body = next.is(200, shape)
      pageOf(trial, next.request, { body, length: 1, hasMore: true })
      notIn(trial, next.request, { body, ids: [newest, oldest] })
    }),
    one('before', '`before` goes back to newer items, the nearest of them', async (trial) => {
      const made = await trial.need(items)
      const [oldest, middle, newest] = made as [string, string, string]
      const ahead = await ask(trial, `limit=100&before=${oldest}`)
      sameOrder(trial, ahead.request, { found: ours(ahead.is(200, shape), made), expected: [newest, middle] })
      const previous = await ask(trial, `limit=1&before=${oldest}`)
      const body = previous.is(200, shape)
      pageOf(trial, previous.request, { body, length: 1, hasMore: true })
      notIn(trial, previous.request, { body, ids: [newest, oldest] })
    }),
    ...cursorCases(facts, ask),
  ]
}

/** Also of lists in which nothing can be made. */
export function cursorCases(
  { id, operation }: Pick<ListFacts, 'id' | 'operation'>,
  ask: (trial: CaseRun, query: string) => ReturnType<CaseRun['call']>,
): Case[] {
  const refused = async (trial: CaseRun, query: string, message?: RegExp) => {
    const answer = await ask(trial, query)
    answer.fails(422, 'validation_error', message)
  }
  return [
    {
      ...{ id: `${id}.bad-limit`, title: 'refuses a limit that is not from 1 to 100', operation },
      async run(trial) {
        for (const limit of ['0', '101', '-1', 'ten', '1.5'])
          await refused(trial, `limit=${limit}`, /between 1 and 100/)
      },
    },
    {
      ...{ id: `${id}.both-cursors`, title: 'refuses `after` and `before` at once', operation },
      run: (trial) => refused(trial, `after=${NOBODY}&before=${NOBODY}`),
    },
    {
      ...{ id: `${id}.bad-cursor`, title: 'refuses a cursor that is none', operation },
      run: (trial) => refused(trial, 'after=not-a-cursor'),
    },
  ]
}

function sameOrder(trial: CaseRun, request: string, { found, expected }: { found: string[]; expected: string[] }) {
  trial.check(request, {
    ...{ expected: `in this order: ${expected.join(', ')}`, isTrue: found.join() === expected.join() },
    actual: found.length === 0 ? 'none of them' : found.join(', '),
  })
}

function pageOf(trial: CaseRun, request: string, page: { body: Json; length: number; hasMore: boolean }) {
  const { length } = idsOf(page.body)
  trial.check(request, {
    expected: `${page.length} item${page.length === 1 ? '' : 's'}, has_more ${page.hasMore}`,
    isTrue: length === page.length && page.body.has_more === page.hasMore,
    actual: `${length} items, has_more ${page.body.has_more}`,
  })
}

function notIn(trial: CaseRun, request: string, { body, ids }: { body: Json; ids: readonly string[] }) {
  const wrong = ours(body, ids)
  trial.check(request, { expected: 'the item that is next to the cursor', isTrue: wrong.length === 0, actual: wrong })
}
