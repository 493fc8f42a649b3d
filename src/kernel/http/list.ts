import Type, { type Static, type TObject, type TSchema } from 'typebox'
import type { Database } from '../db/database.ts'
import type { JsonRows } from '../db/json-rows.ts'
import { join, raw, type Sql, sql } from '../db/sql.ts'
import type { Access } from './access.ts'
import type { Actor } from './actor.ts'
import type { Contract, Value } from './contract.ts'
import { type Endpoint, endpoint, JsonText } from './endpoint.ts'
import { type IdRange, idRangesOf, splitBehind, upTo, within } from './id-ranges.ts'
import { MAX_LIMIT, type PageQuery, pageQuery, readWindow, type Window } from './page.ts'
import type { Rows } from './rows.ts'
import { listOf } from './shapes.ts'

/** What a list needs of the services. */
interface ListServices {
  readonly db: Database
}

export interface ListDefinition<
  Services,
  Id extends string,
  Item extends TSchema,
  Params extends TObject,
  Query extends TObject,
> {
  id: Id
  route: string
  summary: string
  description?: string
  deprecated?: true
  access?: Access
  params?: Params
  /** Filters besides the paging parameters. */
  query?: Query
  item: Item
  /** What the ids of the items begin with, when they are not bare UUIDs. */
  prefix?: string
  /** Items when no limit is asked for, or `all`. */
  unlimited: 'all' | number
  /** Whether a query is a search, which comes in pages: finding all of it may mean to look at everything. Unless told otherwise: one with `q`. */
  isSearch?(query: Value<Query>): boolean
  rows(input: {
    params: Value<Params>
    query: Value<Query>
    window: Window
    services: Services
    actor: Actor
  }): Promise<Rows | FoundItems> | Rows | FoundItems
}

/** Items that were found already, as JSON: those of the page in its direction, and one more if there is one. Of a list with a limit. */
export class FoundItems {
  readonly items: readonly string[]

  constructor(items: readonly string[]) {
    this.items = items
  }
}

/** The paging parameters, and the filters if there are any. */
type PagedQuery<Query extends TObject> = TObject<
  PageQuery['properties'] & (TObject extends Query ? unknown : Query['properties'])
>

export type ListEndpoint<
  Services,
  Id extends string,
  Item extends TSchema,
  Params extends TObject,
  Query extends TObject,
> = Endpoint<Services> & Contract<Id, Params, PagedQuery<Query>, TSchema, ReturnType<typeof listOf<Item>>>

/** Every list of the API is made here, so that all of them page in the same way. */
export function list<
  Services extends ListServices,
  const Id extends string,
  Item extends TSchema,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
>(definition: ListDefinition<Services, Id, Item, Params, Query>): ListEndpoint<Services, Id, Item, Params, Query> {
  const { item, prefix, unlimited, isSearch = hasText, query, rows, ...rest } = definition
  return endpoint({
    ...rest,
    query: Type.Object({ ...pageQuery(prefix).properties, ...query?.properties }),
    reply: listOf(item),
    async run({ params, query, services, actor }: { params: object; query: object; services: Services; actor: Actor }) {
      const { db } = services
      const filter = { params: params as Static<Params>, query: query as Static<Query> }
      const defaultLimit = unlimited !== 'all' ? unlimited : isSearch(filter.query) ? SEARCH_LIMIT : null
      const window = readWindow(query, defaultLimit, prefix)
      const source = await rows({ ...filter, window, services, actor })
      if (source instanceof FoundItems) return pageOf(source, window)
      if (window.limit !== null) return readPage({ db, team: actor.team }, source, window)
      // Before anything is read: whoever may not read more long lists does not make us begin with them either.
      db.shares.lists.requireFree(actor.team)
      return readAll(db, source, window)
    },
  })
}

/** Items of a search when no limit is asked for. */
const SEARCH_LIMIT = 20

