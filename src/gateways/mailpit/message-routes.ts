import { readWhatArrived } from '../../features/inbound/index.ts'
import {
  files,
  findHeads,
  markMessages,
  type match,
  newest,
  releaseMessage,
  requireMessage,
  type StoredFile,
} from '../../features/messages/index.ts'
import type { Services } from '../../features/services.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { download } from '../../kernel/http/download.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { inTurns } from '../../platform/concurrency/in-turns.ts'
import { Semaphore } from '../../platform/concurrency/semaphore.ts'
import { isId } from '../../platform/ids.ts'
import { MAIL_HEADERS } from '../dashboard/frame.ts'
import { checksumsOf } from './checksums.ts'
import { mailpitRoute, OK, Served } from './definitions.ts'
import { Release } from './schema.ts'
import { fileOf, headersOf, wholeOf } from './shapes.ts'

/** For files that are read for their checksums. */
const summing = new Semaphore(64 * 1024 * 1024)

/** The message with this id, or the one that came last. */
export async function requireHead(services: Services, actor: Actor, id: string): Promise<match.Head> {
  const { db } = services
  const { team } = actor
  if (id === 'latest') {
    await readWhatArrived(services, actor)
    return found((await newest.readNewest(db, team, { start: 0, limit: 1 }))[0], 'Message')
  }
  const [head] = isId(id) ? await findHeads(db, [{ team, id }]) : []
  return found(head, 'Message')
}

/** Who looks at a message has read it, if they may change anything. */
async function markRead(services: Services, actor: Actor, { id, is_read }: match.Head) {
  if (!is_read && actor.permissions.has('write')) await markMessages(services, actor, [id], { is_read: true })
}

const shownFile = ({ blobs }: Services, file: StoredFile) =>
  summing.run(file.size, async () => {
    const content = (await blobs.get(file.blob)) ?? Buffer.alloc(0)
    return fileOf(file, await inTurns(checksumsOf(content)))
  })

async function requireFile(services: Services, actor: Actor, { id, part }: { id: string; part: string }) {
  const head = await requireHead(services, actor, id)
  const attached = await files.filesOf(services, actor, head.id)
  return found(
    attached.find((file) => file.id === part.toLowerCase()),
    'Attachment',
  )
}

async function serveFile({ blobs }: Services, file: StoredFile): Promise<Served> {
  const content = found((await blobs.open(file.blob)) ?? undefined, 'Attachment')
  const { filename, content_type: contentType, size } = file
  const { headers, body } = download({ name: filename ?? 'attachment', contentType, size, content })
  return new Served(contentType, body, headers)
}

/** What is taken for a small picture of itself. */
const MAX_THUMB_BYTES = 256 * 1024
const PICTURES = /^image\/(?:png|jpeg|gif|webp)$/i

const PLAIN = 'text/plain; charset=utf-8'

export const messageRoutes = [
  mailpitRoute<{ id: string }>({
    id: 'message.get',
    route: 'GET /api/v1/message/:id',
    access: 'content',
    async run({ params, services, actor }) {
      const head = await requireHead(services, actor, params.id)
      const message = await requireMessage(services, actor, head.id)
      const attached = await files.filesOf(services, actor, head.id)
      const shown = []
      for (const file of attached) shown.push(await shownFile(services, file))
      await markRead(services, actor, head)
      return wholeOf(head, message, shown)
    },
  }),
  mailpitRoute<{ id: string }>({
    id: 'message.headers',
    route: 'GET /api/v1/message/:id/headers',
    access: 'content',
    async run({ params, services, actor }) {
      const { id } = await requireHead(services, actor, params.id)
      return headersOf((await requireMessage(services, actor, id)).headers)
    },
  }),
  mailpitRoute<{ id: string }>({
    id: 'message.raw',
    route: 'GET /api/v1/message/:id/raw',
    access: 'content',
    async run({ params, services, actor }) {
      const { id } = await requireHead(services, actor, params.id)
      const raw = found(await files.openRaw(services, actor, id), 'Message')
      if (raw === null) throw new Problem('service_unavailable', 'The message could not be read. Try again.')
      return new Served(PLAIN, raw, UNTRUSTED)
    },
  }),
  mailpitRoute<{ id: string; part: string }>({
    id: 'message.part',
    route: 'GET /api/v1/message/:id/part/:part',
    access: 'content',
    run: async ({ params, services, actor }) => serveFile(services, await requireFile(services, actor, params)),
  }),
  mailpitRoute<{ id: string; part: string }>({
    id: 'message.thumb',
    route: 'GET /api/v1/message/:id/part/:part/thumb',
    access: 'content',
    async run({ params, services, actor }) {
      const file = await requireFile(services, actor, params)
      const isSmall = PICTURES.test(file.content_type) && file.size <= MAX_THUMB_BYTES
      return serveFile(services, found(isSmall && file, 'Thumbnail'))
    },
  }),
  mailpitRoute<{ id: string }, never, typeof Release>({
    id: 'message.release',
    auditedAs: 'messages.release',
    route: 'POST /api/v1/message/:id/release',
    access: 'write',
    body: Release,
    async run({ params, body, services, actor }) {
      const { id } = await requireHead(services, actor, params.id)
      await releaseMessage(services, actor, id, body.To)
      return OK
    },
  }),
  mailpitRoute<{ file: string }>({
    id: 'message.view',
    route: 'GET /view/:file',
    access: 'content',
    async run({ params, services, actor }) {
      const [, id, kind] = /^([\w-]{1,36})\.(html|txt)$/.exec(params.file) ?? []
      if (id === undefined) throw new Problem('not_found', 'Message not found')
      const head = await requireHead(services, actor, id)
      const { html, text } = found(await files.showMessage(services, actor, head.id), 'Message')
      await markRead(services, actor, head)
      if (kind === 'html') return new Served('text/html; charset=utf-8', found(html ?? undefined, 'HTML'), MAIL_HEADERS)
      const words = text ?? (await requireMessage(services, actor, head.id)).text
      return new Served(PLAIN, words ?? '', UNTRUSTED)
    },
  }),
]

/** Somebody else's words: no page of ours, whatever a browser makes of them. */
const UNTRUSTED = {
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}
