import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Type } from 'typebox'
import { matches } from '../../../kernel/http/validate.ts'
import { OperatorError } from '../command.ts'
import { requireFile } from './folder.ts'
import { FORMAT, fileOf, MANIFEST, type Manifest } from './format.ts'

const MAX_MANIFEST_BYTES = 8 * 1024 * 1024

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const File = { rows: Count, bytes: Count, sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) }

const Shape = Type.Object({
  object: Type.Literal('export'),
  format: Type.Integer({ minimum: 1 }),
  version: Type.String({ maxLength: 100 }),
  schema: Type.String({ maxLength: 200 }),
  exported_at: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
  scope: Type.Union([Type.Literal('all'), Type.Literal('team')]),
  teams: Count,
  kinds: Type.Record(Type.String(), Type.Object({ ...File, fields: Type.Array(Type.String()) })),
  secrets: Type.Object({
    ...File,
    mode: Type.Union([Type.Literal('plain'), Type.Literal('sealed'), Type.Literal('left_out')]),
    salt: Type.Union([Type.String({ maxLength: 100 }), Type.Null()]),
    digest_keys: Type.Optional(Count),
  }),
  blobs: Type.Object({ ...File, content_bytes: Count, missing: Count }),
})

/** The manifest of a complete export. Paths are never taken from it: files have the names of what they hold. */
export async function readManifest(given: string): Promise<{ folder: string; manifest: Manifest }> {
  const folder = resolve(given)
  const path = join(folder, MANIFEST)
  const text = await readSmall(path).catch((error) => {
    if (error.code !== 'ENOENT') throw error
    throw new OperatorError(
      `${folder} has no complete export: ${MANIFEST}, which is written last, is missing. Export again.`,
    )
  })
  const manifest = parsed(text)
  const format = (manifest as { format?: unknown } | null)?.format
  if (typeof format === 'number' && format > FORMAT)
    throw new OperatorError(
      `${path} has format ${format}, and this Postwren knows ${FORMAT}: import it with a newer version.`,
    )
  if (matches(Shape, manifest) !== null) throw new OperatorError(`${path} is not the manifest of an export.`)
  return { folder, manifest: manifest as unknown as Manifest }
}

async function readSmall(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error) => {
    throw error.code === 'ELOOP' ? new OperatorError(`${path} is not a regular file.`) : error
  })
  try {
    await requireFile(path)
    if ((await file.stat()).size > MAX_MANIFEST_BYTES) throw new OperatorError(`${path} is too large.`)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Before anything is written: each file is there, as long as it should be. */
export async function requireFiles(folder: string, manifest: Manifest, kinds: readonly string[]) {
  const files = [...kinds.map((kind) => [kind, manifest.kinds[kind]!] as const)]
  for (const [name, { bytes }] of [
    ...files,
    ['secrets', manifest.secrets] as const,
    ['blobs', manifest.blobs] as const,
  ])
    await requireFile(join(folder, fileOf(name)), bytes)
}
