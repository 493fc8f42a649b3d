import { randomBytes } from 'node:crypto'
import type { ChatModel } from '../../../adapters/model/chat-model.ts'
import type { Transaction } from '../../../kernel/db/database.ts'
import { isSandbox } from '../../../platform/ids.ts'
import type { Services } from '../../services.ts'
import { lockInbox } from '../filing/lock.ts'
import { act, lockMoment } from './acts.ts'
import { bareAddress, withoutTag } from './addresses.ts'
import { isOwnAddress, loadMail, loadSituation, type Place } from './load.ts'
import { conversationFor } from './prompt.ts'
import { countRunsOf, endRun, insertRun, lockRun, noteError, noteTokens, takeRun } from './queries.ts'
import { allowedActions, type Situation } from './situation.ts'
import { toolsFor } from './tools.ts'

/** How often a model may ask for something and be told what came of it. */
const MOST_ROUNDS = 4

/** Two programs that answer each other do not notice it. People do not write so often. */
const MOST_RUNS_OF_THREAD = 10
const DAY_MS = 86_400_000

const SUSPENDED = 'The team is suspended.'

/** The model may answer another time: the job comes back. */
class ModelAway extends Error {}

/**
 * Looks at a message once. What it does is written down with the act itself, so whoever carries on after a crash knows it: the model is
 * asked anew, and what was done already is not offered again.
 */
export async function lookAt(services: Services & { readonly signal: AbortSignal }, place: Place): Promise<void> {
  const { db, model, teamStates } = services
  // What comes while there is no model is left to people, and so is what had begun when there was one.
  if (!model) return void (await endRun(db, place, 'failed', 'There is no model to ask any more.'))
  await teamStates.load()
  const begun = await db.transaction((trx) => begin(trx, services, place))
  if (begun) await converse(services, model, place)
}

/** Takes the run for this message, and one of those that the inbox has for the day. False: there is nothing to ask. */
async function begin(trx: Transaction, services: Services, place: Place): Promise<boolean> {
  if (!(await lockInbox(trx, place.team, place.inbox))) return false
  const run = await lockRun(trx, place)
  if (run) return run.status === 'running'
  const situation = await loadSituation(trx, place, [])
  if (!situation) return false
  const why = await reasonToSkip(trx, services, place, situation)
  const status = why === null ? 'running' : 'skipped'
  await insertRun(trx, { ...place, thread: situation.thread.id, status, error: why })
  return why === null
}

async function reasonToSkip(
  trx: Transaction,
  { config, teamStates }: Services,
  { team, inbox }: Place,
  situation: Situation,
): Promise<string | null> {
  const { thread, email } = situation
  if (teamStates.suspensionOf(team)) return SUSPENDED
  if (thread.folder === 'spam' || thread.folder === 'trash') return `The thread is in ${thread.folder}.`
  if (await isOwnAddress(trx, team, withoutTag(bareAddress(email.from)))) return 'An inbox of the team sent this.'
  if (allowedActions(situation).length === 0) return 'There is nothing that the agent may do with this message.'
  const since = new Date(trx.clock.of(team).now().getTime() - DAY_MS)
  if ((await countRunsOf(trx, team, thread.id, since)) >= MOST_RUNS_OF_THREAD)
    return `The agent has looked at ${MOST_RUNS_OF_THREAD} messages of this thread within a day.`
  if (!(await takeRun(trx, team, inbox, config.AGENT_RUNS_PER_DAY)))
    return `The agent has looked at ${config.AGENT_RUNS_PER_DAY} messages today, and may look at no more.`
  return null
}

async function converse(services: Services & { readonly signal: AbortSignal }, model: ChatModel, place: Place) {
  const { db, signal, log, teamStates } = services
  const mail = await loadMail(db, place)
  const first = await db.transaction((trx) => lockMoment(trx, place))
  if (!mail || !first) return await endRun(db, place, 'skipped', 'The message is gone, or the agent was switched off.')
  const { agent, inbox } = first.situation
  const now = db.clock.of(place.team).now()
  const messages = conversationFor({ agent, inbox, ...mail, now, mark: randomBytes(9).toString('hex') })
  let moment: typeof first | undefined = first
  for (let round = 0; round < MOST_ROUNDS && moment; round++) {
    if (teamStates.suspensionOf(place.team)) return await endRun(db, place, 'skipped', SUSPENDED)
    const tools = toolsFor(moment.situation)
    if (tools.length === 0) break
    const outcome = await model.ask({ messages, tools, signal, isOnlyLoopback: isSandbox(place.team) })
    if (outcome.kind === 'failed') {
      const { reason, detail, isTemporary } = outcome
      log.warn({ team: place.team, inbox: place.inbox, detail }, 'the model of the agents gave no answer')
      if (!isTemporary) return await endRun(db, place, 'failed', reason)
      await noteError(db, place, reason)
      throw new ModelAway(reason)
    }
    await noteTokens(db, place, outcome.inputTokens, outcome.outputTokens)
    if (outcome.calls.length === 0) break
    messages.push(outcome.message)
    for (const call of outcome.calls) {
      signal.throwIfAborted()
      messages.push({ role: 'tool', tool_call_id: call.id, content: await act(services, place, call) })
    }
    moment = await db.transaction((trx) => lockMoment(trx, place))
  }
  await endRun(db, place, 'done', null)
}
