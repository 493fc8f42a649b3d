import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { LinkSigner } from '../../platform/links.ts'

// What others read of images.

/** The purpose of links to images. */
export const IMAGE_LINK = 'editor-image'

/** What a public address is made with. */
export interface ImageAddressing {
  readonly links: LinkSigner
  publicUrl(): string
}

/** Public, and good for as long as the image is there: it may be in mail that has left. */
export const imageUrl = ({ links, publicUrl }: ImageAddressing, team: string, id: string): string =>
  `${publicUrl()}/images/${links.sign(IMAGE_LINK, { t: team, i: id }, null, publicUrl())}`

export interface ImageSize {
  readonly bytes: number
  /** Null: its first bytes do not tell. */
  readonly width: number | null
  readonly height: number | null
}

/** Nobody deletes it before the transaction ends. */
export async function lockImage(trx: Queryable, team: string, id: string): Promise<ImageSize | undefined> {
  const [image] = await trx.query<ImageSize>(sql`
    select size as bytes, width, height from editor_images where team_id = ${team} and id = ${id} for key share`)
  return image
}
