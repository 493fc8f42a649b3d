import type { ToolCall } from '../../../adapters/model/protocol.ts'
import type { Transaction } from '../../../kernel/db/database.ts'
import { type Actor, EVERYTHING } from '../../../kernel/http/actor.ts'
import { Problem } from '../../../kernel/http/problem.ts'
import { escapeHtml } from '../../../mail/html.ts'
import { isGuarded } from '../../policies/queries.ts'
import { requireInbox } from '../actions.ts'
import { type Alongside, createDraft } from '../drafts/actions.ts'
import { assignThreads, labelThreads, moveThreads } from '../filing/changes.ts'
import { lockInbox } from '../filing/lock.ts'
import { forwardEmail } from '../replies/actions.ts'
import { requireThreadOf } from '../replies/original.ts'
import { type AgentContext, MOVES } from './context.ts'
import { loadContext, type MessageRef } from './load.ts'
import { type Act, lockRun, recordAct } from './queries.ts'
import type { InboxesAgentServices } from './services.ts'
import { type Refusal, readToolRequest, type ToolRequest } from './tools.ts'

/** A run keeps no more than these: a model that calls without end fills no table. */
const MAX_ACTS = 20

const GONE = 'The message was deleted, or the agent was disabled.'

/** A tool request that is not allowed any more when it would be carried out. Rolls back what was begun for it. */
class NotAuthorized extends Error {}

/** The run for a message, and its context now. Nobody changes the inbox or its agent until the transaction ends. */
interface LockedRun {
  readonly run: string
  readonly acts: readonly Act[]
  readonly context: AgentContext
}

/** Nothing when the run has ended, or there is nothing to look at any more. */
export async function lockRunContext(trx: Transaction, ref: MessageRef): Promise<LockedRun | undefined> {
  if (!(await lockInbox(trx, ref.team, ref.inbox))) return undefined
  const run = await lockRun(trx, ref)
  if (run?.status !== 'running') return undefined
  const context = await loadContext(trx, ref, doneIn(run.acts))
  return context && { run: run.id, acts: run.acts, context }
}

const doneIn = (acts: readonly Act[]) => acts.filter(({ outcome }) => outcome === 'done').map(({ action }) => action)

/** Runs a tool request of a model if it is allowed, and returns the result. */
export async function act(services: InboxesAgentServices, ref: MessageRef, call: ToolCall): Promise<string> {
  // Somebody may have suspended the team while the model was asked.
  if (services.teamStates.suspensionOf(ref.team)) return 'Refused: The team is suspended.'
  const toolRequest = await services.db.transaction(async (trx) => {
    const locked = await lockRunContext(trx, ref)
    if (!locked) return { action: null, reason: '', refused: GONE }
    const wanted = readToolRequest(call, locked.context)
    if ('refused' in wanted) await recordRefusal(trx, ref, locked, wanted)
    else if (isImmediate(wanted))
      await recordDone(trx, ref, {
        locked,
        toolRequest: wanted,
        detail: await change(trx, ref, { locked, toolRequest: wanted }),
      })
    return wanted
  })
  if ('refused' in toolRequest) return `Refused: ${toolRequest.refused}`
  if (isImmediate(toolRequest)) return 'Done.'
  try {
    await write(services, ref, toolRequest)
    return 'Done.'
  } catch (error) {
    if (!isRefusal(error)) throw error
    const refusal = { action: toolRequest.action, reason: toolRequest.reason, refused: error.message }
    await services.db.transaction(async (trx) => {
      const locked = await lockRunContext(trx, ref)
      if (locked) await recordRefusal(trx, ref, locked, refusal)
    })
    return `Refused: ${error.message}`
  }
}

