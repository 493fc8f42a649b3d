import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ENDPOINTS } from '../src/features/index.ts'
import { type App, type Client, startApp } from './harness/app.ts'
import { callerOf } from './harness/callers.ts'
import { LISTS, type ListUnderTest } from './harness/lists.ts'

// One set of rules for every list of the API. A new list fails here until LISTS says how to fill it.

const lists = ENDPOINTS.filter(
  ({ method, reply }) => method === 'GET' && 'has_more' in ((reply as Partial<Shape>).properties ?? {}),
)
type Shape = { properties: object }

const byId = (id: string) => lists.find((endpoint) => endpoint.id === id)!

const RUNS = process.env.POSTWREN_TEST_NIGHT ? 40 : 4
const SEED = 20_261_115 // the same walks in every run; a failure prints the seed and the shortest walk that fails

/** What may happen between two pages. */
const change = fc.oneof(
  fc.record({ do: fc.constant('create' as const) }),
  fc.record({ do: fc.constant('delete' as const), which: fc.nat(20) }),
  fc.record({ do: fc.constant('delete the cursor' as const) }),
)

const walk = fc.record({
  direction: fc.constantFrom('after' as const, 'before' as const),
  limit: fc.integer({ min: 1, max: 4 }),
  itemsAtFirst: fc.integer({ min: 0, max: 9 }),
  betweenPages: fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 4 }),
})

test('there is a recipe for every list', () => {
  expect(lists.map(({ id }) => id).filter((id) => !(id in LISTS))).toEqual([])
})

describe.each(lists.map(({ id }) => id).filter((id) => id in LISTS))('%s', (id) => {
  test('every item that exists throughout is seen exactly once, whatever comes and goes', async () => {
    const app = await startApp()
    let run = 0

    await fc.assert(
      fc.asyncProperty(walk, async (steps) => {
        const client = await app.as(`acme ${run++}`)
        await expectWalk(await Items.of(id, client, app), steps)
      }),
      { numRuns: RUNS, seed: SEED },
    )
  })

  // Who operates the installation reads of all teams, so what others do meanwhile is on the page, too.
  const isOfOneTeam = byId(id).access !== 'operator'
  test.runIf(isOfOneTeam)('without a limit it gives its usual page, and nothing of another team', async () => {
    const app = await startApp()
    const globex = await Items.of(id, await app.as('globex'), app)
    const acme = await Items.of(id, await app.as('acme'), app)
    const usual = acme.list.unlimited === 'all' ? Number.POSITIVE_INFINITY : acme.list.unlimited
    for (let n = 0; n < 2; n++) await globex.create()
    for (let n = 0; n < 10; n++) await acme.create()
    const [atTen, ten] = [await acme.read(''), [...acme.ids]]
    for (let n = 10; n < 21; n++) await acme.create()
    const atTwentyOne = await acme.read('')

    expect(atTen).toEqual(pageOf(ten, usual))
    expect(atTwentyOne).toEqual(pageOf(acme.ids, usual))
  })

  test('any well-formed UUID is a cursor, also one that was never an item', async () => {
    const app = await startApp()
    const items = await Items.of(id, await app.as('acme'), app)
    for (let n = 0; n < 3; n++) await items.create()
    const { prefix = '' } = items.list
    const middle = items.ids[1]!.slice(prefix.length)
    const strangers = [
      '00000000-0000-0000-0000-000000000000',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
      `${middle.slice(0, -4)}0000`,
      `${middle.slice(0, -4)}ffff`,
      middle.toUpperCase(),
      'c0ffee00-1234-4234-8234-123456789abc',
    ].map((id) => `${prefix}${id}`)

    for (const cursor of strangers) {
      const place = cursor.toLowerCase()
      expect(await items.read(`?limit=2&after=${cursor}`)).toEqual(items.expected('after', place, 2))
      expect(await items.read(`?limit=2&before=${cursor}`)).toEqual(items.expected('before', place, 2))
    }
  })
})

interface Page {
  ids: string[]
  hasMore: boolean
}

/** A list together with what should be in it, in its order. */
class Items {
  readonly list: ListUnderTest
  ids: string[]
  #made = 0

  static async of(id: string, client: Client, app: App) {
    const caller = await callerOf(app, client, byId(id))
    return new Items(await LISTS[id]!(client, app), (path) => caller.get(path))
  }

  readonly #get: Client['get']

  private constructor(list: ListUnderTest, get: Client['get']) {
    this.list = list
    this.ids = [...(list.existing ?? [])]
    this.#get = get
  }

  async create() {
    const id = await this.list.create(this.#made++)
    expect(this.ids.every((older) => older < id)).toBe(true)
    if (this.list.isOldestFirst) this.ids.push(id)
    else this.ids.unshift(id)
  }

  async remove(id: string | undefined) {
    if (id === undefined || !this.ids.includes(id) || this.list.existing?.includes(id)) return
    await this.list.remove(id)
    this.ids = this.ids.filter((other) => other !== id)
  }

  async read(query: string): Promise<Page> {
    await this.list.settle?.()
    const { path } = this.list
    const { body } = await this.#get(path.includes('?') ? `${path}${query.replace('?', '&')}` : `${path}${query}`)
    return { ids: body.data.map(({ id }: { id: string }) => id), hasMore: body.has_more }
  }

  expected(direction: 'after' | 'before', cursor: string | null, limit: number): Page {
    const isBehind = (id: string) =>
      cursor === null || ((direction === 'after') === (this.list.isOldestFirst ?? false) ? id > cursor : id < cursor)
    const beyond = this.ids.filter(isBehind)
    if (direction === 'after') return pageOf(beyond, limit)
    return { ids: beyond.slice(-limit), hasMore: beyond.length > limit }
  }

  /** What is behind every item. */
  get end(): string {
    return this.list.isOldestFirst ? 'ffffffff-ffff-ffff-ffff-ffffffffffff' : '00000000-0000-0000-0000-000000000000'
  }
}

const pageOf = (ids: string[], limit: number): Page => ({ ids: ids.slice(0, limit), hasMore: ids.length > limit })

async function expectWalk(items: Items, steps: typeof walk extends fc.Arbitrary<infer Steps> ? Steps : never) {
  const { direction, limit } = steps
  for (let n = 0; n < steps.itemsAtFirst; n++) await items.create()
  const throughout = new Set(items.ids)
  const seen: string[] = []
  // Backwards begins at the far end.
  let cursor = direction === 'after' ? null : items.end

  for (let number = 0; ; number++) {
    const page = await items.read(`?limit=${limit}${cursor === null ? '' : `&${direction}=${cursor}`}`)
    expect(page).toEqual(items.expected(direction, cursor, limit))
    seen.push(...page.ids)
    if (!page.hasMore) break
    cursor = (direction === 'after' ? page.ids.at(-1) : page.ids[0])!
    for (const next of steps.betweenPages[number] ?? []) {
      if (next.do === 'create') await items.create()
      else await items.remove(next.do === 'delete' ? items.ids[next.which % items.ids.length] : cursor)
    }
  }

  const survivors = [...throughout].filter((id) => items.ids.includes(id))
  expect(seen.length).toBe(new Set(seen).size)
  expect(survivors.filter((id) => !seen.includes(id))).toEqual([])
}