/**
 * A page, whose rows become JSON as they come: in one statement, or in one for each piece of the list until there are enough. One row more than
 * asked for is read; its presence is `has_more`, and nothing is ever counted.
 */
async function readPage(
  { db, team }: { readonly db: Database; readonly team: string },
  rows: Rows,
  window: Window,
): Promise<JsonText> {
  const limit = window.limit!
  const items: string[] = []
  const isNewer = isTowardsNewer(rows, window)
  const pieces = [...idRangesOf(rows, { cursor: window.cursor, isNewer, team, now: db.clock.now() })]
  for (let piece = pieces.shift(); piece; piece = pieces.shift()) {
    const wanted = { ...window, piece, limit: limit - items.length }
    const part = rows.ids ? await findPart(db, { ...rows, ids: rows.ids }, wanted) : { piece, rest: null }
    if (part === null) continue
    if (part.rest) pieces.unshift(part.rest)
    const narrowed = rows.narrowed?.(upTo(window.cursor, { ...part.piece, isNewer })) ?? rows
    const statement = pageStatement(narrowed, { ...window, piece: part.piece }, wanted.limit)
    const [page] = await (rows.isFiltered ? db.search<JsonRows>(statement) : db.query<JsonRows>(statement))
    const isEnough = page!.count > wanted.limit || pieces.length === 0
    // Nearly always: the first piece has the whole page, and its bytes are the answer.
    if (isEnough && items.length === 0 && window.direction === 'older')
      return new JsonText(envelope(page!.count > limit, page!.textOfFirst(limit)))
    items.push(...page!.texts())
    if (isEnough) break
  }
  return pageOf(new FoundItems(items), window)
}

/** Where in a piece a page is, and what is behind it if there may be more. Null: the piece has none. */
async function findPart(
  db: Database,
  rows: Rows & Required<Pick<Rows, 'ids'>>,
  window: Window & { readonly piece: IdRange },
): Promise<{ piece: IdRange; rest: IdRange | null } | null> {
  const size = window.limit! + 1
  const [found] = await db.query<{ ids: string[] }>(idsStatement(rows, window, size))
  const [first, ...others] = found!.ids
  if (first === undefined) return null
  const { part, rest } = splitBehind([first, ...others], { ...window.piece, isNewer: isTowardsNewer(rows, window) })
  return { piece: part, rest: found!.ids.length < size ? null : rest }
}

/** The ids of a list that are next, up to so many. */
export function idsStatement(
  rows: Rows & Required<Pick<Rows, 'ids'>>,
  window: Window & { readonly piece: IdRange },
  size: number,
): Sql {
  const order = isTowardsNewer(rows, window) ? sql`asc` : sql`desc`
  const parts = rows.ids.map(
    ({ from, id }) => sql`(
      select ${id} as id from ${from} ${beyond({ ...rows, id }, window)} ${within(id, window.piece)}
      order by ${id} ${order} limit ${MAX_ROWS})`,
  )
  return sql`
    select array(select item.id::text from (${join(parts, ' union all ')}) item order by item.id ${order} limit ${size}) as ids`
}

function pageOf({ items }: FoundItems, window: Window): JsonText {
  const limit = window.limit!
  const shown = items.slice(0, limit)
  if (window.direction === 'newer') shown.reverse()
  return new JsonText(envelope(items.length > limit, shown.join(',')))
}

/** Its answer is a `JsonRows` with the items of the page, and one more if there is one. */
export function pageStatement(rows: Rows, window: Window & { readonly piece?: IdRange }, limit: number): Sql {
  const { piece } = window
  const order = isTowardsNewer(rows, window) ? sql`asc` : sql`desc`
  const condition = sql`${beyond(rows, window)} ${piece ? within(rows.id, piece) : sql``}`
  return itemsOf(rows, sql`select * from (${inOrder(rows, condition, order, MAX_ROWS)}) item limit ${limit + 1}`)
}

const itemsOf = ({ omitsNulls = false }: Rows, statement: Sql) => statement.asJson({ omitsNulls })