/** Besides our own: what somebody with a key would be told, too, because the domain is not verified or the quota used up. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof NotAuthorized || (error instanceof Problem && error.status < 500)

type WriteRequest = Extract<ToolRequest, { action: 'draft_reply' | 'forward_thread' }>
type ImmediateRequest = Exclude<ToolRequest, WriteRequest>

const isImmediate = (toolRequest: ToolRequest): toolRequest is ImmediateRequest =>
  toolRequest.action !== 'draft_reply' && toolRequest.action !== 'forward_thread'

/** Changes the thread, and says how. */
async function change(
  trx: Transaction,
  { team, inbox }: MessageRef,
  { locked: { context }, toolRequest }: { readonly locked: LockedRun; readonly toolRequest: ImmediateRequest },
) {
  const threads = { team, inbox, threads: [context.thread.id] }
  switch (toolRequest.action) {
    case 'add_labels':
      await labelThreads(trx, threads, { add: toolRequest.labels.map(({ id }) => id) }, 'agent')
      return toolRequest.labels.map(({ name }) => name).join(', ')
    case 'assign_thread':
      await assignThreads(trx, threads, { assignee: toolRequest.to, by: null, source: 'agent' })
      return toolRequest.to
    case 'mark_as_spam':
    case 'archive':
    case 'move_to_trash':
      await moveThreads(trx, threads, MOVES[toolRequest.action], 'agent')
      return null
  }
}

/** Drafts and mail are written by others, in a transaction of theirs, in which the request is authorized. */
async function write(services: InboxesAgentServices, ref: MessageRef, toolRequest: WriteRequest) {
  const { db } = services
  const policyId = (await isGuarded(db, { team: ref.team, policyId: ref.inbox })) ? ref.inbox : null
  const identity = { kind: 'automation' } as const
  const actor: Actor = { team: ref.team, identity, permissions: EVERYTHING, domainId: null, policyId }
  const inbox = await requireInbox(db, ref.team, ref.inbox)
  const thread = await requireThreadOf(db, ref, ref.email)
  if (toolRequest.action === 'draft_reply') {
    const request = {
      thread_id: thread,
      reply_to_email_id: ref.email,
      text: toolRequest.text,
      html: htmlOf(toolRequest.text),
    }
    const alongside = authorize(ref, toolRequest, { detail: null, policyId })
    await createDraft(services, { actor, inbox, source: 'agent', alongside }, { request })
  } else {
    const { to, note } = toolRequest
    const request = { to, ...(note && { text: note, html: htmlOf(note) }) }
    const sender = {
      actor,
      inbox,
      source: 'agent' as const,
      alongside: authorize(ref, toolRequest, { detail: to, policyId }),
    }
    await forwardEmail(services, sender, { thread, email: ref.email, request })
  }
}

/** Paragraphs and lines as they are: whoever opens the draft in an editor sees what the model wrote. */
const htmlOf = (text: string) =>
  text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${escapeHtml(paragraph).replaceAll('\n', '<br>')}</p>`)
    .join('\n')

/** Looks again, since the settings, the thread or another process may have changed meanwhile; and writes down that it was done. */
const authorize =
  (
    ref: MessageRef,
    toolRequest: WriteRequest,
    { detail, policyId }: { readonly detail: string | null; readonly policyId: string | null },
  ): Alongside =>
  async (trx) => {
    const locked = await lockRunContext(trx, ref)
    if (!locked) throw new NotAuthorized(GONE)
    const again = readToolRequest({ name: toolRequest.action, input: toolRequest }, locked.context)
    if ('refused' in again) throw new NotAuthorized(again.refused)
    // Whoever changes the policy locks the inbox, too.
    if (locked.context.isGuarded !== (policyId !== null)) throw new NotAuthorized('The policy has changed.')
    await recordDone(trx, ref, { locked, toolRequest, detail })
  }

const recordDone = (
  trx: Transaction,
  { team }: MessageRef,
  {
    locked: { run },
    toolRequest: { action, reason },
    detail,
  }: { readonly locked: LockedRun; readonly toolRequest: ToolRequest; readonly detail: string | null },
) => recordAct(trx, team, run, { action, reason, outcome: 'done', detail })

async function recordRefusal(trx: Transaction, { team }: MessageRef, { run, acts }: LockedRun, refusal: Refusal) {
  const { action, reason, refused } = refusal
  if (action === null || acts.length >= MAX_ACTS) return
  await recordAct(trx, team, run, { action, reason, outcome: 'refused', detail: refused })
}
