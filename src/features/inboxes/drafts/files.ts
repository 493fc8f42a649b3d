import type { Static } from 'typebox'
import type { Transaction } from '../../../kernel/db/database.ts'
import { attachments } from '../../emails/index.ts'
import { refusedFile, refuseTooMuch, refuseWrongFiles } from '../replies/files.ts'
import { type DraftFile, type DraftRef, deleteFiles, findFiles, insertFiles, reorderFiles } from './queries.ts'
import type { UpdateDraft } from './schema.ts'
import type { InboxesDraftsServices } from './services.ts'

type GivenFiles = NonNullable<Static<typeof UpdateDraft>['attachments']>

/** The files that a request wants a draft to have: those that it brings, and those that are there already. */
export interface WantedFiles {
  readonly added: readonly (DraftFile & { readonly content: Buffer; readonly position: number })[]
  readonly existing: readonly { readonly id: string; readonly position: number }[]
}

export async function readFiles(
  { clock, sending }: InboxesDraftsServices,
  { team, draft }: DraftRef,
  given: GivenFiles,
): Promise<WantedFiles> {
  const placed = given.map((file, position) => ({ file, position }))
  const existing = placed.flatMap(({ file, position }) => (file.id === undefined ? [] : [{ id: file.id, position }]))
  const brought = placed.filter(({ file }) => file.id === undefined)
  if (placed.some(({ file: { id, content, path } }) => id && (content !== undefined || path !== undefined)))
    throw refusedFile('An attachment is either kept by its `id`, or has `content` or `path`.')
  if (new Set(existing.map(({ id }) => id)).size < existing.length) throw refusedFile('An attachment is named twice.')
  const ready = await attachments.readAttachments(
    brought.map(({ file }) => file),
    { team, emailId: draft, clock: clock.of(team) },
    sending.download,
  )
  refuseWrongFiles(ready)
  const added = ready.map(({ id, filename, contentType, contentId, size, blob, content }, index) => {
    if (filename === null) throw refusedFile('Attachment must have a `filename`.')
    const { position } = brought[index]!
    return { id, filename, content_type: contentType, content_id: contentId, size, blob, content, position }
  })
  return { added, existing }
}

/** Leaves the draft with these files, and no others. */
export async function replaceFiles(trx: Transaction, ref: DraftRef, { added, existing }: WantedFiles) {
  const there = new Map((await findFiles(trx, ref.team, ref.draft)).map((file) => [file.id, file]))
  for (const { id } of existing) if (!there.has(id)) throw refusedFile(`The draft has no attachment \`${id}\`.`)
  refuseTooMuch([...existing.map(({ id }) => there.get(id)!.size), ...added.map(({ size }) => size)])
  await deleteFiles(
    trx,
    ref,
    existing.map(({ id }) => id),
  )
  await reorderFiles(trx, ref, existing)
  await insertFiles(trx, ref, added)
}
