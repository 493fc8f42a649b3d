import { createHash } from 'node:crypto'
import type { Static } from 'typebox'
import { referencedBlob } from '../../kernel/blobs/loose-blobs.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import type { JsonRows } from '../../kernel/db/json-rows.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { columnsOf } from '../../kernel/http/columns.ts'
import { AlreadyThere } from '../../kernel/http/endpoint.ts'
import { FoundItems, pageStatement } from '../../kernel/http/list.ts'
import type { Window } from '../../kernel/http/page.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { findRow, type Rows } from '../../kernel/http/rows.ts'
import { newId } from '../../platform/ids.ts'
import { withStored } from '../emails/index.ts'
import { isLogo } from '../teams/reads.ts'
import { type ImageFile, readImage } from './image-file.ts'
import { IMAGE_LINK, imageUrl } from './reads.ts'
import { type EditorImage, EditorImageItem, MAX_IMAGE_BYTES, MAX_IMAGES } from './schema.ts'
import type { ImageServices } from './services.ts'

// Pictures of emails. Their addresses are in mail that has left, so they are good for as long as the image is there: signed, without an end.

/** The part of the row that is no address. */
export const imageRows = (team: string): Rows => ({
  columns: columnsOf(EditorImageItem, 'i', { url: sql`''` }),
  from: sql`editor_images i`,
  where: sql`i.team_id = ${team}`,
  id: sql`i.id`,
})

type Item = Static<typeof EditorImageItem>
type Image = Static<typeof EditorImage>

const withUrl = (services: ImageServices, team: string, item: Item): Image => ({
  object: 'editor_image',
  ...item,
  url: imageUrl(services, team, item.id),
})

interface Upload {
  readonly content: string
  readonly filename?: string | undefined
}

/** Stores an image and returns its URL. The same content is stored once. */
export async function addImage(
  services: ImageServices,
  { team }: Actor,
  { content, filename }: Upload,
): Promise<Image | AlreadyThere<Image>> {
  const { db, blobs } = services
  const file = Buffer.from(content, 'base64')
  const image = readImage(file)
  if (file.length > MAX_IMAGE_BYTES) throw refused(`It must be at most ${MAX_IMAGE_BYTES / 1024 / 1024} MB.`)
  if (!image) throw refused('It must be a PNG, JPEG, GIF or WebP file as base64.')
  const hash = createHash('sha256').update(file).digest()
  const known = await findByHash(db, team, hash)
  if (known) return new AlreadyThere(withUrl(services, team, known))
  await requireBelowLimit(db, team)
  const id = newId(db.clock.of(team))
  const blob = `images/${team}/${id}`
  // Storing the blob alone is not an audited change.
  const unaudited = await db.forTeam(team)
  const isNew = await withStored({ db: unaudited, blobs }, [{ blob, content: file }], () =>
    insertImage(db, team, { id, hash, blob, filename: filename ?? null, size: file.length, image }),
  )
  // Uploaded twice at once: the other one is kept, and this blob is swept.
  const kept = isNew ? await findRow<Item>(db, imageRows(team), id) : await findByHash(db, team, hash)
  return withUrl(services, team, found(kept, 'Image'))
}

const refused = (reason: string) => new Problem('validation_error', `Invalid \`content\` field. ${reason}`)

async function findByHash(db: Queryable, team: string, hash: Buffer): Promise<Item | undefined> {
  const { columns, from, where } = imageRows(team)
  const [row] = await db.query<Item>(sql`select ${columns} from ${from} where ${where} and i.hash = ${hash}`)
  return row
}

async function requireBelowLimit(db: Queryable, team: string) {
  const rows = await db.query(sql`
    select 1 as there from editor_images where team_id = ${team} offset ${MAX_IMAGES - 1} limit 1`)
  if (rows.length > 0)
    throw new Problem('validation_error', `A team can have at most ${MAX_IMAGES} images. Delete some.`)
}

interface NewImage {
  readonly id: string
  readonly hash: Buffer
  readonly blob: string
  readonly filename: string | null
  readonly size: number
  readonly image: ImageFile
}

async function insertImage(db: Queryable, team: string, { id, hash, blob, filename, size, image }: NewImage) {
  const rows = await db.query(sql.write`
    insert into editor_images (team_id, id, hash, blob, filename, content_type, size, width, height, created_at)
    select ${team}::uuid, ${id}::uuid, ${hash}::bytea, ${referencedBlob(sql`${blob}`)}, ${filename}::text, ${image.contentType},
      ${size}::int, ${image.width}::int, ${image.height}::int, ${db.clock.of(team).now()}::timestamptz
    where not exists (select from editor_images where team_id = ${team} and hash = ${hash})
    on conflict (team_id, hash) do nothing returning id`)
  return rows.length > 0
}

/** A page of them, with their addresses. */
export async function imagesOf(services: ImageServices, { team }: Actor, window: Window): Promise<FoundItems> {
  const [page] = await services.db.query<JsonRows>(pageStatement(imageRows(team), window, window.limit!))
  const items = page!.texts().map((text) => JSON.parse(text) as Item)
  return new FoundItems(items.map((item) => JSON.stringify({ ...item, url: imageUrl(services, team, item.id) })))
}

/** Mail that shows it shows it no more. Its blob is swept. The logo of the team is not for everybody to change who may delete images. */
export async function removeImage({ db }: ImageServices, { team }: Actor, id: string) {
  const rows = await db.query(sql.write`
    delete from editor_images where team_id = ${team} and id = ${id} and not ${isLogo(team, id)} returning id`)
  if (rows.length > 0) return
  found(await findRow(db, imageRows(team), id), 'Image')
  throw new Problem('validation_error', 'This image is the logo of the team. Remove the logo first.')
}

/** What an address stands for. */
export async function openImage({ db, clock, blobs, links }: ImageServices, token: string, host: string) {
  const link = links.readAt(host, IMAGE_LINK, token, clock.now())
  if (!link?.t || !link.i) return null
  const team = link.t
  const [image] = await (await db.forTeam(team)).query<{
    blob: string
    contentType: string
    size: number
    hash: Buffer
  }>(sql`
    select blob, content_type as "contentType", size, hash from editor_images where team_id = ${team} and id = ${link.i}`)
  const content = image && (await blobs.open(image.blob))
  return image && content ? { ...image, content } : null
}
