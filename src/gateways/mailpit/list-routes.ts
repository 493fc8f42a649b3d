import { readWhatArrived } from '../../features/inbound/index.ts'
import {
  findExtents,
  itemsOf,
  labels,
  markMessages,
  type match,
  newest,
  removal,
} from '../../features/messages/index.ts'
import type { Services } from '../../features/services.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { isId } from '../../platform/ids.ts'
import { mailpitRoute, OK } from './definitions.ts'
import { readQuery } from './query.ts'
import { DeleteMessages, PageQuery, ReadStatus, RenameTag, SearchQuery, SetTags, ZoneQuery } from './schema.ts'
import { searchOf } from './search.ts'
import { summaryOf } from './shapes.ts'

const USUAL_LIMIT = 50
const MAX_LIMIT = 1_000
const BATCH = 1_000

const pageOf = ({ start = '0', limit = String(USUAL_LIMIT) }: { start?: string; limit?: string }) => ({
  start: Number(start),
  limit: Math.min(Number(limit), MAX_LIMIT),
})

const searchFor = (query: string | undefined, tz: string | undefined) => searchOf(readQuery(query ?? '', tz))

async function summariesOf({ db }: Services, { team }: Actor, heads: readonly match.Head[]) {
  const [items, extents] = await Promise.all([itemsOf(db, team, heads), findExtents(db, team, heads)])
  const extentOf = new Map(extents.map((extent) => [extent.id, extent]))
  const none = { size: 0, attachments: 0, inline: 0 }
  return heads.map((head, index) => summaryOf(head, items[index]!, extentOf.get(head.id) ?? none))
}

/** `messages_…` is about what was asked for, the rest about everything. */
async function listOf(
  services: Services,
  actor: Actor,
  { heads, start, found }: { heads: readonly match.Head[]; start: number; found?: { count: number; unread: number } },
) {
  const [{ total, unread }, tags, messages] = await Promise.all([
    newest.countNewest(services.db, actor.team),
    labels.findLabels(services.db, actor.team),
    summariesOf(services, actor, heads),
  ])
  return {
    total,
    unread,
    count: messages.length,
    messages_count: found?.count ?? total,
    messages_unread: found?.unread ?? unread,
    start,
    tags: tags.map(({ label }) => label),
    messages,
  }
}

/** Which messages a request is about. Without any it is about all of them, and ids that are none are none of them. */
const idsOf = (ids: readonly string[]) => [...new Set(ids.map((id) => id.toLowerCase()).filter(isId))]

async function markAll(
  services: Services,
  actor: Actor,
  ids: readonly string[],
  marks: Parameters<typeof markMessages>[3],
) {
  for (let at = 0; at < ids.length; at += BATCH) await markMessages(services, actor, ids.slice(at, at + BATCH), marks)
}

async function removeAll(services: Services, actor: Actor, search?: ReturnType<typeof searchFor>) {
  await readWhatArrived(services, actor)
  const { isCut } = await removal.removeMessages(services, actor, search ?? { filter: {} })
  if (isCut) throw new Problem('service_unavailable', 'Not all messages were deleted in time; retry.')
}

export const listRoutes = [
  mailpitRoute({
    id: 'messages.list',
    route: 'GET /api/v1/messages',
    access: 'content',
    query: PageQuery,
    async run({ query, services, actor }) {
      await readWhatArrived(services, actor)
      const page = pageOf(query)
      return listOf(services, actor, {
        heads: await newest.readNewest(services.db, actor.team, page),
        start: page.start,
      })
    },
  }),
  mailpitRoute({
    id: 'messages.search',
    route: 'GET /api/v1/search',
    access: 'content',
    query: SearchQuery,
    async run({ query, services, actor }) {
      const search = searchFor(query.query, query.tz)
      await readWhatArrived(services, actor)
      const page = pageOf(query)
      const { heads, ...found } = await newest.survey(services.db, actor.team, search, page)
      return listOf(services, actor, { heads, start: page.start, found })
    },
  }),
  mailpitRoute({
    id: 'messages.delete',
    auditedAs: 'messages.remove-all',
    route: 'DELETE /api/v1/messages',
    access: 'write',
    body: DeleteMessages,
    async run({ body: { IDs = [] }, services, actor }) {
      if (IDs.length > 0) await removal.removeListed(services, actor, idsOf(IDs))
      else await removeAll(services, actor)
      return OK
    },
  }),
  mailpitRoute({
    id: 'messages.delete-found',
    auditedAs: 'messages.remove-all',
    route: 'DELETE /api/v1/search',
    access: 'write',
    query: SearchQuery,
    async run({ query, services, actor }) {
      await removeAll(services, actor, searchFor(query.query, query.tz))
      return OK
    },
  }),
  mailpitRoute({
    id: 'messages.mark',
    route: 'PUT /api/v1/messages',
    access: 'write',
    query: ZoneQuery,
    body: ReadStatus,
    async run({ query, body: { IDs = [], Read = false, Search = '' }, services, actor }) {
      if (IDs.length > 0 && Search !== '')
        throw new Problem('validation_error', 'Use either `IDs` or `Search`, not both.')
      const search = Search === '' ? null : searchFor(Search, query.tz)
      const ids = IDs.length > 0 ? idsOf(IDs) : await newest.findNewestIds(services.db, actor.team, search)
      await markAll(services, actor, ids, { is_read: Read })
      return OK
    },
  }),
  mailpitRoute({
    id: 'tags.list',
    route: 'GET /api/v1/tags',
    access: 'content',
    run: async ({ services, actor }) => (await labels.findLabels(services.db, actor.team)).map(({ label }) => label),
  }),
  mailpitRoute({
    id: 'tags.set',
    route: 'PUT /api/v1/tags',
    access: 'write',
    body: SetTags,
    async run({ body: { IDs, Tags = [] }, services, actor }) {
      await markAll(services, actor, idsOf(IDs), { labels: [...new Set(Tags.map((tag) => tag.trim()))] })
      return OK
    },
  }),
  mailpitRoute<{ tag: string }, never, typeof RenameTag>({
    id: 'tags.rename',
    route: 'PUT /api/v1/tags/:tag',
    access: 'write',
    body: RenameTag,
    async run({ params: { tag }, body: { Name }, services, actor }) {
      await labels.renameLabel(services, actor, tag, Name.trim())
      return OK
    },
  }),
  mailpitRoute<{ tag: string }>({
    id: 'tags.delete',
    route: 'DELETE /api/v1/tags/:tag',
    access: 'write',
    async run({ params: { tag }, services, actor }) {
      await labels.renameLabel(services, actor, tag, null)
      return OK
    },
  }),
]