/** `before` reads a list backwards. */
const isTowardsNewer = ({ isAscending = false }: Rows, { direction }: Window) =>
  isAscending ? direction === 'older' : direction === 'newer'

/** What is behind a cursor, in the order that is asked for. */
function inOrder(rows: Rows, condition: Sql, direction: Sql, limit: Sql): Sql {
  const { joined, parts } = rows
  const sortKey = sortKeyOf(rows)
  const columns = joined ? sql`${joined.of}.*` : rows.columns
  const part = (which: Sql) => sql`
    select ${columns} from ${rows.from} where ${rows.where} ${which} ${condition} order by ${sortKey} ${direction} limit ${limit}`
  const name = joined?.of ?? sql`part`
  const chosen = parts
    ? sql`select * from (${join(
        parts.map((one) => sql`(${part(sql`and ${one}`)})`),
        ' union all ',
      )}) ${name} order by ${joined ? sortKey : sql`part.id`} ${direction} limit ${limit}`
    : part(sql``)
  if (!joined) return chosen
  return sql`select ${rows.columns} from (${chosen}) ${name} ${joined.with} order by ${sortKey} ${direction}`
}

const sortKeyOf = ({ order, id }: Rows): Sql => order?.by ?? id

/**
 * The inner limit is part of the text and only the outer one a parameter. With a limit that could be anything PostgreSQL does
 * not trust a plan for all calls and plans at each one: 323 µs of its CPU for a page of 20 instead of 152.
 */
const MAX_ROWS = raw(String(MAX_LIMIT + 1))

const beyond = (rows: Rows, window: Window): Sql =>
  window.cursor === null ? sql`` : behind(rows, window.cursor, isTowardsNewer(rows, window))

function behind(rows: Rows, cursor: string, isNewer: boolean): Sql {
  const position = rows.order?.positionOf(cursor) ?? sql`${cursor}`
  return isNewer ? sql`and ${sortKeyOf(rows)} > ${position}` : sql`and ${sortKeyOf(rows)} < ${position}`
}

// 2,000 items are some 400 kB. The next batch is read while this one is written, so two are in memory, whatever the length of the list.
const BATCH = 2_000

const hasText = ({ q }: { readonly q?: string }) => Boolean(q)

/** The whole list. A short one is answered like a page; a long one is streamed in keyset batches, with no transaction held open. */
async function readAll(db: Database, rows: Rows, window: Window): Promise<JsonText | AsyncIterable<string | Buffer>> {
  const first = await readBatch(db, rows, window, null)
  if (first.count === BATCH) return stream(db, rows, window, first)
  return new JsonText(envelope(false, first.textOfFirst(first.count)))
}

async function* stream(db: Database, rows: Rows, window: Window, first: JsonRows): AsyncIterable<string | Buffer> {
  yield '{"object":"list","has_more":false,"data":['
  let batch = first
  while (batch.count === BATCH) {
    const next = readBatch(db, rows, window, batch.last<{ id: string }>().id)
    next.catch(() => {}) // awaited below; a client that leaves in between must not make it an unhandled rejection
    yield batch.bytes
    batch = await next
    if (batch.count > 0) yield ','
  }
  if (batch.count > 0) yield batch.bytes
  yield ']}'
}

/** In the order of the list, whichever side of the cursor is wanted: `before` without a limit is all that is newer. */
async function readBatch(db: Database, rows: Rows, window: Window, lastId: string | null): Promise<JsonRows> {
  const { isAscending = false } = rows
  const unread = lastId === null ? sql`` : behind(rows, lastId, isAscending)
  const condition = sql`${beyond(rows, window)} ${unread}`
  const statement = inOrder(rows, condition, isAscending ? sql`asc` : sql`desc`, sql`${BATCH}`)
  const [batch] = await db.queryPooled<JsonRows>(itemsOf(rows, statement))
  return batch!
}

const envelope = (hasMore: boolean, items: string) => `{"object":"list","has_more":${hasMore},"data":[${items}]}`
