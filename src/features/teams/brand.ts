import type { Queryable } from '../../kernel/db/database.ts'
import { Problem } from '../../kernel/http/problem.ts'
import type { Brand } from '../../kernel/http/public-page.ts'
import { type ImageAddressing, imageUrl, lockImage } from '../editor/reads.ts'
import { findBranding } from './reads.ts'
import { MAX_LOGO_BYTES, MAX_LOGO_SIDE } from './schema.ts'

/** What pages for recipients show of a team. */
export async function brandOf(services: ImageAddressing & { db: Queryable }, team: string): Promise<Brand> {
  const { name, accentColor, logoImageId } = await findBranding(services.db, team)
  return { name, accentColor, logoUrl: logoImageId && imageUrl(services, team, logoImageId) }
}

/** An image of the editor is a PNG, JPEG, GIF or WebP file by its first bytes; a logo is a small one. */
export async function requireLogo(trx: Queryable, team: string, imageId: string) {
  const image = await lockImage(trx, team, imageId)
  if (!image) throw refused('There is no such image.')
  if (image.bytes > MAX_LOGO_BYTES) throw refused(`A logo can have up to ${MAX_LOGO_BYTES / 1024} KB.`)
  const { width, height } = image
  if (width === null || height === null || Math.max(width, height) > MAX_LOGO_SIDE)
    throw refused(`A logo can be up to ${MAX_LOGO_SIDE} pixels wide and high.`)
}

const refused = (reason: string) => new Problem('validation_error', `Invalid \`logo_image_id\` field. ${reason}`)
