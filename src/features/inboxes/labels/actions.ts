import type { Static } from 'typebox'
import type { Queryable, Transaction } from '../../../kernel/db/database.ts'
import type { Actor } from '../../../kernel/http/actor.ts'
import { found, Problem } from '../../../kernel/http/problem.ts'
import { enqueue } from '../../../kernel/jobs/queries.ts'
import type { Services } from '../../services.ts'
import { requireInbox, sourceOf } from '../actions.ts'
import { type LabelChange, labelThread } from '../filing/changes.ts'
import { lockInbox } from '../filing/lock.ts'
import { lockThread, type ThreadPath } from '../threads/actions.ts'
import { findThread, type InboxPlace } from '../threads/queries.ts'
import { stripDeletedLabel } from './jobs.ts'
import { countLabels, deleteLabel, insertLabel, isTaken, updateLabel } from './queries.ts'
import { COLORS, type CreateLabel, DEFAULT_COLOR, MOST_LABELS_OF_INBOX, type UpdateLabel } from './schema.ts'

const nameTaken = () => new Problem('validation_error', 'Invalid `name` field. There is a label of this name already.')

export async function addLabel(
  { db }: Services,
  { team }: Actor,
  inbox: string,
  { name, color }: Static<typeof CreateLabel>,
): Promise<string> {
  return db.transaction(async (trx) => {
    const place = await lockNamed(trx, team, inbox)
    if ((await countLabels(trx, place)) >= MOST_LABELS_OF_INBOX)
      throw new Problem('validation_error', `An inbox can have ${MOST_LABELS_OF_INBOX} labels at most.`)
    const id = await insertLabel(trx, place, { name, color: colorOf(color) })
    if (id === undefined) throw nameTaken()
    return id
  })
}

export async function changeLabel(
  { db }: Services,
  { team }: Actor,
  path: { inbox: string; label: string },
  { name, color }: Static<typeof UpdateLabel>,
): Promise<string> {
  const { label: id } = path
  return db.transaction(async (trx) => {
    const place = await lockNamed(trx, team, path.inbox)
    await requireLabels(trx, place, [id])
    if (name !== undefined && (await isTaken(trx, place, name, id))) throw nameTaken()
    await updateLabel(trx, place, id, {
      ...(name !== undefined && { name }),
      ...(color !== undefined && { color: colorOf(color) }),
    })
    return id
  })
}

/** Threads keep the id, which is nothing any more, until a job has taken it from them. */
export async function removeLabel({ db }: Services, { team }: Actor, path: { inbox: string; label: string }) {
  const { label } = path
  await db.transaction(async (trx) => {
    const place = await lockNamed(trx, team, path.inbox)
    found(await deleteLabel(trx, place, label), 'Label')
    await enqueue(trx, stripDeletedLabel, { ...place, label })
  })
}

/** Changes the labels of a thread, and gives those that it has then. */
export async function changeLabelsOf({ db }: Services, actor: Actor, path: ThreadPath, change: LabelChange) {
  const { team } = actor
  return db.transaction(async (trx) => {
    const place = await lockThread(trx, team, path)
    await requireLabels(trx, place, [...(change.add ?? []), ...(change.set ?? []), ...(change.remove ?? [])])
    await labelThread(trx, place, change, sourceOf(actor))
    return (await findThread(trx, place, place.thread))!.labels
  })
}

/** All of them are labels of the inbox. */
export async function requireLabels(db: Queryable, place: InboxPlace, ids: readonly string[]) {
  const distinct = [...new Set(ids.map((id) => id.toLowerCase()))]
  if (distinct.length > 0 && (await countLabels(db, place, distinct)) < distinct.length)
    throw new Problem('not_found', 'Label not found')
}

async function lockNamed(trx: Transaction, team: string, text: string): Promise<InboxPlace> {
  const { id: inbox } = await requireInbox(trx, team, text)
  await lockInbox(trx, team, inbox)
  return { team, inbox }
}

/** `#RRGGBB`, whatever was given. */
const colorOf = (color: string = DEFAULT_COLOR): string =>
  (Object.hasOwn(COLORS, color) ? COLORS[color as keyof typeof COLORS] : color).toUpperCase()
