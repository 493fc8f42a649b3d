import type { Static } from 'typebox'
import type { Queryable, Transaction } from '../../../kernel/db/database.ts'
import type { Actor } from '../../../kernel/http/actor.ts'
import { found, Problem } from '../../../kernel/http/problem.ts'
import { enqueue } from '../../../kernel/jobs/queries.ts'
import { requireInbox, sourceOf } from '../actions.ts'
import { type LabelChange, labelThreads } from '../filing/changes.ts'
import { lockInbox } from '../filing/lock.ts'
import { lockThread, type ThreadPath } from '../threads/actions.ts'
import { findThread, type InboxRef } from '../threads/queries.ts'
import { stripDeletedLabel } from './jobs.ts'
import { countLabels, deleteLabel, insertLabel, isTaken, updateLabel } from './queries.ts'
import { COLORS, type CreateLabel, DEFAULT_COLOR, MAX_LABELS_PER_INBOX, type UpdateLabel } from './schema.ts'
import type { InboxesLabelsServices } from './services.ts'

const nameTaken = () => new Problem('validation_error', 'Invalid `name` field. A label with this name already exists.')

export async function addLabel(
  { db }: InboxesLabelsServices,
  { team }: Actor,
  inbox: string,
  { name, color }: Static<typeof CreateLabel>,
): Promise<string> {
  return db.transaction(async (trx) => {
    const ref = await lockNamed(trx, team, inbox)
    if ((await countLabels(trx, ref)) >= MAX_LABELS_PER_INBOX)
      throw new Problem('validation_error', `An inbox can have at most ${MAX_LABELS_PER_INBOX} labels.`)
    const id = await insertLabel(trx, ref, { name, color: colorOf(color) })
    if (id === undefined) throw nameTaken()
    return id
  })
}

export async function changeLabel(
  { db }: InboxesLabelsServices,
  { team }: Actor,
  path: { inbox: string; label: string },
  { name, color }: Static<typeof UpdateLabel>,
): Promise<string> {
  const { label: id } = path
  return db.transaction(async (trx) => {
    const ref = await lockNamed(trx, team, path.inbox)
    await requireLabels(trx, ref, [id])
    if (name !== undefined && (await isTaken(trx, ref, name, id))) throw nameTaken()
    await updateLabel(trx, ref, id, {
      ...(name !== undefined && { name }),
      ...(color !== undefined && { color: colorOf(color) }),
    })
    return id
  })
}

/** Threads keep the id, which is nothing any more, until a job has taken it from them. */
export async function removeLabel(
  { db }: InboxesLabelsServices,
  { team }: Actor,
  path: { inbox: string; label: string },
) {
  const { label } = path
  await db.transaction(async (trx) => {
    const ref = await lockNamed(trx, team, path.inbox)
    found(await deleteLabel(trx, ref, label), 'Label')
    await enqueue(trx, stripDeletedLabel, { ...ref, label })
  })
}

/** Changes the labels of a thread, and gives those that it has then. */
export async function changeLabelsOf(
  { db }: InboxesLabelsServices,
  actor: Actor,
  path: ThreadPath,
  change: LabelChange,
) {
  const { team } = actor
  return db.transaction(async (trx) => {
    const ref = await lockThread(trx, team, path)
    await requireLabels(trx, ref, [...(change.add ?? []), ...(change.set ?? []), ...(change.remove ?? [])])
    await labelThreads(trx, { ...ref, threads: [ref.thread] }, change, sourceOf(actor))
    return (await findThread(trx, ref, ref.thread))!.labels
  })
}

/** All of them are labels of the inbox. */
export async function requireLabels(db: Queryable, ref: InboxRef, ids: readonly string[]) {
  const distinct = [...new Set(ids.map((id) => id.toLowerCase()))]
  if (distinct.length > 0 && (await countLabels(db, ref, distinct)) < distinct.length)
    throw new Problem('not_found', 'Label not found')
}

async function lockNamed(trx: Transaction, team: string, text: string): Promise<InboxRef> {
  const { id: inbox } = await requireInbox(trx, team, text)
  await lockInbox(trx, team, inbox)
  return { team, inbox }
}

/** `#RRGGBB`, whatever was given. */
const colorOf = (color: string = DEFAULT_COLOR): string =>
  (Object.hasOwn(COLORS, color) ? COLORS[color as keyof typeof COLORS] : color).toUpperCase()
