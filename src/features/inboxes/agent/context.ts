import { bareAddress } from './addresses.ts'
import type { Sender } from './automatic.ts'
import { ACTIONS, type AgentAction } from './schema.ts'

/** What an agent looks at, and what it may do with it, as it is at one moment. */
export interface AgentContext {
  readonly agent: AgentSettings
  /** Whether a policy judges what it sends. */
  readonly isGuarded: boolean
  readonly inbox: { readonly id: string; readonly name: string; readonly addresses: readonly string[] }
  readonly thread: {
    readonly id: string
    readonly folder: 'inbox' | 'archive' | 'spam' | 'trash'
    readonly assignee: string | null
    /** Ids. */
    readonly labels: readonly string[]
  }
  readonly email: {
    readonly id: string
    readonly from: string
    readonly sender: Sender
    /** Nothing came after it, and nobody has answered it. */
    readonly isNewest: boolean
    readonly hasDraft: boolean
  }
  /** All that the inbox has. */
  readonly labels: readonly { readonly id: string; readonly name: string }[]
  /** The addresses of the members of the team. */
  readonly members: readonly string[]
  /** What it has done in this run. */
  readonly done: readonly AgentAction[]
}

export interface AgentSettings {
  readonly instructions: string | null
  readonly tone: string | null
  readonly actions: readonly AgentAction[]
  readonly forwardTo: readonly string[]
}

export const MOVES = { mark_as_spam: 'spam', archive: 'archive', move_to_trash: 'trash' } as const
export type Move = keyof typeof MOVES
export const isMove = (action: AgentAction): action is Move => Object.hasOwn(MOVES, action)

/** Nobody gets back what they sent, and the inbox does not write to itself: both would go round in circles. */
export function forwardTargets({ agent, inbox, email }: AgentContext): string[] {
  const from = bareAddress(email.from)
  return agent.forwardTo.filter((address) => address !== from && !inbox.addresses.includes(address))
}

/** Why the agent must not do this now, a sentence; null: it may. Nothing that a mail says is asked here. */
export function objectionTo(action: AgentAction, context: AgentContext): string | null {
  const { agent, thread, email, done, labels, members } = context
  if (!agent.actions.includes(action)) return 'This is not enabled.'
  if (thread.folder === 'trash' || thread.folder === 'spam') return 'The thread is in the trash or in spam.'
  if (done.includes(action)) return 'This was done already.'
  switch (action) {
    case 'draft_reply':
      if (email.sender !== 'person') return 'A program sent this, and programs are not answered.'
      if (!email.isNewest) return 'There is a newer message in the thread.'
      return email.hasDraft ? 'There is a draft already.' : null
    case 'forward_thread':
      if (email.sender === 'responder') return 'An automatic reply is not forwarded.'
      return forwardTargets(context).length === 0 ? 'There is no address to forward this to.' : null
    case 'add_labels':
      return labels.some(({ id }) => !thread.labels.includes(id)) ? null : 'There is no label to add.'
    case 'assign_thread':
      if (thread.assignee !== null) return 'Somebody has been assigned already.'
      return members.length === 0 ? 'There is nobody to assign it to.' : null
    case 'mark_as_spam':
    case 'archive':
    case 'move_to_trash':
      return done.some(isMove) ? 'It was moved already.' : null
  }
}

export const allowedActions = (context: AgentContext): AgentAction[] =>
  ACTIONS.filter((action) => objectionTo(action, context) === null)
