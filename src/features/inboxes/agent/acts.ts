import type { ToolCall } from '../../../adapters/model/protocol.ts'
import type { Transaction } from '../../../kernel/db/database.ts'
import { type Actor, EVERYTHING } from '../../../kernel/http/actor.ts'
import { Problem } from '../../../kernel/http/problem.ts'
import { escapeHtml } from '../../../mail/html.ts'
import type { Services } from '../../services.ts'
import { requireInbox } from '../actions.ts'
import { type Alongside, createDraft } from '../drafts/actions.ts'
import { assignThread, labelThread, moveThread } from '../filing/changes.ts'
import { lockInbox } from '../filing/lock.ts'
import { forwardEmail } from '../replies/actions.ts'
import { requireThreadOf } from '../replies/original.ts'
import { loadSituation, type Place } from './load.ts'
import { type Act, lockRun, noteAct } from './queries.ts'
import { MOVES, type Situation } from './situation.ts'
import { type Refusal, readWish, type Wish } from './tools.ts'

/** A run keeps no more than these: a model that calls without end fills no table. */
const MOST_ACTS = 20

const GONE = 'The message is gone, or the agent was switched off.'

/** A wish that is not granted any more at the moment at which it would come true. Rolls back what was begun for it. */
class NotGranted extends Error {}

/** The run for a message, and how it stands at this moment. Nobody changes the inbox or its agent until the transaction ends. */
interface Moment {
  readonly run: string
  readonly acts: readonly Act[]
  readonly situation: Situation
}

/** Nothing when the run has ended, or there is nothing to look at any more. */
export async function lockMoment(trx: Transaction, place: Place): Promise<Moment | undefined> {
  if (!(await lockInbox(trx, place.team, place.inbox))) return undefined
  const run = await lockRun(trx, place)
  if (run?.status !== 'running') return undefined
  const situation = await loadSituation(trx, place, doneIn(run.acts))
  return situation && { run: run.id, acts: run.acts, situation }
}

const doneIn = (acts: readonly Act[]) => acts.filter(({ outcome }) => outcome === 'done').map(({ action }) => action)

/** Does what a model asks for if it may, and tells it what came of it. */
export async function act(services: Services, place: Place, call: ToolCall): Promise<string> {
  // Somebody may have suspended the team while the model was asked.
  if (services.teamStates.suspensionOf(place.team)) return 'Refused: The team is suspended.'
  const wish = await services.db.transaction(async (trx) => {
    const moment = await lockMoment(trx, place)
    if (!moment) return { action: null, reason: '', refused: GONE }
    const wanted = readWish(call, moment.situation)
    if ('refused' in wanted) await noteRefusal(trx, place, moment, wanted)
    else if (isImmediate(wanted)) await grant(trx, place, moment, wanted, await change(trx, place, moment, wanted))
    return wanted
  })
  if ('refused' in wish) return `Refused: ${wish.refused}`
  if (isImmediate(wish)) return 'Done.'
  try {
    await write(services, place, wish)
    return 'Done.'
  } catch (error) {
    if (!isRefusal(error)) throw error
    const refusal = { action: wish.action, reason: wish.reason, refused: error.message }
    await services.db.transaction(async (trx) => {
      const moment = await lockMoment(trx, place)
      if (moment) await noteRefusal(trx, place, moment, refusal)
    })
    return `Refused: ${error.message}`
  }
}

/** Besides our own: what somebody with a key would be told, too, because the domain is not verified or the quota used up. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof NotGranted || (error instanceof Problem && error.status < 500)

type Written = Extract<Wish, { action: 'draft_reply' | 'forward_thread' }>
type Immediate = Exclude<Wish, Written>

const isImmediate = (wish: Wish): wish is Immediate => wish.action !== 'draft_reply' && wish.action !== 'forward_thread'

/** Changes the thread, and says how. */
async function change(trx: Transaction, { team, inbox }: Place, { situation }: Moment, wish: Immediate) {
  const place = { team, inbox, thread: situation.thread.id }
  switch (wish.action) {
    case 'add_labels':
      await labelThread(trx, place, { add: wish.labels.map(({ id }) => id) }, 'agent')
      return wish.labels.map(({ name }) => name).join(', ')
    case 'assign_thread':
      await assignThread(trx, place, wish.to, null, 'agent')
      return wish.to
    case 'mark_as_spam':
    case 'archive':
    case 'move_to_trash':
      await moveThread(trx, place, MOVES[wish.action], 'agent')
      return null
  }
}

/** Drafts and mail are written by others, in a transaction of theirs, in which the wish is granted. */
async function write(services: Services, place: Place, wish: Written) {
  const { db } = services
  const actor: Actor = { team: place.team, identity: { kind: 'automation' }, permissions: EVERYTHING, domainId: null }
  const inbox = await requireInbox(db, place.team, place.inbox)
  const thread = await requireThreadOf(db, place, place.email)
  if (wish.action === 'draft_reply') {
    const request = { thread_id: thread, reply_to_email_id: place.email, text: wish.text, html: htmlOf(wish.text) }
    await createDraft(services, actor, inbox, request, 'agent', undefined, granting(place, wish, null))
  } else {
    const { to, note } = wish
    const request = { to, ...(note && { text: note, html: htmlOf(note) }) }
    const sender = { actor, inbox, source: 'agent' as const, alongside: granting(place, wish, to) }
    await forwardEmail(services, sender, { thread, email: place.email }, request)
  }
}

/** Paragraphs and lines as they are: whoever opens the draft in an editor sees what the model wrote. */
const htmlOf = (text: string) =>
  text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${escapeHtml(paragraph).replaceAll('\n', '<br>')}</p>`)
    .join('\n')

/** Looks again, since the settings, the thread or another process may have changed meanwhile; and writes down that it was done. */
const granting =
  (place: Place, wish: Written, detail: string | null): Alongside =>
  async (trx) => {
    const moment = await lockMoment(trx, place)
    if (!moment) throw new NotGranted(GONE)
    const again = readWish({ name: wish.action, input: wish }, moment.situation)
    if ('refused' in again) throw new NotGranted(again.refused)
    await grant(trx, place, moment, wish, detail)
  }

const grant = (trx: Transaction, { team }: Place, { run }: Moment, { action, reason }: Wish, detail: string | null) =>
  noteAct(trx, team, run, { action, reason, outcome: 'done', detail })

async function noteRefusal(trx: Transaction, { team }: Place, { run, acts }: Moment, refusal: Refusal) {
  const { action, reason, refused } = refusal
  if (action === null || acts.length >= MOST_ACTS) return
  await noteAct(trx, team, run, { action, reason, outcome: 'refused', detail: refused })
}
