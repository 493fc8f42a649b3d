import { randomBytes } from 'node:crypto'
import type { ChatModel } from '../../../adapters/model/chat-model.ts'
import type { Transaction } from '../../../kernel/db/database.ts'
import { isSandbox } from '../../../platform/ids.ts'
import { describePolicy } from '../../policies/describe.ts'
import { lockInbox } from '../filing/lock.ts'
import { act, lockRunContext } from './acts.ts'
import { bareAddress, withoutTag } from './addresses.ts'
import { type AgentContext, allowedActions } from './context.ts'
import { isOwnAddress, loadContext, loadMail, type MessageRef } from './load.ts'
import { conversationFor } from './prompt.ts'
import { countRunsOf, endRun, insertRun, lockRun, recordError, recordTokens, takeRun } from './queries.ts'
import type { InboxesAgentServices } from './services.ts'
import { toolsFor } from './tools.ts'

/** How many tool requests a model may make. */
const MAX_ROUNDS = 4

/** Two programs that answer each other do not notice it. People do not write so often. */
const MAX_RUNS_PER_THREAD = 10
const DAY_MS = 86_400_000

const SUSPENDED = 'The team is suspended.'

/** The model may answer another time: the job comes back. */
class ModelAway extends Error {}

interface Asking {
  readonly model: ChatModel
  readonly signal: AbortSignal
}

/**
 * Looks at a message once. What it does is written down with the act itself, so whoever carries on after a crash knows it: the model is
 * asked anew, and what was done already is not offered again.
 */
export async function runAgent(
  services: InboxesAgentServices,
  { model, signal }: { readonly model: ChatModel | null; readonly signal: AbortSignal },
  ref: MessageRef,
): Promise<void> {
  const { db, teamStates } = services
  // What comes while there is no model is left to people, and so is what had begun when there was one.
  if (!model) return void (await endRun(db, ref, 'failed', 'No model configured.'))
  await teamStates.load()
  const begun = await db.transaction((trx) => begin(trx, services, ref))
  if (begun) await converse(services, { model, signal }, ref)
}

/** Takes the run for this message, and one of those that the inbox has for the day. False: there is nothing to ask. */
async function begin(trx: Transaction, services: InboxesAgentServices, ref: MessageRef): Promise<boolean> {
  if (!(await lockInbox(trx, ref.team, ref.inbox))) return false
  const run = await lockRun(trx, ref)
  if (run) return run.status === 'running'
  const context = await loadContext(trx, ref, [])
  if (!context) return false
  const why = await reasonToSkip(trx, services, ref, context)
  const status = why === null ? 'running' : 'skipped'
  await insertRun(trx, { ...ref, thread: context.thread.id, status, error: why })
  return why === null
}

async function reasonToSkip(
  trx: Transaction,
  { config, teamStates }: InboxesAgentServices,
  { team, inbox }: MessageRef,
  context: AgentContext,
): Promise<string | null> {
  const { thread, email } = context
  if (teamStates.suspensionOf(team)) return SUSPENDED
  if (thread.folder === 'spam' || thread.folder === 'trash') return `The thread is in ${thread.folder}.`
  if (await isOwnAddress(trx, team, withoutTag(bareAddress(email.from)))) return 'An inbox of the team sent this.'
  if (allowedActions(context).length === 0) return 'No permitted action applies to this message.'
  const since = new Date(trx.clock.of(team).now().getTime() - DAY_MS)
  if ((await countRunsOf(trx, team, thread.id, since)) >= MAX_RUNS_PER_THREAD)
    return `The agent has reached its limit of ${MAX_RUNS_PER_THREAD} messages of a thread per day.`
  if (!(await takeRun(trx, team, inbox, config.AGENT_RUNS_PER_DAY)))
    return `The agent has reached its limit of ${config.AGENT_RUNS_PER_DAY} messages per day.`
  return null
}

async function converse(services: InboxesAgentServices, { model, signal }: Asking, ref: MessageRef) {
  const { db, log, teamStates } = services
  const mail = await loadMail(db, ref)
  const first = await db.transaction((trx) => lockRunContext(trx, ref))
  if (!mail || !first) return await endRun(db, ref, 'skipped', 'The message was deleted, or the agent was disabled.')
  const { agent, inbox } = first.context
  const now = db.clock.of(ref.team).now()
  const policy = first.context.isGuarded ? await describePolicy(db, ref.team, ref.inbox) : null
  const messages = conversationFor({ agent, inbox, policy, ...mail, now, mark: randomBytes(9).toString('hex') })
  let locked: typeof first | undefined = first
  for (let round = 0; round < MAX_ROUNDS && locked; round++) {
    if (teamStates.suspensionOf(ref.team)) return await endRun(db, ref, 'skipped', SUSPENDED)
    const tools = toolsFor(locked.context)
    if (tools.length === 0) break
    const outcome = await model.ask({ messages, tools, signal, isOnlyLoopback: isSandbox(ref.team) })
    if (outcome.kind === 'failed') {
      const { reason, detail, isTemporary } = outcome
      log.warn({ team: ref.team, inbox: ref.inbox, detail }, 'inboxes: the agent model did not answer')
      if (!isTemporary) return await endRun(db, ref, 'failed', reason)
      await recordError(db, ref, reason)
      throw new ModelAway(reason)
    }
    await recordTokens(db, ref, outcome.inputTokens, outcome.outputTokens)
    if (outcome.calls.length === 0) break
    messages.push(outcome.message)
    for (const call of outcome.calls) {
      signal.throwIfAborted()
      messages.push({ role: 'tool', tool_call_id: call.id, content: await act(services, ref, call) })
    }
    locked = await db.transaction((trx) => lockRunContext(trx, ref))
  }
  await endRun(db, ref, 'done', null)
}
